"""Options that several commands share, so that they read the same everywhere."""

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from lwcal.cli.completion import one_of
from lwcal.cli.where import ENGINES
from lwcal.formats import NAMES

ScoresFile: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="SCORES",
        help="Rows: a CSV, Parquet, JSON lines or Arrow file; several, as a folder or a quoted "
        "pattern such as 'scores/*.parquet'; a DuckDB database; or - for standard input.",
    ),
]
CalibratorFile: TypeAlias = Annotated[Path, typer.Argument(help="JSON file that `fit` wrote.")]
Score: TypeAlias = Annotated[
    str | None,
    typer.Option("--score", help="Column of scores in [0, 1]; default: found when obvious."),
]
Label: TypeAlias = Annotated[
    str | None,
    typer.Option("--label", help="Column of labels, two classes; default: found when obvious."),
]
Weight: TypeAlias = Annotated[
    str | None, typer.Option("--weight", help="Column of frequencies; default: every row counts 1.")
]
PosLabel: TypeAlias = Annotated[
    str | None, typer.Option("--pos-label", help="The positive class, when it is not obvious.")
]
Id: TypeAlias = Annotated[
    str | None, typer.Option("--id", help="Column of ids; rows that share one are refused.")
]
InputFormat: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--format",
        help=f"Format of the rows, one of {', '.join(NAMES)}; default: by the name of the file, "
        "and csv from standard input.",
        autocompletion=one_of(NAMES),
    ),
]
Force: TypeAlias = Annotated[bool, typer.Option("--force", help="Replace existing output files.")]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
Budget: TypeAlias = Annotated[
    int, typer.Option("--budget", min=1, help="How many labels a person is to check.")
]
Seed: TypeAlias = Annotated[
    int, typer.Option("--seed", min=0, help="Another one picks other rows.")
]
DatabaseTable: TypeAlias = Annotated[
    str | None, typer.Option("--table", help="Table of a database; default: the only one.")
]
Engine: TypeAlias = Annotated[
    str,
    typer.Option(
        "--engine",
        envvar="LWCAL_ENGINE",
        help="duckdb, on this machine, or spark, on a cluster.",
        autocompletion=one_of(ENGINES),
    ),
]
Master: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--master",
        help="Master of --engine spark, such as spark://host:7077; default: as Spark is set up.",
    ),
]
DropInvalid: TypeAlias = Annotated[
    bool,
    typer.Option("--drop-invalid", help="Leave rows out that cannot be used, and count them."),
]
