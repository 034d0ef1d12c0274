"""How strong a policy is, with whom, and with what certainty."""
