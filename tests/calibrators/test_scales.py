"""Calibrators of percents and logits: the same map, and new scores on the same scale."""

import json
import pickle

import jsonschema
import numpy as np
import onnxruntime
import pytest
from scipy.special import expit

import lwcal
from lwcal import ScoreTable
from lwcal.artifact import from_document, to_document
from lwcal.artifact.export.json_schema import json_schema
from lwcal.audit import evaluate_audited
from lwcal.calibrators import CALIBRATORS
from lwcal.engines.duckdb import apply
from lwcal.errors import ArtifactError, InputError, ParameterError, ScaleWarning
from lwcal.maps import IdentityMap
from tests.artifact.export.targets import in_duckdb, in_onnx, in_python, in_sqlite

TO = {"percent": lambda p: p * 100.0, "logit": lambda p: np.log(p / (1 - p))}
FROM = {"percent": lambda s: s / 100.0, "logit": expit}
scales = pytest.mark.parametrize("scale", TO)


@pytest.fixture
def rows(noisy_rows):
    """Scores and labels."""
    scores, labels = noisy_rows
    return np.clip(scores, 1e-6, 1 - 1e-6)[:300], labels[:300]


@scales
@pytest.mark.parametrize("method", CALIBRATORS)
def test_the_map_is_that_of_the_probabilities(rows, method, scale):
    """And a saved calibrator still knows the scale of its scores."""
    scores, labels = TO[scale](rows[0]), rows[1]
    expected = CALIBRATORS[method]().fit(FROM[scale](scores), labels)
    found = CALIBRATORS[method]().fit(scores, labels, scale=scale)
    told = CALIBRATORS[method]().fit(scores, labels, scale="auto")
    loaded = from_document(json.loads(json.dumps(to_document(found))))
    for one in (found, told, loaded):
        assert one.scale_ == scale
        assert one.map_.to_dict() == expected.map_.to_dict()
        assert one.predict(scores).tolist() == expected.predict(FROM[scale](scores)).tolist()
    assert expected.scale_ == "probability"
    assert found.predict([0.5], scale="probability").tolist() == expected.predict([0.5]).tolist()


@scales
def test_a_table_brings_its_scale(rows, scale):
    """Which cannot be named again."""
    table = ScoreTable.from_arrays(TO[scale](rows[0]), rows[1], scale=scale)
    for fitted in (lwcal.Platt().fit(table), lwcal.Audited().fit(table)):
        assert fitted.scale_ == scale
        with pytest.raises(InputError, match="scale was passed beside a ScoreTable"):
            fitted.fit(table, scale=scale)


def shown_in_report(data):
    """What depends on the scale."""
    return data.histograms, data.map_curve


@scales
@pytest.mark.usefixtures("few_resamples")
def test_what_takes_a_calibrator_reads_its_scale(rows, scale):
    """Drift, reports, weights, segments and audits; none of them converts twice."""
    scores, labels = TO[scale](rows[0]), rows[1]
    given = FROM[scale](scores)
    fitted, expected = (
        lwcal.LWCal().fit(scores, labels, scale=scale),
        lwcal.LWCal().fit(given, labels),
    )

    def alike(function):
        """The result, for scores on the scale, as probabilities, and of a plain calibrator."""
        one, other, plain = (
            function(fitted, scores),
            function(fitted, given, scale="probability"),
            function(expected, given),
        )
        assert repr(one) == repr(other) == repr(plain)

    alike(lambda c, s, **o: lwcal.monitor(c, s, labels, **o))
    alike(lambda c, s, **o: lwcal.monitor(c, s, **o))
    alike(lambda c, s, **o: lwcal.label_weights(c, s, labels, **o).weight.tolist())
    alike(lambda c, s, **o: lwcal.label_weights(c, s, labels, **o).p_calibrated.tolist())
    alike(lambda c, s, **o: shown_in_report(lwcal.report.build(c, s, labels, **o)))
    alike(lambda c, s, **o: lwcal.diagnose(s, labels, calibrator=c, methods=(), **o).to_dict())
    checked = np.where(np.arange(len(labels)) < 60, labels, np.nan)
    alike(lambda c, s, **o: evaluate_audited(c, s, labels, checked, **o).to_dict())


def test_tables_of_segments_bring_their_scale(rows):
    """New scores of all segments are read on it."""
    scores, labels = TO["percent"](rows[0]), rows[1]
    table = ScoreTable.from_arrays(scores, labels, scale="percent")
    found = lwcal.fit_segments({"a": table, "b": table}, lwcal.Platt())
    expected = lwcal.fit_segments({"a": replaced(table), "b": replaced(table)}, lwcal.Platt())
    keys = ["a", "b", "c"]
    assert found.predict(scores[:3], keys).tolist() == (
        expected.predict(scores[:3] / 100.0, keys).tolist()
    )


def replaced(table):
    """The same table, as if its scores had been probabilities."""
    from dataclasses import replace

    return replace(table, scale="probability")


@scales
def test_functions_of_scores_take_a_scale(rows, scale):
    """As the calibrators do."""
    scores, labels = TO[scale](rows[0]), rows[1]
    given = FROM[scale](scores)
    noise = lwcal.estimate_noise(scores, labels, scale=scale)
    assert noise.sentence == lwcal.estimate_noise(given, labels).sentence
    one, other = (
        lwcal.compare(s, labels, methods=["platt"], noise_rates=(0, 0), n_resamples=20, **options)
        for s, options in ((scores, {"scale": scale}), (given, {}))
    )
    assert one.to_dict() == other.to_dict()


@scales
@pytest.mark.parametrize("method", ["isotonic", "platt", "beta", "gated"])
def test_exports_read_scores_on_the_scale_of_the_fit(rows, method, scale):
    """And give nothing for what is no score."""
    scores = TO[scale](rows[0])
    fitted = CALIBRATORS[method]().fit(scores, rows[1], scale=scale)
    given = [[float(s)] for s in scores]
    bad = [None, float("nan"), float("inf"), -float("inf")] + [-1.0, 100.5] * (scale == "percent")
    engines = [in_python, in_onnx] + [in_duckdb, in_sqlite] * (scale == "percent")
    for run in engines:
        wrong = [[b] for b in bad if run is not in_sqlite or b is None or np.isfinite(b)]
        got = run(fitted, given + wrong, ["s"])[:, 0]
        np.testing.assert_allclose(got[: len(given)], fitted.predict(scores), rtol=0, atol=1e-12)
        assert np.isnan(got[len(given) :].astype(float)).all()


def test_exports_that_would_be_wrong_are_refused(tmp_path, rows):
    """Logits in SQL; percents behind a classifier, which gives probabilities."""
    logits = lwcal.Platt().fit(TO["logit"](rows[0]), rows[1], scale="logit")
    with pytest.raises(ParameterError, match="Convert the scores first"):
        lwcal.export(logits, "sql")
    with pytest.raises(ParameterError, match="gives probabilities"):
        lwcal.export(logits, "onnx", append_to=tmp_path / "model.onnx")


def test_an_exported_file_of_logits_tests_itself(rows, capsys):
    """With examples on its scale."""
    logits = lwcal.Isotonic().fit(TO["logit"](rows[0]), rows[1], scale="logit")
    text = lwcal.export(logits, "python")
    assert "Scores are on the scale logit." in text
    with pytest.raises(SystemExit) as ended:
        exec(text, {"__name__": "__main__"})
    assert ended.value.code == 0
    assert "OK: 21 examples" in capsys.readouterr().out
    assert onnxruntime.InferenceSession(lwcal.export(logits, "onnx"))


def test_the_scale_of_a_file_is_checked(rows):
    """By the schema and on reading."""
    document = to_document(lwcal.Platt().fit(TO["percent"](rows[0]), rows[1], scale="percent"))
    jsonschema.validate(document, json_schema())
    for wrong in ("odds", "auto", 1):
        with pytest.raises(ArtifactError, match="a scale out of probability, percent, logit"):
            from_document({**document, "scale": wrong})
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**document, "scale": wrong}, json_schema())


def test_earlier_pickles_hold_probabilities(rows):
    """They lack the attribute."""
    fitted = lwcal.Platt().fit(*rows)
    del fitted.scale_
    again = pickle.loads(pickle.dumps(fitted))
    assert again.predict([0.5]).tolist() == fitted.map_([0.5]).tolist()
    assert "scale" not in to_document(again)


def test_saved_tables_keep_their_scale(tmp_path):
    """An unknown one is refused."""
    table = ScoreTable.from_arrays([6.0, 90.0], [0, 1], scale="percent")
    table.save(tmp_path / "t.parquet")
    assert ScoreTable.load(tmp_path / "t.parquet").scale == "percent"
    damaged = ScoreTable.unchecked(table.scores, table.negatives, table.positives, scale="odds")
    damaged.save(tmp_path / "d.parquet")
    with pytest.raises(ArtifactError, match="its scale must be one of"):
        ScoreTable.load(tmp_path / "d.parquet")


def test_apply_takes_a_scale(tmp_path):
    """For a map alone too, which takes probabilities otherwise."""
    source = tmp_path / "rows.csv"
    source.write_text("s\n50\n25\n")
    out = tmp_path / "out.csv"
    assert apply(source, IdentityMap(), "s", out, scale="percent") == 2
    assert out.read_text().split()[1:] == ["50,0.5", "25,0.25"]
    with pytest.raises(ParameterError, match="scale"):
        apply(source, IdentityMap(), "s", out, scale="auto", overwrite=True)
    with pytest.raises(InputError, match="--score-scale percent"):
        apply(source, IdentityMap(), "s", out, overwrite=True)


def test_probabilities_after_percents_raise_a_question(rows):
    """If there are many, and nobody named their scale; a few small percents are nothing unusual."""
    calibrator = lwcal.Platt().fit(TO["percent"](rows[0]), rows[1], scale="percent")
    with pytest.warns(ScaleWarning, match="Are these probabilities"):
        calibrator.predict(rows[0])
    for scores, scale in (
        (rows[0][:9], None),
        (rows[0], "percent"),
        (TO["percent"](rows[0]), None),
    ):
        calibrator.predict(scores, scale=scale)
    rare = lwcal.Platt().fit(rows[0], rows[1], scale="percent")
    rare.predict(rows[0])
