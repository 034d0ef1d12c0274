"""Numbers and names as the report writes them."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any


if TYPE_CHECKING:
    from texas42.training.evaluation.report.measure import Report

NONE = "\N{EN DASH}"


def number(value: float | None, places: int = 2, sign: bool = False) -> str:
    """A number with a true minus; a dash for none."""
    if value is None:
        return NONE
    text = f"{value:{'+' if sign else ''},.{places}f}"
    if float(text.replace(",", "")) == 0:
        text = text.lstrip("+-")
    return text.replace("-", "\N{MINUS SIGN}")


def share(value: float | None, places: int = 0) -> str:
    """A share in per cent."""
    return NONE if value is None else f"{value:.{places}%}"


def interval(ends: Sequence[float] | None, places: int = 2, sign: bool = False) -> str:
    """Both ends of an interval."""
    return NONE if ends is None else f"{number(ends[0], places, sign)} to {number(ends[1], places, sign)}"


def shares(ends: Sequence[float] | None) -> str:
    """Both ends of an interval of shares."""
    return NONE if ends is None else f"{ends[0]:.0%} to {ends[1]:.0%}"


def measured(found: Mapping[str, Any], places: int = 2, sign: bool = False) -> str:
    """A mean with its interval in brackets."""
    if found["mean"] is None:
        return NONE
    ends = "" if found["ci95"] is None else f" ({interval(found['ci95'], places, sign)})"
    return f"{number(found['mean'], places, sign)}{ends}"


def role_text(role: str) -> str:
    """A role in words."""
    return {"bidder": "the bidder", "partner": "the bidder's partner", "defender": "a defender"}[role]


def said(play: Mapping[str, Any]) -> str:
    """What a play gave away, in words."""
    parts = []
    if play["known"] is not None:
        parts.append(f"{play['known']:.0%} of the chance to {_aim(play['role'])} as far as could be known")
    if play["made"]:
        parts.append(f"what was sure with all hands open, to {_aim(play['role'])} the contract")
    if play["points"]:
        parts.append(f"{play['points']:.0f} point{'s' if play['points'] != 1 else ''} with all hands open")
    return "gave away " + "; ".join(parts) if parts else "gave nothing away"


def _aim(role: str) -> str:
    return "set" if role == "defender" else "make"


def seat_text(seat: int) -> str:
    """A seat by its place: 0 is the shaker."""
    if seat == 0:
        return "shaker"
    return {1: "left of the shaker", 2: "second to his left", 3: "third to his left"}.get(seat, f"{seat}th to his left")


def size_text(report: "Report") -> list[str]:
    """What was played, in a few phrases."""
    sizes, rules = report.sizes, report.rules
    facts = [f"rules {rules}", f"seed {report.seed}"]
    if report.matches:
        facts.append(f"{sizes.deals:,} deals a match, each played from both sides")
    if report.crossplay is not None:
        facts.append(f"{sizes.cross_deals:,} deals a partnership")
    return [*facts, f"{sizes.hands:,} hands a policy for bidding, regret and calibration"]
