"""The report as one HTML page that needs no other file: what stands in it, and how numbers are written."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from jinja2 import Environment, StrictUndefined

from texas42.training.evaluation.report import plots
from texas42.training.evaluation.report.measure import Report
from texas42.training.evaluation.report.tables import (
    Table,
    belief_table,
    call_table,
    crossplay_table,
    declaration_table,
    ladder_table,
    level_table,
    levels_in,
    make_table,
    match_table,
    policy_table,
    regret_table,
    special_table,
    summary_table,
)
from texas42.training.evaluation.report.words import role_text, said, size_text

TEMPLATE = "page.html.j2"


@dataclass(frozen=True)
class Plot:
    """A drawing with what stands below it; the caption says what is seen, for those who cannot see it too."""

    svg: str
    caption: str


@dataclass(frozen=True)
class Section:
    """A chapter: notes first, then plots, tables and hands."""

    name: str
    title: str
    notes: list[str] = field(default_factory=list)
    plots: list[Plot] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    hands: list[dict[str, Any]] = field(default_factory=list)


def render(report: Report, command: str) -> str:
    """The page.

    Args:
        report: what was measured.
        command: the command line that made it, to be shown.

    Returns:
        HTML; all text that came from outside is escaped.
    """
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string(files(__package__).joinpath(TEMPLATE).read_text(encoding="utf-8"))
    labels = [c.label for c in report.contestants]
    sections = [
        _strength(report, labels),
        _crossplay(report, labels),
        _bidding(report, labels),
        _regret(report, labels),
        _calibration(report, labels),
        *_learning(report),
        _hands(report),
        _method(report, command),
    ]
    return template.render(
        title=f"Texas 42: {', '.join(labels)}",
        facts=size_text(report),
        policies=policy_table(report),
        sections=[section for section in sections if section is not None],
    )


def _strength(report: Report, labels: Sequence[str]) -> Section | None:
    if not report.matches:
        return None
    caption = f"Mean {report.unit} a deal against all others here, with its 95 % interval over deals."
    return Section(
        "strength",
        "Strength",
        [
            "Duplicate matches: both sides play the same deals from every side of the table, with their own bidding. "
            "The mean over the others depends on who the others are; the single matches are below.",
            *_forfeits(report),
        ],
        [Plot(plots.ladder(labels, report.ladder, report.unit), caption)],
        [ladder_table(report), match_table(report)],
    )


def _forfeits(report: Report) -> list[str]:
    """Who forfeited hands of the ladder, and why."""
    lines = []
    for k, one in enumerate(report.contestants):
        found = [(m["forfeits"][pair.index(k)], m["notes"]) for pair, m in report.matches.items() if k in pair]
        lost = sum(n for n, _ in found)
        reasons = sorted({reason for n, notes in found if n for reason in notes})
        if lost:
            lines.append(f"{one.label} failed and forfeited {lost:,} hands: {'; '.join(reasons)}.")
    return lines


def _crossplay(report: Report, labels: Sequence[str]) -> Section | None:
    if report.crossplay is None:
        return None
    caption = (
        f"{report.unit.capitalize()} a deal of each pair of partners against {report.opponent}; on the diagonal "
        "each policy with itself."
    )
    tables = [crossplay_table(report)] if report.crossplay["gaps"] else []
    return Section(
        "crossplay",
        "With other partners",
        [
            "Every policy as the partner of every other, against a fixed opponent. The gap is what a policy loses when "
            "its partner is not itself; a partner that plays badly lowers the score too, so compare policies of like "
            "strength, such as training runs with other seeds."
        ],
        [Plot(plots.heat_map(labels, report.crossplay["mean"]), caption)],
        tables,
    )


def _bidding(report: Report, labels: Sequence[str]) -> Section:
    found = [hands["bidding"] for hands in report.hands]
    levels = levels_in(report)
    drawn = [
        Plot(plots.bid_heights(labels, found, levels), "Share of hands whose contract is this high or higher."),
        Plot(
            plots.bids_made(labels, found, levels),
            f"Share of contracts made, where there are {plots.FEW_CONTRACTS} or more of a level; 95 % intervals.",
        ),
    ]
    tables = [summary_table(report)]
    for k, label in enumerate(labels):
        tables += [call_table(report, k, label), level_table(report, k, label), declaration_table(report, k, label)]
    tables += [special_table(report)]
    notes = [
        "Each policy sits in all four seats of the same deals. A forced contract is the last caller's after all "
        "others passed; it says little about judgement and is counted apart."
    ]
    return Section("bidding", "Bidding", notes, drawn, [t for t in tables if t.rows])


def _regret(report: Report, labels: Sequence[str]) -> Section:
    found = [hands["regret"] for hands in report.hands]
    missing = _missing(labels, found)
    if len(missing) == len(labels):
        return Section("regret", "Regret in play", missing)
    drawn = [
        Plot(
            plots.regret_by_trick(labels, found, "points"),
            "Points given away by a play with a choice, by trick, judged with all hands open.",
        ),
        Plot(
            plots.regret_by_trick(labels, found, "known"),
            "Probability of the aim (to make or to set) given away by a play, by trick, judged by what could be known.",
        ),
    ]
    notes = [
        "Hindsight: the exact solver with all hands open; no player could avoid all of it. Could be known: the choice "
        f"of pimc with {report.sizes.worlds} worlds that fit what the player saw, on a sample of "
        f"{report.sizes.sample} plays; it supposes that all hands are open from the next play on, and may be negative "
        "by chance. Each policy plays its own contracts, so compare roles and tricks rather than policies.",
        *missing,
    ]
    return Section("regret", "Regret in play", notes, drawn, [regret_table(report)])


def _missing(labels: Sequence[str], found: Sequence[Mapping[str, Any]]) -> list[str]:
    """Who lacks a part, and why; one sentence for each reason."""
    reasons: dict[str, list[str]] = {}
    for label, part in zip(labels, found, strict=True):
        if "unavailable" in part:
            reasons.setdefault(part["unavailable"], []).append(label)
    return [f"Not available for {', '.join(names)}: {reason}." for reason, names in reasons.items()]


def _calibration(report: Report, labels: Sequence[str]) -> Section:
    beliefs = [hands["beliefs"] for hands in report.hands]
    make = [hands["make"] for hands in report.hands]
    drawn, tables = [], []
    notes = _missing(labels, beliefs)
    known = [None if "unavailable" in b else b for b in beliefs]
    if any(known):
        first = next(b for b in known if b)
        names = [*labels, "counting alone"]
        curves = [*(b and b["head"] for b in known), first["uniform"]]
        drawn += [
            Plot(
                plots.reliability("belief-reliability", names, curves),
                "Who holds a tile: forecast probability of one seat and tile against how often it was so.",
            ),
            Plot(
                plots.belief_gain(labels, known),
                "Bits a hidden tile that the belief head knows beyond counting the deals that fit; above zero it has "
                "learnt something from calls and plays.",
            ),
        ]
        tables.append(belief_table(report))
    if not all("unavailable" in m for m in make):
        drawn.append(
            Plot(
                plots.reliability("make-reliability", labels, [m.get("all") for m in make]),
                "P(make) at the first lead, forecast by playing the contract out with the heuristic in 100 worlds "
                "that fit what the bidder sees, against how often the policy made it.",
            )
        )
        tables.append(make_table(report))
        notes.append("No policy here has a P(make) head: one forecast serves all, and says how their play differs.")
    else:
        notes += _missing(labels, make)
    return Section("calibration", "Calibration", notes, drawn, [t for t in tables if t.rows])


def _learning(report: Report) -> list[Section]:
    drawn, notes = [], []
    for k, (one, curves) in enumerate(zip(report.contestants, report.curves, strict=True)):
        if curves is None:
            continue
        if "unavailable" in curves:
            notes.append(f"{one.label}: {curves['unavailable']}.")
            continue
        drawn += [Plot(svg, f"{one.label}: {caption}") for svg, caption in _curves_of(k, curves, report.unit)]
    return [Section("learning", "Learning curves", notes, drawn)] if drawn or notes else []


def _curves_of(k: int, curves: Mapping[str, Any], unit: str) -> list[tuple[str, str]]:
    wanted: list[tuple[str, list[str], tuple[str, str] | None, str]] = [
        (
            "score",
            ["evaluation/marks_per_deal"],
            ("evaluation/low", "evaluation/high"),
            f"{unit} a deal against the yardstick, greedy play, with its 95 % interval.",
        ),
        ("made", ["hands/made"], None, "share of contracts made in self-play."),
        ("entropy", ["policy/entropy_auction", "policy/entropy_play"], None, "entropy; 1 is uniform, 0 certain."),
        ("belief", ["belief/bits"], None, "surprise of the belief head, bits a hidden tile."),
    ]
    return [
        (plots.learning(f"run{k}-{name}", curves, tags, band), caption)
        for name, tags, band, caption in wanted
        if any(tag in curves for tag in tags)
    ]


def _hands(report: Report) -> Section | None:
    from texas42.envs.records import HandRecord, format_hand

    k = report.subject
    hands = []
    for number, found in enumerate(report.hands[k]["worst"], 1):
        plays = [
            f"Trick {p['trick']}, seat {p['seat']} ({role_text(p['role'])}) plays {p['tile']}: {said(p)}."
            for p in found["plays"]
        ]
        text = format_hand(HandRecord.from_json(found["record"]))
        hands.append({"title": f"Hand {number} (deal {found['hand']})", "text": text, "plays": plays})
    if not hands:
        return None
    notes = [f"The largest regret of {report.contestants[k].label}, in all seats, first by what could be known."]
    return Section("hands", "Hands worth looking at", notes, hands=hands)


def _method(report: Report, command: str) -> Section:
    versions = ", ".join(f"{name} {version}" for name, version in report.versions.items())
    return Section(
        "method",
        "How this was measured",
        [
            f"Command: {command}",
            f"Versions: {versions}.",
            "Intervals are 95 % percentile bootstraps: over deals in matches, over hands elsewhere; shares that are "
            "counted one by one have Wilson intervals. All figures stand in report.json beside this page.",
        ],
    )
