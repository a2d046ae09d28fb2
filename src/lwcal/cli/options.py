"""Options that several commands share, so that they read the same everywhere."""

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

ScoresFile: TypeAlias = Annotated[Path, typer.Argument(help="CSV or Parquet file with the rows.")]
CalibratorFile: TypeAlias = Annotated[Path, typer.Argument(help="JSON file that `fit` wrote.")]
Score: TypeAlias = Annotated[str, typer.Option("--score", help="Column of scores in [0, 1].")]
Label: TypeAlias = Annotated[str, typer.Option("--label", help="Column of labels, two classes.")]
Weight: TypeAlias = Annotated[
    str | None, typer.Option("--weight", help="Column of frequencies; default: every row counts 1.")
]
PosLabel: TypeAlias = Annotated[
    str | None, typer.Option("--pos-label", help="The positive class, when it is not obvious.")
]
Force: TypeAlias = Annotated[bool, typer.Option("--force", help="Replace existing output files.")]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
