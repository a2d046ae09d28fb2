"""Numerical helpers without a compiled twin: sampling, mode search, regression, pooling."""
