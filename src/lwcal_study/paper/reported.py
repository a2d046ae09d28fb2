"""The tables of the paper, as data."""

from typing import TypeAlias

Row: TypeAlias = dict[str, float]
Table: TypeAlias = dict[str, Row]
"""Values by row name and column name."""

DATASETS: Table = {
    "Breast Cancer": {"n": 569, "d": 30, "positive_rate": 0.627},
    "Wine Class 0": {"n": 178, "d": 13, "positive_rate": 0.331},
    "Wine Class 2": {"n": 178, "d": 13, "positive_rate": 0.270},
    "Digits High": {"n": 1797, "d": 64, "positive_rate": 0.499},
    "Digits Even": {"n": 1797, "d": 64, "positive_rate": 0.496},
    "Iris Versicolor": {"n": 150, "d": 4, "positive_rate": 0.333},
    "Synthetic Overlap": {"n": 1800, "d": 24, "positive_rate": 0.496},
    "Synthetic Sparse": {"n": 1900, "d": 72, "positive_rate": 0.503},
    "Synthetic Imbalance": {"n": 2200, "d": 30, "positive_rate": 0.225},
}

MAIN: Table = {
    "Gated-LWCal": {"ece": 0.122, "brier": 0.125, "nll": 0.396, "auc": 0.895},
    "LWCal": {"ece": 0.113, "brier": 0.126, "nll": 0.409, "auc": 0.891},
    "Isotonic": {"ece": 0.147, "brier": 0.134, "nll": 0.424, "auc": 0.879},
    "Raw": {"ece": 0.188, "brier": 0.138, "nll": 0.438, "auc": 0.900},
    "TrimCal-Beta": {"ece": 0.146, "brier": 0.138, "nll": 0.441, "auc": 0.896},
    "Platt": {"ece": 0.187, "brier": 0.147, "nll": 0.457, "auc": 0.880},
    "Beta": {"ece": 0.189, "brier": 0.149, "nll": 0.461, "auc": 0.878},
    "TrimCal-Iso": {"ece": 0.125, "brier": 0.134, "nll": 0.487, "auc": 0.858},
}

ORACLE: Table = {"Oracle": {"ece": 0.057, "nll": 0.340}}

_FOUR = ("Raw", "Isotonic", "LWCal", "Gated-LWCal")


def _by_metric(values: dict[str, tuple[tuple[float, ...], tuple[float, ...]]]) -> Table:
    """Name the columns of four ECE and four NLL values, such as ``ece Raw``."""
    return {
        name: {
            **{f"ece {method}": value for method, value in zip(_FOUR, eces, strict=True)},
            **{f"nll {method}": value for method, value in zip(_FOUR, nlls, strict=True)},
        }
        for name, (eces, nlls) in values.items()
    }


NOISE_RATE: Table = _by_metric(
    {
        "10%": ((0.158, 0.085, 0.053, 0.053), (0.298, 0.243, 0.223, 0.223)),
        "20%": ((0.197, 0.151, 0.074, 0.075), (0.381, 0.347, 0.279, 0.278)),
        "30%": ((0.212, 0.188, 0.127, 0.159), (0.479, 0.485, 0.432, 0.442)),
        "40%": ((0.185, 0.166, 0.198, 0.200), (0.594, 0.620, 0.700, 0.640)),
    }
)

NOISE_KIND: Table = _by_metric(
    {
        "Symmetric": ((0.191, 0.151, 0.080, 0.112), (0.448, 0.434, 0.367, 0.382)),
        "Asymmetric": ((0.185, 0.144, 0.146, 0.132), (0.428, 0.414, 0.450, 0.410)),
    }
)


def _delta(estimate: float, lower: float, upper: float) -> Row:
    return {"delta": estimate, "lower": lower, "upper": upper}


DELTAS: Table = {
    "ece Raw": _delta(-0.0796, -0.0883, -0.0713),
    "ece Isotonic": _delta(-0.0427, -0.0501, -0.0353),
    "ece Beta": _delta(-0.0904, -0.0988, -0.0819),
    "ece LWCal": _delta(0.0131, 0.0083, 0.0176),
    "brier Raw": _delta(-0.0196, -0.0227, -0.0166),
    "brier Isotonic": _delta(-0.0149, -0.0172, -0.0125),
    "brier Beta": _delta(-0.0290, -0.0324, -0.0258),
    "brier LWCal": _delta(0.0010, -0.0005, 0.0024),
    "nll Raw": _delta(-0.0574, -0.0683, -0.0464),
    "nll Isotonic": _delta(-0.0428, -0.0518, -0.0338),
    "nll Beta": _delta(-0.0809, -0.0924, -0.0696),
    "nll LWCal": _delta(-0.0028, -0.0091, 0.0029),
}


def _scores(ece: float, brier: float, nll: float) -> Row:
    return {"ece": ece, "brier": brier, "nll": nll}


GATE: Table = {
    "0.25 / 0.08": _scores(0.130, 0.125, 0.396),
    "0.25 / 0.12": _scores(0.126, 0.124, 0.393),
    "0.25 / 0.16": _scores(0.124, 0.124, 0.392),
    "0.29 / 0.08": _scores(0.125, 0.125, 0.397),
    "0.29 / 0.12": _scores(0.122, 0.125, 0.396),
    "0.29 / 0.16": _scores(0.120, 0.125, 0.396),
    "0.33 / 0.08": _scores(0.121, 0.126, 0.401),
    "0.33 / 0.12": _scores(0.119, 0.126, 0.402),
    "0.33 / 0.16": _scores(0.118, 0.126, 0.401),
    "0.35 / 0.08": _scores(0.121, 0.127, 0.406),
    "0.35 / 0.12": _scores(0.119, 0.126, 0.405),
    "0.35 / 0.16": _scores(0.116, 0.126, 0.405),
}


def _dataset(raw_ece: float, lwcal_ece: float, raw_nll: float, gated_nll: float) -> Row:
    return {
        "ece Raw": raw_ece,
        "ece LWCal": lwcal_ece,
        "nll Raw": raw_nll,
        "nll Gated-LWCal": gated_nll,
    }


PER_DATASET: Table = {
    "Breast Cancer": _dataset(0.194, 0.119, 0.408, 0.367),
    "Digits Even": _dataset(0.216, 0.094, 0.416, 0.309),
    "Digits High": _dataset(0.226, 0.095, 0.432, 0.315),
    "Iris Versicolor": _dataset(0.184, 0.134, 0.399, 0.441),
    "Synthetic Imbalance": _dataset(0.162, 0.095, 0.450, 0.447),
    "Synthetic Overlap": _dataset(0.174, 0.118, 0.517, 0.486),
    "Synthetic Sparse": _dataset(0.146, 0.166, 0.618, 0.621),
    "Wine Class 0": _dataset(0.196, 0.106, 0.362, 0.317),
    "Wine Class 2": _dataset(0.196, 0.089, 0.341, 0.260),
}


def _classwise(classwise: float, minority: float, gap: float) -> Row:
    return {"classwise_ece": classwise, "minority_ece": minority, "class_gap": gap}


CLASSWISE: Table = {
    "Raw": _classwise(0.342, 0.384, 0.140),
    "Isotonic": _classwise(0.317, 0.359, 0.153),
    "LWCal": _classwise(0.238, 0.302, 0.223),
    "Gated-LWCal": _classwise(0.259, 0.317, 0.186),
}

BASE_LEARNER: Table = {
    "Random Forest / Raw": {"ece": 0.204, "nll": 0.432},
    "Random Forest / Isotonic": {"ece": 0.169, "nll": 0.414},
    "Random Forest / Beta": {"ece": 0.215, "nll": 0.459},
    "Random Forest / LWCal": {"ece": 0.105, "nll": 0.363},
    "Random Forest / Gated-LWCal": {"ece": 0.120, "nll": 0.364},
    "Extra Trees / Raw": {"ece": 0.221, "nll": 0.433},
    "Extra Trees / Isotonic": {"ece": 0.168, "nll": 0.397},
    "Extra Trees / Beta": {"ece": 0.226, "nll": 0.446},
    "Extra Trees / LWCal": {"ece": 0.103, "nll": 0.342},
    "Extra Trees / Gated-LWCal": {"ece": 0.120, "nll": 0.350},
    "Gradient Boosting / Raw": {"ece": 0.178, "nll": 0.461},
    "Gradient Boosting / Isotonic": {"ece": 0.156, "nll": 0.471},
    "Gradient Boosting / Beta": {"ece": 0.194, "nll": 0.492},
    "Gradient Boosting / LWCal": {"ece": 0.117, "nll": 0.457},
    "Gradient Boosting / Gated-LWCal": {"ece": 0.124, "nll": 0.441},
}
