"""The call of ``lwcal demo``."""

from pathlib import Path
from typing import Annotated

import typer

from lwcal.cli import options


def demo(
    out: Annotated[Path, typer.Option("--out", help="Folder for the files of the demo.")] = Path(
        "lwcal-demo"
    ),
    force: options.Force = False,
) -> None:
    """Show the whole job on fictional data: verdict, checked labels, and the truth.

    Example: lwcal demo --out lwcal-demo
    """
    from lwcal.cli.demo import run

    run(out, force=force)
