"""Tasks from data-mining courses: dmba (MIT) and mglearn (BSD)."""

from __future__ import annotations

import pandas as pd

from lwcal_study.real.labels import Rule, equals
from lwcal_study.real.task import RealTask, table_task

ADULT = [
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education_num",
    "marital",
    "occupation",
    "relationship",
    "race",
    "sex",
    "gain",
    "loss",
    "hours",
    "country",
    "income",
]


def _last_column(table: pd.DataFrame) -> pd.Series:
    return table.iloc[:, -1].astype(float)


def _dmba(name: str, file: str, domain: str, target: str | Rule, drop: str = "") -> RealTask:
    return table_task(f"dmba_{name}", "dmba", f"csvFiles/{file}.csv.gz", domain, target, drop)


TASKS = (
    _dmba("german_credit", "GermanCredit", "credit", equals("RESPONSE", 0), "RESPONSE OBS#"),
    _dmba("spambase", "Spambase", "text", _last_column, "Spam spam class Class"),
    _dmba(
        "taxi_cancel",
        "Taxi-cancellation-case",
        "transport",
        "Car_Cancellation",
        "row# user_id",
    ),
    _dmba("tayko", "Tayko", "marketing", "Purchase", "Spending sequence_number"),
    _dmba(
        "flight_delay",
        "FlightDelays",
        "transport",
        equals("Flight Status", "delayed"),
        "Flight.Status DEP_TIME TAIL_NUM FL_NUM FL_DATE",
    ),
    _dmba("ebay_competitive", "eBayAuctions", "commerce", "Competitive?", "ClosePrice"),
    table_task(
        "mglearn_adult",
        "mglearn",
        "data/adult.data",
        "labour",
        equals("income", ">50K"),
        "income fnlwgt education",
        header=None,
        names=ADULT,
        skipinitialspace=True,
    ),
)
