"""A noise matrix in a file: matched by name, used as in Python, refused if it cannot be one."""

import json
from pathlib import Path

import numpy as np
import pytest

import lwcal
from lwcal.cli.noise_matrix import read_noise_matrix
from lwcal.errors import InputError
from lwcal.metrics import corrected_class_evaluate
from lwcal.metrics.corrected import N_RESAMPLES
from lwcal.metrics.corrected_classes import corrected_class_metrics
from lwcal.metrics.resampling import Resampling
from lwcal.metrics.several_classes import judged_rows
from tests.class_frames import NAMES, class_frame, scores_of
from tests.cli.helpers import call

MATRIX = np.array([[0.8, 0.15, 0.05], [0.0, 1.0, 0.0], [0.1, 0.2, 0.7]])
"""Of cat, dog and bird."""
TEXT = "true,dog,CAT ,bird\nbird,0.2,0.1,0.7\n\ncat,0.15,0.8,0.05\ndog,1,0,0\n"
ENDS = "--score p_* --label label"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Rows, and the matrix in another order."""
    monkeypatch.chdir(tmp_path)
    frame = class_frame()
    frame.to_csv("rows.csv", index=False)
    Path("m.csv").write_text(TEXT)
    return frame


def test_rows_and_columns_are_matched_by_name(here):
    """In any order, with the names of classes read as everywhere."""
    np.testing.assert_allclose(read_noise_matrix(Path("m.csv")).of_classes(NAMES), MATRIX)


def test_a_fit_is_that_of_python(here):
    """With the same matrix in the order of the classes."""
    line = f"fit rows.csv {ENDS} --method noise-aware --noise-matrix m.csv --out k.json"
    assert call(line) == 0
    expected = lwcal.NoiseAware(noise_matrix=MATRIX.tolist())
    expected.fit(scores_of(here), here["label"], classes=NAMES)
    fitted = lwcal.load("k.json")
    np.testing.assert_allclose(
        fitted.predict(scores_of(here)), expected.predict(scores_of(here)), atol=1e-12
    )


def test_corrected_metrics_are_those_of_python(here, capsys):
    """By the known matrix, and by an estimate that allows for scores that are right."""
    scores, labels = scores_of(here), here["label"]
    known = corrected_class_evaluate(labels, scores, noise=MATRIX, classes=NAMES)
    plausible = lwcal.diagnose(scores, labels, classes=NAMES, methods=()).plausible_noise
    rows = judged_rows(labels, scores, NAMES, None, label_name="y")
    resampling = Resampling(0.9, N_RESAMPLES, random_state=0)
    estimated = corrected_class_metrics(rows, plausible, resampling)
    for option, expected in (("matrix m.csv", known), ("rates estimate", estimated)):
        assert call(f"evaluate rows.csv {ENDS} --noise-{option} --json") == 0
        found = json.loads(capsys.readouterr().out)
        for name, one in expected.items():
            assert found["metrics"]["raw score"][name] == pytest.approx(one.to_dict(), abs=1e-9)
        assert np.sum(found["noise_matrix"]) == pytest.approx(3.0)
    assert call(f"evaluate rows.csv {ENDS} --noise-matrix m.csv") == 0
    assert "corrected for wrong" in capsys.readouterr().out


def test_calibrators_are_compared_by_the_known_matrix(here, capsys):
    """Which is what the document says."""
    line = f"compare rows.csv {ENDS} --method temperature --noise-matrix m.csv --json"
    assert call(line) == 0
    np.testing.assert_allclose(json.loads(capsys.readouterr().out)["noise_matrix"], MATRIX)


MISTAKES = {
    "no square": ("true,cat,dog,bird\ncat,1,0,0\n", "a square table with names"),
    "empty": ("", "a square table with names"),
    "short row": (TEXT.replace("dog,1,0,0", "dog,1,0"), "a square table with names"),
    "words": (TEXT.replace("0.15", "few"), "shares as numbers, got could not convert"),
    "counts": (TEXT.replace("dog,1,0,0", "dog,40,0,0"), "sum to 1, got 40 in the row of 'dog'"),
    "not a number": (TEXT.replace("dog,1,0,0", "dog,nan,0,0"), "sum to 1, got nan"),
    "negative": (TEXT.replace("dog,1,0,0", "dog,1.5,-0.5,0"), "shares from 0 to 1"),
    "another class": (TEXT.replace("bird", "fish"), "none for 'bird'"),
    "twice": (TEXT.replace("bird,0.2", "cat,0.2"), "each class once, got 'cat' twice"),
    "no inverse": ("t,cat,dog,bird\ncat,.5,.5,0\ndog,.5,.5,0\nbird,0,0,1\n", "with an inverse"),
    "never a label": ("t,cat,dog,bird\ncat,1,0,0\ndog,1,0,0\nbird,0,0,1\n", "is a label"),
}


@pytest.mark.parametrize(("text", "told"), MISTAKES.values(), ids=MISTAKES)
def test_what_is_no_noise_matrix_is_refused(tmp_path, text, told):
    """With the file and what was expected."""
    path = tmp_path / "m.csv"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_noise_matrix(path).of_classes(NAMES)
    assert told in str(caught.value)
    assert str(caught.value).startswith(f"{path}: ")


def test_shares_may_be_rounded(tmp_path):
    """A row that sums to 0.99 is one of shares, and sums to 1 afterwards."""
    path = tmp_path / "m.csv"
    path.write_text("t,a,b,c\na,.33,.33,.33\nb,0,1,0\nc,0,0,1\n")
    assert read_noise_matrix(path).of_classes(list("abc"))[0].sum() == pytest.approx(1.0)
