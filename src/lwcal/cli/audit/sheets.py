"""Make sheets from plans, and read and write them in every format."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from lwcal.arrays import FloatArray, LabelArray
from lwcal.atomic_files import replacing
from lwcal.audit import AuditPlan, plan_audit
from lwcal.audit.cell_text import to_text
from lwcal.audit.row_codes import PlanId, RowCode, fingerprint
from lwcal.audit.sheet import ANSWER, CODE, OWN, PROBABILITY, ROW, Sheet, check_names, make_sheet
from lwcal.audit.sheet import read_sheet as read_csv
from lwcal.cli.audit.source import AuditedRows
from lwcal.cli.output import write_table
from lwcal.engines.duckdb.source import opened
from lwcal.errors import InputError
from lwcal.files import format_of


class PlannedRows(NamedTuple):
    """The rows to check, in the order to check them.

    Attributes
    ----------
    rows : list of int
        Their positions in the source.
    codes : list of RowCode
        How each was drawn.
    names : list of str
        Columns of the source that the sheet shows.
    """

    rows: list[int]
    codes: list[RowCode]
    names: list[str]


def plan_rows(audited: AuditedRows, budget: int, seed: int, shown: Collection[str]) -> PlannedRows:
    """Draw rows that were not checked before, for a sheet with some columns of the source."""
    source = audited.source
    earlier = {entry.position for entry in audited.earlier if entry.answer is not None}
    open_rows = np.array([k for k in range(len(source.scores)) if k not in earlier], dtype=int)
    if not len(open_rows):
        raise InputError(f"Every row of {source.name} was checked already.")
    plan: AuditPlan = plan_audit(
        source.scores[open_rows],
        source.labels[open_rows],
        budget=min(budget, len(open_rows)),
        random_state=seed,
    )
    rows = [int(row) for row in open_rows[plan.rows]]
    codes = codes_of(plan, source.scores[rows], source.labels[rows], earlier=len(earlier))
    names = [name for name in audited.rows.text.column_names if name in shown]
    return PlannedRows(rows, codes, names)


def codes_of(
    plan: AuditPlan, scores: FloatArray, labels: LabelArray, earlier: int = 0
) -> list[RowCode]:
    """Write how each row of a plan was drawn, in the order of the plan.

    Parameters
    ----------
    plan : AuditPlan
    scores, labels : array
        Of the rows of the plan.
    earlier : int, default 0
        Number of rows that were checked before.
    """
    kind = PlanId(len(plan.rows), plan.random_state, earlier)
    drawn = zip(plan.probabilities.tolist(), scores.tolist(), labels.tolist(), strict=True)
    return [
        RowCode(kind, place, chance, fingerprint(score, label))
        for place, (chance, score, label) in enumerate(drawn, start=1)
    ]


def as_sheet(audited: AuditedRows, planned: PlannedRows) -> Sheet:
    """Write a plan as text."""
    columns = [audited.cells(planned.rows, name) for name in planned.names]
    own = [(str(row + 1), repr(code.probability), str(code), "") for row, code in _pairs(planned)]
    rows = [[*cells, *mine] for *cells, mine in zip(*columns, own, strict=True)]
    return make_sheet([*planned.names, *OWN], rows)


def write_plan(audited: AuditedRows, planned: PlannedRows, out: Path, *, overwrite: bool) -> None:
    """Write a plan to a file: CSV for people, other formats for programs."""
    if format_of(str(out)) == ("csv", False):
        content = as_sheet(audited, planned).to_bytes()
        with replacing(out, overwrite=overwrite, durable=True) as temporary:
            temporary.write_bytes(content)
        return
    own: dict[str, Any] = {
        ROW: [row + 1 for row in planned.rows],
        PROBABILITY: [code.probability for code in planned.codes],
        CODE: [str(code) for code in planned.codes],
        ANSWER: pa.nulls(len(planned.rows), pa.string()),
    }
    table = audited.rows.text.select(planned.names).take(planned.rows)
    for name, values in own.items():
        table = table.append_column(name, pa.array(values))
    write_table(table, out, overwrite=overwrite)


def load_sheet(path: Path) -> Sheet:
    """Read an answered sheet."""
    if format_of(str(path)) == ("csv", False):
        return read_csv(path.read_bytes(), str(path))
    with opened(path) as rows:
        table = rows.read()
    check_names(table.column_names, str(path))
    columns = [[to_text(value) for value in column.to_pylist()] for column in table.columns]
    return make_sheet(table.column_names, list(zip(*columns, strict=True)))


def _pairs(planned: PlannedRows) -> list[tuple[int, RowCode]]:
    return list(zip(planned.rows, planned.codes, strict=True))
