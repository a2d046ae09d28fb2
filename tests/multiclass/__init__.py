"""Tests of rows and fits of several classes."""
