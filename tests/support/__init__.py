"""Helpers of the tests: a hand in record notation, random house rules, engine and oracle in step."""
