"""The exact solver: the perfect-information value of a position and of each legal move."""
