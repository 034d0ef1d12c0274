"""The plots of a report, each one SVG of a single pair of axes."""

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes

from texas42.training.evaluation.report.canvas import INK, MINUS, PLUS, Canvas, look, plain, series, styled

FEW = 5
"""Groups of fewer values than this are not drawn."""
FEW_CONTRACTS = 10

Rows = Sequence[Mapping[str, Any]]


def _errorbars(ax: Axes, k: int, label: str, x: Sequence[float], rows: Rows, n: int = 1) -> None:
    """Series k of n: ``mean`` and ``ci95`` of each row at x, moved aside a little so that bars do not cover others."""
    means = [row["mean"] for row in rows]
    below = [max(row["mean"] - row["ci95"][0], 0) for row in rows]
    above = [max(row["ci95"][1] - row["mean"], 0) for row in rows]
    places = [value + 0.09 * (k - (n - 1) / 2) if n > 1 else value for value in x]
    ax.errorbar(places, means, yerr=[below, above], capsize=2, elinewidth=1, label=plain(label), **look(k))


def _legend(ax: Axes) -> None:
    if ax.get_legend_handles_labels()[1]:
        ax.legend()
    else:
        ax.text(0.5, 0.5, "too little to draw", transform=ax.transAxes, ha="center", va="center")


@styled
def ladder(labels: Sequence[str], rows: Rows, unit: str) -> str:
    """Each contestant's mean against the others, best on top, with its interval."""
    order = sorted((k for k in range(len(rows)) if rows[k]["mean"] is not None), key=lambda k: rows[k]["mean"])
    canvas = Canvas("ladder", 0.9 + 0.36 * len(order))
    ax = canvas.ax
    for y, k in enumerate(order):
        mean, (low, high) = rows[k]["mean"], rows[k]["ci95"]
        ax.errorbar(mean, y, xerr=[[max(mean - low, 0)], [max(high - mean, 0)]], capsize=3, **look(k))
    ax.axvline(0, color=INK, linewidth=0.8)
    ax.set_yticks(range(len(order)), [plain(labels[k]) for k in order])
    ax.set_ylim(-0.6, len(order) - 0.4)
    ax.grid(axis="y", visible=False)
    ax.set_xlabel(f"{unit} a deal, mean against the others")
    return canvas.svg()


@styled
def heat_map(labels: Sequence[str], mean: Sequence[Sequence[float]]) -> str:
    """Partner by partner."""
    n = len(labels)
    canvas = Canvas("crossplay", 1.5 + 0.5 * n)
    ax = canvas.ax
    largest = max((abs(value) for row in mean for value in row), default=0.0) or 1.0
    for i, row in enumerate(mean):
        for j, value in enumerate(row):
            colour, strength = PLUS if value >= 0 else MINUS, 0.05 + 0.45 * abs(value) / largest
            ax.fill_between([j - 0.5, j + 0.5], i - 0.5, i + 0.5, color=colour, alpha=strength, linewidth=0)
            ax.text(j, i, f"{value:+.2f}".replace("-", "\N{MINUS SIGN}"), ha="center", va="center")
    names = [plain(label) for label in labels]
    ax.set_xticks(range(n), names, rotation=35 if n > 2 else 0, ha="right" if n > 2 else "center")
    ax.set_yticks(range(n), names)
    ax.set_xlim(-0.5, n - 0.5)
    ax.set_ylim(n - 0.5, -0.5)
    ax.grid(visible=False)
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)
    return canvas.svg()


@styled
def bid_heights(labels: Sequence[str], reports: Rows, levels: Sequence[str]) -> str:
    """Share of hands whose contract is at least this high."""
    canvas = Canvas("bid-heights", 3.6)
    for k, (label, report) in enumerate(zip(labels, reports, strict=True)):
        played = [report["levels"].get(level, {"played": 0})["played"] for level in levels]
        above = [sum(played[i:]) / max(report["hands"], 1) for i in range(len(levels))]
        canvas.ax.plot(range(len(levels)), above, label=plain(label), **look(k))
    _level_axis(canvas.ax, levels)
    return canvas.svg()


@styled
def bids_made(labels: Sequence[str], reports: Rows, levels: Sequence[str]) -> str:
    """Share of contracts made by level, where there are at least `FEW_CONTRACTS`."""
    canvas = Canvas("bids-made", 3.6)
    for k, (label, report) in enumerate(zip(labels, reports, strict=True)):
        found = [(i, report["levels"][name]) for i, name in enumerate(levels) if name in report["levels"]]
        shown = [(i, row) for i, row in found if row["played"] >= FEW_CONTRACTS]
        rows = [{"mean": row["make_rate"], "ci95": row["make_ci95"]} for _, row in shown]
        if rows:
            _errorbars(canvas.ax, k, label, [i for i, _ in shown], rows, len(labels))
    _level_axis(canvas.ax, levels)
    return canvas.svg()


def _level_axis(ax: Axes, levels: Sequence[str]) -> None:
    ax.set_xticks(range(len(levels)), [plain(level) for level in levels], rotation=60)
    ax.set_xlim(-0.6, len(levels) - 0.4)
    ax.set_ylim(-0.03, 1.03)
    ax.set_xlabel("winning call")
    _legend(ax)


@styled
def regret_by_trick(labels: Sequence[str], reports: Rows, measure: str) -> str:
    """``made``, ``points`` or ``known`` given away a play, by trick, all roles together."""
    canvas = Canvas(f"regret-{measure}")
    ax = canvas.ax
    for k, (label, report) in enumerate(zip(labels, reports, strict=True)):
        groups = [g for g in report.get("groups", []) if g["role"] is None and g["trick"] is not None]
        shown = [g for g in groups if g[measure]["ci95"] is not None and g[measure]["n"] >= FEW]
        if shown:
            _errorbars(ax, k, label, [g["trick"] for g in shown], [g[measure] for g in shown], len(labels))
    ax.axhline(0, color=INK, linewidth=0.8)
    tricks = [g["trick"] for report in reports for g in report.get("groups", []) if g["trick"] is not None]
    last = max(tricks, default=1)
    ax.set_xticks(range(1, last + 1))
    ax.set_xlim(0.5, last + 0.5)
    ax.set_xlabel("trick")
    _legend(ax)
    return canvas.svg()


@styled
def reliability(name: str, labels: Sequence[str], curves: Sequence[Mapping[str, Any] | None]) -> str:
    """Forecast against frequency; a curve is what `calibration.reliability` gives, None where there is none."""
    canvas = Canvas(name, 3.9)
    ax = canvas.ax
    ax.plot([0, 1], [0, 1], color=INK, linewidth=0.8, linestyle=":")
    for k, (label, curve) in enumerate(zip(labels, curves, strict=True)):
        shown = [row for row in (curve or {}).get("bins", []) if row["n"] >= FEW]
        rows = [{"mean": row["frequency"], "ci95": row["ci95"]} for row in shown]
        if rows:
            _errorbars(ax, k, label, [row["forecast"] for row in shown], rows)
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(-0.02, 1.02)
    ax.set_xlabel("forecast")
    ax.set_ylabel("came true")
    _legend(ax)
    return canvas.svg()


@styled
def belief_gain(labels: Sequence[str], reports: Sequence[Mapping[str, Any] | None]) -> str:
    """How many bits a hidden tile a belief head knows beyond counting, by moment of the hand."""
    canvas = Canvas("belief-gain", 3.9)
    ax = canvas.ax
    found = [[g for g in (report or {}).get("groups", []) if g["gain"]["ci95"] is not None] for report in reports]
    order = {"auction": -1, "declaration": 0}
    whens = sorted({g["when"] for rows in found for g in rows} - {"all"}, key=lambda when: order.get(when, when))
    for k, (label, groups) in enumerate(zip(labels, found, strict=True)):
        rows = [g for g in groups if g["when"] != "all"]
        if rows:
            _errorbars(ax, k, label, [whens.index(g["when"]) for g in rows], [g["gain"] for g in rows], len(labels))
    ax.axhline(0, color=INK, linewidth=0.8)
    names = [when if isinstance(when, str) else f"trick {when}" for when in whens]
    ax.set_xticks(range(len(whens)), names, rotation=35, ha="right")
    _legend(ax)
    return canvas.svg()


@styled
def learning(name: str, curves: Mapping[str, Any], tags: Sequence[str], band: tuple[str, str] | None = None) -> str:
    """Some curves of a run against decisions learnt from; `band` names the ends of the first one's interval."""
    canvas = Canvas(name, 2.7)
    ax = canvas.ax
    for k, tag in enumerate(tag for tag in tags if tag in curves):
        points = curves[tag]
        marker = "o" if len(points["steps"]) < 30 else None
        ax.plot(points["steps"], points["values"], color=series(k), marker=marker, label=plain(tag))
    ends = [curves[tag] for tag in band or () if tag in curves]
    if len(ends) == 2 and ends[0]["steps"] == ends[1]["steps"]:
        ax.fill_between(ends[0]["steps"], ends[0]["values"], ends[1]["values"], color=series(0), alpha=0.2, linewidth=0)
        ax.axhline(0, color=INK, linewidth=0.8)
    ax.set_xlabel("decisions learnt from")
    _legend(ax)
    return canvas.svg()
