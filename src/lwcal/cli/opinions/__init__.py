"""The work of ``lwcal opinions``."""
