"""Agents: anything that chooses an action from what its seat may know."""
