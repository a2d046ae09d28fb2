"""``lwcal table``: reduce rows to small tables of counts where they lie, and merge tables."""

from pathlib import Path
from typing import Any

from lwcal.atomic_files import check_writable
from lwcal.cli.console import print_json
from lwcal.cli.request import RowsRequest
from lwcal.errors import OutputError, message
from lwcal.table import ScoreTable


def run_reduce(rows: RowsRequest, *, out: Path, force: bool, as_json: bool) -> None:
    """Count the rows, and write the table."""
    _check_out(out, force=force)
    rows.keep_from(out)
    found = rows.reduce()
    found.table.save(out, overwrite=force)
    if as_json:
        print_json({**_document(found.table, out), "positive_class": found.positive})
    else:
        _print(found.table, out)
        print(f"positive class: {found.positive_class}")


def run_merge(tables: list[Path], *, out: Path, force: bool, as_json: bool) -> None:
    """Add up the tables, and write their sum."""
    _check_out(out, force=force)
    # the sum holds all rows, so it may take the place of a table
    merged = ScoreTable.merge(ScoreTable.load(path) for path in tables)
    merged.save(out, overwrite=force)
    if as_json:
        print_json(_document(merged, out))
    else:
        _print(merged, out)


def _check_out(out: Path, *, force: bool) -> None:
    """Refuse a target that cannot be written before any row is read."""
    if out.suffix.lower() != ".parquet":
        raise OutputError(message("a file ending in .parquet", f"{out}"))
    check_writable(out, overwrite=force)


def _document(saved: ScoreTable, out: Path) -> dict[str, Any]:
    return {
        "n": saved.n,
        "base_rate": saved.base_rate,
        "entries": len(saved),
        "grid": saved.grid,
        "score_scale": saved.scale,
        "written": [str(out)],
    }


def _print(saved: ScoreTable, out: Path) -> None:
    kind = "distinct scores" if saved.grid is None else "bins of width 2^-20"
    print(
        f"wrote {out}: {saved.n:,} rows ({saved.base_rate:.1%} labelled positive), "
        f"{len(saved):,} {kind}; score scale: {saved.scale}"
    )
