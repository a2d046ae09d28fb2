"""Tasks from machine-learning packages: scikit-learn (BSD), scikit-lego (MIT), river (BSD)."""

from __future__ import annotations

from lwcal_study.real.labels import above, equals
from lwcal_study.real.task import table_task

TASKS = (
    table_task(
        "sk_breast_cancer",
        "scikit-learn",
        "datasets/data/breast_cancer.csv",
        "health",
        equals("target", 0),
        "target",
        header=0,
        names=[*(f"f{i}" for i in range(30)), "target"],
        note="also a task of the paper, with the classes exchanged",
    ),
    table_task(
        "lego_arrests",
        "scikit-lego",
        "data/arrests.zip",
        "justice",
        equals("released", "No"),
        "released Unnamed.*",
    ),
    table_task("lego_hearts", "scikit-lego", "data/hearts.zip", "health", "target"),
    table_task("river_phishing", "river", "datasets/phishing.csv.gz", "security", "is_phishing"),
    table_task(
        "river_solar_flare",
        "river",
        "datasets/solar-flare.csv.zip",
        "astronomy",
        above("c-class-flares"),
        ".-class-flares",
    ),
    table_task("river_shuttle", "river", "datasets/shuttle.csv.gz", "industry", "anomaly"),
)
