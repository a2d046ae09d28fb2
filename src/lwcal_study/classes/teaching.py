"""Tasks from data-mining courses: dmba (MIT) and mglearn (BSD)."""

from __future__ import annotations

import pandas as pd

from lwcal_study.classes.task import ClassTask, class_table
from lwcal_study.real.labels import Rule
from lwcal_study.real.teaching import ADULT


def _dmba(name: str, file: str, domain: str, target: str | Rule, drop: str = "") -> ClassTask:
    return class_table(f"dmba_{name}", "dmba", f"csvFiles/{file}.csv.gz", domain, target, drop)


def _without_question_marks(table: pd.DataFrame) -> pd.DataFrame:
    return table.mask(table.eq("?"))


def _adult(name: str, target: str, drop: str) -> ClassTask:
    return class_table(
        f"mglearn_{name}",
        "mglearn",
        "data/adult.data",
        "labour",
        target,
        drop,
        change=_without_question_marks,
        header=None,
        names=ADULT,
        skipinitialspace=True,
    )


def _party(table: pd.DataFrame) -> pd.Series:
    members = table[["PARTY_D", "PARTY_I", "PARTY_R"]]
    return members.idxmax(axis=1).where(members.sum(axis=1).eq(1))


TASKS = (
    _dmba(
        "corolla_year", "ToyotaCorolla", "transport", "Mfg_Year", "Id Age.* Mfg.* Model Cylinders"
    ),
    _dmba("corolla_doors", "ToyotaCorolla", "transport", "Doors", "Id Model Cylinders"),
    _dmba("flight_carrier", "FlightDelays", "transport", "CARRIER", "FL_DATE FL_NUM TAIL_NUM"),
    _dmba("german_account", "GermanCredit", "credit", "CHK_ACCT", "OBS#"),
    _dmba("german_employment", "GermanCredit", "credit", "EMPLOYMENT", "OBS#"),
    _dmba("soap_class", "BathSoapHousehold", "marketing", "SEC", "Member.id"),
    _dmba("ebay_category", "EbayTreemap", "commerce", "Category", "Sub-Category Brand"),
    _dmba(
        "laptop_store",
        "LaptopSalesJanuary2008",
        "commerce",
        "Store Postcode",
        "Date Customer.Postcode CustomerStoreDistance OS...Store",
    ),
    _dmba("bedrooms", "WestRoxbury", "household", "BEDROOMS "),
    _dmba(
        "voter_party",
        "Voter-Persuasion",
        "politics",
        _party,
        "VOTER_ID SET_NO PARTY_. HH_N. H_.* CAND.* MESSAGE.* I3 MOVED.* opposite Partition",
    ),
    _dmba("bank_education", "UniversalBank", "credit", "Education", "ID ZIP.Code"),
    _adult("occupation", "occupation", "fnlwgt education"),
    _adult("marital", "marital", "fnlwgt education relationship"),
)
