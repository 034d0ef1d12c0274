"""The engine: compiled kernels over a batch of games, the only place where rules run."""
