"""``lwcal audit serve``: serve a page on this machine for checking labels."""

import os
import sys
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING

from lwcal.atomic_files import check_writable
from lwcal.audit.answers import ClassNames
from lwcal.audit.sheet_reviewers import check_reviewer
from lwcal.cli.audit.case_columns import find_case_columns
from lwcal.cli.audit.sheets import plan_rows, write_plan
from lwcal.cli.audit.source import read_audited
from lwcal.cli.request import RowsRequest
from lwcal.errors import InputError, ParameterError, message, missing_extra
from lwcal.files import format_of

if TYPE_CHECKING:
    from lwcal.page.session import AuditSession


def run(
    rows: RowsRequest,
    *,
    sheet: Path | None,
    budget: int,
    seed: int,
    reviewer: str | None,
    question: str,
    show_label: bool,
    show_column: list[str] | None,
    hide_column: list[str] | None,
    port: int,
    host: str,
    no_browser: bool,
) -> None:
    """Serve the page until it is interrupted."""
    try:
        from lwcal.page.app import make_app
        from lwcal.page.estimate_worker import EstimateWorker
        from lwcal.page.server import listen
        from lwcal.page.server import serve as answer_requests
        from lwcal.page.session import AuditSession, sheet_lock
        from lwcal.page.views import Shown, texts
    except ImportError as error:
        raise missing_extra(str(error.name), "page", "the audit page") from None
    path = _sheet_name(rows, sheet)
    who = _reviewer(reviewer, show_label=show_label)
    audited = read_audited(rows)
    if who is not None:
        from lwcal.cli.audit.opinions import refuse_taken  # slow to import

        refuse_taken(audited, [who])
    case = find_case_columns(audited, show_column, hide_column)
    with listen(host, port) as listening:  # refuses a port in use before a sheet is written
        if not path.exists():
            check_writable(path, overwrite=False)
            with sheet_lock(path):  # several reviewers may begin at once
                if not path.exists():
                    planned = plan_rows(audited, budget, seed, case.names)
                    write_plan(audited, planned, path, overwrite=False)
        session = AuditSession(path, audited.source, who)
        _check_shown(session, show_column)
        audited.announce()
        source = audited.source
        case.announce([source.label, *source.score_columns] if show_label else [])
        command = audited.merge_command(path, opinions=who is not None)
        shown = Shown(frozenset(case.hidden), label=show_label)

        def announce(address: str) -> None:
            print(_begin(session, address))
            print(_classes(source.class_names))
            sys.stdout.flush()
            if not no_browser and _has_screen():
                webbrowser.open(address)

        with EstimateWorker(audited.source, audited.earlier) as worker:
            app = make_app(session, worker, texts(session, command, question), shown)
            answer_requests(app, listening, host, announce)
    print(_end(session, command))


def _reviewer(name: str | None, *, show_label: bool) -> str | None:
    """Check the name of a reviewer, who must be as blind as the others."""
    if name is not None and show_label:
        raise ParameterError(
            "--show-label does not work with --as: an opinion that follows the label shows nothing "
            "about it."
        )
    return None if name is None else check_reviewer(name)


def _classes(names: ClassNames) -> str:
    if len(names.names) == 2:
        return f"Positive class: {names.positive}."
    return f"Classes: {names.listed()}."


def _check_shown(session: "AuditSession", names: list[str] | None) -> None:
    """Refuse to show what an existing sheet was planned without."""
    missing = [name for name in names or () if name not in session.sheet.names]
    if missing:
        expected = f"a column {missing[0]!r} in {session.path}, as --show-column asks"
        hint = "plan another sheet with this option, and serve it with --sheet"
        raise InputError(message(expected, "no such column", hint))


def _begin(session: "AuditSession", address: str) -> str:
    answered = _answered(session)
    who = f" as {session.reviewer}" if session.reviewer else ""
    resumed = f", {answered:,} of them answered before" if answered else ""
    return (
        f"{len(session.rows):,} rows to check{who}{resumed}. Open {address}\n"
        f"Every answer is saved in {session.path}; Ctrl-C ends."
    )


def _end(session: "AuditSession", command: str) -> str:
    with session.locked():  # as the other reviewers have left the sheet
        answered, rows = _answered(session), len(session.rows)
        others = [found for found in session.progress() if found.reviewer != session.reviewer]
    who = f" by {session.reviewer}" if session.reviewer else ""
    then = f"Next: {command}" if answered else "Nothing to merge yet."
    lines = [f"\n{answered:,} of {rows:,} rows answered{who}, saved in {session.path}. {then}"]
    if session.reviewer:
        lines += [f"{found.reviewer}: {found.answered:,} of {rows:,} rows." for found in others]
    return "\n".join(lines)


def _answered(session: "AuditSession") -> int:
    return sum(row.answer is not None for row in session.rows)


def _sheet_name(rows: RowsRequest, sheet: Path | None) -> Path:
    if sheet is None:
        files = rows.files()
        if len(files) != 1:
            got = rows.name if not files else f"{len(files):,} files"
            raise ParameterError(message("--sheet unless SCORES is one file", got))
        name = files[0].name.removesuffix(".gz").removesuffix(".GZ")
        sheet = files[0].with_name(f"{Path(name).stem}.audit.csv")
    if format_of(str(sheet)) != ("csv", False):
        raise ParameterError(message("a --sheet ending in .csv", str(sheet)))
    return sheet


def _has_screen() -> bool:
    """Whether a browser would open in a window rather than in this terminal."""
    if sys.platform in ("darwin", "win32"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
