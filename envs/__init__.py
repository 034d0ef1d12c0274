"""Environments: rules, the compiled engine, and the interfaces over it."""
