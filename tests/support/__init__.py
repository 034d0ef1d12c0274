"""Helpers of the tests: a hand on the engine in record notation, random house rules, engine and oracle in step."""
