"""A quick run of the study that its tests share."""

import sys

import pytest

from lwcal.cli.app import run
from lwcal_study.paper.results import read_results


@pytest.fixture(scope="session")
def artefact(tmp_path_factory):
    """The folder of a quick run with archive and PDF."""
    folder = tmp_path_factory.mktemp("study")
    arguments = sys.argv
    sys.argv = ["lwcal", "reproduce", "--quick", "--out", "here"]
    try:
        assert run(["reproduce", "--quick", "--package", "--jobs", "1", "--out", str(folder)]) == 0
    finally:
        sys.argv = arguments
    return folder


@pytest.fixture(scope="session")
def results(artefact):
    """Its tables."""
    return read_results(artefact / "data")
