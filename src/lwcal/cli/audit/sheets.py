"""Make sheets from plans, and read and write them in every format."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from lwcal.arrays import FloatArray, IndexArray, LabelArray
from lwcal.atomic_files import replacing
from lwcal.audit import AuditPlan, plan_audit
from lwcal.audit.cell_text import to_text
from lwcal.audit.row_codes import PlanId, RowCode, fingerprint
from lwcal.audit.sheet import AUDIT, Sheet, SheetColumns, check_names, make_sheet
from lwcal.audit.sheet import read_sheet as read_csv
from lwcal.cli.audit.source import AuditedRows
from lwcal.cli.output import write_table
from lwcal.engines.duckdb.source import opened
from lwcal.errors import InputError
from lwcal.files import format_of

if TYPE_CHECKING:  # slow to import, and an audit needs none
    from lwcal.reviews.plan import OpinionPlan


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
        classes=source.codes,
    )
    rows = [int(row) for row in open_rows[plan.rows]]
    codes = codes_of(plan, source.scores[rows], source.labels[rows], earlier=len(earlier))
    names = [name for name in audited.rows.text.column_names if name in shown]
    return PlannedRows(rows, codes, names)


def codes_of(
    plan: AuditPlan | OpinionPlan,
    scores: FloatArray,
    labels: LabelArray | IndexArray,
    earlier: int = 0,
) -> list[RowCode]:
    """Write how each row of a plan was drawn, in the order of the plan.

    Parameters
    ----------
    plan : AuditPlan or OpinionPlan
    scores, labels : array
        Of the rows of the plan.
    earlier : int, default 0
        Number of rows that were checked before.
    """
    kind = PlanId(len(plan.rows), plan.random_state, earlier)
    drawn = zip(plan.probabilities.tolist(), scores, labels.tolist(), strict=True)
    return [
        RowCode(kind, place, chance, fingerprint(of_row, label))
        for place, (chance, of_row, label) in enumerate(drawn, start=1)
    ]


def write_plan(audited: AuditedRows, planned: PlannedRows, out: Path, *, overwrite: bool) -> None:
    """Write a plan to a file."""
    text = audited.rows.text
    cases = {name: text.column(name).take(planned.rows) for name in planned.names}
    write_sheet(cases, own_columns(planned.rows, planned.codes), out, overwrite=overwrite)


def own_columns(
    rows: Sequence[int], codes: Sequence[RowCode], own: SheetColumns = AUDIT
) -> dict[str, Any]:
    """The columns of a sheet that are not those of the source; the answers are empty."""
    return {
        own.row: pa.array([row + 1 for row in rows]),
        own.probability: pa.array([code.probability for code in codes]),
        own.code: pa.array([str(code) for code in codes]),
        own.answer: pa.nulls(len(rows), pa.string()),
    }


def write_sheet(
    cases: Mapping[str, Any], own: Mapping[str, Any], out: Path, *, overwrite: bool
) -> None:
    """Write columns of a sheet to a file: CSV for people, other formats for programs."""
    columns = {**cases, **own}
    if format_of(str(out)) != ("csv", False):
        write_table(pa.table(columns), out, overwrite=overwrite)
        return
    cells = [[to_text(value) for value in column.to_pylist()] for column in columns.values()]
    content = make_sheet(list(columns), list(zip(*cells, strict=True))).to_bytes()
    with replacing(out, overwrite=overwrite, durable=True) as temporary:
        temporary.write_bytes(content)


def load_sheet(path: Path, own: SheetColumns = AUDIT) -> Sheet:
    """Read an answered sheet."""
    if format_of(str(path)) == ("csv", False):
        return read_csv(path.read_bytes(), str(path), own)
    with opened(path) as rows:
        table = rows.read()
    check_names(table.column_names, str(path), own)
    columns = [[to_text(value) for value in column.to_pylist()] for column in table.columns]
    return make_sheet(table.column_names, list(zip(*columns, strict=True)), own)
