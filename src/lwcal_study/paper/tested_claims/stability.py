"""Claims of RQ5, RQ6 and the ablation: data sets, classes, base learners, hard trimming."""

from __future__ import annotations

from lwcal_study.paper import tables
from lwcal_study.paper.cells import LEARNERS
from lwcal_study.paper.results import Results
from lwcal_study.paper.tested_claims.measures import MAIN_METRICS, OURS, TITLES, lower, means, noisy
from lwcal_study.paper.tested_claims.parts import Part

STRESS = frozenset({"Synthetic Sparse", "Iris Versicolor"})
"""The data sets on which the paper says that the method fails."""
ADVISED = ("0.80", "0.85", "0.90")
"""Shares that the paper advises to keep."""


def datasets(results: Results) -> list[Part]:
    """ECE falls on at least seven data sets, log loss on at least six; the rest are named."""
    found = tables.per_dataset(noisy(results))
    parts = []
    for metric, method, least in (("ece", "LWCal", 7), ("nll", "Gated-LWCal", 6)):
        failed = found.index[found[f"{metric} {method}"] >= found[f"{metric} Raw"]]
        fell = len(found) - len(failed)
        named = ", ".join(failed) or "none"
        title = TITLES[metric]
        parts += [
            Part(
                f"{method} lowers {title} on at least {least} of {len(found)} data sets",
                fell >= least,
                f"on {fell}",
            ),
            Part(
                f"{title} rises on no data set but Synthetic Sparse† and Iris Versicolor",
                set(failed) <= STRESS,
                f"it rises on {len(failed)}: {named}",
            ),
        ]
    return parts


def minority(results: Results) -> list[Part]:
    """Both our methods have lower minority ECE than raw and isotonic."""
    frame = noisy(results)
    return [lower(frame, "minority_ece", m, other) for m in OURS for other in ("Raw", "Isotonic")]


def class_gap(results: Results) -> list[Part]:
    """The class gap grows, less so with the gate."""
    gap = means(noisy(results), "class_gap")
    shown = ", ".join(f"{m} {gap[m]:.3f}" for m in ("Raw", "Gated-LWCal", "LWCal"))
    return [
        Part(
            "LWCal has a larger class gap than the raw score",
            bool(gap["LWCal"] > gap["Raw"]),
            shown,
        ),
        Part(
            "with the gate, the gap grows less",
            bool(gap["Raw"] < gap["Gated-LWCal"] < gap["LWCal"]),
            shown,
        ),
    ]


def learners(results: Results) -> list[Part]:
    """Both our methods lower ECE and log loss for every base learner."""
    frame = results.robustness_results
    return [
        lower(frame[frame["learner"] == learner], metric, method, "Raw", where=f"{learner}: ")
        for learner in LEARNERS
        for method in OURS
        for metric in ("ece", "nll")
    ]


def extra_trees_gain_most(results: Results) -> list[Part]:
    """Extra trees gain most from LWCal, in log loss."""
    gains = _gains(results, "LWCal")
    shown = ", ".join(f"{name} {gain:+.3f}" for name, gain in gains.items())
    best = max(gains, key=lambda name: gains[name])
    return [Part("extra trees gain most log loss† from LWCal", best == "Extra Trees", shown)]


def boosting_gains(results: Results) -> list[Part]:
    """Gradient boosting gains least, but Gated-LWCal still lowers its log loss."""
    gains = _gains(results, "Gated-LWCal")
    shown = ", ".join(f"{name} {gain:+.3f}" for name, gain in gains.items())
    least = min(gains, key=lambda name: gains[name])
    frame = results.robustness_results
    boosting = frame[frame["learner"] == "Gradient Boosting"]
    return [
        Part("gradient boosting gains least log loss†", least == "Gradient Boosting", shown),
        lower(boosting, "nll", "Gated-LWCal", "Raw", where="Gradient Boosting: "),
    ]


def _gains(results: Results, method: str) -> dict[str, float]:
    found = tables.learners(results)["nll"]
    return {name: found[f"{name} / Raw"] - found[f"{name} / {method}"] for name in LEARNERS}


def trimming(results: Results) -> list[Part]:
    """Keeping 80% to 90% of the rows is better than keeping all, on every metric."""
    found = tables.trimming(results)
    return [
        Part(
            f"keeping {float(keep):.0%} gives lower {TITLES[metric]} than keeping all",
            bool(found.loc[keep, metric] < found.loc["1.00", metric]),
            f"{found.loc[keep, metric]:.3f} against {found.loc['1.00', metric]:.3f}",
        )
        for keep in ADVISED
        for metric in MAIN_METRICS
    ]


def trimming_is_sensitive(results: Results) -> list[Part]:
    """From 80% to 90%, ECE and log loss vary more than between the twelve gates."""
    shares, gates = tables.trimming(results).loc[list(ADVISED)], tables.gate(results)
    parts = []
    for metric in ("ece", "nll"):
        by_share, by_gate = (float(t[metric].max() - t[metric].min()) for t in (shares, gates))
        text = f"{TITLES[metric]} varies more with the share kept than with the gate"
        parts.append(Part(text, by_share > by_gate, f"by {by_share:.3f} against {by_gate:.3f}"))
    return parts


def soft_beats_hard(results: Results) -> list[Part]:
    """Each of our methods is better than trimming to 80% to 90% of the rows, on every metric."""
    trimmed = tables.trimming(results)
    ours = {metric: means(noisy(results), metric) for metric in MAIN_METRICS}
    return [
        Part(
            f"{method} has lower {TITLES[metric]} than keeping {float(keep):.0%}",
            bool(ours[metric][method] < trimmed.loc[keep, metric]),
            f"{ours[metric][method]:.3f} against {trimmed.loc[keep, metric]:.3f}",
        )
        for method in OURS
        for keep in ADVISED
        for metric in MAIN_METRICS
    ]
