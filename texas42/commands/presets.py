"""List the rule presets, or print every parameter of one with its value, meaning and allowed values.

A star marks what differs from seed_marks, the preset that all others are written against (docs/RULES.md, f.1).
"""

import argparse

from texas42.commands.common import CommandError, add_rule_argument, format_table, rules_with
from texas42.envs.rules.parameters import PARAMETERS, written
from texas42.envs.rules.presets import PRESETS, SEED_MARKS
from texas42.envs.rules.rules import Rules

HELP = "list rule presets, or explain every parameter of one"
EXAMPLES = """examples:
  texas42 presets
  texas42 presets n42pa
  texas42 presets open --rule nello=forced_last_only
  texas42 presets my_house.yaml
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``texas42 presets``."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EXAMPLES
    parser.add_argument("name", nargs="?", metavar="NAME", help="a preset, or a YAML file of house rules")
    add_rule_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Print the list or one preset."""
    if args.name is None and args.rule:
        raise CommandError("--rule needs a preset to change, as in 'texas42 presets n42pa --rule target=5'")
    print(listing() if args.name is None else explanation(rules_with(args.name, args.rule)))
    return 0


def listing() -> str:
    """All presets: players, section of RULES.md, what differs from `seed_marks`."""
    rows = [["preset", "players", "rules", "differs from seed_marks in"]]
    for name, (_, changes) in PRESETS.items():
        rules = Rules.preset(name)
        changed = ", ".join(f"{key}={written(value)}" for key, value in changes.items())
        rows.append([name, str(rules.players), rules.game.section, changed])
    return format_table(rows) + "\n\n'texas42 presets NAME' explains every parameter of one."


def explanation(rules: Rules) -> str:
    """Every parameter of some rules."""
    rows = [["", "parameter", "value", "meaning", "allowed"]]
    for name, parameter in PARAMETERS.items():
        value = getattr(rules, name)
        star = "*" if value != SEED_MARKS[name] else ""
        rows.append([star, name, written(value), parameter.meaning, parameter.describe_allowed()])
    name, changes = str(rules)[: len(rules.base)], str(rules)[len(rules.base) :]
    head = f"{name} ({rules.game.section} of docs/RULES.md){changes}"
    return f"{head}; * differs from seed_marks\n\n{format_table(rows)}"
