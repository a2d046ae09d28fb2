"""Options that several commands share, so that they read the same everywhere."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from lwcal.files import NAMES

STANDARD = "-"
"""Standard input or output."""
DUCKDB, SPARK = ENGINES = ("duckdb", "spark")
ESTIMATE = "estimate"
"""Value of --noise-rates that asks for an estimate."""
ROWS = "Rows"
"""Heading of the options that say which rows to read."""

# These stand a second time in modules that take long to import. A test compares them.
METHODS = (
    "identity", "isotonic", "platt", "temperature", "vector-scaling", "matrix-scaling", "beta",
    "trimmed-isotonic", "trimmed-beta", "lwcal", "gated", "noise-aware", "auto",
    "reviewed",
)  # fmt: skip
"""Calibrators that a command can fit to labels alone."""
SCALES = ("probability", "percent", "logit", "auto")
"""Scales of scores."""
TARGETS = ("sql", "onnx", "python", "dbt", "json-schema")
"""What a calibrator can be exported to."""
DIALECTS = ("duckdb", "postgres", "sqlite", "spark", "bigquery", "snowflake", "tsql")
"""Dialects of SQL."""
EXPORTS = (
    "label-studio", "label-studio-rows", "prodigy", "argilla", "crowd-kit", "doccano", "cleanlab",
)  # fmt: skip
"""Layouts of files with opinions."""
PERIODS = ("day", "week", "month", "quarter", "year")
"""Periods of the calendar."""
TITLE = "Calibration report"
"""Title of a report."""


def one_of(names: Iterable[str]) -> Callable[[str], list[str]]:
    """Make a function that completes one name in a shell.

    >>> one_of(["platt", "isotonic"])("pl")
    ['platt']
    """
    known = tuple(names)

    def complete(incomplete: str) -> list[str]:
        return [name for name in known if name.startswith(incomplete)]

    return complete


def some_of(names: Iterable[str]) -> Callable[[str], list[str]]:
    """Make a function that completes the last of several names, separated by commas.

    >>> some_of(["platt", "isotonic"])("platt,is")
    ['platt,isotonic']
    """
    last = one_of(names)

    def complete(incomplete: str) -> list[str]:
        before, comma, begun = incomplete.rpartition(",")
        return [f"{before}{comma}{name}" for name in last(begun)]

    return complete


ScoresFile: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="SCORES",
        help="Rows to read: a CSV, Parquet, JSON lines or Arrow file; several files, as a folder "
        "or a quoted pattern such as 'scores/*.parquet'; a DuckDB database; or - for standard "
        "input. Commands that need only counts also accept tables that `lwcal table` saved.",
    ),
]
NoiseMatrix: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--noise-matrix",
        metavar="FILE",
        help="With several classes: CSV file of the known share of every label (columns) among "
        "rows of each true class (rows), with names.",
    ),
]
CalibratorFile: TypeAlias = Annotated[
    Path, typer.Argument(help="JSON file that `fit` or `audit merge` wrote.")
]
Score: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--score",
        help="Column of scores, in [0, 1] or on another --score-scale. Default: the obvious one. "
        "With several classes: the columns of all, as a quoted pattern such as 'p_*', or with "
        "commas between them.",
        rich_help_panel=ROWS,
    ),
]
ScoreScale: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--score-scale",
        help="Scale of the scores: probability (0 to 1), percent (0 to 100), logit, or auto, which "
        "decides from the values. Default: that of the calibrator at hand, else probability.",
        autocompletion=one_of(SCALES),
        rich_help_panel=ROWS,
    ),
]
Label: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--label",
        help="Column of labels: two classes, or those of the columns of scores. Default: the "
        "obvious one. Several opinions of a row: a column for each, as a quoted pattern such as "
        "'label_*', or with commas between them; for fit, diagnose and opinions.",
        rich_help_panel=ROWS,
    ),
]
Weight: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--weight",
        help="Column of weights: how often each row counts. Default: once.",
        rich_help_panel=ROWS,
    ),
]
PosLabel: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--pos-label",
        help="The positive class. Needed unless it is obvious, as in 0/1 or no/yes.",
        rich_help_panel=ROWS,
    ),
]
Trusted: TypeAlias = Annotated[
    str | None,
    typer.Option("--trusted", help="Column of checked labels; empty in unchecked rows."),
]
Item: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--item",
        help="Column that names the item, if each row of the file is one opinion about it.",
        rich_help_panel=ROWS,
    ),
]
Reviewer: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--reviewer",
        "--reviewers",
        help="Column that says who gave the label; or one for each column of labels, as a pattern "
        "or with commas between them. Default: each column of labels is a reviewer.",
        rich_help_panel=ROWS,
    ),
]
Id: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--id",
        help="Column of ids, shown in lists of rows. Repeated ids are refused.",
        rich_help_panel=ROWS,
    ),
]
InputFormat: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--format",
        help=f"Format of SCORES: {', '.join(NAMES)}. Default: the ending of the name decides; "
        "standard input is csv.",
        autocompletion=one_of(NAMES),
        rich_help_panel=ROWS,
    ),
]
DatabaseTable: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--table", help="Table of a database. Default: its only table.", rich_help_panel=ROWS
    ),
]
Engine: TypeAlias = Annotated[
    str,
    typer.Option(
        "--engine",
        envvar="LWCAL_ENGINE",
        help="Where to read the rows: duckdb on this machine, or spark on a cluster.",
        autocompletion=one_of(ENGINES),
        rich_help_panel=ROWS,
    ),
]
Master: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--master",
        help="Spark master, such as spark://host:7077. Default: from Spark's settings.",
        rich_help_panel=ROWS,
    ),
]
Time: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--time",
        help="Column of dates or timestamps: when each row was made.",
        rich_help_panel=ROWS,
    ),
]
LabelMatures: TypeAlias = Annotated[
    float | None,
    typer.Option(
        "--label-matures",
        metavar="DAYS",
        help="Days until a label is final. Labels of younger rows count as missing, the positive "
        "ones too. Needs the time of the rows.",
        rich_help_panel=ROWS,
    ),
]
AsOf: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--as-of",
        metavar="DATE",
        help="When the labels were read, for --label-matures. Default: the newest time.",
        rich_help_panel=ROWS,
    ),
]
DropInvalid: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--drop-invalid", help="Drop unusable rows, and count them.", rich_help_panel=ROWS
    ),
]
AllowDropShare: TypeAlias = Annotated[
    float | None,
    typer.Option(
        "--allow-drop-share",
        help="Share of the rows that --drop-invalid may drop. Default: 0.5.",
        rich_help_panel=ROWS,
    ),
]
BaseRate: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--base-rate",
        help="Known share of positives in deployment, such as 0.02; with several classes "
        "a=0.2,b=0.3,c=0.5.",
    ),
]
Force: TypeAlias = Annotated[bool, typer.Option("--force", help="Replace existing output files.")]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
Budget: TypeAlias = Annotated[
    int, typer.Option("--budget", min=1, help="Number of labels to check.")
]
Seed: TypeAlias = Annotated[int, typer.Option("--seed", min=0, help="Random seed.")]
ShowColumn: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--show-column",
        metavar="NAME",
        help="Show a column that is hidden by default, for example the weight of a patient. May be "
        "repeated.",
    ),
]
HideColumn: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--hide-column",
        metavar="NAME",
        help="Hide a column that tells the expected answer. May be repeated.",
    ),
]


@dataclass(frozen=True)
class RowOptions:
    """Which rows to read, from where, and how; each field is an option of the command line."""

    source: ScoresFile
    score: Score = None
    score_scale: ScoreScale = None
    label: Label = None
    weight: Weight = None
    pos_label: PosLabel = None
    id: Id = None
    form: InputFormat = None
    table: DatabaseTable = None
    engine: Engine = DUCKDB
    master: Master = None
    drop_invalid: DropInvalid = False
    allow_drop_share: AllowDropShare = None
    time: Time = None
    label_matures: LabelMatures = None
    as_of: AsOf = None
