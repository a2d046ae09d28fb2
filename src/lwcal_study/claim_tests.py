"""How each of the paper's claims is tested on the cells measured here."""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd

from lwcal_study import tables
from lwcal_study.cells import LEARNERS
from lwcal_study.results import Results

BASELINES = ("Raw", "Platt", "Isotonic", "Beta")


class Finding(NamedTuple):
    """How many parts of a claim hold, and the numbers behind that."""

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
    return Finding([values.index[0] == method], f"mean {metric}: {shown}")


def lowest_ece(results: Results) -> Finding:
    """Test: LWCal has the lowest mean ECE."""
    return _best(_noisy(results), "ece", "LWCal")


def best_proper(results: Results) -> Finding:
    """Test: Gated-LWCal has the best mean Brier score and NLL."""
    frame = _noisy(results)
    parts = [_best(frame, metric, "Gated-LWCal") for metric in ("brier", "nll")]
    return Finding([p for part in parts for p in part.parts], "; ".join(p.evidence for p in parts))


def improves_on_raw(results: Results) -> Finding:
    """Test: Gated-LWCal lowers ECE and NLL of the raw classifier."""
    frame = _noisy(results)
    parts, shown = [], []
    for metric in ("ece", "nll"):
        raw, gated = _means(frame, metric)["Raw"], _means(frame, metric)["Gated-LWCal"]
        parts.append(bool(gated < raw))
        shown.append(f"{metric} {raw:.3f} to {gated:.3f}")
    return Finding(parts, ", ".join(shown))


def _intervals(frame: pd.DataFrame) -> Finding:
    found = tables.paired(frame, "Gated-LWCal", BASELINES)
    parts = (found["upper"] < 0).tolist()
    worst = found["upper"].idxmax()
    evidence = (
        f"{sum(parts)} of {len(parts)} intervals below zero; the highest upper end is "
        f"{found.loc[worst, 'upper']:+.4f} ({worst})"
    )
    return Finding(parts, evidence)


def intervals_main(results: Results) -> Finding:
    """Test: Paired intervals of Gated-LWCal against raw, Platt, isotonic and beta ..."""
    return _intervals(_noisy(results))


def intervals_robustness(results: Results) -> Finding:
    """Test: The same in the study of three base learners."""
    return _intervals(results.robustness_results)


def ties_with_lwcal(results: Results) -> Finding:
    """Test: Against LWCal, Gated-LWCal is slightly worse on ECE and tied on Brier and NLL."""
    found = tables.paired(results.robustness_results, "Gated-LWCal", ["LWCal"])
    ece = bool(found.loc["ece LWCal", "lower"] > 0)
    tied = [
        bool(found.loc[f"{m} LWCal", "lower"] <= 0 <= found.loc[f"{m} LWCal", "upper"])
        for m in ("brier", "nll")
    ]
    shown = ", ".join(
        f"{name.split()[0]} {row['delta']:+.4f} [{row['lower']:+.4f}, {row['upper']:+.4f}]"
        for name, row in found.iterrows()
    )
    return Finding([ece, *tied], shown)


def platt_and_beta_do_not_help(results: Results) -> Finding:
    """Test: Platt and beta calibration do not help under noise."""
    nll, ece = _means(_noisy(results), "nll"), _means(_noisy(results), "ece")
    parts = [bool(nll[m] >= nll["Raw"]) for m in ("Platt", "Beta")]
    shown = ", ".join(f"{m} nll {nll[m]:.3f}, ece {ece[m]:.3f}" for m in ("Raw", "Platt", "Beta"))
    return Finding(parts, shown)


def raw_ranks_best(results: Results) -> Finding:
    """Test: The raw score ranks best, and Gated-LWCal stays close."""
    auc = _means(_noisy(results), "auc")
    parts = [bool(auc.idxmax() == "Raw"), bool(auc["Raw"] - auc["Gated-LWCal"] <= 0.01)]
    return Finding(parts, f"AUC: Raw {auc['Raw']:.3f}, Gated-LWCal {auc['Gated-LWCal']:.3f}")


def dominates_at_low_noise(results: Results) -> Finding:
    """Test: At 10% and 20% noise both variants beat raw and isotonic."""
    parts, shown = [], []
    for rate in (0.1, 0.2):
        frame = results.main_results[results.main_results["rate"] == rate]
        for metric in ("ece", "nll"):
            values = _means(frame, metric)
            ours = max(values["LWCal"], values["Gated-LWCal"])
            others = values[["Raw", "Isotonic"]].min()
            parts.append(bool(ours < others))
            shown.append(f"{rate:.0%} {metric} {ours:.3f} against {others:.3f}")
    return Finding(parts, ", ".join(shown)) if parts else Finding([False], "no cells")


def raw_best_at_40(results: Results) -> Finding:
    """Test: At 40% the raw score has the best NLL of the four."""
    frame = results.main_results[results.main_results["rate"] == 0.4]
    return _best(frame[frame["method"].isin(tables.FOUR)], "nll", "Raw")


def isotonic_helps(results: Results) -> Finding:
    """Test: Isotonic calibration improves ECE and NLL."""
    parts, shown = [], []
    for metric in ("ece", "nll"):
        values = _means(_noisy(results), metric)
        parts.append(bool(values["Isotonic"] < values["Raw"]))
        shown.append(f"{metric} {values['Raw']:.3f} to {values['Isotonic']:.3f}")
    return Finding(parts, ", ".join(shown))


def reduction(results: Results) -> Finding:
    """Test: LWCal lowers the ECE of the raw score by some 40%."""
    values = _means(_noisy(results), "ece")
    share = 1 - values["LWCal"] / values["Raw"]
    return Finding([bool(0.35 <= share <= 0.45)], f"ECE falls by {share:.1%}")


def lwcal_at_30(results: Results) -> Finding:
    """Test: At 30% LWCal has the best ECE and NLL of the four."""
    frame = results.main_results[results.main_results["rate"] == 0.3]
    four = frame[frame["method"].isin(tables.FOUR)]
    found = [_best(four, metric, "LWCal") for metric in ("ece", "nll")]
    return Finding([p for f in found for p in f.parts], "; ".join(f.evidence for f in found))


def lwcal_asymmetric(results: Results) -> Finding:
    """Test: Under asymmetric noise LWCal lowers ECE but hurts NLL."""
    frame = _noisy(results)
    frame = frame[frame["kind"] == "asymmetric"]
    ece, nll = _means(frame, "ece"), _means(frame, "nll")
    parts = [bool(ece["LWCal"] < ece["Raw"]), bool(nll["LWCal"] > nll["Raw"])]
    evidence = (
        f"ece {ece['Raw']:.3f} to {ece['LWCal']:.3f}, nll {nll['Raw']:.3f} to {nll['LWCal']:.3f}"
    )
    return Finding(parts, evidence)


def extra_trees_gain_most(results: Results) -> Finding:
    """Test: Extra trees gain most from LWCal."""
    found = tables.learners(results)["nll"]
    gains = {name: found[f"{name} / Raw"] - found[f"{name} / LWCal"] for name in LEARNERS}
    shown = ", ".join(f"{name} {gain:+.3f}" for name, gain in gains.items())
    best = max(gains, key=lambda name: gains[name])
    return Finding([best == "Extra Trees"], f"NLL of raw minus LWCal: {shown}")


def gate_helps_boosting(results: Results) -> Finding:
    """Test: Gated-LWCal lowers the NLL of gradient boosting."""
    found = tables.learners(results)["nll"]
    raw, gated = found["Gradient Boosting / Raw"], found["Gradient Boosting / Gated-LWCal"]
    return Finding([bool(gated < raw)], f"NLL {raw:.3f} to {gated:.3f}")


def symmetric(results: Results) -> Finding:
    """Test: LWCal is best under symmetric noise."""
    frame = _noisy(results)
    frame = frame[frame["kind"] == "symmetric"]
    parts, shown = [], []
    for metric in ("ece", "nll"):
        values = _means(frame, metric)
        parts.append(bool(values["LWCal"] == values[list(tables.FOUR)].min()))
        shown.append(f"{metric} Raw {values['Raw']:.3f}, LWCal {values['LWCal']:.3f}")
    return Finding(parts, "; ".join(shown))


def asymmetric(results: Results) -> Finding:
    """Test: Gated-LWCal has the best NLL under asymmetric noise."""
    frame = _noisy(results)
    values = _means(frame[frame["kind"] == "asymmetric"], "nll")
    parts = [bool(values["Gated-LWCal"] < values[m]) for m in ("Raw", "Isotonic", "LWCal")]
    return Finding(parts, ", ".join(f"{m} {values[m]:.3f}" for m in tables.FOUR))


def headroom(results: Results) -> Finding:
    """Test: Clean labels leave headroom in ECE and NLL."""
    oracle = tables.oracle(results).loc["Oracle"]
    nll = _means(_noisy(results), "nll")["Gated-LWCal"]
    ece = _means(_noisy(results), "ece")["LWCal"]
    parts = [bool(oracle["ece"] < ece), bool(oracle["nll"] < nll)]
    return Finding(parts, f"oracle ece {oracle['ece']:.3f}, nll {oracle['nll']:.3f}")


def datasets(results: Results) -> Finding:
    """Test: ECE falls on seven, NLL on six of nine data sets."""
    found = tables.per_dataset(_noisy(results))
    ece = int((found["ece LWCal"] < found["ece Raw"]).sum())
    nll = int((found["nll Gated-LWCal"] < found["nll Raw"]).sum())
    return Finding([ece >= 7, nll >= 6], f"ECE falls on {ece} of 9 data sets, NLL on {nll} of 9")


def minority(results: Results) -> Finding:
    """Test: Minority ECE falls, while the class gap grows, less when gated."""
    found = tables.classwise(_noisy(results))
    minority, gap = found["minority_ece"], found["class_gap"]
    parts = [
        bool(minority[m] < minority[["Raw", "Isotonic"]].min()) for m in ("LWCal", "Gated-LWCal")
    ]
    parts.append(bool(gap["Raw"] < gap["Gated-LWCal"] < gap["LWCal"]))
    shown = ", ".join(f"{m} {minority[m]:.3f} (gap {gap[m]:.3f})" for m in tables.FOUR)
    return Finding(parts, f"minority ECE: {shown}")


def learners(results: Results) -> Finding:
    """Test: ECE and NLL improve for all three base learners."""
    found = tables.learners(results)
    parts = [
        bool(found.loc[f"{learner} / {m}", metric] < found.loc[f"{learner} / Raw", metric])
        for learner in LEARNERS
        for m in ("LWCal", "Gated-LWCal")
        for metric in ("ece", "nll")
    ]
    return Finding(parts, f"{sum(parts)} of {len(parts)} comparisons with the raw score improve")


def gate_is_smooth(results: Results) -> Finding:
    """Test: The gate's centre and width matter smoothly."""
    found = tables.gate(results)
    spread = found.max() - found.min()
    best = found["nll"].min()
    chosen = found.loc["0.29 / 0.12", "nll"]
    parts = [bool(spread["nll"] < 0.03), bool(chosen - best < 0.01)]
    return Finding(parts, f"NLL from {best:.3f} to {found['nll'].max():.3f}, chosen {chosen:.3f}")


def trimming(results: Results) -> Finding:
    """Test: Keeping 80 to 90% of the rows beats keeping all of them."""
    found = tables.trimming(results)["nll"]
    parts = [bool(found[keep] < found["1.00"]) for keep in ("0.80", "0.85", "0.90")]
    return Finding(parts, ", ".join(f"keep {keep}: {value:.3f}" for keep, value in found.items()))


def soft_beats_hard(results: Results) -> Finding:
    """Test: Soft weights do better than trimming to 80 to 90%."""
    trimmed, gated = tables.trimming(results), tables.main(results).loc["Gated-LWCal"]
    parts = [
        bool(gated[metric] <= trimmed.loc[keep, metric])
        for keep in ("0.80", "0.85", "0.90")
        for metric in ("ece", "nll")
    ]
    best = trimmed["nll"].idxmin()
    evidence = (
        f"{sum(parts)} of {len(parts)} comparisons; the best trimming, keep {best}, has ece "
        f"{trimmed.loc[best, 'ece']:.3f} and nll {trimmed.loc[best, 'nll']:.3f}, Gated-LWCal "
        f"{gated['ece']:.3f} and {gated['nll']:.3f}"
    )
    return Finding(parts, evidence)
