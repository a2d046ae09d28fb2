"""What new scores meet: a map, the scale it expects, and a doubt about others."""

import numpy as np
import pytest

import lwcal
from lwcal import engines
from lwcal.artifact.reading import load_score_map
from lwcal.calibrators import CALIBRATORS
from lwcal.errors import ArtifactError, InputError, ParameterError
from lwcal.maps import IdentityMap
from lwcal.score_map import ScoreMap, as_score_map

GRID = np.linspace(0, 1, 101)


@pytest.mark.parametrize("method", CALIBRATORS)
def test_a_file_gives_the_map_of_its_calibrator(method, noisy_rows, tmp_path):
    """With the same bits, and the same scale."""
    fitted = CALIBRATORS[method]().fit(*noisy_rows)
    lwcal.save(fitted, tmp_path / "c.json")
    found = load_score_map(tmp_path / "c.json")
    assert found.map(GRID).tobytes() == fitted.predict(GRID).tobytes()
    assert found.scale == fitted.scale_of() == "probability"
    assert as_score_map(fitted).map is fitted.map_
    assert as_score_map(found) is found


def test_a_file_is_applied_without_its_calibrator(noisy_rows, tmp_path):
    """An engine takes either; percents stay percents."""
    scores, labels = noisy_rows
    fitted = lwcal.Isotonic().fit(100.0 * scores, labels, scale="percent")
    lwcal.save(fitted, tmp_path / "c.json")
    found = load_score_map(tmp_path / "c.json")
    written = []
    for kind, calibrator in {"file": found, "calibrator": fitted}.items():
        out = tmp_path / f"{kind}.csv"
        engines.duckdb.apply({"p": 100.0 * scores}, calibrator, "p", out)
        written.append(out.read_bytes())
    assert written[0] == written[1]
    with pytest.raises(InputError, match="Are these probabilities"):
        engines.duckdb.apply({"p": scores}, found, "p", tmp_path / "none.csv")


def test_a_scale_is_chosen_or_known():
    """A map alone takes probabilities; an unknown scale is refused by the name of its option."""
    found = ScoreMap(IdentityMap(), "percent")
    assert found.scale_of() == "percent"
    assert found.scale_of("logit") == "logit"
    with pytest.raises(ParameterError, match="--score-scale"):
        found.scale_of("odds", "--score-scale")
    assert found.doubtful_percents(0.001, "scores") == ""  # nothing is known of earlier scores


def test_what_is_no_calibrator_is_refused():
    """Before any row is read."""
    with pytest.raises(ParameterError, match="a fitted calibrator, or its map, got str"):
        as_score_map("c.json")


def test_a_damaged_file_is_named(tmp_path):
    """As by ``load``."""
    (tmp_path / "c.json").write_text('{"format": "lwcal-calibrator", "schema_version": 99}')
    with pytest.raises(ArtifactError, match=r"c\.json: expected a schema_version up to 1"):
        load_score_map(tmp_path / "c.json")
