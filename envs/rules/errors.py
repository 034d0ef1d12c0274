"""Exceptions of the rules floor."""


class RulesError(ValueError):
    """A rule parameter, a value or a combination that RULES.md does not allow."""


class MalformedActionError(ValueError):
    """Text or a number that names no action of these rules."""
