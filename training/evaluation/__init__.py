"""How strong a policy is, with whom, and with what certainty. Never imports torch by itself."""

from texas42.training.evaluation.bootstrap import bootstrap_interval
from texas42.training.evaluation.match import AgentError, play_match
from texas42.training.evaluation.result import MatchResult

__all__ = ["AgentError", "MatchResult", "bootstrap_interval", "play_match"]
