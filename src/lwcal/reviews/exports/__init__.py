"""Opinions from the files that annotation tools export: one module for each tool."""
