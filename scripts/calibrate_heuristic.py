"""Fit the heuristic's bidding to hands that it plays out itself, and print agents/heuristic/fitted.py's rows.

For each game: what hands take (`model`), how likely each bid is made (`points`, `sweep`, `nello`, ...), and what a
pass is worth (`thrown`, `forced`). Every number comes from played-out results, with the heuristic in all seats.

    python scripts/calibrate_heuristic.py --deals 40000 --seed 7 [--games standard-4 moon-3 ...]
"""

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from texas42.agents.heuristic.auction import last_bid_value, others_call_after, standing_level, who_stands
from texas42.agents.heuristic.calibration import BidValues, Calibration, Line, PassValues
from texas42.agents.heuristic.decide import decide
from texas42.agents.heuristic.declare import best_trumps
from texas42.agents.heuristic.fitted import CALIBRATIONS
from texas42.agents.heuristic.plan import make_plan, new_notes
from texas42.agents.heuristic.special import raw_worth
from texas42.agents.heuristic.strength import features, strength
from texas42.agents.heuristic.weights import N_FEATURES
from texas42.envs.engine.bits import ONE, ZERO, below, bit, combine, drop_lowest, lowest, popcount
from texas42.envs.engine.deal import start_episode
from texas42.envs.engine.drivers import pay
from texas42.envs.engine.observe import blank_hidden
from texas42.envs.engine.state import AUCTION, DECLARE, new_batch
from texas42.envs.engine.step import apply
from texas42.envs.rules.codec import build_codec
from texas42.envs.rules.declarations import LOPER, NELLO, SEVENS
from texas42.envs.rules.ladder import POINTS
from texas42.envs.rules.rules import Rules
from texas42.envs.rules.tables import compile_tables

Floats = npt.NDArray[np.float64]
compiled = numba.njit(nogil=True, error_model="numpy")

GAMES: dict[str, tuple[str, dict[str, object]]] = {
    "standard-4": ("open", {}),
    "standard-4-points": ("seed_points", {}),
    "three_handed-3": ("three_handed", {"nello": "any", "sevens": "any", "loper": "on"}),
    "n_handed-2": ("players_2", {}),
    "n_handed-5": ("players_5", {}),
    "n_handed-6": ("players_6", {}),
    "n_handed-7": ("players_7", {}),
    "moon-3": ("moon", {}),
    "moon-4": ("moon", {"players": 4}),
    "geezer-4": ("geezer", {}),
    "big_game-4": ("big_game", {}),
    "one_forty-6": ("one_forty", {}),
    "seventy_two-4": ("seventy_two", {}),
    "eighty_four-6": ("eighty_four_6", {"nello": "any"}),
    "eighty_four-7": ("eighty_four_7", {"nello": "any"}),
    "eighty_four-8": ("eighty_four", {"nello": "any"}),
}
"""By name and seats (and scoring, where it is not the usual): a preset and overrides that show all the game has."""

ANY, BEST, NEAR = -3, -2, -1
"""Declarations to play out: the heuristic's; its trumps; half the time others it thinks nearly as good."""

PARTS = ("model", "lines", "specials", "calls")

_BID = (0.0, 1.0)
_PASS = tuple((worth, 0.0, 0.0) for worth in (0.0, 0.3, -0.3))
UNFITTED: Any = (tuple((line, line) for line in _PASS), ((_BID, _BID),) * 3)
"""Where the fit of the calls begins: whoever stands gains three tenths, a bid brings what it would if it were last."""

ROUNDS = 8
"""Rounds of fitting the calls to the play that the last round's numbers bring; the rounds are averaged."""

LEVEL_PRIOR = 2000.0
"""Weight, in hands, of the belief that the level of the standing bid does not matter: levels hardly vary."""

NEEDS = 12
"""Point bids fitted for each game, spread over its ladder."""


@compiled
def play_contract(
    s1: Any, v1: Any, t: Any, p: Any, k: Any, row: Any, kind: Any, seed: Any, facts: Any, out: Any
) -> None:
    """Hand i: the opener bids `row`, the others pass; `kind` fixes the declaration (BEST, NEAR: by strength)."""
    scratch = np.zeros(N_FEATURES, np.float64)
    s, v = s1[0], v1[0]
    for i in range(len(out)):
        start_episode(s, t, seed, np.uint64(i), ZERO, 0)
        key = combine(seed, i)
        hand = s.hands[s.cur]
        unseen = p.deck & ~hand
        call = row
        while s.done == 0:
            v1[0] = s1[0]
            blank_hidden(v, t, s.cur)
            if s.phase == AUCTION:
                action, call = call, 0
            elif s.phase == DECLARE and kind >= 0:
                action = t.base_decl + best_special(t, hand, unseen, t.decls[row], kind)
            else:
                action = decide(v, t, p, k, False, scratch)
                if s.phase == DECLARE and kind == NEAR:
                    action = t.base_decl + near(t, p, v.hands[s.cur], action - t.base_decl, t.decls[row], key, scratch)
            apply(s, t, action)
        features(t, p, hand, unseen, s.decl, facts[i])
        out[i, 0] = s.taken[s.bidder % t.n_sides] * p.scale
        out[i, 1] = s.made
        out[i, 2] = raw_worth(t, hand, unseen, s.decl) if kind >= 0 else float(popcount(hand & t.doubles))


@compiled
def best_special(t: Any, hand: Any, unseen: Any, decls: Any, kind: Any) -> Any:
    """The declaration of a kind with the best raw worth."""
    best, choice = -1e18, lowest(decls)
    while decls != ZERO:
        decl = lowest(decls)
        decls = drop_lowest(decls)
        if t.decl_kind[decl] == kind:
            worth = raw_worth(t, hand, unseen, decl)
            if worth > best:
                best, choice = worth, decl
    return choice


@compiled
def near(t: Any, p: Any, hand: Any, decl: Any, decls: Any, key: Any, scratch: Any) -> Any:
    """Half the time another declaration within eight points of the best, so that alternatives are judged too."""
    if below(key, 2, 0) == 0:
        return decl
    unseen = p.deck & ~hand
    least = strength(t, p, hand, unseen, decl, scratch) - 8.0
    close = bit(decl)
    while decls != ZERO:
        other = lowest(decls)
        decls = drop_lowest(decls)
        if t.decl_kind[other] < NELLO and strength(t, p, hand, unseen, other, scratch) > least:
            close |= bit(other)
    for _ in range(below(key, popcount(close), 1)):
        close = drop_lowest(close)
    return lowest(close)


@compiled
def play_call(s1: Any, v1: Any, t: Any, p: Any, k: Any, seed: Any, out: Any) -> None:
    """Hand i with one call turned into a pass or the least point bid, at random.

    `out`: who stood, whether others call after, expected points, 1 for a bid, what it brings if last,
    result, standing level.
    """
    scratch = np.zeros(N_FEATURES, np.float64)
    paid = np.zeros(t.n_seats, np.float64)
    s, v = s1[0], v1[0]
    for i in range(len(out)):
        start_episode(s, t, seed, np.uint64(i), ZERO, 0)
        turn = below(combine(seed, i), t.n_seats * (1 + 2 * t.until_one_left), 0)
        seat = -1
        while s.done == 0:
            v1[0] = s1[0]
            blank_hidden(v, t, s.cur)
            action = decide(v, t, p, k, False, scratch)
            if s.phase == AUCTION and s.n_calls == turn and can_pass(s, t):
                hand = s.hands[s.cur]
                seat = s.cur
                unseen = p.deck & ~hand
                out[i, 0] = who_stands(s, t)
                out[i, 1] = others_call_after(s, t)
                out[i, 6] = standing_level(s, t, p)
                _, out[i, 2] = best_trumps(t, p, hand, unseen, t.decls[t.min_call], scratch)
                action = 0
                bids = point_bids(s, t)
                if bids != ZERO and below(combine(seed, i), 2, 1) == 1:
                    action = lowest(bids)
                    out[i, 3] = 1.0
                    out[i, 4] = last_bid_value(s, t, p, action, hand, unseen, out[i, 2])
            apply(s, t, action)
        out[i, 5] = np.nan
        if seat >= 0:
            pay(s, t, paid)
            out[i, 5] = paid[seat]


@compiled
def point_bids(s: Any, t: Any) -> Any:
    """Rows of the point bids over the standing one."""
    rest = t.next_calls[s.high] & ~ONE
    bids = ZERO
    while rest != ZERO:
        row = lowest(rest)
        rest = drop_lowest(rest)
        if t.call_kind[row] == POINTS:
            bids |= bit(row)
    return bids


@compiled
def can_pass(s: Any, t: Any) -> Any:
    """Whether the mover may pass: no forced last caller."""
    others = popcount(np.uint64(s.passed)) == t.n_seats - 1
    return not (others and s.high == 0 and (t.all_pass == 2 or t.forced_calls != ZERO))


def plain(rules: Rules) -> Rules:
    """The same rules with trumps and no trump only."""
    specials = ("nello", "sevens", "loper", "splash", "plunge")
    return rules.replace(**{name: "off" for name in specials})


def logistic(x: Floats, made: Floats) -> Line:
    """Intercept and slope of a logistic regression, by Newton's method, with a weak prior against separation."""
    design = np.stack([np.ones(len(x)), x], axis=1)
    centre = np.array([0.0, 0.0])
    beta = centre.copy()
    prior = np.diag([0.01, 1.0])
    for _ in range(50):
        chance = 1.0 / (1.0 + np.exp(-np.clip(design @ beta, -30, 30)))
        slope = design.T @ (made - chance) - prior @ beta
        bend = (design * (chance * (1 - chance))[:, None]).T @ design + prior
        beta = beta + np.clip(np.linalg.solve(bend, slope), -5, 5)
    return round(float(beta[0]), 3), round(float(beta[1]), 4)


FEW = 300
"""With fewer hands, slopes are taken as given; with fewer than a quarter of it, intercepts are zero."""


def linear(columns: Floats, y: Floats, slopes: tuple[float, ...]) -> tuple[float, ...]:
    """Intercept and slopes of the least squares fit of `y` to `columns` (n, k)."""
    if len(y) < FEW:
        rest = y - columns @ np.array(slopes)
        return (round(float(rest.mean()), 3) if len(y) >= FEW // 4 else 0.0), *slopes
    middle = columns.mean(axis=0)
    centred = columns - middle
    prior = np.diag([1.0] + [LEVEL_PRIOR] * (len(slopes) - 1))
    found = np.linalg.solve(centred.T @ centred + prior, centred.T @ (y - y.mean()))
    return round(float(y.mean() - found @ middle), 3), *(round(float(b), 4) for b in found)


def average(a: Any, b: Any, share: float) -> Any:
    """Between two nests of numbers: `share` of `b`."""
    if isinstance(a, tuple):
        return tuple(average(x, y, share) for x, y in zip(a, b, strict=True))
    return round((1.0 - share) * a + share * b, 4)


def by_situation(rows: Floats, columns: Floats, y: Floats, slopes: tuple[float, ...]) -> Any:
    """A fit for each of who stands and whether others call after."""
    picked = [[(rows[:, 0] == who) & (rows[:, 1] == more) for more in (0, 1)] for who in range(3)]
    return tuple(tuple(linear(columns[rows], y[rows], slopes) for rows in pair) for pair in picked)


def with_field(calibration: Calibration, name: str, value: object) -> Calibration:
    """A copy with one field changed, by its name."""
    changed: dict[str, Any] = {name: value}
    return replace(calibration, **changed)


class Fitter:
    """Plays out hands of one game and fits its calibration."""

    def __init__(self, rules: Rules, start: Calibration, deals: int, seed: int) -> None:
        self.rules, self.calibration, self.deals, self.seed = rules, start, deals, seed
        self.names = [row.name for row in build_codec(rules).ladder]
        self.ladder = build_codec(rules).ladder

    def contract(self, row: int, kind: int = BEST, play_all: bool = False, deals: int = 0) -> tuple[Floats, Floats]:
        """Features (n, N_FEATURES) and (points, made, raw worth) of hands bid `row`."""
        rules = self.rules.replace(early_end="play_all") if play_all else self.rules
        if kind in (BEST, NEAR):
            rules = plain(rules)
        t, plan = compile_tables(rules)[0], make_plan(rules, self.calibration)[0]
        n = deals or self.deals
        facts, out = np.zeros((n, N_FEATURES)), np.zeros((n, 3))
        self.seed += 1
        seed = np.uint64(self.seed)
        play_contract(new_batch(1), new_batch(1), t, plan, new_notes()[0], row, kind, seed, facts, out)
        return facts, out

    def fit_model(self) -> None:
        """What hands take: least squares, hands worth bidding on counting for more."""
        least = next(i for i, row in enumerate(self.ladder) if row.kind == 1 and row.offered)
        for _ in range(3):
            facts, out = self.contract(least, kind=NEAR, play_all=True)
            now = facts @ np.array(self.calibration.model)
            weight = 1.0 / (1.0 + np.exp(-(now - np.median(now)) / 4.0))
            root = np.sqrt(weight)[:, None]
            model = np.linalg.lstsq(facts * root, out[:, 0] * root[:, 0], rcond=None)[0]
            self.calibration = replace(self.calibration, model=tuple(round(float(c), 3) for c in model))

    def fit_lines(self) -> None:
        """Chances to make the point bids and a sweep, on hands with their best trumps."""
        bids = [i for i, row in enumerate(self.ladder) if row.kind == 1 and row.offered]
        facts, out = self.contract(bids[0], play_all=True)
        value = facts @ np.array(self.calibration.model)
        scale = 42.0 / self.rules.total
        lines = []
        for i in sorted({bids[round(x)] for x in np.linspace(0, len(bids) - 1, NEEDS)}):
            need = self.ladder[i].need
            lines.append((need, *logistic(value, (out[:, 0] >= scale * need - 1e-6) * 1.0)))
        marks = next(i for i, row in enumerate(self.ladder) if row.kind == 2)
        facts, out = self.contract(marks)
        sweep = logistic(facts @ np.array(self.calibration.model), out[:, 1])
        self.calibration = replace(self.calibration, points=tuple(lines), sweep=sweep)

    def fit_specials(self) -> None:
        """Chances of nello, closeness and special bids."""
        decls = build_codec(self.rules).declarations
        t = compile_tables(self.rules)[0]
        for name, kind in (("nello", NELLO), ("sevens", SEVENS), ("loper", LOPER)):
            call = 1 if kind == LOPER else 2
            rows = [i for i, row in enumerate(self.ladder) if row.kind == call and row.offered]
            legal = [d for d in range(len(decls)) if decls[d].kind == kind and (int(t.decls[rows[0]]) >> d) & 1]
            if legal:
                _, out = self.contract(rows[0], kind=kind)
                self.calibration = with_field(self.calibration, name, logistic(out[:, 2], out[:, 1]))
        special = [i for i, row in enumerate(self.ladder) if row.kind == 3 and row.offered]
        if special:
            _, out = self.contract(special[0], kind=ANY, deals=3 * self.deals)
            few = out[:, 2] >= self.ladder[special[0]].doubles
            self.calibration = replace(self.calibration, partner=logistic(out[few, 2], out[few, 1]))

    def fit_calls(self) -> None:
        """What a pass and a point bid are worth, given what the others then do."""
        for name, word in (("thrown", "throw_in_next"), ("forced", "forced_last")):
            if self.rules.game.ladder == "geezer" and name == "thrown":
                continue
            rules = plain(self.rules).replace(all_pass=word) if self.rules.all_pass != word else plain(self.rules)
            self.calibration = with_field(self.calibration, name, UNFITTED)
            for n in range(1, ROUNDS + 1):
                mixed = average(getattr(self.calibration, name), self.calls(rules), 2.0 / (n + 2))
                self.calibration = with_field(self.calibration, name, mixed)

    def calls(self, rules: Rules) -> tuple[PassValues, BidValues]:
        """One round of fitting passes and bids."""
        t, plan = compile_tables(rules)[0], make_plan(rules, self.calibration)[0]
        out = np.zeros((4 * self.deals, 7))
        self.seed += 1
        play_call(new_batch(1), new_batch(1), t, plan, new_notes()[0], np.uint64(self.seed), out)
        unit = 1.0 if rules.scoring == "marks" else float(rules.total)
        out = out[~np.isnan(out[:, 5])]
        passes, bids = out[out[:, 3] == 0], out[out[:, 3] == 1]
        of_passes = by_situation(passes, passes[:, [2, 6]], passes[:, 5] / unit, (0.0, 0.0))
        return of_passes, by_situation(bids, bids[:, [4]] / unit, bids[:, 5] / unit, (1.0,))

    def fit(self, parts: Sequence[str]) -> Calibration:
        """The parts asked for, in the order in which one needs the other."""
        for part in PARTS:
            if part in parts:
                getattr(self, f"fit_{part}")()
        return self.calibration


def show(name: str, c: Calibration) -> str:
    """A row of CALIBRATIONS."""
    fields = ("model", "points", "sweep", "thrown", "forced", "nello", "sevens", "loper", "partner")
    lines = [f"        {field}={getattr(c, field)!r}," for field in fields]
    return "\n".join([f"    {name!r}: Calibration(", *lines, "    ),"]).replace("'", '"')


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deals", type=int, default=40000, help="hands played for each fit")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--games", nargs="+", choices=list(GAMES), default=list(GAMES), metavar="GAME")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS, help="fit only these anew")
    args = parser.parse_args(argv)
    for name in args.games:
        preset, overrides = GAMES[name]
        rules = Rules.preset(preset).replace(**overrides)
        started = time.process_time()
        start = CALIBRATIONS.get(name, CALIBRATIONS["standard-4"])
        print(show(name, Fitter(rules, start, args.deals, args.seed * 1000).fit(args.parts)), flush=True)
        print(f"{name}: {time.process_time() - started:.0f} s of CPU", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
