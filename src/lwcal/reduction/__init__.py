"""Rows of any origin to pooled counts: batch by batch, checked, in memory that does not grow."""
