"""``lwcal fit`` with several opinions: the same as in Python, and what is refused."""

import json
import shutil
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import lwcal
from lwcal.cli.app import run
from lwcal.cli.opinions import counts
from tests.cli.helpers import call, files
from tests.cli.opinions.conftest import make_reviewed

OUT = "--out c.json --force --pos-label fraud"
WIDE = f"fit wide.csv --score p --label label_* {OUT}"
LONG = f"fit long.csv --score p --item case --reviewer who --label label {OUT}"
ALL = ["label_ann", "label_bob", "label_cem"]
GRID = np.linspace(0.01, 0.99, 9)
same = partial(np.testing.assert_allclose, rtol=1e-9)


def in_python(frame, columns=ALL, **options):
    """The fit of the same rows in memory."""
    return lwcal.Reviewed(pos_label="fraud").fit(frame["p"], frame[columns], **options)


@pytest.mark.usefixtures("no_verdict")
@pytest.mark.parametrize(
    ("source", "labels"), [("wide.csv", "label_*"), ("wide.parquet", ",".join(ALL))]
)
def test_a_column_for_each_reviewer(reviewed, wide, source, labels):
    """By pattern or list, from text or types; the reviewers are the columns."""
    assert call(f"fit {source} --score p --label {labels} {OUT}") == 0
    fitted, expected = lwcal.load("c.json"), in_python(wide)
    same(fitted.predict(GRID), expected.predict(GRID))
    assert [one.name for one in fitted.reviews_.reviewers] == ALL
    assert fitted.diagnostics_["opinions"] == wide[ALL].notna().sum().sum()


@pytest.mark.parametrize(("renamed", "told"), [({"case": "item", "who": "reviewer"}, 1), ({}, 0)])
def test_a_table_of_opinions_that_is_read_as_rows(reviewed, capsys, renamed, told):
    """It may be what opinions read wrote: the options for it are named."""
    pd.read_csv("long.csv").rename(columns=renamed).to_csv("long.csv", index=False)
    assert call(f"fit long.csv --score p --label label --method platt {OUT}") == 0
    assert capsys.readouterr().err.count("with --item item --reviewer reviewer") == told


@pytest.mark.usefixtures("no_verdict")
@pytest.mark.parametrize("source", ["long.csv", "long.parquet"])
def test_a_row_for_each_opinion(reviewed, wide, source):
    """The same fit, whatever the order of the rows; items keep their zeros."""
    frame = pd.read_csv("long.csv", dtype={"case": str}).sample(frac=1.0, random_state=0)
    frame.to_csv("long.csv", index=False)
    assert call(LONG.replace("long.csv", source)) == 0
    fitted = lwcal.load("c.json")
    expected = in_python(wide, reviewers=["ann", "bob", "cem"])
    same(fitted.predict(GRID), expected.predict(GRID))
    assert [one.name for one in fitted.reviews_.reviewers] == ["ann", "bob", "cem"]


def test_one_label_a_row_by_different_reviewers(reviewed):
    """The column of reviewers is enough to compare them at equal scores."""
    assert call(f"fit once.csv --score p --label label --reviewer who {OUT}") == 0
    once = pd.read_csv("once.csv")
    expected = in_python(once, "label", reviewers=once["who"])
    same(lwcal.load("c.json").predict(GRID), expected.predict(GRID))


@pytest.mark.usefixtures("no_verdict")
@pytest.mark.parametrize("who", ["who_2,who_1", "who_*"])
def test_columns_of_labels_with_columns_of_reviewers(reviewed, wide, who):
    """In the order of a list; patterns are matched by what their asterisk stands for."""
    frame = wide.assign(who_2="cem", who_1=np.where(wide.index % 2, "ann", "bob"))
    frame = frame.assign(said_1=wide["label_ann"], said_2=wide["label_cem"])
    frame.to_csv("slots.csv", index=False)
    labels = "said_2,said_1" if "," in who else "said_*"
    assert call(f"fit slots.csv --score p --label {labels} --reviewers {who} {OUT}") == 0
    who_gave = frame[["who_1", "who_2"]].to_numpy()
    expected = in_python(frame, ["said_1", "said_2"], reviewers=who_gave)
    same(lwcal.load("c.json").predict(GRID), expected.predict(GRID))


def test_several_columns_of_scores(tmp_path, monkeypatch, capsys):
    """Several classes and several opinions."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    P = rng.dirichlet(np.ones(3), 400)
    truth = np.array([rng.choice(3, p=row) for row in P])
    words = np.array(["cat", "dog", "owl"])
    said = [words[np.where(rng.random(400) < 0.2, rng.integers(0, 3, 400), truth)] for _ in "ab"]
    frame = pd.DataFrame(P, columns=[f"p_{word}" for word in words])
    frame.assign(a=said[0], b=said[1]).to_csv("classes.csv", index=False)
    assert call("fit classes.csv --score p_* --label a,b --out c.json --json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["classes"] == list(words)
    expected = lwcal.Reviewed().fit(P, np.stack(said, axis=1), classes=words)
    same(lwcal.load("c.json").predict(P[:5]), expected.predict(P[:5]), rtol=1e-6)


@pytest.mark.usefixtures("no_verdict")
def test_checked_labels(reviewed, wide, capsys):
    """They are known truths, also of rows that nobody labelled."""
    frame = wide.assign(trusted=np.where(wide.index < 40, wide["truth"], None))
    frame.loc[:9, ALL] = None
    frame.loc[100:104, ALL] = None
    frame.to_csv("checked.csv", index=False)
    assert call(f"fit checked.csv --score p --label label_* --trusted trusted {OUT} --json") == 0
    told = json.loads(capsys.readouterr().out)
    nothing = frame[[*ALL, "trusted"]].isna().all(axis=1).sum()
    assert (told["n"], told["checked"], told["unlabelled"]) == (600, 40, nothing)
    expected = in_python(frame, y_audited=frame["trusted"])
    same(lwcal.load("c.json").predict(GRID), expected.predict(GRID))


def test_the_method_for_checked_labels_may_be_named(reviewed, wide):
    """With one label a row, checked labels choose it anyway."""
    frame = wide.assign(trusted=np.where(wide.index < 40, wide["truth"], None))
    frame = frame[frame["label_ann"].notna()]
    frame.to_csv("checked.csv", index=False)
    line = f"fit checked.csv --score p --label label_ann --trusted trusted {OUT}"
    assert call(f"{line} --method audited") == 0
    named = lwcal.load("c.json").predict(GRID)
    assert call(line) == 0
    np.testing.assert_array_equal(lwcal.load("c.json").predict(GRID), named)
    assert call(f"fit checked.csv --score p --label label_ann --method audited {OUT}") == 2


def test_items_with_a_checked_label_alone(reviewed, capsys):
    """As `lwcal opinions read` writes them: rows without reviewer and label."""
    frame = pd.read_csv("long.csv", dtype={"case": str}).assign(trusted=None)
    frame.loc[frame["case"] == "0001", "trusted"] = "fraud"
    alone = pd.DataFrame({"case": ["x", "y", "z"], "p": [0.2, 0.9, 0.5]})
    alone["trusted"] = ["fine", "fraud", None]
    pd.concat([frame, alone]).to_csv("long.csv", index=False)
    assert call(f"{LONG} --trusted trusted --json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["checked"], told["unlabelled"]) == (3, 1)
    assert told["diagnostics"]["audited"] == 3
    assert [one["name"] for one in told["reviews"]["reviewers"]] == ["ann", "bob", "cem"]


def test_what_is_printed(reviewed, wide, capsys):
    """Agreement, every reviewer with an interval, and rows that were used for nothing."""
    wide.loc[:4, ALL] = None
    wide.to_csv("wide.csv", index=False)
    unused = wide[ALL].isna().all(axis=1).sum()
    assert call(WIDE) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert f"{unused} without any label, used for nothing" in shown
    assert "rows with several opinions (Krippendorff's alpha 0." in shown
    assert "label_ann" in shown
    assert "rank" in shown
    reviews = lwcal.load("c.json").reviews_
    assert (reviews.warning is None) == ("Warning:" not in shown)


@pytest.mark.usefixtures("no_verdict")
def test_the_warning_is_shown(reviewed, wide, capsys):
    """A third of the rows is hard for everybody, so that reviewers err together."""
    rng = np.random.default_rng(0)
    hard = rng.random(len(wide)) < 0.35
    for name in ALL:
        other = wide["truth"].map({"fine": "fraud", "fraud": "fine"})
        wrong = hard & (rng.random(len(wide)) < 0.7)
        wide[name] = np.where(wrong, other, wide["truth"])
    wide.to_csv("wide.csv", index=False)
    assert call(WIDE) == 0
    assert "Warning: Reviewers" in capsys.readouterr().out
    assert lwcal.load("c.json").reviews_.warning


def test_at_most_twenty_reviewers_are_listed(reviewed, capsys):
    """Those with the most labels; the others are counted."""
    frame = pd.read_csv("once.csv")
    frame["who"] = [f"r{k % 23}" for k in range(len(frame))]
    frame.to_csv("once.csv", index=False)
    assert call(f"fit once.csv --score p --label label --reviewer who {OUT}") == 0
    shown = capsys.readouterr().out
    assert sum(line.startswith("r") and line[1:2].isdigit() for line in shown.splitlines()) == 20
    assert "and 3 more" in shown


@pytest.mark.usefixtures("no_verdict")
def test_the_scale_of_the_scores_is_kept(reviewed, wide):
    """New scores are read on the same scale."""
    wide.assign(p=100 * wide["p"]).to_csv("wide.csv", index=False)
    assert call(f"{WIDE} --score-scale percent") == 0
    fitted = lwcal.load("c.json")
    assert fitted.scale_ == "percent"
    same(fitted.predict(100 * GRID), in_python(wide).predict(GRID), rtol=1e-6)


def test_reviewed_by_name_with_one_label_is_noise_aware(reviewed):
    """The same map; other methods are as before."""
    once = pd.read_csv("once.csv")
    assert call(f"fit once.csv --score p --label label --method reviewed {OUT}") == 0
    expected = lwcal.NoiseAware(pos_label="fraud").fit(once["p"], once["label"])
    same(lwcal.load("c.json").predict(GRID), expected.predict(GRID))


@pytest.mark.usefixtures("no_verdict")
def test_weights_count_rows(reviewed, wide):
    """In wide form, and in long form for the item."""
    weights = 1 + np.arange(len(wide)) % 3
    wide.assign(w=weights).to_csv("wide.csv", index=False)
    assert call(f"{WIDE} --weight w") == 0
    expected = in_python(wide, sample_weight=weights).predict(GRID)
    same(lwcal.load("c.json").predict(GRID), expected)
    frame = pd.read_csv("long.csv", dtype={"case": str})
    frame.assign(w=1 + frame["case"].astype(int) % 3).to_csv("long.csv", index=False)
    assert call(f"{LONG} --weight w") == 0
    same(lwcal.load("c.json").predict(GRID), expected)


def test_very_many_rows_are_sampled(reviewed, monkeypatch, capsys):
    """And the command says so."""
    monkeypatch.setattr(counts, "LIMIT", 200)
    assert call(f"{WIDE} --json") == 0
    shown = capsys.readouterr()
    told = json.loads(shown.out)
    assert told["sampled_from"] == 579
    assert told["n"] < 579
    assert "distinct rows, which stand for " in shown.err
    assert f"{told['n']} of 579 rows of wide.csv" in shown.err
    assert lwcal.load("c.json").sampled_from_ == 579


@pytest.mark.usefixtures("no_verdict")
def test_invalid_rows_of_a_wide_file_are_dropped(reviewed, wide, capsys):
    """And counted, in the words of other commands; the fit is that of the others."""
    words = wide.replace({"fine": "no", "fraud": "yes"})
    bad = words.copy()
    bad["p"] = bad["p"].astype(object)
    bad.loc[3, "p"], bad.loc[5, "p"] = "high", 1.5
    bad.loc[7, "label_bob"] = "odd"
    bad.to_csv("bad.csv", index=False)
    line = "fit bad.csv --score p --label label_* --out c.json"
    assert call(line) == 2
    assert "--drop-invalid" in capsys.readouterr().err
    assert call(f"{line} --drop-invalid --json") == 0
    shown = capsys.readouterr()
    assert json.loads(shown.out)["n"] == 597
    assert "dropped 3 of 600 rows: column 'p': 1 is not numeric, the first in row 3" in shown.err
    assert "column 'label_bob': 1 is not 'no' or 'yes', the first in row 7 ('odd')" in shown.err
    rest = words.drop(index=[3, 5, 7])
    expected = lwcal.Reviewed().fit(rest["p"], rest[ALL])
    np.testing.assert_array_equal(lwcal.load("c.json").predict(GRID), expected.predict(GRID))


@pytest.mark.usefixtures("no_verdict")
def test_invalid_answers_of_a_long_file_are_dropped(reviewed, capsys):
    """Other answers about the same item stay; what contradicts itself is refused all the same."""
    long = pd.read_csv("long.csv", dtype={"case": str}).replace({"fine": "no", "fraud": "yes"})
    bad = long.copy()
    bad.loc[2, "case"], bad.loc[4, "who"], bad.loc[6, "label"] = None, None, "odd"
    bad.to_csv("bad.csv", index=False)
    line = "fit bad.csv --score p --item case --reviewer who --label label --out c.json"
    assert call(line) == 2
    assert "'case', got 1 of" in capsys.readouterr().err
    assert call(f"{line} --drop-invalid") == 0
    told = capsys.readouterr().err
    assert f"dropped 3 of {len(long):,} rows: column 'case': 1 is missing, the first" in told
    assert "column 'who': 1 is missing, the first in row 4" in told
    long.drop(index=[2, 4, 6]).to_csv("rest.csv", index=False)
    assert call(line.replace("bad.csv", "rest.csv").replace("c.json", "d.json")) == 0
    found, expected = (lwcal.load(f"{name}.json").predict(GRID) for name in "cd")
    np.testing.assert_array_equal(found, expected)
    pd.concat([bad, long.iloc[[9]]]).to_csv("bad.csv", index=False)
    assert call(f"{line} --force --drop-invalid") == 2
    assert f"in row {len(long)}" in capsys.readouterr().err


MISTAKES = {
    "method": (f"{WIDE} --method platt", "--method platt takes one label a row"),
    "noise rates": (f"{WIDE} --noise-rates 0.1,0.1", "--noise-rates works with one label a row"),
    "sampling": (f"{WIDE} --sampling-rate-negatives 0.1", "which true positives were left out"),
    "drop share": (
        "fit many.csv --score p --label label_* --drop-invalid --out c.json --pos-label fraud",
        "Dropping the invalid rows would lose 60% of all rows (360 of 600)",
    ),
    "no reviewer": (
        f"fit long.csv --score p --item case --label label {OUT}",
        "--item needs --reviewer",
    ),
    "id": (f"{LONG} --id case", "--id does not work with --item"),
    "wide and long": (
        f"fit wide.csv --score p --item case --reviewer amount --label label_* {OUT}",
        "one column for --label with --item, got 3 columns",
    ),
    "no such label": (f"fit wide.csv --score p --label label_ann,x {OUT}", "a column 'x'"),
    "no such reviewer": (LONG.replace("who", "whom"), "a column 'whom' in long.csv"),
    "no such item": (LONG.replace("case", "item"), "a column 'item' in long.csv"),
    "one match": (f"fit wide.csv --score p --label *_ann {OUT}", "at least two columns like"),
    "one reviewer column": (
        f"{WIDE} --reviewer amount",
        "a column of reviewers for each of the 3 columns of labels, got 1",
    ),
    "two roles": (f"{WIDE} --trusted label_ann --label label_ann,label_bob", "'label_ann' twice"),
    "positive class": (WIDE.replace("--pos-label fraud", ""), "High scores go with 'fraud'"),
    "third class": (
        f"fit third.csv --score p --label label_* {OUT}",
        "--label has 3 distinct values ('fine', 'fraud', 'odd')",
    ),
    "an odd word": (
        "fit odd.csv --score p --label label_* --out c.json",
        "column 'label_bob': 1 of 600 values is not 'no' or 'yes', the first in row 7 ('odd')",
    ),
    "no class": (
        "fit odd.csv --score p,q --label label_ann,label_bob --out c.json",
        "column 'label_ann': ",
    ),
    "no labels": (
        f"fit empty.csv --score p --label label_ann,label_bob {OUT}",
        "600 rows without any",
    ),
    "score": (
        LONG.replace("long.csv", "differing.csv"),
        "one value in column 'p' for each item of column 'case', got several for 2 of",
    ),
    "trusted": (
        f"{LONG.replace('long.csv', 'truths.csv')} --trusted t",
        "one value in column 't' for each item of column 'case', got several for 1 of",
    ),
    "twice": (
        LONG.replace("long.csv", "twice.csv"),
        "one label of each reviewer for an item, got 1 more, the first of 'ann' on '",
    ),
    "no item": (LONG.replace("long.csv", "noitem.csv"), "1 of 3 without, the first in row 1"),
    "nobody": (LONG.replace("long.csv", "nobody.csv"), "a reviewer for every label, got 1 without"),
    "other commands": (
        "evaluate wide.csv --score p --label label_* --pos-label fraud",
        "Several opinions work with lwcal fit",
    ),
}


@pytest.fixture(scope="module")
def broken(tmp_path_factory, opinion_files):
    """Files with one fault each, beside those without; nobody writes into this folder."""
    folder = tmp_path_factory.mktemp("broken") / "opinions"
    shutil.copytree(opinion_files, folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        _break(make_reviewed())
    return folder


def _break(wide):
    third = wide.copy()
    third.loc[7, "label_bob"] = "odd"
    third.to_csv("third.csv", index=False)
    words = third.replace({"fine": "no", "fraud": "yes"})
    words.assign(q=1 - words["p"]).to_csv("odd.csv", index=False)
    wide.assign(label_ann=None, label_bob=None).to_csv("empty.csv", index=False)
    wide.assign(p=wide["p"].where(wide.index >= 360)).to_csv("many.csv", index=False)
    long = pd.read_csv("long.csv", dtype={"case": str})
    two = long[long["who"] == "bob"]["case"].isin(long[long["who"] == "ann"]["case"])
    differing = long.copy()
    differing.loc[two[two].index[:2], "p"] = 0.123
    differing.to_csv("differing.csv", index=False)
    truths = long.assign(t=None)
    truths.loc[truths["case"] == truths["case"][0], "t"] = "fine"
    repeated = truths.loc[truths["case"].duplicated(), "case"].iloc[0]
    of_item = truths.index[truths["case"] == repeated]
    truths.loc[of_item[0], "t"], truths.loc[of_item[1], "t"] = "fine", "fraud"
    truths.to_csv("truths.csv", index=False)
    pd.concat([long, long.iloc[[5]]]).to_csv("twice.csv", index=False)
    few = long.iloc[:3].copy()
    few["label"] = ["fine", "fraud", "fine"]
    few.assign(case=["a", None, "b"]).to_csv("noitem.csv", index=False)
    few.assign(who=["ann", None, "bob"]).to_csv("nobody.csv", index=False)


@pytest.mark.parametrize(("line", "said"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes(broken, monkeypatch, capsys, line, said):
    """One line that says what is wrong, and nothing is written."""
    monkeypatch.chdir(broken)
    before = files(broken)
    assert call(line) == 2
    shown = capsys.readouterr().err
    assert said in shown
    assert shown.count("\n") == 1
    assert files(broken) == before


@pytest.mark.usefixtures("no_verdict")
def test_rows_through_a_pipe(reviewed, wide, standard_input):
    """Standard input works as a file does."""
    standard_input(Path("wide.csv").read_bytes())
    assert run(WIDE.replace("wide.csv", "-").split()) == 0
    same(lwcal.load("c.json").predict(GRID), in_python(wide).predict(GRID))


@pytest.mark.usefixtures("no_verdict")
def test_names_that_are_alike_are_noted(reviewed, capsys):
    """They are two reviewers; whether they are one person is for the reader to say."""
    frame = pd.read_csv("long.csv", dtype=str)
    frame["who"] = frame["who"].replace({"ann": "007", "bob": "7"})
    frame.to_csv("long.csv", index=False)
    assert call(LONG) == 0
    assert "reviewers '007' and '7' are counted as two" in capsys.readouterr().err
    assert [one.name for one in lwcal.load("c.json").reviews_.reviewers] == ["007", "7", "cem"]


def test_reviewers_are_inferred_once(reviewed, capsys, monkeypatch):
    """The fit hands on to the verdict what it found; diagnose, which has no fit, says the same."""
    assert call("diagnose wide.csv --score p --label label_* --pos-label fraud --json") == 0
    expected = json.loads(capsys.readouterr().out)["recommendation"]["sentence"]
    monkeypatch.setattr("lwcal.diagnosis.opinion_diagnosis.inferred_reviews", None)
    assert call(f"{WIDE} --json") == 0
    assert json.loads(capsys.readouterr().out)["advice"] == expected
