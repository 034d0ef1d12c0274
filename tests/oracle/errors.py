"""The oracle's two exceptions: a malformed request, and a move the rules forbid."""


class OracleError(Exception):
    """The request makes no sense to the oracle (unknown preset, wrong number of tiles, ...)."""


class IllegalAction(OracleError):
    """The action is not legal at this moment; nothing was changed."""
