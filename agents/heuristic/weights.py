"""The numbers of the heuristic: what each term of its play scores, and its model of what a hand takes.

All scores are in points of a 42-point hand.
"""

WEIGHTS: dict[str, float] = {
    "namer_trumps": 2.0,  # how much more likely the namer holds an unseen trump, per tile in hand
    "rescue": 0.5,  # how far a partner who can beat the opponents' tile is trusted to do so
    "later_count": 1.0,  # points expected from each player still to play, for the side that takes the trick
    "sweep": 20.0,  # worth of a trick where every trick counts
    "decide": 20.0,  # extra worth of a trick that decides the contract
    "trump_kept": 2.0,  # worth of a trump in hand
    "top_trump_kept": 2.0,  # and more where no unseen trump beats it
    "high_kept": 3.0,  # worth of a tile that no unseen tile of its suit beats
    "second_kept": 1.0,  # worth of a tile that one unseen tile of its suit beats
    "count_attack": 0.4,  # share of its count that a count tile is worth kept in hand, on the bidder's side
    "count_defend": -0.2,  # the same on the other side
    "draw": 2.0,  # worth of each opponent's trump that a trump lead draws, on the bidder's side
    "draw_partner": 1.0,  # cost of each partner's trump that a trump lead draws
    "trump_defend": 2.0,  # cost of leading trumps against the bidder
    "void": 0.5,  # worth of getting rid of the last tile of a suit while holding trumps
}

W_NAMER_TRUMPS, W_RESCUE, W_LATER_COUNT, W_SWEEP, W_DECIDE = range(5)
W_TRUMP_KEPT, W_TOP_TRUMP_KEPT, W_HIGH_KEPT, W_SECOND_KEPT, W_COUNT_ATTACK, W_COUNT_DEFEND = range(5, 11)
W_DRAW, W_DRAW_PARTNER, W_TRUMP_DEFEND, W_VOID = range(11, 15)

N_FEATURES = 9
MODEL = [-4.0, 4.5, 1.5, 0.5, 3.0, 1.0, 0.0, -0.15, -0.05]
