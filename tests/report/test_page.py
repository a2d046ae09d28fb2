"""The page is one file, is reproducible, and never runs data as code."""

import json
import re
import sys
from dataclasses import replace
from html import unescape

import pytest

import lwcal
from lwcal.errors import MissingExtraError
from lwcal.report.page import embedded_json
from tests.report.example import HOSTILE


def test_the_same_input_gives_the_same_page(page_file, data):
    """The date is fixed by the test."""
    titled = replace(data, title="Card disputes: calibration report", identity_name="case")
    assert lwcal.report.render(titled) == page_file.read_text(encoding="utf-8")


def test_the_page_says_what_it_should(page_file, data):
    """Verdict, method, fingerprints, versions, and the names of all sections."""
    text = unescape(page_file.read_text(encoding="utf-8"))
    assert data.diagnosis.recommendation.headline in text
    assert data.diagnosis.recommendation.reason in text
    assert data.diagnosis.noise.sentence in text
    assert data.diagnosis.protocol.sentence in text
    assert f"lwcal {lwcal.__version__}" in text
    for fingerprint in data.reproduction.inputs:
        assert fingerprint.sha256 in text
    headings = re.findall(r"<h2[^>]*>(.*?)</h2>", text)
    assert len(headings) == len(set(headings)) == 11
    assert len(text.encode()) < 300_000


def test_nothing_is_loaded_from_anywhere(page_file):
    """The page holds no address, and its policy forbids requests."""
    text = page_file.read_text(encoding="utf-8")
    assert not re.search(r"""(?:src|href|url)\s*[=(]\s*["']?(?:https?:|//)""", text)
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy.startswith("default-src 'none'; ") or "default-src &#39;none&#39;" in policy
    assert "unsafe" not in policy


def test_data_never_becomes_markup(hostile_page):
    """Title, column, id and label stay text: the only scripts are the page's own."""
    assert hostile_page.count("<script") == 2
    assert hostile_page.count("</script>") == 2
    assert "<b>" not in hostile_page
    assert HOSTILE in unescape(hostile_page)


def test_embedded_json_is_inert_and_reads_back():
    """Whatever it holds."""
    text = embedded_json({"id": HOSTILE})
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == {"id": HOSTILE}


def with_verdict(data, **changes):
    """The same page with another verdict."""
    advised = replace(data.diagnosis.recommendation, **changes)
    return replace(data, diagnosis=replace(data.diagnosis, recommendation=advised))


@pytest.mark.parametrize(
    ("action", "kind", "headline"),
    [
        ("deploy", "good", "Deploy audited"),
        ("keep raw", "neutral", "Keep the raw score"),
        ("audit", "bad", "Check 40 labels first"),
        ("check scores", "bad", "Check the scores first"),
    ],
)
def test_every_verdict_has_a_colour_a_sign_and_a_word(data, action, kind, headline):
    """Any one of them is enough to read the verdict."""
    page = lwcal.report.render(with_verdict(data, action=action, checks=40))
    assert f'<div class="verdict {kind}">' in page
    assert re.search(rf'<span class="icon" aria-hidden="true">.</span> {headline}</p>', page)


def test_a_verdict_about_another_calibrator_says_so(data):
    """Nobody should deploy a calibrator because of advice to deploy another."""
    remark = "The verdict is about audited; the calibrator on this page is auto."
    assert remark in lwcal.report.render(data)
    assert "The verdict is about" not in lwcal.report.render(with_verdict(data, calibrator="auto"))
    raw = with_verdict(data, action="keep raw", calibrator="identity")
    assert "The verdict is about the raw score; " in lwcal.report.render(raw)
    alone = replace(data.map_curve, probabilities=data.map_curve.scores)
    assert "The verdict is about" not in lwcal.report.render(replace(raw, map_curve=alone))
    refused = with_verdict(data, action="check scores", calibrator="identity", refuses_rows=True)
    assert "The verdict is about" not in lwcal.report.render(refused)


def test_a_verdict_to_audit_warns_of_the_explorer(data):
    """The numbers of the explorer look reliable even if they are not."""
    warning = "Do not set a threshold by them"
    assert warning not in lwcal.report.render(data)
    for action in ("audit", "check scores"):
        assert warning in lwcal.report.render(with_verdict(data, action=action))


def test_rates_that_cannot_be_estimated_are_not_shown(data):
    """The page shows an interval and a reason, but no dot."""
    noise = data.diagnosis.noise
    unknown = replace(noise, negative=replace(noise.negative, value=None, clear_cases=0.001))
    page = lwcal.report.render(replace(data, diagnosis=replace(data.diagnosis, noise=unknown)))
    assert "a rate without a dot cannot be estimated" in page
    assert "below 1% of the rows are clear cases" in page


def test_without_jinja2_one_line_says_how_to_install_it(example, tmp_path, monkeypatch):
    """The error comes before anything is computed or written."""
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(MissingExtraError, match=r'pip install "lwcal\[report\]"'):
        lwcal.report.write_report(*example[:3], path=tmp_path / "report.html")
    assert list(tmp_path.iterdir()) == []
