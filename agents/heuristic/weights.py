"""The numbers of the heuristic's play: what each term of a tile's score is worth, by role.

All but the first two are in points of a 42-point hand. They were found by duplicate matches between versions of
the heuristic in four-player 42, one number changed at a time, and serve every game.
"""

ROLES = ("namer", "partner", "defender")
NAMER, PARTNER, DEFENDER = range(3)

WEIGHTS: dict[str, tuple[float, float, float]] = {
    # how many times likelier the namer holds an unseen trump than another seat with as many tiles
    "namer_trumps": (1.0, 4.5, 7.0),
    # how far team-mates who may win the trick back are trusted to
    "rescue": (0.5, 0.5, -0.3),
    # share of the mean unseen count expected from each player still to play
    "later_count": (0.5, 0.75, 0.5),
    # worth of a trick where every trick counts
    "sweep": (20.0, 20.0, 20.0),
    # further worth of a trick that decides the contract
    "decide": (10.0, 5.0, 10.0),
    # worth in hand of a trump; more where no trump, or only one, that an opponent may hold beats it
    "trump": (3.0, 3.0, 3.0),
    "top_trump": (2.0, 2.0, 10.0),
    "second_trump": (1.0, 1.5, 0.5),
    # worth in hand of another tile that no tile, or only one, that an opponent may hold beats in its suit
    "high": (3.0, 1.5, 1.5),
    "second": (0.5, 1.0, 1.0),
    # worth in hand of a count tile, as a share of its count
    "count": (0.8, 0.8, -0.6),
    # worth of each opponent's trump that a trump lead draws; cost of each team-mate's
    "draw": (6.75, 3.0, -1.0),
    "draw_partner": (1.0, 1.0, 1.0),
    # worth of being rid of the last tile of a suit while holding trumps
    "void": (0.9, 0.1, 0.5),
    # cost of a lead that the opponents may win, for each unseen count tile in its suit
    "exposed": (1.2, 0.4, -0.8),
    # worth of the next lead
    "lead": (0.0, 1.2, -0.4),
}

W_NAMER_TRUMPS, W_RESCUE, W_LATER_COUNT, W_SWEEP, W_DECIDE = range(5)
W_TRUMP, W_TOP_TRUMP, W_SECOND_TRUMP, W_HIGH, W_SECOND, W_COUNT = range(5, 11)
W_DRAW, W_DRAW_PARTNER, W_VOID, W_EXPOSED, W_LEAD = range(11, 16)

N_FEATURES = 9
