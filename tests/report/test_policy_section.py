"""Thresholds by costs on the page."""

import numpy as np
import pytest

import lwcal
from lwcal.errors import ParameterError
from lwcal.report.page import render
from tests.cli.helpers import call

pytestmark = pytest.mark.usefixtures("few_resamples")


@pytest.fixture(scope="module")
def rows():
    """Scores that are right."""
    rng = np.random.default_rng(0)
    scores = rng.random(2000)
    return scores, rng.random(2000) < scores


def test_the_page_shows_the_policy(rows):
    """Both readings, the band, and its costs; nothing without a policy."""
    fitted = lwcal.NoiseAware().fit(*rows)
    policy = lwcal.decide(fitted, *rows, cost_false_negative=4.0, capacity=0.1)
    page = render(lwcal.report.build(fitted, *rows, policy=policy))
    assert "Who decides which rows?" in page
    assert policy.sentence in page
    assert "Sent to review" in page
    assert "4.0 for a wrong negative one" in page
    for reading in ("if every label is right", "if the noise estimate holds"):
        assert reading in page
    alone = lwcal.decide(fitted, rows[0])
    page = render(lwcal.report.build(fitted, *rows, policy=alone))
    assert "Sent to review" not in page
    assert "Who decides" not in render(lwcal.report.build(fitted, *rows))


def test_the_command_chooses_as_decide_does(rows, tmp_path, monkeypatch, capsys):
    """From single rows and from counts; the page names the options."""
    monkeypatch.chdir(tmp_path)
    lines = "\n".join(f"{score},{int(label)}" for score, label in zip(*rows, strict=True))
    (tmp_path / "rows.csv").write_text(f"score,label\n{lines}\n")
    assert call("fit rows.csv --method platt --out c.json") == 0
    capsys.readouterr()
    costs = "--cost-false-negative 4 --capacity 0.1"
    assert call(f"decide c.json rows.csv {costs}") == 0
    shown = capsys.readouterr().out.splitlines()[0].partition(".")[0]
    for more in ("", "--drop-invalid"):
        assert call(f"report c.json rows.csv {costs} {more} --out r.html --force") == 0
        page = (tmp_path / "r.html").read_text()
        assert shown in page
        assert "--cost-false-negative 4" in page
    capsys.readouterr()
    assert call("report c.json rows.csv --capacity 2 --out other.html") != 0
    assert "capacity" in capsys.readouterr().err
    assert not (tmp_path / "other.html").exists()


def test_several_classes_have_no_policy():
    """It is refused, not ignored."""
    rng = np.random.default_rng(0)
    scores = rng.dirichlet(np.ones(3), 200)
    labels = np.arange(200) % 3
    fitted = lwcal.Temperature().fit(scores, labels)
    two = lwcal.Platt().fit([0.1, 0.4, 0.6, 0.9], [0, 1, 0, 1])
    with pytest.raises(ParameterError, match="policy"):
        lwcal.report.build(fitted, scores, labels, policy=lwcal.decide(two, [0.5]))
