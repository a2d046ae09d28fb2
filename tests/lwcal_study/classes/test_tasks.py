"""Tasks with many classes: each loads, is listed, and can be learned."""

import zlib
from collections import Counter
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest

from benchmarks import class_tasks
from lwcal_study.classes.machine_learning import MOST_CLASSES, SIDE, coarse_pixels
from lwcal_study.classes.nhanes import diagnosed_sugar, pressure_stage
from lwcal_study.classes.statistics import one_row_per_traveller
from lwcal_study.classes.task import LEAST_ROWS, ClassTask
from lwcal_study.classes.tasks import CLASS_TASKS, class_tasks_of
from lwcal_study.markdown import pipe_table
from lwcal_study.real import packages
from lwcal_study.real.task import Rows
from lwcal_study.real.tasks import REAL_TASKS


@pytest.fixture(scope="module")
def listed():
    """Lines of the table of the page, by the name of the task."""
    page = class_tasks.PAGE.read_text(encoding="utf-8")
    table = page.partition("<!-- tasks -->\n")[2].partition("\n<!-- end -->")[0]
    _, _, *lines = table.splitlines()
    return {line.split(" | ")[0].removeprefix("| "): line for line in lines}


@pytest.mark.parametrize("name", CLASS_TASKS)
def test_a_task_is_fit_for_use(name, listed):
    """Finite features, classes from 0, no feature that is a label; learnable, and on the page."""
    task = CLASS_TASKS[name]
    if find_spec(packages.FOLDERS[task.package]) is None:
        pytest.skip(f"{task.package} is not installed: make setup")
    rows = task.load()
    X, y, noisy = rows
    assert X.dtype == np.float64
    assert np.isfinite(X).all()
    assert len(X) == len(y) >= 150
    sizes = Counter(y.tolist())
    assert sorted(sizes) == list(range(len(sizes)))
    assert 3 <= len(sizes) <= MOST_CLASSES
    assert min(sizes.values()) >= LEAST_ROWS
    assert not np.equal(X, y[:, None]).all(axis=0).any()
    assert (noisy is None) == (task.sort == "clean")
    if noisy is not None:
        assert set(noisy) <= set(sizes)
        assert 0.1 < (noisy != y).mean() < 0.5
        assert "noisy" in task.note
        assert "trusted" in task.note
    head = pipe_table(class_tasks.described(task, rows), []).splitlines()[0]
    assert listed[name].startswith(head), "run python -m benchmarks.class_tasks"
    # what a quarter of the rows teaches a quarter of the trees, all of them teach as well
    sizes = (15, 1000), (class_tasks.TREES, class_tasks.TRAINED)
    found = (class_tasks.ratio(rows, *size) for size in sizes)
    assert any(ratio < class_tasks.LARGEST_RATIO for ratio in found)


def test_there_are_enough_tasks_and_the_name_decides_their_part(listed):
    """Of many domains; no name is that of a task with two classes."""
    assert len(class_tasks_of("clean")) >= 20
    assert len(class_tasks_of("natural")) >= 3
    for sort in ("clean", "natural"):
        parts = [class_tasks_of(sort, part) for part in ("judged", "development")]
        assert min(map(len, parts)) >= 3
        assert len(parts[0]) + len(parts[1]) == len(class_tasks_of(sort))
    for name, task in CLASS_TASKS.items():
        assert (task.part == "judged") == bool(zlib.crc32(name.encode()) % 2)
    assert not set(CLASS_TASKS) & set(REAL_TASKS)
    assert list(listed) == list(CLASS_TASKS)
    assert len({task.domain for task in CLASS_TASKS.values()}) >= 10


def test_the_page_is_rewritten_between_its_marks(monkeypatch, tmp_path):
    """What is written by hand stays."""
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- tasks -->\nold\n<!-- end -->\nafter\n", encoding="utf-8")
    wine = "sk_wine_grower"
    monkeypatch.setattr(class_tasks, "PAGE", page)
    monkeypatch.setattr(class_tasks, "CLASS_TASKS", {wine: CLASS_TASKS[wine]})
    class_tasks.main()
    text = page.read_text(encoding="utf-8")
    assert text.startswith("before\n<!-- tasks -->\n| task |")
    assert text.endswith("<!-- end -->\nafter\n")
    assert f"| {wine} | scikit-learn | chemistry | clean | judged | 3 | 178 |" in text
    assert "old" not in text


def task_of(trusted, noisy):
    """A task with one feature, the number of the row."""
    rows = Rows(pd.DataFrame({"row": range(len(trusted))}), trusted, noisy)
    return ClassTask("made_up", "none", "none", "natural", build=lambda: rows)


def test_rows_without_a_usable_label_are_dropped():
    """A missing label, a class with few rows, and a noisy label of such a class."""
    trusted = pd.Series(["b", "a", "c"] * LEAST_ROWS + ["b", None, "b", "rare"])
    noisy = pd.Series(["a", "a", "c"] * LEAST_ROWS + [None, "a", "rare", "a"])
    X, y, y_noisy = task_of(trusted, noisy).load()
    assert X[:, 0].tolist() == list(range(3 * LEAST_ROWS))
    assert y.tolist() == [1, 0, 2] * LEAST_ROWS
    assert y_noisy.tolist() == [0, 0, 2] * LEAST_ROWS


def test_numbers_are_ordered_as_numbers():
    """10 follows 9, which texts would not."""
    trusted = pd.Series([10, 9, 2] * LEAST_ROWS)
    assert task_of(trusted, trusted).load().y_trusted[:3].tolist() == [2, 1, 0]


def test_travellers_have_one_row():
    """With the times and costs of each way, and the way that was chosen."""
    table = pd.DataFrame(
        {
            "individual": [1, 1, 1, 1],
            "mode": [1, 2, 3, 4],
            "choice": [0, 0, 1, 0],
            "ttme": [69, 34, 35, 0],
            "invc": [59, 31, 25, 10],
            "invt": [100, 372, 417, 180],
            "hinc": 35,
            "psize": 1,
        }
    )
    (row,) = one_row_per_traveller(table).to_dict("records")
    assert row["mode"] == 3
    assert (row["ttme_air"], row["invc_train"], row["invt_car"]) == (69, 31, 180)


def test_pixels_become_blocks():
    """Each has the mean of its pixels, and the digit stays."""
    picture = np.zeros((SIDE, SIDE))
    picture[:4, 4:8] = 16.0
    picture[27, 27] = 16.0
    table = coarse_pixels(pd.DataFrame([[*picture.ravel(), 7]]))
    values = table.drop(columns="digit").to_numpy()[0]
    assert {place: values[place] for place in np.flatnonzero(values)} == {1: 16.0, 48: 1.0}
    assert table["digit"].tolist() == [7]


def test_blood_pressure_has_the_higher_of_two_stages():
    """A diastolic pressure is never merely elevated; a missing one leaves no stage."""
    table = pd.DataFrame(
        {
            "Systolic 1St": [110.0, 125.0, 110.0, 135.0, 110.0, 145.0],
            "Diastolic 1St": [70.0, 70.0, 85.0, 70.0, 95.0, np.nan],
        }
    )
    assert pressure_stage(table, ("1St",)).fillna(-1).tolist() == [0, 1, 2, 2, 3, -1]


def test_a_diagnosis_is_none_prediabetes_or_diabetes():
    """Diabetes counts as such even where prediabetes was told before."""
    table = pd.DataFrame(
        {
            "DoctorToldYouHaveDiabetes": ["0", "0", "Borderline", "1", "1", None],
            "EverToldYouHavePrediabetes": [0.0, 1.0, np.nan, np.nan, 1.0, 1.0],
        }
    )
    assert diagnosed_sugar(table).fillna(-1).tolist() == [0, 1, 1, 2, 2, -1]
