"""Numerical helpers without a compiled twin: regression, pooling, keys of rows."""
