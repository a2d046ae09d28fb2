"""Tables and the written report as LaTeX, compiled to PDF where an engine is present."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

from lwcal.files import replacing
from lwcal_study.claims import TestedClaim
from lwcal_study.figures import FIGURES
from lwcal_study.tables import StudyTable
from lwcal_study.wording import CAPTIONS, Summary, number, open_points, summary_sentences

ENGINES = ("tectonic", "latexmk", "pdflatex")
SPECIAL = str.maketrans(
    {"%": r"\%", "&": r"\&", "_": r"\_", "#": r"\#", "~": r"\textasciitilde{}", "$": r"\$"}
)


def escape(text: object) -> str:
    r"""Write plain text so that LaTeX prints it.

    >>> print(escape("10% of A_B"))
    10\% of A\_B
    """
    return str(text).translate(SPECIAL)


def tabular(frame: pd.DataFrame, digits: int = 3) -> str:
    """Write a table with the booktabs rules."""
    header = " & ".join(["", *(escape(name) for name in frame.columns)])
    lines = [
        " & ".join([escape(name), *(_number(value, digits) for value in row)]) + r"\\"
        for name, row in zip(frame.index, frame.to_numpy(), strict=True)
    ]
    columns = "l" + "r" * frame.shape[1]
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            header + r"\\",
            r"\midrule",
            *lines,
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )


def _number(value: float, digits: int) -> str:
    return "--" if pd.isna(value) else number(value, digits)


def paper_beside(table: StudyTable) -> pd.DataFrame:
    """Interleave the paper's columns with ours."""
    columns = {}
    for name in table.reported.columns:
        columns[f"{name} (paper)"] = table.reported[name].reindex(table.measured.index)
        columns[f"{name} (here)"] = table.measured[name]
    return pd.DataFrame(columns)


def report(tables: list[StudyTable], claims: list[TestedClaim], summary: Summary) -> str:
    """Write the whole report as one LaTeX document."""
    parts = [PREAMBLE, r"\section{Summary}"]
    parts += [escape(sentence) for sentence in summary_sentences(summary)]
    parts += [r"\section{Claims}", r"\begin{itemize}"]
    parts += [
        rf"\item \textbf{{{claim.outcome}}} ({escape(claim.where)}): {escape(claim.text)} "
        rf"\emph{{{escape(claim.evidence)}}}"
        for claim in claims
    ]
    parts += [r"\end{itemize}", r"\section{What the paper leaves open}", r"\begin{itemize}"]
    parts += [rf"\item {escape(point)}" for point in open_points()]
    parts += [r"\end{itemize}", r"\section{Tables, the paper's values beside ours}"]
    for table in tables:
        digits = 4 if table.name == "deltas" else 3
        parts += [
            r"\begin{table}[htbp]\centering\small",
            rf"\caption{{{escape(table.title)}.}}",
            r"\resizebox{\textwidth}{!}{" + tabular(paper_beside(table), digits) + "}",
            r"\end{table}",
        ]
    parts += [r"\clearpage", r"\section{Figures}"]
    for name in FIGURES:
        parts += [
            r"\begin{figure}[htbp]\centering",
            rf"\includegraphics[width=0.8\textwidth]{{{name}}}",
            rf"\caption{{{escape(CAPTIONS[name])}}}",
            r"\end{figure}",
        ]
    return "\n".join([*parts, r"\end{document}", ""])


PREAMBLE = r"""\documentclass[11pt,a4paper]{article}
\usepackage[margin=2.2cm]{geometry}
\usepackage{booktabs,graphicx}
\graphicspath{{../../figures/}}
\title{Loss-weighted calibration under label noise: a reproduction}
\author{lwcal}
\date{}
\begin{document}
\maketitle"""


def find_engine() -> str | None:
    """Name the first LaTeX engine that is installed."""
    return next((engine for engine in ENGINES if shutil.which(engine)), None)


def compile_pdf(source: Path, figures: Path) -> Path:
    """Compile the report beside its source; only a finished PDF gets the final name."""
    engine = find_engine()
    assert engine is not None
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "0"}  # no date in the PDF
    with TemporaryDirectory() as folder:
        # figures by absolute path, since the work happens elsewhere
        text = source.read_text(encoding="utf-8").replace("../../figures/", f"{figures.resolve()}/")
        (Path(folder) / "report.tex").write_text(text, encoding="utf-8")
        for command in _commands(engine):
            subprocess.run(command, cwd=folder, check=True, capture_output=True, env=environment)
        target = source.with_suffix(".pdf")
        with replacing(target, overwrite=True) as temporary:
            shutil.copyfile(Path(folder) / "report.pdf", temporary)
    return target


def _commands(engine: str) -> list[list[str]]:
    if engine == "tectonic":
        return [["tectonic", "report.tex"]]
    if engine == "latexmk":
        return [["latexmk", "-pdf", "-interaction=nonstopmode", "report.tex"]]
    return [["pdflatex", "-interaction=nonstopmode", "report.tex"]] * 2
