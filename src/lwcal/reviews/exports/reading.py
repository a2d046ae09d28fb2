"""Read the opinions of an exported file."""

from __future__ import annotations

import os
from collections.abc import Sequence

from lwcal.errors import ParameterError, message
from lwcal.files import PathLike
from lwcal.reviews.exports.answers import Asked
from lwcal.reviews.exports.documents import read_records
from lwcal.reviews.exports.formats import FORMATS, find_format
from lwcal.reviews.exports.gathering import Wanted, gather
from lwcal.reviews.exports.opinions import ExportedOpinions


def read_opinions(
    path: PathLike,
    format: str | None = None,  # noqa: A002  # the name that people look for
    question: str | None = None,
    *,
    item: str | None = None,
    reviewer: str | None = None,
    reviewers: str | Sequence[str] = (),
    keep: str | Sequence[str] = (),
    drop_several: bool = False,
) -> ExportedOpinions:
    r"""Read who says what about which item from the file of an annotation tool.

    Drafts, predictions, and cancelled, discarded and empty answers are left out and counted. If a
    reviewer answered twice about an item, the last answer counts. A checked label (ground truth
    in Label Studio) is no opinion: it becomes the ``trusted`` label of its item.

    Parameters
    ----------
    path : path
        An export of Label Studio (JSON, CSV, JSON_MIN), Prodigy, Argilla or doccano, or a table
        as crowd-kit or cleanlab use it. A folder or ZIP archive has a file for each reviewer.
    format : str, optional
        The layout: ``"label-studio"``, ``"label-studio-rows"``, ``"prodigy"``, ``"argilla"``,
        ``"doccano"``, ``"crowd-kit"`` or ``"cleanlab"``; by default the content shows it.
    question : str, optional
        The question whose answers to read, if there are several.
    item : str, optional
        Field of the data that names the item; by default the id that the tool gave it.
    reviewer : str, optional
        Who gave the answers that name no reviewer.
    reviewers : str or sequence of str, optional
        For a table with a column for each reviewer: their names, or patterns such as
        ``"annotator_*"``.
    keep : str or sequence of str, optional
        Fields of the data to carry along, for example to join scores.
    drop_several : bool, default False
        Leave out answers with several choices; by default they are refused.

    Returns
    -------
    ExportedOpinions

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "answers.csv"
    ...     _ = path.write_text("task,worker,label\n1,ann,cat\n1,bob,dog\n2,ann,\n")
    ...     found = read_opinions(path)
    >>> found.label.tolist(), found.left_out
    (['cat', 'dog'], {'empty': 1})
    """
    if reviewer is not None and not reviewer.strip():
        raise ParameterError(message("a name as reviewer", repr(reviewer)))
    source = os.fspath(path)
    asked = Asked(source, question, _names(reviewers))
    records = read_records(path)
    layout = find_format(records, asked, format)
    wanted = Wanted(source, item, reviewer, _names(keep), drop_several)
    return gather(FORMATS[layout].read(records, asked), layout, wanted)


def _names(given: str | Sequence[str]) -> list[str]:
    return [given] if isinstance(given, str) else list(given)
