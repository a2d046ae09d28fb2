"""Tests may import benchmarks; benchmarks do not import tests."""

import ast
from pathlib import Path

import pytest

FILES = sorted((Path(__file__).parents[2] / "benchmarks").glob("*.py"))


def imported(path):
    """Top-level names of the packages that a file imports."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module.partition(".")[0]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_benchmark_does_not_import_tests(path):
    """Otherwise it would need the development tools."""
    assert "tests" not in set(imported(path))
