"""What an AEC environment of this project promises, as checks that any of its users can run.

    from texas42.envs import texas42_v0
    from texas42.envs.conformance import check_env

    check_env(texas42_v0.env, rules="open")

Everything is checked through the public interface: the positions come from `Texas42AEC.position` and
``reset(options=...)``.
"""

import copy
import json
import pickle
import random
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from texas42.envs.errors import GameOverError, IllegalActionError, MalformedActionError, OptionsError

MakeEnv = Callable[..., Any]
_LONGEST = 150  # decisions of an episode that are checked: random bids never end a game in signed points
_MEMORY_SLACK = 64 * 1024  # bytes that interpreter and caches may keep


class ConformanceError(AssertionError):
    """A promise that an environment does not keep."""


def check_env(make_env: MakeEnv, *, episodes: int = 5, resets: int = 200, seed: int = 0, **kwargs: Any) -> None:
    """Run every check on ``make_env(**kwargs)``.

    Args:
        make_env: makes an environment; takes the arguments of `texas42.envs.aec.env`.
        episodes: random episodes played in each check that plays.
        resets: resets over which memory must stay flat.
        seed: of the random play; the same seed plays the same games.

    Raises:
        ConformanceError: a promise is broken; the message says which, and where.
    """

    def make() -> Any:
        return make_env(**kwargs)

    for check in (
        check_spaces,
        check_masks,
        check_aliasing,
        check_copies,
        check_rewards,
        check_dead_steps,
        check_seeding,
        check_bad_actions,
        check_aborted_reset,
        check_leaks,
        check_rotation,
    ):
        check(make, episodes, random.Random(f"{seed} {check.__name__}"))
    check_memory(make, resets)


def require(condition: bool, message: str) -> None:
    """Raise `ConformanceError` unless `condition` holds."""
    if not condition:
        raise ConformanceError(message)


def random_action(env: Any, rng: random.Random) -> int:
    """A random legal action of the agent to move."""
    return int(rng.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])))


def over(env: Any) -> bool:
    """Whether the episode is over."""
    return not env.agents or env.terminations[env.agent_selection] or env.truncations[env.agent_selection]


def decisions(env: Any, episodes: int, rng: random.Random) -> Iterator[int]:
    """Play random episodes, `_LONGEST` decisions each at most; yields the action about to be taken."""
    for _ in range(episodes):
        env.reset(seed=rng.randrange(2**32))
        for _ in range(_LONGEST):
            if over(env):
                break
            action = random_action(env, rng)
            yield action
            env.step(action)


def equal(a: Any, b: Any) -> bool:
    """Whether two observations, or nested dicts of numbers and arrays, are the same, types included."""
    if isinstance(a, dict):
        return isinstance(b, dict) and list(a) == list(b) and all(equal(a[key], b[key]) for key in a)
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and a.dtype == b.dtype and np.array_equal(a, b)
    return bool(a == b)


def snapshot(env: Any) -> dict[str, Any]:
    """All that the interface shows of an environment."""
    return {
        "state": env.state(),
        "seen": {agent: env.observe(agent) for agent in env.possible_agents},
        "agents": list(env.agents),
        "selection": env.agent_selection,
        "rewards": dict(env.rewards),
        "terminations": dict(env.terminations),
        "truncations": dict(env.truncations),
        "infos": copy.deepcopy(env.infos),
    }


def check_spaces(make: Callable[[], Any], episodes: int, rng: random.Random) -> None:
    """Spaces exist before `reset`, stay the same objects, differ between environments, hold what is observed."""
    env, other = make(), make()
    agents = env.possible_agents
    before = [(env.observation_space(a), env.action_space(a)) for a in agents]
    require(env.action_space(agents[0]) is not other.action_space(agents[0]), "two environments share a space")
    for _ in decisions(env, episodes, rng):
        for agent in agents:
            seen = env.observe(agent)
            require(list(seen) == ["observation", "action_mask"], f"observation keys are {list(seen)}")
            require(env.observation_space(agent).contains(seen), f"{agent}: observation outside its space")
            mask = seen["action_mask"]
            require(mask.dtype == np.int8 and mask.ndim == 1, f"mask is {mask.dtype} with {mask.ndim} dimensions")
        require(env.state_space.contains(env.state()), "state outside state_space")
    after = [(env.observation_space(a), env.action_space(a)) for a in agents]
    same = all(x is y for one, two in zip(before, after, strict=True) for x, y in zip(one, two, strict=True))
    require(same, "spaces are rebuilt in play")


def check_masks(make: Callable[[], Any], episodes: int, rng: random.Random) -> None:
    """The mover's mask is not empty, everybody else's is all zero; after the end all are."""
    env = make()
    for _ in decisions(env, episodes, rng):
        for agent in env.agents:
            some = bool(env.observe(agent)["action_mask"].any())
            require(some == (agent == env.agent_selection), f"{agent}: wrong mask while {env.agent_selection} moves")
    if over(env):
        empty = not any(env.observe(agent)["action_mask"].any() for agent in env.possible_agents)
        require(empty, "a mask after the end is not all zero")


def check_aliasing(make: Callable[[], Any], episodes: int, rng: random.Random) -> None:
    """Nothing handed out changes when the game goes on or when the user writes into it."""
    env = make()
    kept: list[tuple[Any, Any]] = []
    for _ in decisions(env, episodes, rng):
        seen = env.observe(env.agent_selection)
        kept.append((seen, copy.deepcopy(seen)))
        state = {"state": env.state(), "rewards": env.rewards}
        kept.append((state, copy.deepcopy(state)))
        scribbled = env.observe(env.agent_selection)
        for array in scribbled.values():
            array[:] = 1
        require(equal(env.observe(env.agent_selection), seen), "writing into an observation changes the next one")
    require(all(equal(now, then) for now, then in kept), "something handed out was changed by a later step")


def check_rewards(make: Callable[[], Any], episodes: int, rng: random.Random) -> None:
    """Sides are zero-sum, partners get the same, all are paid when the episode ends, `last` gives what is due."""
    env = make()
    owed = dict.fromkeys(env.possible_agents, 0.0)
    for action in decisions(env, episodes, rng):
        mover = env.agent_selection
        require(env.last()[1] == owed[mover], f"{mover}: last() gives {env.last()[1]}, due are {owed[mover]}")
        ahead = copy.deepcopy(env)
        ahead.step(action)
        owed[mover] = 0.0
        require(list(ahead.rewards) == env.possible_agents, f"rewards are for {list(ahead.rewards)} only")
        owed = {agent: owed[agent] + ahead.rewards[agent] for agent in owed}
        total = sum(_by_side(ahead))
        require(abs(total) < 1e-9, f"rewards of the sides add up to {total}")
        if over(ahead):
            for agent in ahead.possible_agents:
                require(ahead.terminations[agent] or ahead.truncations[agent], "not all agents end together")
                require(ahead._cumulative_rewards[agent] == owed[agent], f"{agent}: the last reward is not due")
            owed = dict.fromkeys(owed, 0.0)


def _by_side(env: Any) -> list[float]:
    """Rewards by side; agents of a side must get the same."""
    agents, sides = env.possible_agents, min(env.rules.sides, len(env.possible_agents))
    rewards = [[env.rewards[agent] for agent in agents[side::sides]] for side in range(sides)]
    require(all(len(set(paid)) == 1 for paid in rewards), f"partners get different rewards: {env.rewards}")
    return [paid[0] for paid in rewards]


def check_dead_steps(make: Callable[[], Any], episodes: int, rng: random.Random) -> None:
    """After the end each agent takes one step of `None` and is gone; rewards handed out stay as they were."""
    env = make()
    for _ in decisions(env, episodes, rng):
        pass
    if not over(env):
        return
    rewards = env.rewards
    kept, left = dict(rewards), list(env.agents)
    while env.agents:
        agent = env.agent_selection
        require(env.last()[1] == env._cumulative_rewards[agent], f"{agent}: last() does not give what is due")
        refuses(env, GameOverError, lambda: env.step(0))
        env.step(None)
        left.remove(agent)
        require(env.agents == left and list(env.rewards) == left, f"{agent} took its last step, but is still there")
        require(not env.observe(agent)["action_mask"].any(), f"{agent} is gone, but has legal actions")
    require(rewards == kept, "a dict of rewards was changed by a later step")
    refuses(env, GameOverError, lambda: env.step(None))


def refuses(env: Any, kind: type[Exception], call: Callable[[], Any]) -> None:
    """Require that `call` raises exactly `kind` and changes nothing."""
    before = snapshot(env)
    try:
        call()
    except Exception as error:
        require(type(error) is kind, f"{error!r} instead of {kind.__name__}")
        require(equal(snapshot(env), before), f"{error!r} left the environment changed")
        return
    raise ConformanceError(f"bad input was accepted instead of {kind.__name__}")


def check_copies(make: Callable[[], Any], episodes: int, rng: random.Random) -> None:
    """A pickled, a deep-copied and a written-out position have the same future as the original."""
    env = make()
    for n, action in enumerate(decisions(env, episodes, rng)):
        if n != 1 and rng.random() > 0.04:
            continue
        written = make()
        written.reset(options=json.loads(json.dumps(env.position())))
        copies = {"pickle": pickle.loads(pickle.dumps(env)), "deepcopy": copy.deepcopy(env), "position": written}
        require(equal(written.state(), env.state()), "a position that was written down is another one")
        for name in ("pickle", "deepcopy"):
            require(equal(snapshot(copies[name]), snapshot(env)), f"a copy by {name} is another game")
        _check_futures(copies, action, rng)


def _check_futures(copies: dict[str, Any], action: int, rng: random.Random) -> None:
    for _ in range(_LONGEST):
        for one in copies.values():
            one.step(action)
        shown = {name: snapshot(one) for name, one in copies.items()}
        for name in shown:
            require(equal(shown[name], shown["pickle"]), f"a game copied by {name} goes on differently")
        if over(copies["pickle"]):
            return
        action = random_action(copies["pickle"], rng)


def check_seeding(make: Callable[[], Any], episodes: int, rng: random.Random) -> None:
    """The same seed gives the same episodes, `reset` without a seed goes on, global generators are not touched."""
    one, two = make(), make()
    seed = rng.randrange(2**32)
    one.reset(seed=seed)
    two.reset(seed=seed + 1)
    require(not equal(one.state(), two.state()), f"seeds {seed} and {seed + 1} deal the same hands")
    two.reset(seed=seed)
    for k in range(max(2, episodes)):
        first = one.state()
        for _ in range(_LONGEST):
            if over(one):
                break
            require(equal(snapshot(one), snapshot(two)), f"episode {k} of seed {seed} is not always the same")
            global_state = _global_generators()
            action = random_action(one, rng)
            one.step(action)
            two.step(action)
            require(_global_generators() == global_state, "a step draws from a global generator")
            if rng.random() < 0.02:
                break
        one.reset()
        two.reset()
        require(not equal(one.state(), first), "reset without a seed starts the same episode again")


def _global_generators() -> bytes:
    return pickle.dumps((random.getstate(), np.random.get_state()))


def check_bad_actions(make: Callable[[], Any], episodes: int, rng: random.Random) -> None:
    """Malformed and illegal actions are told apart and change nothing; penalised ones end the episode."""
    env = make()
    for call in (lambda: env.step(0), lambda: env.observe(env.possible_agents[0]), env.state, env.position):
        try:
            call()
        except GameOverError:
            continue
        raise ConformanceError("an environment can be used before reset")
    n_actions = int(env.action_space(env.possible_agents[0]).n)
    for n, _ in enumerate(decisions(env, episodes, rng)):
        if n > 0 and rng.random() > 0.1:
            continue
        for bad in (-1, n_actions, 0.0, "0", None, True, np.float32(0), [0]):
            refuses(env, MalformedActionError, lambda bad=bad: env.step(bad))  # type: ignore[misc]
        illegal = int(rng.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"] == 0)))
        if env.illegal == "raise":
            refuses(env, IllegalActionError, lambda illegal=illegal: env.step(illegal))  # type: ignore[misc]
        else:
            _check_penalty(copy.deepcopy(env), illegal)
        refuses(env, OptionsError, lambda: env.reset(seed=-1))
        refuses(env, OptionsError, lambda: env.reset(options={"shacker": 0}))


def _check_penalty(env: Any, illegal: int) -> None:
    offender = env.agent_selection
    env.step(illegal)
    require(all(env.terminations.values()), "an illegal action did not end the episode")
    by_side = _by_side(env)
    require(abs(sum(by_side)) < 1e-9, f"a penalty is not zero-sum: {env.rewards}")
    require(env.rewards[offender] == min(by_side) < 0, f"{offender} was not penalised: {env.rewards}")


def check_aborted_reset(make: Callable[[], Any], episodes: int, rng: random.Random) -> None:
    """`reset` works in the middle of an episode and among the last steps, and leaves no trace of before."""
    env, fresh = make(), make()
    for n, _ in enumerate(decisions(env, episodes, rng)):
        if n % 7 and not over(env):
            continue
        aborted = copy.deepcopy(env)
        aborted.step(random_action(aborted, rng))
        if over(aborted):
            aborted.step(None)
        aborted.reset(seed=n)
        fresh.reset(seed=n)
        require(equal(snapshot(aborted), snapshot(fresh)), "reset after an aborted episode differs from a first one")
        require(aborted.last()[1] == 0, "rewards of an aborted episode are still due")


def check_leaks(make: Callable[[], Any], episodes: int, rng: random.Random) -> None:
    """Exchanging tiles an agent cannot see changes nothing that it is shown: observation, mask, info."""
    env, other = make(), make()
    for _ in decisions(env, episodes, rng):
        if rng.random() < 0.5:
            continue
        agent = rng.choice(env.possible_agents)
        position = _exchange(env, env.possible_agents.index(agent), rng)
        try:
            other.reset(options=position)
        except IllegalActionError:
            continue  # the players could not have acted like this with those tiles
        if other.agent_selection == env.agent_selection:  # else the exchange was a public event
            same = equal(other.observe(agent), env.observe(agent)) and other.infos[agent] == env.infos[agent]
            require(same, f"{agent} is shown something of tiles it cannot see: {env.position()} and {position}")


def _exchange(env: Any, observer: int, rng: random.Random) -> dict[str, Any]:
    """The position with two tiles exchanged that the observer has not seen, where there are such."""
    position: dict[str, Any] = copy.deepcopy(env.position())
    n_agents = len(env.possible_agents)
    places = [tiles for seat, tiles in enumerate(position["hands"]) if seat % n_agents != observer]
    seen = {action.split("/")[0] for action in position["actions"]}
    seen |= {action.removeprefix("DISCARD ") for action in seen}
    shown = env.observe(env.possible_agents[observer])["observation"]
    auction, bidder = (bool(shown[env.layout.pieces[name].start]) for name in ("phase", "bidder"))
    if auction or not bidder:  # the winner of the auction sees the widow
        places.append(position["widow"])
    if len(places) < 2:
        return position
    one, two = rng.sample(places, 2)
    free_one = [i for i, tile in enumerate(one) if tile not in seen]
    free_two = [i for i, tile in enumerate(two) if tile not in seen]
    if free_one and free_two:
        i, j = rng.choice(free_one), rng.choice(free_two)
        if position["widow"] in (one, two) and _has_count(env, one[i]) != _has_count(env, two[j]):
            return position  # count in the widow shows: there is no choice then
        one[i], two[j] = two[j], one[i]
    return position


def _has_count(env: Any, tile: str) -> bool:
    return sum(map(int, tile.split("-"))) in env.rules.game.count_sums


def check_rotation(make: Callable[[], Any], episodes: int, rng: random.Random) -> None:
    """With all seats moved on by one, every agent is shown and paid what its right-hand neighbour was."""
    env, turned = make(), make()
    agents = env.possible_agents
    for action in decisions(env, episodes, rng):
        if rng.random() < 0.5:
            continue
        turned.reset(options=_turn(env))
        for i, agent in enumerate(agents):
            neighbour = agents[(i + 1) % len(agents)]
            if len(agents) == env.rules.seats or agent == env.agent_selection:
                same = equal(turned.observe(neighbour), env.observe(agent))
                require(same, f"{agent} and, one seat on, {neighbour} are shown different things: {env.position()}")
        ahead = copy.deepcopy(env)
        ahead.step(action)
        turned.step(action)
        paid = [turned.rewards[agents[(i + 1) % len(agents)]] for i in range(len(agents))]
        require(paid == list(ahead.rewards.values()), f"one seat on, rewards are {turned.rewards}, not {ahead.rewards}")


def _turn(env: Any) -> dict[str, Any]:
    """The position with everybody one seat further to the left."""
    position: dict[str, Any] = env.position()
    hands, scores = position["hands"], position["scores"]
    position["shaker"] = (position["shaker"] + 1) % len(hands)
    position["hands"] = [hands[-1], *hands[:-1]]
    position["scores"] = [scores[-1], *scores[:-1]]
    return position


def check_memory(make: Callable[[], Any], resets: int) -> None:
    """Python's memory stays flat over many resets and steps."""
    env, rng = make(), random.Random(0)

    def play(n: int) -> None:
        for k in range(n):
            env.reset(seed=k % 50)
            for _ in range(k % 3):
                env.step(random_action(env, rng))

    play(100)
    tracemalloc.start()
    try:
        play(50)
        before = tracemalloc.get_traced_memory()[0]
        play(resets)
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    require(grown < _MEMORY_SLACK, f"{resets} resets left {grown} bytes behind")
