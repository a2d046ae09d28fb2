"""The tests of the paper's claims. The texts of the claims are in ``claims.py``."""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd

from lwcal_study.evaluation import TITLES
from lwcal_study.paper import tables
from lwcal_study.paper.cells import LEARNERS
from lwcal_study.paper.results import Results

BASELINES = ("Raw", "Platt", "Isotonic", "Beta")


class Finding(NamedTuple):
    """Whether each part of a claim holds, and the numbers that show it."""

    parts: list[bool]
    evidence: str


def _noisy(results: Results) -> pd.DataFrame:
    frame = results.main_results
    return frame[frame["rate"] > 0]


def _means(frame: pd.DataFrame, metric: str) -> pd.Series:
    return frame.groupby("method")[metric].mean()


def _best(frame: pd.DataFrame, metric: str, method: str) -> Finding:
    values = _means(frame, metric).sort_values()
    shown = ", ".join(f"{name} {value:.3f}" for name, value in values.head(3).items())
    return Finding([values.index[0] == method], f"mean {TITLES[metric]}: {shown}")


def lowest_ece(results: Results) -> Finding:
    """LWCal has the lowest mean ECE."""
    return _best(_noisy(results), "ece", "LWCal")


def best_proper(results: Results) -> Finding:
    """Gated-LWCal has the lowest mean Brier score and log loss."""
    frame = _noisy(results)
    parts = [_best(frame, metric, "Gated-LWCal") for metric in ("brier", "nll")]
    return Finding([p for part in parts for p in part.parts], "; ".join(p.evidence for p in parts))


def improves_on_raw(results: Results) -> Finding:
    """Gated-LWCal has lower mean ECE and log loss than the raw score."""
    return _better_than_raw(results, "Gated-LWCal")


def _better_than_raw(results: Results, method: str) -> Finding:
    parts, shown = [], []
    for metric in ("ece", "nll"):
        means = _means(_noisy(results), metric)
        parts.append(bool(means[method] < means["Raw"]))
        shown.append(f"{TITLES[metric]} {means['Raw']:.3f} to {means[method]:.3f}")
    return Finding(parts, ", ".join(shown))


def _intervals(frame: pd.DataFrame) -> Finding:
    found = tables.paired(frame, "Gated-LWCal", BASELINES)
    parts = (found["upper"] < 0).tolist()
    worst = found["upper"].idxmax()
    evidence = (
        f"{sum(parts)} of {len(parts)} intervals lie below zero; the highest upper limit is "
        f"{found.loc[worst, 'upper']:+.4f} ({_comparison(str(worst))})"
    )
    return Finding(parts, evidence)


def _comparison(name: str) -> str:
    metric, baseline = name.split(maxsplit=1)
    return f"{TITLES[metric]}, against {baseline}"


def intervals_main(results: Results) -> Finding:
    """The intervals of Gated-LWCal minus each baseline lie below zero, in the main study."""
    return _intervals(_noisy(results))


def intervals_robustness(results: Results) -> Finding:
    """The intervals lie below zero in the robustness study too."""
    return _intervals(results.robustness_results)


def ties_with_lwcal(results: Results) -> Finding:
    """Gated-LWCal minus LWCal: above zero for ECE, and zero is in the other intervals."""
    found = tables.paired(results.robustness_results, "Gated-LWCal", ["LWCal"])
    ece = bool(found.loc["ece LWCal", "lower"] > 0)
    tied = [
        bool(found.loc[f"{m} LWCal", "lower"] <= 0 <= found.loc[f"{m} LWCal", "upper"])
        for m in ("brier", "nll")
    ]
    shown = ", ".join(
        f"{TITLES[name.split()[0]]} {row['delta']:+.4f} [{row['lower']:+.4f}, {row['upper']:+.4f}]"
        for name, row in found.iterrows()
    )
    return Finding([ece, *tied], shown)


def platt_and_beta_do_not_help(results: Results) -> Finding:
    """Platt and beta calibration do not lower the log loss of the raw score."""
    nll, ece = _means(_noisy(results), "nll"), _means(_noisy(results), "ece")
    parts = [bool(nll[m] >= nll["Raw"]) for m in ("Platt", "Beta")]
    shown = "; ".join(
        f"{m}: log loss {nll[m]:.3f}, ECE {ece[m]:.3f}" for m in ("Raw", "Platt", "Beta")
    )
    return Finding(parts, shown)


def raw_ranks_best(results: Results) -> Finding:
    """The raw score has the highest AUC, and Gated-LWCal is within 0.01."""
    auc = _means(_noisy(results), "auc")
    parts = [bool(auc.idxmax() == "Raw"), bool(auc["Raw"] - auc["Gated-LWCal"] <= 0.01)]
    return Finding(parts, f"AUC: Raw {auc['Raw']:.3f}, Gated-LWCal {auc['Gated-LWCal']:.3f}")


def dominates_at_low_noise(results: Results) -> Finding:
    """At 10% and 20% noise, the worse of our two methods beats the better of the others."""
    parts, shown = [], []
    for rate in (0.1, 0.2):
        frame = results.main_results[results.main_results["rate"] == rate]
        for metric in ("ece", "nll"):
            values = _means(frame, metric)
            ours = max(values["LWCal"], values["Gated-LWCal"])
            others = values[["Raw", "Isotonic"]].min()
            parts.append(bool(ours < others))
            shown.append(f"{rate:.0%} noise: {TITLES[metric]} {ours:.3f} against {others:.3f}")
    return Finding(parts, "; ".join(shown))


def raw_best_at_40(results: Results) -> Finding:
    """At 40% noise, the raw score has the lowest log loss of the four."""
    frame = results.main_results[results.main_results["rate"] == 0.4]
    return _best(frame[frame["method"].isin(tables.FOUR)], "nll", "Raw")


def isotonic_helps(results: Results) -> Finding:
    """Isotonic calibration has lower mean ECE and log loss than the raw score."""
    return _better_than_raw(results, "Isotonic")


def reduction(results: Results) -> Finding:
    """LWCal lowers the ECE of the raw score by 35% to 45%."""
    values = _means(_noisy(results), "ece")
    share = 1 - values["LWCal"] / values["Raw"]
    return Finding([bool(0.35 <= share <= 0.45)], f"ECE falls by {share:.1%}")


def lwcal_at_30(results: Results) -> Finding:
    """At 30% noise, LWCal has the lowest ECE and log loss of the four."""
    frame = results.main_results[results.main_results["rate"] == 0.3]
    four = frame[frame["method"].isin(tables.FOUR)]
    found = [_best(four, metric, "LWCal") for metric in ("ece", "nll")]
    return Finding([p for f in found for p in f.parts], "; ".join(f.evidence for f in found))


def lwcal_asymmetric(results: Results) -> Finding:
    """Under asymmetric noise, LWCal lowers ECE and raises log loss."""
    frame = _noisy(results)
    frame = frame[frame["kind"] == "asymmetric"]
    ece, nll = _means(frame, "ece"), _means(frame, "nll")
    parts = [bool(ece["LWCal"] < ece["Raw"]), bool(nll["LWCal"] > nll["Raw"])]
    evidence = (
        f"ECE {ece['Raw']:.3f} to {ece['LWCal']:.3f}, "
        f"log loss {nll['Raw']:.3f} to {nll['LWCal']:.3f}"
    )
    return Finding(parts, evidence)


def extra_trees_gain_most(results: Results) -> Finding:
    """Extra trees gain most from LWCal."""
    found = tables.learners(results)["nll"]
    gains = {name: found[f"{name} / Raw"] - found[f"{name} / LWCal"] for name in LEARNERS}
    shown = ", ".join(f"{name} {gain:+.3f}" for name, gain in gains.items())
    best = max(gains, key=lambda name: gains[name])
    return Finding([best == "Extra Trees"], f"log loss of raw minus LWCal: {shown}")


def gate_helps_boosting(results: Results) -> Finding:
    """Gated-LWCal lowers the log loss of gradient boosting."""
    found = tables.learners(results)["nll"]
    raw, gated = found["Gradient Boosting / Raw"], found["Gradient Boosting / Gated-LWCal"]
    return Finding([bool(gated < raw)], f"log loss {raw:.3f} to {gated:.3f}")


def symmetric(results: Results) -> Finding:
    """Under symmetric noise, LWCal has the lowest ECE and log loss of the four."""
    frame = _noisy(results)
    frame = frame[frame["kind"] == "symmetric"]
    parts, shown = [], []
    for metric in ("ece", "nll"):
        values = _means(frame, metric)
        parts.append(bool(values["LWCal"] == values[list(tables.FOUR)].min()))
        shown.append(f"{TITLES[metric]}: Raw {values['Raw']:.3f}, LWCal {values['LWCal']:.3f}")
    return Finding(parts, "; ".join(shown))


def asymmetric(results: Results) -> Finding:
    """Under asymmetric noise, Gated-LWCal has the lowest log loss of the four."""
    frame = _noisy(results)
    values = _means(frame[frame["kind"] == "asymmetric"], "nll")
    parts = [bool(values["Gated-LWCal"] < values[m]) for m in ("Raw", "Isotonic", "LWCal")]
    shown = ", ".join(f"{m} {values[m]:.3f}" for m in tables.FOUR)
    return Finding(parts, f"log loss: {shown}")


def headroom(results: Results) -> Finding:
    """A fit to clean labels has lower ECE and log loss than our methods."""
    oracle = tables.oracle(results).loc["Oracle"]
    nll = _means(_noisy(results), "nll")["Gated-LWCal"]
    ece = _means(_noisy(results), "ece")["LWCal"]
    parts = [bool(oracle["ece"] < ece), bool(oracle["nll"] < nll)]
    return Finding(parts, f"clean labels: ECE {oracle['ece']:.3f}, log loss {oracle['nll']:.3f}")


def datasets(results: Results) -> Finding:
    """ECE falls on at least seven data sets, log loss on at least six."""
    found = tables.per_dataset(_noisy(results))
    ece = int((found["ece LWCal"] < found["ece Raw"]).sum())
    nll = int((found["nll Gated-LWCal"] < found["nll Raw"]).sum())
    return Finding([ece >= 7, nll >= 6], f"ECE falls on {ece} of 9 data sets, log loss on {nll}")


def minority(results: Results) -> Finding:
    """Minority ECE falls, and the class gap grows, less so with the gate."""
    found = tables.classwise(_noisy(results))
    minority, gap = found["minority_ece"], found["class_gap"]
    parts = [
        bool(minority[m] < minority[["Raw", "Isotonic"]].min()) for m in ("LWCal", "Gated-LWCal")
    ]
    parts.append(bool(gap["Raw"] < gap["Gated-LWCal"] < gap["LWCal"]))
    shown = ", ".join(f"{m} {minority[m]:.3f} (gap {gap[m]:.3f})" for m in tables.FOUR)
    return Finding(parts, f"minority ECE: {shown}")


def learners(results: Results) -> Finding:
    """Both our methods lower ECE and log loss for every base learner."""
    found = tables.learners(results)
    parts = [
        bool(found.loc[f"{learner} / {m}", metric] < found.loc[f"{learner} / Raw", metric])
        for learner in LEARNERS
        for m in ("LWCal", "Gated-LWCal")
        for metric in ("ece", "nll")
    ]
    return Finding(parts, f"better than the raw score in {sum(parts)} of {len(parts)} comparisons")


def gate_is_smooth(results: Results) -> Finding:
    """Log loss varies by less than 0.03, and the chosen gate is within 0.01 of the best."""
    found = tables.gate(results)
    spread = found.max() - found.min()
    best = found["nll"].min()
    chosen = found.loc["0.29 / 0.12", "nll"]
    parts = [bool(spread["nll"] < 0.03), bool(chosen - best < 0.01)]
    return Finding(
        parts,
        f"log loss {best:.3f} to {found['nll'].max():.3f}, with the paper's gate {chosen:.3f}",
    )


def trimming(results: Results) -> Finding:
    """Keeping 80% to 90% of the rows gives a lower log loss than keeping all."""
    found = tables.trimming(results)["nll"]
    parts = [bool(found[keep] < found["1.00"]) for keep in ("0.80", "0.85", "0.90")]
    shown = ", ".join(f"{float(keep):.0%}: {value:.3f}" for keep, value in found.items())
    return Finding(parts, f"log loss by share kept: {shown}")


def soft_beats_hard(results: Results) -> Finding:
    """Gated-LWCal has lower ECE and log loss than trimming to 80% to 90% of the rows."""
    trimmed, gated = tables.trimming(results), tables.main(results).loc["Gated-LWCal"]
    parts = [
        bool(gated[metric] <= trimmed.loc[keep, metric])
        for keep in ("0.80", "0.85", "0.90")
        for metric in ("ece", "nll")
    ]
    best = trimmed["nll"].idxmin()
    evidence = (
        f"better in {sum(parts)} of {len(parts)} comparisons; keeping {float(best):.0%} has the "
        f"lowest log loss: ECE {trimmed.loc[best, 'ece']:.3f}, log loss "
        f"{trimmed.loc[best, 'nll']:.3f}; Gated-LWCal: ECE {gated['ece']:.3f}, log loss "
        f"{gated['nll']:.3f}"
    )
    return Finding(parts, evidence)
