"""Tasks from statistics packages: statsmodels (BSD), causaldata (MIT), linearmodels (NCSA)."""

from __future__ import annotations

from lwcal_study.real.encoding import without
from lwcal_study.real.labels import above
from lwcal_study.real.packages import read_table
from lwcal_study.real.task import REPEATED, RealTask, Rows, table_task


def _anes96() -> Rows:
    table = read_table("statsmodels", "datasets/anes96/anes96.csv", sep="\t", quotechar="'")
    return Rows(without(table, "vote PID"), above("vote")(table), above("PID", 3)(table))


TASKS = (
    table_task(
        "sm_fair_affair",
        "statsmodels",
        "datasets/fair/fair.csv",
        "social",
        above("affairs"),
        "affairs",
    ),
    table_task(
        "sm_randhie_visit",
        "statsmodels",
        "datasets/randhie/randhie.csv",
        "health",
        above("mdvis"),
        "mdvis",
        note=REPEATED,
    ),
    RealTask(
        "sm_anes96_vote",
        "statsmodels",
        "politics",
        "natural",
        _anes96,
        kind="proxy",
        note="noisy: leans Republican; trusted: intends to vote Republican",
    ),
    table_task(
        "causal_nhefs_death",
        "causaldata",
        "nhefs/nhefs.dta",
        "health",
        "death",
        "seqn yrdth modth dadth wt82.* smkintensity82_71 sbp dbp",
        convert_categoricals=False,
    ),
    table_task(
        "causal_hiv_got",
        "causaldata",
        "thornton_hiv/thornton_hiv.dta",
        "health",
        "got",
        "villnum",
    ),
    table_task(
        "causal_insurance_takeup",
        "causaldata",
        "social_insure/Cai_2015.csv",
        "insurance",
        "takeup_survey",
        "address village",
    ),
    table_task(
        "causal_politician_reply",
        "causaldata",
        "black_politicians/black_politicians.csv",
        "politics",
        "responded",
    ),
    table_task(
        "causal_unsafe",
        "causaldata",
        "adult_services/adult_services.dta",
        "health",
        "unsafe",
        "id session",
        note=REPEATED,
        convert_categoricals=False,
    ),
    table_task(
        "causal_election",
        "causaldata",
        "close_elections_lmb/close_elections_lmb.dta",
        "politics",
        "democrat",
        "id score demvoteshare state district",
        convert_categoricals=False,
    ),
    table_task(
        "lm_meps_insured",
        "linearmodels",
        "datasets/meps/meps.csv.bz2",
        "insurance",
        "hi_empunion",
        "l?drug.* .*id private ins.*",
    ),
)
