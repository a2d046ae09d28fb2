"""When and where the cells of the study ran."""

from __future__ import annotations

import datetime
import json
from pathlib import Path

from lwcal_study.environment import machine
from lwcal_study.files import write_json

RUN_FILE = "run.json"


def today() -> str:
    """The date of the run."""
    return datetime.datetime.now(tz=datetime.UTC).date().isoformat()


def write_run(out: Path, *, cells: int) -> None:
    """Write the date, the machine and the number of cells."""
    write_json({"date": today(), "machine": machine(), "cells": cells}, out / RUN_FILE)


def read_run(out: Path) -> str:
    """What is to be said about the run, or nothing if an earlier version ran it.

    A ``remark`` is added by hand, if some files of a folder come from another run.
    """
    path = out / RUN_FILE
    if not path.exists():
        return ""
    run = json.loads(path.read_text(encoding="utf-8"))
    sentence = (
        f"`lwcal reproduce` finished on {run['date']} ({run['cells']:,} cells). Machine: "
        f"{run['machine']}."
    )
    return f"{sentence} {run['remark']}" if "remark" in run else sentence
