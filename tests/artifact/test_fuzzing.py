"""The loader answers any file with a calibrator that works, or with ArtifactError and the path."""

import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import lwcal
from lwcal.artifact import from_document, to_document
from lwcal.artifact.reading import load_score_map
from lwcal.errors import ArtifactError
from tests.conftest import make_noisy_rows

GRID = np.linspace(0, 1, 101)
MANY = settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
DOCUMENTS = [
    to_document(calibrator.fit(*(column[:60] for column in make_noisy_rows())))
    for calibrator in (
        lwcal.Auto(),
        lwcal.NoiseAware(prior_rates=(0.1, 0.2)),
        lwcal.GatedLWCal(),
        lwcal.Platt(space="score"),
        lwcal.TrimmedBeta(),
        lwcal.Audited(),
    )
]
DOCUMENTS.append(to_document(lwcal.shift.undo_sampling(from_document(DOCUMENTS[0]), 0.2)))
odd_values = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([10**400, -(10**400), 10**15 + 1, 1e308, -1e308, 5e-324, -0.0, 2**63]),
    st.text(max_size=3),
    st.sampled_from([[], {}, [[]], [1], [0.1, "x"], {"kind": "blend"}, [0.1, 0.2], [1e300, 1]]),
)


def places(value, at=()):
    """Every place in a document; of a list only its first and last."""
    yield at
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], (*at, key))
    elif isinstance(value, list) and value:
        for index in {0, len(value) - 1}:
            yield from places(value[index], (*at, index))


@st.composite
def damaged(draw):
    """A saved calibrator in which up to three places were deleted, replaced or repeated."""
    document = json.loads(json.dumps(draw(st.sampled_from(DOCUMENTS))))
    for _ in range(draw(st.integers(1, 3))):
        *outer, last = draw(st.sampled_from(sorted(places(document), key=repr))) or [None]
        holder = document
        for key in outer:
            holder = holder[key]
        if last is None:
            return draw(odd_values)
        how = draw(st.sampled_from(["delete", "replace", "retype", "repeat"]))
        if how == "delete":
            del holder[last]
        elif how == "replace":
            holder[last] = draw(odd_values)
        elif how == "retype":
            holder[last] = draw(st.sampled_from([str, lambda v: [v], lambda v: {"x": v}]))(
                holder[last]
            )
        elif isinstance(holder, list):
            holder.append(holder[last])
    return document


def check(content, path):
    """Load a file, and use what comes out."""
    path.write_bytes(content)
    try:
        applied = load_score_map(path).map(GRID)  # which looks at fewer fields
        assert ((applied >= 0) & (applied <= 1)).all()
        loaded = lwcal.load(path)
    except ArtifactError as error:
        assert str(path) in str(error)
        return
    values = loaded.map_(GRID)
    np.testing.assert_array_equal(applied, values)
    assert ((values >= 0) & (values <= 1)).all()
    assert (np.diff(values) >= -1e-12).all()
    lwcal.save(loaded, path, overwrite=True)
    np.testing.assert_array_equal(lwcal.load(path).map_(GRID), values)


@MANY
@given(document=damaged())
def test_damaged_documents(tmp_path, document):
    """Deleted, replaced, retyped and repeated parts, and numbers that no float can hold."""
    check(json.dumps(document).encode(), tmp_path / "c.json")


@MANY
@given(data=st.data(), document=st.sampled_from(DOCUMENTS))
def test_damaged_bytes(tmp_path, data, document):
    """A file that was cut, or in which some bytes were overwritten or inserted."""
    content = json.dumps(document).encode()
    start = data.draw(st.integers(0, len(content)))
    end = data.draw(
        st.one_of(st.just(len(content)), st.integers(start, min(start + 9, len(content))))
    )
    added = data.draw(st.one_of(st.binary(max_size=4), st.sampled_from([b"1e999", b"NaN", b"{"])))
    check(content[:start] + added + content[end:], tmp_path / "c.json")


def nested(depth):
    """A blend of a blend of a blend ..."""
    start, end = '{"kind": "blend", "rho": 0.5, "inner": ', "}"
    return start * depth + '{"kind": "identity"}' + end * depth


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        "[" * 100_000 + "]" * 100_000,
        '{"n": ' + "1" * 5000 + "}",
        json.dumps(DOCUMENTS[3]).replace('"n": 60', '"n": 1' + "0" * 400),
        json.dumps(DOCUMENTS[3])[:-1] + f', "map": {nested(2000)}}}',
        json.dumps(DOCUMENTS[3])[:-1] + f', "map": {nested(3)}}}',
        json.dumps(DOCUMENTS[3])[:-1] + ', "map": {"kind": "identity", "kind": "sigmoid"}}',
    ],
    ids=["open", "deep", "digits", "huge n", "deep map", "blends", "duplicate keys"],
)
def test_extreme_files(text, tmp_path):
    """Deep nesting, thousands of digits, and keys that occur twice."""
    check(text.encode(), tmp_path / "c.json")
