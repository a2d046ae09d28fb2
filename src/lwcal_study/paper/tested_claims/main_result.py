"""Claims of the abstract and of RQ1: the main result."""

from __future__ import annotations

from lwcal_study.paper import tables
from lwcal_study.paper.results import Results
from lwcal_study.paper.tested_claims.measures import (
    BASELINES,
    MAIN_METRICS,
    OURS,
    PROPER,
    TITLES,
    TRIMMED,
    at_rate,
    excludes_zero,
    higher,
    lower,
    lowest,
    means,
    noisy,
)
from lwcal_study.paper.tested_claims.parts import Part

EVERY = (*BASELINES, *TRIMMED, *OURS)
CLOSE = 0.01
"""AUCs that differ by at most this much are close. In the paper, they differ by 0.005."""
MODERATE = (0.1, 0.2, 0.3)
RELIABILITY = ("ece", "adaptive_ece", "brier", "nll", "classwise_ece", "minority_ece", "class_gap")
"""The metrics that the paper reports as reliability."""


def lowest_ece(results: Results) -> list[Part]:
    """LWCal has the lowest mean ECE."""
    return [lowest(noisy(results), "ece", "LWCal", EVERY)]


def best_proper(results: Results) -> list[Part]:
    """Gated-LWCal has the lowest mean Brier score and log loss."""
    return [lowest(noisy(results), metric, "Gated-LWCal", EVERY) for metric in PROPER]


def improves_on_raw(results: Results) -> list[Part]:
    """Gated-LWCal has lower mean ECE and log loss than the raw score."""
    return [lower(noisy(results), metric, "Gated-LWCal", "Raw") for metric in ("ece", "nll")]


def intervals(results: Results) -> list[Part]:
    """No interval of Gated-LWCal minus a baseline includes zero, in the main study."""
    return [
        excludes_zero(noisy(results), metric, "Gated-LWCal", baseline)
        for baseline in BASELINES
        for metric in MAIN_METRICS
    ]


def platt_and_beta_do_not_help(results: Results) -> list[Part]:
    """Neither Platt nor beta calibration lowers ECE, Brier score or log loss of the raw score."""
    values = {metric: means(noisy(results), metric) for metric in MAIN_METRICS}
    return [
        lower(noisy(results), metric, method, "Raw")._replace(
            text=f"{method} does not lower {TITLES[metric]}",
            holds=bool(values[metric][method] >= values[metric]["Raw"]),
            sure=None,
        )
        for method in ("Platt", "Beta")
        for metric in MAIN_METRICS
    ]


def isotonic_helps(results: Results) -> list[Part]:
    """Isotonic calibration has lower mean ECE and log loss than the raw score."""
    return [lower(noisy(results), metric, "Isotonic", "Raw") for metric in ("ece", "nll")]


def reduction(results: Results) -> list[Part]:
    """LWCal lowers the ECE of the raw score by 35% to 45%."""
    values = means(noisy(results), "ece")
    share = 1 - values["LWCal"] / values["Raw"]
    text = "LWCal lowers ECE by 35% to 45%"
    return [Part(text, bool(0.35 <= share <= 0.45), f"it falls by {share:.1%}")]


def raw_ranks_best(results: Results) -> list[Part]:
    """The raw score has the highest AUC, and Gated-LWCal is close."""
    auc = means(noisy(results), "auc")
    best = auc.drop("Raw").idxmax()
    gap = auc["Raw"] - auc["Gated-LWCal"]
    return [
        Part(
            "the raw score has the highest AUC",
            bool(auc["Raw"] >= auc[best]),
            f"Raw {auc['Raw']:.4f}, the best of the others: {best} {auc[best]:.4f}",
        ),
        Part(
            f"Gated-LWCal is within {CLOSE} of it", bool(gap <= CLOSE), f"{gap:.4f} below the raw"
        ),
    ]


def improves_all_reliability(results: Results) -> list[Part]:
    """Gated-LWCal improves all reliability metrics of the raw score."""
    return [lower(noisy(results), metric, "Gated-LWCal", "Raw") for metric in RELIABILITY]


def headroom(results: Results) -> list[Part]:
    """A fit to clean labels has lower ECE, and our methods close at least half of the gap."""
    oracle = tables.oracle(results).loc["Oracle"]
    ece = means(noisy(results), "ece")
    gap = ece["Raw"] - oracle["ece"]
    parts = [
        Part(
            f"clean labels give lower ECE than {method}",
            bool(oracle["ece"] < ece[method]),
            f"{oracle['ece']:.3f} against {ece[method]:.3f}",
        )
        for method in OURS
    ]
    for method in OURS:
        closed = (ece["Raw"] - ece[method]) / gap
        text = f"{method} closes at least half of the gap in ECE"
        parts.append(Part(text, bool(closed >= 0.5), f"{closed:.0%} of it"))
    return parts


def below_the_oracle(results: Results) -> list[Part]:
    """Brier score and log loss of Gated-LWCal are below those of the fit to clean labels."""
    oracle = tables.oracle(results).loc["Oracle"]
    parts = []
    for metric in PROPER:
        value = means(noisy(results), metric)["Gated-LWCal"]
        text = f"{TITLES[metric]} of Gated-LWCal is below that of the oracle"
        measured = f"{value:.3f} against {oracle[metric]:.3f}"
        parts.append(Part(text, bool(value < oracle[metric]), measured))
    return parts


def moderate_noise(results: Results) -> list[Part]:
    """At 10% to 30% noise, both our methods improve ECE and proper scores of the raw score."""
    frame = at_rate(results, *MODERATE)
    return [lower(frame, metric, method, "Raw") for method in OURS for metric in MAIN_METRICS]


def robustness_intervals(results: Results) -> list[Part]:
    """The intervals lie below zero with three base learners too."""
    return [
        excludes_zero(results.robustness_results, metric, "Gated-LWCal", baseline)
        for baseline in ("Raw", "Isotonic", "Beta")
        for metric in MAIN_METRICS
    ]


def ties_with_lwcal(results: Results) -> list[Part]:
    """Gated-LWCal minus LWCal: above zero for ECE, and zero is in the other intervals."""
    frame = results.robustness_results
    parts = [higher(frame, "ece", "Gated-LWCal", "LWCal")]
    for metric in PROPER:
        found = tables.difference(frame, metric, "Gated-LWCal", "LWCal", by="dataset")
        parts.append(
            Part(
                f"{TITLES[metric]} is tied with that of LWCal",
                bool(found.low <= 0 <= found.high),
                f"{found.value:+.4f} [{found.low:+.4f}, {found.high:+.4f}]",
            )
        )
    return parts
