"""Checked rows: the truth beside the label, and what it says about the other labels."""
