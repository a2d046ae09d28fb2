"""The work of ``lwcal audit``: plan which labels to check, collect the answers, fit with them."""
