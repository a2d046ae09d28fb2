"""Calls with values that nobody would pass on purpose."""
