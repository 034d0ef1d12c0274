"""Environments in the form that other libraries look for."""
