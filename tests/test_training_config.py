"""Configurations: strict keys and types, overrides, and the files that come with the package."""

from pathlib import Path

import pytest

from texas42.agents.specs import make_agent
from texas42.training.config import ConfigError, TrainConfig, config_names, load_config


def given(tmp_path: Path, text: str, *overrides: str) -> TrainConfig:
    path = tmp_path / "c.yaml"
    path.write_text(text)
    return load_config(str(path), overrides)


def refused(tmp_path: Path, text: str, *overrides: str) -> str:
    with pytest.raises(ConfigError) as caught:
        given(tmp_path, text, *overrides)
    return str(caught.value)


def test_an_empty_file_gives_the_defaults(tmp_path: Path) -> None:
    assert given(tmp_path, "") == TrainConfig()


@pytest.mark.parametrize("name", config_names())
def test_every_configuration_of_the_package_can_be_used(name: str) -> None:
    config = load_config(name)
    for spec in (config.imitation.teacher, config.evaluation.opponent, *config.opponents.agents):
        assert make_agent(spec, config.resolved_rules)
    assert TrainConfig.from_dict(config.to_dict()) == config


def test_rules_may_be_a_preset_with_changes(tmp_path: Path) -> None:
    assert given(tmp_path, "rules: {preset: n42pa, nello: any}").resolved_rules.nello == "any"


def test_unknown_key_names_the_nearest(tmp_path: Path) -> None:
    assert "unknown key 'ppo.update' (did you mean 'ppo.updates'?)" in refused(tmp_path, "ppo: {update: 3}")
    assert "unknown key 'sed' (did you mean 'seed'?)" in refused(tmp_path, "sed: 3")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("seed: one", "seed='one' must be a whole number"),
        ("seed: 1.5", "seed=1.5 must be a whole number"),
        ("seed: true", "seed=True must be a whole number"),
        ("seed: -1", "seed=-1 is not allowed"),
        ("ppo: 3", "ppo must be a mapping of keys to values, not 3"),
        ("ppo: {clip: much}", "ppo.clip='much' must be a number"),
        ("ppo: {clip: 2}", "ppo.clip=2.0 is not allowed; allowed: 0 to 1"),
        ("ppo: {clip: .nan}", "ppo.clip=nan is not allowed"),
        ("ppo: {minibatch: 0}", "ppo.minibatch=0 is not allowed"),
        ("opponents: {agents: heuristic}", "opponents.agents='heuristic' must be a list of texts"),
        ("opponents: {agents: [1]}", "opponents.agents=[1] must be a list of texts"),
        ("rules: 3", "rules=3 must be a text or a mapping"),
        ("episode: match", "episode='match' is not allowed; allowed: hand, game"),
        ("{episode: game, rules: moon}", "episode='game' is not allowed where bidders who are set lose"),
        ("rules: n42", "unknown preset 'n42'"),
        ("rules: {preset: n42pa, nelo: any}", "unknown rule parameter 'nelo'"),
        ("- 1", "must be a mapping of keys to values"),
        ("a: [", "not YAML"),
        ("seed: 1\nseed: 2", "the key 'seed' stands twice"),
        ("network: {width: 0}", "network.width=0 is not allowed"),
        ("network: {device: gpu}", "network.device='gpu' is not allowed; allowed: cpu, cuda, cuda:N"),
    ],
)
def test_bad_values_are_refused_with_their_place(tmp_path: Path, text: str, message: str) -> None:
    assert message in refused(tmp_path, text)


def test_exponents_are_numbers_without_a_dot_too(tmp_path: Path) -> None:
    assert given(tmp_path, "ppo: {learning_rate: 1e-3}").ppo.learning_rate == 0.001
    assert given(tmp_path, "", "ppo.learning_rate=2.5E-4").ppo.learning_rate == 0.00025


def test_set_changes_values_and_makes_missing_groups(tmp_path: Path) -> None:
    config = given(tmp_path, "ppo: {updates: 5}", "ppo.updates=7", "network.width=64", "opponents.agents=[random]")
    assert (config.ppo.updates, config.network.width, config.opponents.agents) == (7, 64, ("random",))


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("ppo.updates", "write KEY=VALUE"),
        ("=3", "write KEY=VALUE"),
        ("seed.a=3", "'seed' is 5 and has no keys"),
        ("ppo.updates=[", "not a YAML value"),
        ("ppo.updates=many", "ppo.updates='many' must be a whole number"),
    ],
)
def test_bad_overrides_are_refused(tmp_path: Path, override: str, message: str) -> None:
    assert message in refused(tmp_path, "seed: 5", override)


LEAVES_NOTHING = "leaves nothing to learn from"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ppo: {weight: 0}", f"ppo.weight=0 with advice.share=0, late=0, calls=0, weight=1, gain=0 {LEAVES_NOTHING}"),
        ("ppo: {weight: 0}\nadvice: {share: 1, weight: 0}", f"late=0, calls=0, weight=0, gain=0 {LEAVES_NOTHING}"),
        ("ppo: {temperature: 0.5}", "ppo.temperature=0.5 is not allowed with ppo.weight=1"),
        ("ppo: {weight: -1, temperature: 0.5}", "ppo.weight=-1"),
        ("advice: {temperature: 0}", "advice.temperature=0"),
        ("advice: {late: 1.5}", "advice.late=1.5"),
        ("advice: {calls: -1}", "advice.calls=-1"),
        ("advice: {gain: -0.5}", "advice.gain=-0.5"),
        ("optimiser: sgd", "optimiser='sgd' is not allowed; allowed: adam, muon"),
    ],
)
def test_what_cannot_teach_is_refused(tmp_path: Path, text: str, message: str) -> None:
    assert message in refused(tmp_path, text)


def test_unknown_configuration_names_the_nearest() -> None:
    with pytest.raises(ConfigError, match=r"no configuration 'quik' \(did you mean 'quick'\?\); names: .*quick"):
        load_config("quik")


def test_unreadable_configuration_is_said(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match="cannot read configuration"):
        load_config(str(tmp_path / "c.yaml"))
