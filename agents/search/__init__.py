"""Players that search: perfect-information values averaged over deals that the seat cannot tell apart."""
