"""Tasks from scikit-learn, scikit-lego, river, mlxtend and vega-datasets (BSD and MIT)."""

from __future__ import annotations

import pandas as pd

from lwcal_study.classes.task import class_table, value_of
from lwcal_study.real.task import REPEATED

SIDE = 28
"""Pixels on each side of a picture of a digit."""
BLOCK = 4
"""Pixels on each side of a block, which becomes one feature."""
MOST_CLASSES = 26
CARS = [
    *("cylinders", "displacement", "horsepower", "weight", "acceleration", "year", "origin"),
    *("name", "mpg"),
]


def coarse_pixels(table: pd.DataFrame) -> pd.DataFrame:
    """Mean of each block of pixels. The digit is the last column of the table."""
    pixels = table.iloc[:, :-1].to_numpy(dtype=float)
    blocks = pixels.reshape(-1, SIDE // BLOCK, BLOCK, SIDE // BLOCK, BLOCK).mean(axis=(2, 4))
    return pd.DataFrame(blocks.reshape(len(table), -1)).assign(digit=table.iloc[:, -1])


def _in_large_states(table: pd.DataFrame) -> pd.DataFrame:
    largest = table["state"].value_counts().sort_index().sort_values(kind="stable").index
    return table[table["state"].isin(largest[-MOST_CLASSES:])].reset_index(drop=True)


def _month_and_hour(table: pd.DataFrame) -> pd.DataFrame:
    when = pd.to_datetime(table["date"], format="%Y/%m/%d %H:%M:%S")
    return table.assign(month=when.dt.month, hour=when.dt.hour)


TASKS = (
    class_table(
        "sk_digits",
        "scikit-learn",
        "datasets/data/digits.csv.gz",
        "images",
        "digit",
        header=None,
        names=[*(f"p{i}" for i in range(64)), "digit"],
    ),
    class_table(
        "sk_wine_grower",
        "scikit-learn",
        "datasets/data/wine_data.csv",
        "chemistry",
        "grower",
        header=0,
        names=[*(f"f{i}" for i in range(13)), "grower"],
    ),
    class_table(
        "mlx_mnist",
        "mlxtend",
        "data/data/mnist_5k.csv.gz",
        "images",
        "digit",
        change=coarse_pixels,
        header=None,
    ),
    class_table(
        "mlx_car_origin",
        "mlxtend",
        "data/data/autompg.csv.gz",
        "transport",
        "origin",
        "name",
        header=None,
        names=CARS,
    ),
    class_table("river_segment", "river", "datasets/segment.csv.zip", "images", "category"),
    class_table(
        "river_sunspot_class",
        "river",
        "datasets/solar-flare.csv.zip",
        "astronomy",
        "zurich-class",
    ),
    class_table(
        "lego_penguin_species",
        "scikit-lego",
        "data/penguins.zip",
        "biology",
        "species",
        "island",
    ),
    class_table("lego_abalone_sex", "scikit-lego", "data/abalone.zip", "biology", "sex"),
    class_table("lego_abalone_rings", "scikit-lego", "data/abalone.zip", "biology", "rings"),
    class_table(
        "vega_weather",
        "vega-datasets",
        "_data/seattle-weather.csv",
        "weather",
        "weather",
        "date",
    ),
    class_table(
        "vega_airport_state",
        "vega-datasets",
        "_data/airports.csv",
        "geography",
        value_of("state"),
        "iata name city state country",
        change=_in_large_states,
        note="the 26 states with most airports, from coordinates",
    ),
    class_table(
        "vega_temperature_month",
        "vega-datasets",
        "_data/sf-temps.csv",
        "weather",
        "month",
        "date",
        change=_month_and_hour,
        note=REPEATED,
    ),
)
