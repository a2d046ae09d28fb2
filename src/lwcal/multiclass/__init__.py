"""Rows of several classes, and the scalings that are fitted to them."""
