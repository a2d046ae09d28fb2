"""Calls of public functions with hostile arguments, and the checks of their results."""

import json
import math
import tempfile
from pathlib import Path

import matplotlib.figure
import numpy as np
import pyarrow as pa
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import lwcal
from lwcal import artifact, audit, diagnosis, engines, metrics, noise, plots, report, reviews
from lwcal.maps import (
    BetaMap,
    BlendMap,
    IdentityMap,
    OddsMap,
    PiecewiseLinearMap,
    SigmoidMap,
)
from tests.fuzz import hostile

METRICS = [
    "adaptive_ece", "auc", "brier", "brier_decomposition", "class_gap", "classwise_ece", "ece",
    "evaluate", "macro_f1", "minority_ece", "nll", "reliability_curve", "smooth_ece",
]  # fmt: skip
CORRECTED = [
    "corrected_auc", "corrected_brier", "corrected_ece", "corrected_evaluate", "corrected_nll",
    "corrected_reliability_curve",
]  # fmt: skip
MAPS = (
    lambda a, b: SigmoidMap(a, b),
    lambda a, b: BetaMap(a, b, a - b),
    lambda a, b: BlendMap(a, SigmoidMap(b, a)),
    lambda a, b: PiecewiseLinearMap(np.array([0.0, a]), np.array([b, 1.0])),
    lambda a, b: OddsMap(a, SigmoidMap(b, a)),
    lambda a, b: IdentityMap(),
)


def in_range(found):
    """Whether values are probabilities."""
    values = np.asarray(found)
    return bool(np.all((values >= 0.0) & (values <= 1.0)))


def calibrator(rng, made=None):
    """Fit, predict, save and load."""
    kinds = list(lwcal.calibrators.CALIBRATORS.values())
    fitted = (made or kinds[rng.integers(len(kinds))])()
    p, y, w = hostile.columns(rng)
    fitted.fit(p, y, sample_weight=w)
    assert in_range(fitted.predict(np.linspace(0, 1, 7)))
    again = reloaded(rng, fitted)
    new = hostile.scores(rng, hostile.length(rng))
    found = fitted.predict(new)
    assert in_range(found)
    np.testing.assert_array_equal(again.predict(new), found)


def class_calibrator(rng):
    """Fit to several classes, predict, save and load."""
    kinds = [kind for kind in lwcal.calibrators.CALIBRATORS.values() if hasattr(kind, "n_classes_")]
    n, n_classes = int(rng.integers(1, 40)), int(rng.integers(2, 6))
    scores = rng.dirichlet(np.full(n_classes, 10.0 ** rng.uniform(-2, 1)), n)
    scores = scores.round(1) if rng.random() < 0.3 else scores
    if rng.random() < 0.2:
        scores[rng.integers(n), rng.integers(n_classes)] = rng.choice(hostile.VALUES)
    y = rng.integers(0, n_classes + (rng.random() < 0.1), n)
    w = None if rng.random() < 0.5 else 10.0 ** rng.uniform(-90, 14, n)
    fitted = kinds[rng.integers(len(kinds))]().fit(scores, y, w)
    found = fitted.predict(scores)
    assert in_range(found)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    np.testing.assert_array_equal(reloaded(rng, fitted).predict(scores), found)


def class_metric(rng):
    """Metrics of several classes, and tables of one of them."""
    n, n_classes = int(rng.integers(1, 40)), int(rng.integers(2, 6))
    p = rng.dirichlet(np.full(n_classes, 10.0 ** rng.uniform(-2, 1)), n)
    if rng.random() < 0.2:
        p[rng.integers(n), rng.integers(n_classes)] = rng.choice(hostile.VALUES)
    y = rng.integers(0, n_classes + (rng.random() < 0.1), n)
    w = None if rng.random() < 0.5 else 10.0 ** rng.uniform(-90, 14, n)
    found = metrics.class_evaluate(y, p, sample_weight=w, classes=range(n_classes))
    assert all(math.isfinite(value) and value >= 0.0 for value in found.values())
    for name in ("class_nll", "class_brier", "top_label"):
        getattr(metrics, name)(y, p, sample_weight=w, classes=range(n_classes))
    metrics.one_class(y, p, 0, sample_weight=w, classes=range(n_classes))
    other = rng.dirichlet(np.ones(n_classes), n)
    options = {"sample_weight": w, "classes": range(n_classes), "n_resamples": 5}
    metrics.bootstrap_difference(metrics.class_nll, y, p, other, **options)


def corrected_classes(rng):
    """Metrics of several classes, corrected for known and for estimated noise."""
    n, n_classes = int(rng.integers(3, 40)), int(rng.integers(2, 5))
    p, y = rng.dirichlet(np.ones(n_classes), n), rng.integers(0, n_classes, n)
    noise = rng.dirichlet(np.ones(n_classes) * 10.0 ** rng.uniform(-2, 1), n_classes)
    if rng.random() < 0.2:
        noise[0, 0] = rng.choice(hostile.VALUES)
    if rng.random() < 0.3:
        noise = lwcal.NoiseAware().fit(p, y, classes=range(n_classes))
    w = None if rng.random() < 0.5 else 10.0 ** rng.uniform(-90, 14, n)
    options = {"noise": noise, "sample_weight": w, "classes": range(n_classes), "n_resamples": 20}
    for found in metrics.corrected_class_evaluate(y, p, **options).values():
        assert found.low <= found.value <= found.high
    metrics.corrected_class_nll(y, p, **options)
    metrics.corrected_class_brier(y, p, **options)


def reloaded(rng, fitted):
    """The same calibrator after a document; after a file now and then, because that is slower."""
    if rng.random() < 0.9:
        return artifact.from_document(artifact.to_document(fitted))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "calibrator.json"
        lwcal.save(fitted, path)
        return lwcal.load(path)


def audited(rng):
    """With checked labels."""
    p, y, w = hostile.columns(rng)
    fitted = lwcal.Audited()
    fitted.fit(p, y, sample_weight=w, y_audited=hostile.checked(rng, len(y)))
    assert in_range(fitted.predict(np.linspace(0, 1, 7)))


def reviewed(rng):
    """With several opinions on some rows, in all the forms that they come in."""
    n, reviewers, k = (int(rng.integers(1, top)) for top in (60, 5, 4))
    p = hostile.scores(rng, n) if k < 2 else rng.dirichlet(np.ones(k), n)
    y = rng.integers(0, max(k, 2), (n, reviewers)).astype(object)
    y[rng.random(y.shape) < rng.choice([0.0, 0.5, 0.97])] = None
    fitted = lwcal.Reviewed()
    options = {"sample_weight": hostile.weights(rng, n)} if rng.random() < 0.3 else {}
    if rng.random() < 0.3:
        options["y_audited"] = np.where(rng.random(n) < 0.3, rng.integers(0, max(k, 2), n), None)
    if rng.random() < 0.5:
        rows, who = np.nonzero(y != None)  # noqa: E711
        found = lwcal.opinions(rows, who, y[rows, who], items=np.arange(n))
        assert isinstance(found, lwcal.Opinions)
        fitted.fit(p, found, **options)
    else:
        fitted.fit(p, y, **options)
    assert in_range(fitted.predict(p))
    if fitted.reviews_ is None:
        return
    display = plots.ReviewersDisplay
    make, given = [
        (display.from_estimator, fitted),
        (display.from_summary, fitted.reviews_),
    ][rng.integers(2)]
    drawn = make(given, ax=matplotlib.figure.Figure().add_subplot())
    assert in_range(drawn.errorbar_.lines[0].get_xdata())
    assert isinstance(fitted.reviews_, reviews.ReviewSummary)
    assert isinstance(fitted.reviews_.agreement, reviews.Agreement)
    assert all(isinstance(one, reviews.ReviewerEstimate) for one in fitted.reviews_.reviewers)
    found = fitted.consensus(p, y)
    assert isinstance(found, reviews.Consensus)
    assert in_range(found.probabilities)


def second_opinions(rng):
    """Rows for a second opinion: never of a reviewer who labelled them."""
    n, most, k = (int(rng.integers(1, top)) for top in (60, 4, 4))
    p = hostile.scores(rng, n) if k < 2 else rng.dirichlet(np.ones(k), n)
    y = rng.integers(0, max(k, 2), (n, 3)).astype(object)
    y[rng.random(y.shape) < rng.choice([0.0, 0.5, 0.8])] = None
    options = {"for_reviewer": int(rng.integers(4))} if rng.random() < 0.5 else {}
    found = lwcal.plan_opinions(p, y, int(rng.integers(-1, 40)), most_opinions=most, **options)
    assert isinstance(found, reviews.OpinionPlan)
    assert len(set(found.rows.tolist())) == len(found.rows)
    assert all(options.get("for_reviewer") not in asked for asked in found.asked)


def maps(rng):
    """Maps are public as the attribute ``map_``."""
    a, b = (float(rng.choice((*hostile.VALUES, 0.3, 2.0))) for _ in range(2))
    found = MAPS[rng.integers(len(MAPS))](a, b)
    assert in_range(found(hostile.scores(rng, hostile.length(rng))))


def metric(rng):
    """Every metric of the labels as they are."""
    p, y, w = hostile.columns(rng)
    name = METRICS[rng.integers(len(METRICS))]
    found = getattr(metrics, name)(y, p, sample_weight=w)
    if isinstance(found, float):
        assert math.isfinite(found)


def corrected(rng):
    """Every metric that is corrected for noise."""
    p, y, w = hostile.columns(rng)
    rates = tuple(rng.choice([0.0, 0.1, 0.3, 0.5, 0.9, np.nan, -1.0], 2))
    name = CORRECTED[rng.integers(len(CORRECTED))]
    getattr(metrics, name)(y, p, noise_rates=rates, sample_weight=w, n_resamples=20)


def bootstrap(rng):
    """Differences with intervals."""
    p, y, w = hostile.columns(rng)
    other = hostile.scores(rng, len(y))
    if rng.random() < 0.5:
        metrics.paired_bootstrap(p, other, n_resamples=20)
    else:
        metrics.bootstrap_difference(metrics.nll, y, p, other, sample_weight=w, n_resamples=20)


def table(rng):
    """Tables of counts, made in every way."""
    p, y, w = hostile.columns(rng)
    kind = rng.integers(3)
    if kind == 0:
        made = lwcal.ScoreTable.from_arrays(p, y, w, drop_invalid=bool(rng.integers(2)))
    elif kind == 1:
        n = hostile.length(rng)
        counts = [hostile.scores(rng, n) for _ in range(2)]
        made = lwcal.ScoreTable(hostile.scores(rng, n), *counts)
    else:
        batches = ({"p": p, "y": y} for _ in range(2))
        made = lwcal.ScoreTable.from_batches(batches, "p", "y")
    assert made.n >= 0
    assert in_range(made.scores)
    assert (lwcal.ScoreTable.merge([made, made])).n == 2 * made.n


def rates(rng):
    """Flip rates, and probabilities before and after noise."""
    pair = tuple(rng.choice([0.0, 0.1, 0.3, 0.5, 0.9, np.nan, -1.0, np.inf], 2))
    kind = rng.integers(5)
    p = hostile.scores(rng, hostile.length(rng))
    if kind == 0:
        noise.noisy_posterior(p, pair)
    elif kind == 1:
        noise.clean_posterior(p, pair)
    elif kind == 2:
        noise.class_contamination(float(rng.choice([0.2, 0.0, 1.0, np.nan, 2.0])), pair)
    elif kind == 3:
        noise.clean_base_rate(float(rng.choice([0.2, 0.0, 1.0, np.nan, 2.0])), pair)
    else:
        noise.flip_labels(hostile.labels(rng, hostile.length(rng)), rate=pair[0], random_state=0)


def estimate(rng):
    """Flip rates from labels."""
    p, y, w = hostile.columns(rng)
    found = lwcal.estimate_noise(p, y, w)
    assert 0.0 <= found.probability_clean <= 1.0


def weights_of_labels(rng):
    """The weights that LWCal gives to labels."""
    p, y, _ = hostile.columns(rng)
    # other rows than those of the fit are refused
    rows = (p, y) if rng.random() < 0.7 else hostile.columns(rng)[:2]
    lwcal.label_weights(lwcal.LWCal().fit(p, y), *rows)


def audit_calls(rng):
    """Planning and judging an audit."""
    p, y, _ = hostile.columns(rng)
    if rng.random() < 0.3:
        n, k = int(rng.integers(1, 60)), int(rng.integers(2, 6))
        p, y = rng.dirichlet(np.ones(k), n), rng.integers(0, k, n)
        if rng.random() < 0.2:
            p[rng.integers(n), rng.integers(k)] = rng.choice(hostile.VALUES)
    kind = rng.integers(3)
    if kind == 0:
        lwcal.plan_audit(p, y, int(rng.integers(-1, 60)))
    elif kind == 1:
        audit.estimate_from_audit(p, y, hostile.checked(rng, len(y)))
    else:
        fitted = lwcal.Platt().fit([0.2, 0.4, 0.6, 0.8], [0, 1, 0, 1])
        if np.ndim(p) == 2:
            three = np.eye(3) * 0.4 + 0.2
            fitted = lwcal.Identity().fit(three, [0, 1, 2])
        audit.evaluate_audited(fitted, p, y, hostile.checked(rng, len(y)))


def monitor(rng):
    """New rows against those of the fit."""
    fitted = lwcal.Isotonic().fit(*hostile.columns(rng)[:2])
    p, y, w = hostile.columns(rng)
    lwcal.monitor(fitted, p, None if rng.random() < 0.5 else y, w)


def monitor_periods(rng):
    """New rows by their times, some of which are none."""
    fitted = lwcal.Isotonic().fit(*hostile.columns(rng)[:2])
    p, y, w = hostile.columns(rng)
    times = (np.datetime64("2024-01-01") + rng.integers(0, 400, len(p))).astype(object)
    if rng.random() < 0.3:
        times[rng.integers(len(times))] = rng.choice(["soon", "2024-01-01T00:00Z", ""])
    matures = None if rng.random() < 0.5 else float(rng.uniform(-1, 500))
    labels = None if rng.random() < 0.3 else y
    lwcal.monitor_periods(fitted, p, labels, w, times=times, label_matures=matures)


def class_monitor(rng):
    """New rows of several classes against those of the fit."""
    k = int(rng.integers(3, 6))
    sizes = [int(rng.integers(2, 60)) for _ in range(2)]
    (p, y), (q, z) = ((rng.dirichlet(np.ones(k), n), rng.integers(0, k, n)) for n in sizes)
    if rng.random() < 0.2:
        q[rng.integers(len(q)), rng.integers(k)] = rng.choice(hostile.VALUES)
    v, w = (None if rng.random() < 0.5 else 10.0 ** rng.uniform(-90, 14, n) for n in sizes)
    made = lwcal.NoiseAware if rng.random() < 0.2 else lwcal.Temperature
    fitted = made().fit(p, y, v, classes=range(k))
    found = lwcal.monitor(reloaded(rng, fitted), q, None if rng.random() < 0.5 else z, w)
    assert all(math.isfinite(test.effect) and 0 <= test.p_value <= 1 for test in found.tests)


def segments(rng):
    """One calibrator for each of several tables."""
    tables = {k: lwcal.ScoreTable.from_arrays(*hostile.columns(rng)) for k in ("a", "b")}
    made = (lwcal.Isotonic, lwcal.Platt, lwcal.NoiseAware)[rng.integers(3)]()
    fitted = lwcal.fit_segments(tables, made, prior_rows=float(rng.choice([0.0, 1.0, 1000.0])))
    assert np.isfinite(fitted.odds_ratios).all()
    assert ((fitted.own_shares >= 0.0) & (fitted.own_shares <= 1.0)).all()
    found = fitted.predict([0.0, 0.5, 1.0], ["a", "b", "c"])
    assert ((found >= 0.0) & (found <= 1.0)).all()
    judged = lwcal.segments.judge_segments(fitted.pooled, tables)
    for one in (*judged, *lwcal.segments.segment_verdicts(fitted)):
        assert one.sentence
    with tempfile.TemporaryDirectory() as folder:
        lwcal.save(fitted, f"{folder}/segments.json")
        lwcal.load_segments(f"{folder}/segments.json")


def saved_classifier(rng):
    """The calibrators of a classifier, with its model or with one that was fitted again."""
    X, y = rng.normal(size=(60, 3)), np.arange(60) % 2
    first, other = (LogisticRegression().fit(X[part], y[part]) for part in (slice(40), slice(60)))
    fitted = lwcal.CalibratedClassifier(FrozenEstimator(first), lwcal.Platt()).fit(X, y)
    with tempfile.TemporaryDirectory() as folder:
        lwcal.save(fitted, f"{folder}/c.json")
        lwcal.load_classifier(f"{folder}/c.json", first if rng.random() < 0.5 else other)


def shifts(rng):
    """Another base rate: given, sampled away, or estimated from any scores."""
    scores, labels, _ = hostile.columns(rng)
    fitted = (lwcal.Platt, lwcal.Isotonic, lwcal.NoiseAware)[rng.integers(3)]().fit(scores, labels)
    kind = rng.integers(3)
    if kind == 0:
        found = lwcal.shift.to_base_rate(fitted, float(rng.choice([0.3, 1e-9, 0.0, 2.0, np.nan])))
    elif kind == 1:
        found = lwcal.shift.undo_sampling(fitted, float(rng.choice([0.1, 30.0, 0.0, np.inf])))
    else:
        found = lwcal.shift.adapt(fitted, hostile.columns(rng)[0]).calibrator
    if found is not None:
        assert in_range(found.predict(np.linspace(0.0, 1.0, 11)))


def class_shifts(rng):
    """Base rates of several classes, from any probabilities."""
    n, k = int(rng.integers(2, 200)), int(rng.integers(3, 7))
    scores = rng.dirichlet(np.full(k, 10.0 ** rng.uniform(-2, 1)), n)
    labels = np.where(rng.random(n) < 0.8, scores.argmax(axis=1), rng.integers(0, k, n))
    kind = (lwcal.VectorScaling, lwcal.Identity, lwcal.NoiseAware)[rng.integers(3)]
    fitted = kind().fit(scores, labels, classes=range(k))
    new = rng.dirichlet(np.full(k, 10.0 ** rng.uniform(-2, 1)), int(rng.integers(1, 300)))
    if rng.random() < 0.2:
        new[rng.integers(len(new)), rng.integers(k)] = rng.choice(hostile.VALUES)
    given = rng.dirichlet(np.full(k, 0.3)) if rng.random() < 0.2 else None
    found = lwcal.shift.adapt(fitted, new, base_rate=given)
    assert isinstance(found.sentence, str)
    for one in found.base_rates or ():
        assert 0.0 <= one.low <= one.value <= one.high <= 1.0
    if found.calibrator is not None:
        assert in_range(found.calibrator.predict(np.eye(k)))


def decisions(rng):
    """Thresholds by any costs."""
    scores, labels, weights = hostile.columns(rng)
    fitted = lwcal.Platt().fit(scores, labels)
    costs = rng.choice([1.0, 20.0, 1e-9, 1e9, 0.0, -1.0, np.nan], 2, p=[0.5, 0.2, *[0.06] * 5])
    policy = lwcal.decide(
        fitted,
        scores,
        labels if rng.random() < 0.5 else None,
        weights,
        cost_false_positive=float(costs[0]),
        cost_false_negative=float(costs[1]),
        capacity=float(rng.choice([0.0, 0.1, 1.0, 2.0])),
    )
    assert policy.low <= policy.high
    assert isinstance(policy.to_sql(), str)


def limit(rng):
    """Any number of threads, or what is none."""
    with lwcal.thread_limit(rng.choice([1, 2, 7, 0, -1]).item()):
        lwcal.Isotonic().fit(*hostile.columns(rng)[:2])


def export(rng):
    """Text for other programs."""
    fitted = lwcal.Isotonic().fit(*hostile.columns(rng)[:2])
    name = str(rng.choice(['a"b', "a;drop", "", "x\0", "p", "é"]))
    text = lwcal.export(fitted, "sql", dialect="duckdb", column=name)
    assert isinstance(text, str)
    joint = lwcal.Identity().fit(np.eye(3), ["a", "b", str(rng.choice(["c", 'é"', "d\0"]))])
    query = lwcal.export(joint, "sql", column=f"{name}{{class}}", from_table=name, keep=[name])
    assert isinstance(query, str)


def classifier(rng):
    """A model and its calibrator; what the model itself refuses is not ours, so X is finite."""
    _, y, w = hostile.columns(rng)
    X = rng.normal(size=(len(y), 2))
    model = [LogisticRegression(), DecisionTreeClassifier(max_depth=2)][rng.integers(2)]
    fitted = lwcal.CalibratedClassifier(
        model, lwcal.Platt(), cv=[None, 2, 2, 2, 3, 1, "prefit", 100][rng.integers(8)]
    ).fit(X, y, sample_weight=w)
    found = fitted.predict_proba(rng.normal(size=(5, 2)))
    assert in_range(found)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)


def scorer(rng):
    """The scorer for scikit-learn's cross-validation."""
    _, y, w = hostile.columns(rng)
    if not len(y):
        return  # refused by the model
    X = np.linspace(0, 1, max(len(y), 4))[:, None]
    model = LogisticRegression().fit(X, np.arange(len(X)) % 2)
    pair = tuple(rng.choice([0.0, 0.1, 0.3, 0.5, np.nan, -1.0], 2))
    judge = metrics.corrected_scorer(str(rng.choice(["nll", "auc", "x"])), noise_rates=pair)
    assert math.isfinite(judge(model, X[: len(y)], y, sample_weight=w))


def plot(rng):
    """Reliability diagrams, from rows and from a calibrator."""
    p, y, w = hostile.columns(rng)
    axes = matplotlib.figure.Figure().add_subplot()
    options = {"sample_weight": w, "n_bins": int(rng.integers(-1, 12)), "ax": axes}
    display = plots.ReliabilityDisplay
    if rng.random() < 0.5:
        pair = tuple(rng.choice([0.0, 0.1, 0.5, np.nan], 2)) if rng.random() < 0.5 else None
        drawn = display.from_predictions(y, p, noise_rates=pair, **options)
    else:
        fitted = lwcal.Platt().fit([0.2, 0.4, 0.6, 0.8], [0, 1, 0, 1])
        drawn = display.from_estimator(fitted, p, y, **options)
    assert in_range(drawn.line_.get_ydata())


def duckdb(rng):
    """Rows in a frame, through the engine."""
    p, y, w = hostile.columns(rng)
    try:
        rows = pa.table({"p": p, "y": y} | ({} if w is None else {"w": w}))
    except (pa.ArrowException, ValueError, TypeError):
        return  # not a table, so nothing that the engine could be given
    columns = {"score": "p", "label": "y", "weight": None if w is None else "w"}
    kind = rng.integers(3)
    if kind == 0:
        engines.duckdb.reduce(rows, **columns)
    elif kind == 1:
        engines.duckdb.reduce_groups(rows, by="y", **columns)
        engines.duckdb.fit_segments(rows, by="y", calibrator=lwcal.Platt(), **columns)
    else:
        fitted = lwcal.Platt().fit([0.2, 0.4, 0.6, 0.8], [0, 1, 0, 1])
        with tempfile.TemporaryDirectory() as folder:
            engines.duckdb.apply(rows, fitted, "p", Path(folder) / "new.parquet")


def duckdb_classes(rng):
    """Rows of several classes, counted, fitted and calibrated by DuckDB."""
    n, n_classes = int(rng.integers(1, 40)), int(rng.integers(2, 5))
    p = rng.dirichlet(np.full(n_classes, 10.0 ** rng.uniform(-2, 1)), n)
    if rng.random() < 0.3:
        p[rng.integers(n), rng.integers(n_classes)] = rng.choice(hostile.VALUES)
    rows = {f"p{k}": p[:, k] for k in range(n_classes)}
    rows["y"] = rng.integers(0, n_classes + (rng.random() < 0.1), n)
    limit = None if rng.random() < 0.5 else int(rng.integers(1, 20))
    found = engines.duckdb.reduce_classes(pa.table(rows), "p*", "y", limit=limit)
    assert isinstance(found, lwcal.ClassRows)
    fitted = lwcal.Temperature().fit_rows(found)
    with tempfile.TemporaryDirectory() as folder:
        engines.duckdb.apply(pa.table(rows), fitted, "p*", Path(folder) / "new.parquet")


def duckdb_opinions(rng):
    """Rows with opinions, wide and long, counted by DuckDB, merged, and now and then fitted."""
    n, reviewers = hostile.length(rng), int(rng.integers(1, 4))
    rows = {"p": hostile.scores(rng, n), "t": hostile.checked(rng, n)}
    is_long, is_named = rng.random() < 0.4, rng.random() < 0.5
    for k in range(1 if is_long else reviewers):
        rows[f"y{k}"] = hostile.labels(rng, n)
        names = np.array(["ann", "Ann", "bob", None, "NA", "3"], dtype=object)
        rows[f"who{k}"] = rng.choice(names, n) if rng.random() < 0.5 else np.full(n, k)
    rows["item"] = rng.integers(0, max(n, 1), n) if rng.random() < 0.5 else np.arange(n)
    if is_long and rng.random() < 0.6:
        rows["p"] = np.full(n, 0.25)
    try:
        table = pa.table(rows)
    except (pa.ArrowException, ValueError, TypeError):
        return  # not a table
    options = {
        "labels": "y0" if is_long else [f"y{k}" for k in range(reviewers)],
        "trusted": "t" if rng.random() < 0.5 else None,
        "drop_invalid": bool(rng.random() < 0.6),
        "limit": None if rng.random() < 0.5 else int(rng.integers(1, 20)),
    }
    if is_long:
        options |= {"item": "item", "reviewers": "who0"}
    elif is_named:
        options["reviewers"] = [f"who{k}" for k in range(reviewers)]
    found = engines.duckdb.reduce_opinions(table, "p", **options)
    both = found.merge(found)
    assert both.tally.rows == 2 * found.tally.rows
    assert both.rows.n == 2 * found.rows.n
    if rng.random() < 0.1:
        lwcal.Reviewed().fit_opinions(found)


def opinions(rng):
    """Files of annotation tools, with a field or an option that does not fit."""
    answers = ["x", "y", "", None, 1, 0.5, True, ["x"], ["x", "y"], {}, "\ud800", "NA"]
    names = ["task", "worker", "label", "text", "id", "annotator", "annotation_id", "_input_hash"]
    names += ["_task_hash", "answer", "accept", "mood.responses", "data", "annotations"]
    picked = rng.choice(names, int(rng.integers(3, 9)), replace=False).tolist()
    picked = ["task", "worker", "label"] if rng.random() < 0.3 else picked
    count = int(rng.integers(0, 4))
    records = [
        {name: answers[rng.integers(2 if rng.random() < 0.9 else len(answers))] for name in picked}
        for _ in range(count)
    ]
    options = {
        "question": [None, None, None, "text"][rng.integers(4)],
        "item": [None, None, "text"][rng.integers(3)],
        "reviewer": [None, "a", " "][rng.integers(3)],
        "reviewers": [(), (), "w*", ["label"]][rng.integers(4)],
        "keep": [(), (), "text", ["label"]][rng.integers(4)],
        "drop_several": bool(rng.integers(2)),
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "export.json"
        path.write_text(json.dumps(records))
        found = lwcal.read_opinions(path, **options)
    assert found.n_opinions + found.n_trusted + sum(found.left_out.values()) == found.n_answers


def comparison(rng):
    """Several calibrators on the same rows; rarely, because it takes long."""
    p, y, w = hostile.columns(rng)
    found = lwcal.compare(p, y, w, methods=["identity", "platt", "isotonic"], n_resamples=20)
    for candidate in found.candidates:
        assert all(math.isfinite(value) for value in candidate.labelled.values())


def verdict(rng):
    """The verdict; rarely, because it takes long."""
    p, y, w = hostile.columns(rng)
    if rng.random() < 0.5:
        diagnosis.deployment_protocol(float(rng.choice((*hostile.VALUES, 0.3))))
        return
    y_audited = hostile.checked(rng, len(y)) if rng.random() < 0.3 else None
    lwcal.diagnose(p, y, w, y_audited=y_audited, methods=["identity", "platt"])


def page(rng):
    """The report; rarely, because it takes long."""
    p, y, w = hostile.columns(rng)
    fitted = lwcal.Platt().fit([0.2, 0.4, 0.6, 0.8], [0, 1, 0, 1])
    if rng.random() < 0.5:
        report.render(report.build(fitted, p, y, sample_weight=w, title="<b>&"))
        return
    with tempfile.TemporaryDirectory() as folder:
        report.write_report(fitted, p, y, path=Path(folder) / "new.html", sample_weight=w)


def class_page(rng):
    """The report on several classes, and the picture of their noise; rarely, as above."""
    n, n_classes = int(rng.integers(1, 60)), int(rng.integers(2, 5))
    p = rng.dirichlet(np.full(n_classes, 10.0 ** rng.uniform(-2, 1)), n)
    if rng.random() < 0.2:
        p[rng.integers(n), rng.integers(n_classes)] = rng.choice(hostile.VALUES)
    y = rng.integers(0, n_classes + (rng.random() < 0.1), n)
    w = None if rng.random() < 0.5 else 10.0 ** rng.uniform(-90, 14, n)
    fitted = lwcal.Temperature().fit(np.eye(n_classes), range(n_classes))
    data = report.build(fitted, p, y, sample_weight=w, title="<b>&")
    assert "<b>&" not in report.render(data)
    if n_classes > 2:
        assert isinstance(data, report.ClassReportData)
        axes = matplotlib.figure.Figure().add_subplot()
        plots.NoiseMatrixDisplay.from_estimate(data.diagnosis.noise, ax=axes)


CALLS = {
    calibrator: 40,
    class_calibrator: 10,
    class_metric: 5,
    corrected_classes: 3,
    audited: 2,
    reviewed: 2,
    maps: 20,
    metric: 40,
    corrected: 10,
    bootstrap: 5,
    table: 30,
    rates: 20,
    estimate: 2,
    weights_of_labels: 5,
    audit_calls: 10,
    monitor: 8,
    monitor_periods: 8,
    class_monitor: 5,
    segments: 5,
    saved_classifier: 3,
    shifts: 5,
    class_shifts: 5,
    decisions: 5,
    limit: 5,
    export: 10,
    classifier: 3,
    scorer: 4,
    plot: 3,
    duckdb: 3,
    duckdb_classes: 2,
    duckdb_opinions: 3,
    opinions: 10,
    second_opinions: 5,
    comparison: 0.5,
    verdict: 0.5,
    page: 0.2,
    class_page: 0.2,
}
"""Each call with its share of all calls."""
