"""The tables of a report: rows of text."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from texas42.envs.rules import ladder
from texas42.envs.rules.codec import build_codec
from texas42.training.evaluation.bidding import NOTHING
from texas42.training.evaluation.regret import ROLES
from texas42.training.evaluation.report.words import (
    NONE,
    interval,
    measured,
    number,
    role_text,
    seat_text,
    share,
    shares,
)

if TYPE_CHECKING:
    from texas42.training.evaluation.report.measure import Report

MOST_DECLARATIONS = 8


@dataclass(frozen=True)
class Table:
    """A table; the first `names` columns name the row and are set to the left."""

    title: str
    head: list[str]
    rows: list[list[str]]
    names: int = 1


def policy_table(report: "Report") -> Table:
    """Who is who."""
    rows = [[c.label, c.spec, number(_cpu(report, k), 0)] for k, c in enumerate(report.contestants)]
    return Table("Policies", ["policy", "agent", "CPU µs a decision"], rows, names=2)


def _cpu(report: "Report", k: int) -> float | None:
    """Microseconds a decision, mean over the matches of a contestant."""
    found = [m["cpu_s_per_decision"][(i, j).index(k)] for (i, j), m in report.matches.items() if k in (i, j)]
    known = [seconds for seconds in found if seconds is not None]
    return 1e6 * sum(known) / len(known) if known else None


def ladder_table(report: "Report") -> Table:
    """The ladder, best first."""
    ranked = sorted(
        zip(report.contestants, report.ladder, strict=True), key=lambda pair: -(pair[1]["mean"] or 0.0)
    )
    rows = [[c.label, number(row["mean"], 3, True), interval(row["ci95"], 3, True)] for c, row in ranked]
    return Table("Against all others", ["policy", f"{report.unit} a deal", "95 % interval"], rows)


def match_table(report: "Report") -> Table:
    """Row against column."""
    labels = [c.label for c in report.contestants]
    rows = []
    for i, label in enumerate(labels):
        cells = [NONE if i == j else measured(_from(report, i, j), 2, True) for j in range(len(labels))]
        rows.append([label, *cells])
    return Table(f"Row against column, {report.unit} a deal with 95 % interval", ["", *labels], rows)


def _from(report: "Report", i: int, j: int) -> dict[str, Any]:
    """A match as seen by i."""
    if i < j:
        return report.matches[i, j]
    found = report.matches[j, i]
    return {"mean": -found["mean"], "ci95": [-found["ci95"][1], -found["ci95"][0]]}


def crossplay_table(report: "Report") -> Table:
    """With itself, with the others, and the gap."""
    assert report.crossplay is not None
    rows = [
        [c.label, *(measured(row[name], 2, True) for name in ("self", "cross", "gap"))]
        for c, row in zip(report.contestants, report.crossplay["gaps"], strict=True)
    ]
    head = ["policy", "with itself", "with the others", "gap"]
    return Table(f"{report.unit.capitalize()} a deal against {report.opponent}", head, rows)


def levels_in(report: "Report") -> list[str]:
    """Winning calls that come up, ascending."""
    found = {name for hands in report.hands for name in hands["bidding"]["levels"]}
    return [call.name for call in build_codec(report.rules).ladder if call.name in found]


def summary_table(report: "Report") -> Table:
    """Bidding at a glance."""
    rows = []
    for one, hands in zip(report.contestants, report.hands, strict=True):
        b = hands["bidding"]
        contracts = b["hands"] - b["thrown_in"]
        rows.append([
            one.label,
            share(b["thrown_in"] / b["hands"]),
            share(b["forced"] / contracts if contracts and b["forced"] is not None else None),
            *_chosen(b["choice"]),
            share(b["forced_level"]["make_rate"]),
            number(b["forced_level"]["won"], 2, True),
        ])
    won = f"{report.unit} won"
    head = ["policy", "thrown in", "forced", "made, of choice", f"{won}, of choice", "made, forced", f"{won}, forced"]
    return Table("Contracts", head, rows)


def _chosen(level: Mapping[str, Any]) -> tuple[str, str]:
    """Make rate and gain with their intervals."""
    if not level["played"]:
        return NONE, NONE
    gain = measured({"mean": level["won"], "ci95": level["won_ci95"]}, 2, True)
    return f"{share(level['make_rate'])} ({shares(level['make_ci95'])})", gain


_GROUPS = ("pass", "lowest bid", "higher points", "1 mark", "more marks", "special")


def call_table(report: "Report", k: int, label: str) -> Table:
    """What each seat calls over what stands."""
    calls = {call.name: call for call in build_codec(report.rules).ladder}
    lowest = next((c.name for c in calls.values() if c.kind == ladder.POINTS and c.offered), "")
    counts: dict[tuple[int, str], dict[str, int]] = {}
    for entry in report.hands[k]["bidding"]["calls"]:
        key = (entry["seat"] or report.rules.seats, _standing(calls, entry["standing"]))
        row = counts.setdefault(key, dict.fromkeys(_GROUPS, 0))
        for name, count in entry["calls"].items():
            row[_group(calls[name], lowest)] += count
    shown = [group for group in _GROUPS if any(row[group] for row in counts.values())]
    order = (NOTHING, "points", "marks", "special")
    rows = []
    for seat, standing in sorted(counts, key=lambda key: (key[0], order.index(key[1]))):
        row = counts[seat, standing]
        total = sum(row.values())
        cells = [share(row[group] / total) for group in shown]
        rows.append([seat_text(seat % report.rules.seats), standing, f"{total:,}", *cells])
    return Table(f"{label}: calls by seat and what stands", ["seat", "stands", "calls", *shown], rows, names=2)


def _standing(calls: Mapping[str, ladder.Call], name: str) -> str:
    if name == NOTHING:
        return NOTHING
    kinds = {ladder.POINTS: "points", ladder.COUNT51: "points", ladder.MARKS: "marks"}
    return kinds.get(calls[name].kind, "special")


def _group(call: ladder.Call, lowest: str) -> str:
    if call.kind == ladder.PASS:
        return "pass"
    if call.kind in (ladder.POINTS, ladder.COUNT51):
        return "lowest bid" if call.name == lowest else "higher points"
    if call.kind == ladder.MARKS:
        return "1 mark" if call.marks == 1 else "more marks"
    return "special"


def _level_cells(level: Mapping[str, Any]) -> list[str]:
    return [
        f"{level['played']:,}",
        share(level["make_rate"]),
        shares(level["make_ci95"]),
        number(level["won"], 2, True),
        interval(level["won_ci95"], 2, True),
    ]


def _level_head(report: "Report") -> list[str]:
    return ["played", "made", "95 % interval", f"{report.unit} won", "95 % interval"]


def level_table(report: "Report", k: int, label: str) -> Table:
    """Contracts by winning call."""
    levels = report.hands[k]["bidding"]["levels"]
    rows = [[name, *_level_cells(levels[name])] for name in levels_in(report) if name in levels]
    return Table(f"{label}: contracts by winning call", ["call", *_level_head(report)], rows)


def declaration_table(report: "Report", k: int, label: str) -> Table:
    """The most frequent declarations."""
    found = list(report.hands[k]["bidding"]["declarations"].items())[:MOST_DECLARATIONS]
    rows = [[name, *_level_cells(level)] for name, level in found]
    return Table(f"{label}: declarations, the most frequent", ["declaration", *_level_head(report)], rows)


def special_table(report: "Report") -> Table:
    """Splash, plunge, nello, Sevens and their like."""
    rows = []
    for one, hands in zip(report.contestants, report.hands, strict=True):
        for name, level in hands["bidding"]["specials"].items():
            rows.append([one.label, name, f"{level['called']:,}", *_level_cells(level)])
    return Table("Special contracts", ["policy", "contract", "called", *_level_head(report)], rows, names=2)


def regret_table(report: "Report") -> Table:
    """By role."""
    rows = []
    for one, hands in zip(report.contestants, report.hands, strict=True):
        for group in hands["regret"].get("groups", []):
            if group["trick"] is None:
                role = "all" if group["role"] is None else role_text(group["role"])
                forced = group["forced"] / group["plays"] if group["plays"] else None
                known = f"{measured(group['known'], 3)}, n = {group['known']['n']}"
                figures = [measured(group["made"], 3), measured(group["points"], 2), known]
                rows.append([one.label, role, f"{group['plays']:,}", share(forced), *figures])
    head = ["policy", "role", "plays", "forced", "contract turned", "points", "P(aim), could be known"]
    assert len(ROLES) == 3
    return Table("Given away by a play with a choice, mean and 95 % interval over hands", head, rows, names=2)


def belief_table(report: "Report") -> Table:
    """Belief heads against counting."""
    rows = []
    for one, hands in zip(report.contestants, report.hands, strict=True):
        b = hands["beliefs"]
        if "unavailable" in b:
            continue
        for group in b["groups"]:
            when = group["when"] if isinstance(group["when"], str) else f"trick {group['when']}"
            bits = [number(group[name]["mean"], 3) for name in ("head", "uniform")]
            rows.append([one.label, when, f"{group['head']['n']:,}", *bits, measured(group["gain"], 3, True), "", ""])
        for name, what in (("head", "head"), ("uniform", "counting")):
            errors = [number(b[name]["ece"], 3), number(b[name]["brier"], 3)]
            rows.append([one.label, f"all, {what}", NONE, NONE, NONE, NONE, *errors])
    head = ["policy", "when", "decisions", "head, bits a tile", "counting", "gain", "calibration error", "Brier"]
    return Table("Who holds the hidden tiles", head, rows, names=2)


def make_table(report: "Report") -> Table:
    """P(make) by bid."""
    rows = []
    for one, hands in zip(report.contestants, report.hands, strict=True):
        if "unavailable" in hands["make"]:
            continue
        bids = hands["make"]["bids"]
        named = [("all", hands["make"]["all"]), *((name, bids[name]) for name in levels_in(report) if name in bids)]
        for name, found in named:
            if found["n"]:
                forecast = sum(b["n"] * b["forecast"] for b in found["bins"]) / found["n"]
                made = sum(b["n"] * b["frequency"] for b in found["bins"]) / found["n"]
                figures = [share(forecast), share(made), number(found["ece"], 3), number(found["brier"], 3)]
                rows.append([one.label, name, f"{found['n']:,}", *figures])
    head = ["policy", "call", "contracts", "forecast", "made", "calibration error", "Brier"]
    return Table("P(make) by winning call", head, rows, names=2)
