"""The agent ``pretrained``: a policy whose weights come with the package."""

from texas42.agents.policy import PolicyAgent, load_policy_agent
from texas42.agents.pretrained.files import player_for, player_path
from texas42.envs.rules.rules import Rules


def load_pretrained(name: str | None, rules: Rules, *, temperature: float = 0.0, device: str = "cpu") -> PolicyAgent:
    """The agent ``pretrained:NAME`` for some rules.

    Args:
        name: the player; None for the one named after the preset of the rules, else the usual one.
        rules: the rules to play; house rules of one game share their networks.
        temperature: 0 (the default) plays the likeliest action, 1 draws from the policy.
        device: a torch device, such as ``cpu`` or ``cuda``.

    Raises:
        ValueError: there is no player of that name.
        CheckpointError: made for another game, damaged, or no such device.
    """
    player = player_for(rules) if name is None else name
    agent = load_policy_agent(player_path(player), rules, temperature=temperature, device=device)
    agent.name = f"pretrained:{player}"
    return agent
