"""Tables and report in LaTeX, compiled to PDF if an engine is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

from lwcal_study.files import replacing
from lwcal_study.paper.analysis import Analysis
from lwcal_study.paper.claims import TestedClaim
from lwcal_study.paper.figures import FIGURES
from lwcal_study.paper.summary import CAPTIONS, digits_of, number, open_points, summary_sentences
from lwcal_study.paper.tables import StudyTable

ENGINES = ("tectonic", "latexmk", "pdflatex")
SPECIAL = str.maketrans(
    {"%": r"\%", "&": r"\&", "_": r"\_", "#": r"\#", "~": r"\textasciitilde{}", "$": r"\$"}
)


def escape(text: object) -> str:
    r"""Escape the special characters of LaTeX.

    >>> print(escape("10% of A_B"))
    10\% of A\_B
    """
    return str(text).translate(SPECIAL)


def tabular(frame: pd.DataFrame, digits: int = 3) -> str:
    """Write a table with the rules of the package booktabs."""
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
    """Table with the paper's value before each of ours."""
    columns = {}
    for name in table.reported.columns:
        columns[f"{name} (paper)"] = table.reported[name].reindex(table.measured.index)
        columns[f"{name} (here)"] = table.measured[name]
    return pd.DataFrame(columns)


def report(analysis: Analysis) -> str:
    """Write the report as one LaTeX document."""
    parts = [PREAMBLE, r"\section{Summary}"]
    parts += [escape(sentence) for sentence in summary_sentences(analysis.summary)]
    parts += [r"\section{Claims}", *_items(_claim(claim) for claim in analysis.claims)]
    parts += [r"\section{Details that the paper does not state}"]
    parts += _items(escape(point) for point in open_points())
    parts += [r"\section{Tables with the paper's values and ours}"]
    parts += [line for table in analysis.tables for line in _table(table)]
    parts += [r"\clearpage", r"\section{Figures}"]
    parts += [line for name in FIGURES for line in _figure(name)]
    return "\n".join([*parts, r"\end{document}", ""])


def _items(texts: Iterable[str]) -> list[str]:
    return [r"\begin{itemize}", *(rf"\item {text}" for text in texts), r"\end{itemize}"]


def _claim(claim: TestedClaim) -> str:
    return (
        rf"\textbf{{{claim.outcome}}} ({escape(claim.where)}): {escape(claim.text)} "
        rf"\emph{{{escape(claim.evidence)}}}"
    )


def _table(table: StudyTable) -> list[str]:
    return [
        r"\begin{table}[htbp]\centering\small",
        rf"\caption{{{escape(table.title)}.}}",
        r"\resizebox{\textwidth}{!}{" + tabular(paper_beside(table), digits_of(table)) + "}",
        r"\end{table}",
    ]


def _figure(name: str) -> list[str]:
    return [
        r"\begin{figure}[htbp]\centering",
        rf"\includegraphics[width=0.8\textwidth]{{{name}}}",
        rf"\caption{{{escape(CAPTIONS[name])}}}",
        r"\end{figure}",
    ]


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
    """First LaTeX engine that is installed."""
    return next((engine for engine in ENGINES if shutil.which(engine)), None)


def compile_pdf(source: Path, figures: Path) -> Path:
    """Compile the report to a PDF file beside its source, atomically."""
    engine = find_engine()
    assert engine is not None
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "0"}  # no date in the PDF
    with TemporaryDirectory() as folder:
        # absolute path of the figures, because LaTeX runs in another folder
        text = source.read_text(encoding="utf-8").replace("../../figures/", f"{figures.resolve()}/")
        (Path(folder) / "report.tex").write_text(text, encoding="utf-8")
        for command in _commands(engine):
            subprocess.run(command, cwd=folder, check=True, capture_output=True, env=environment)
        target = source.with_suffix(".pdf")
        with replacing(target) as temporary:
            shutil.copyfile(Path(folder) / "report.pdf", temporary)
    return target


def _commands(engine: str) -> list[list[str]]:
    if engine == "tectonic":
        return [["tectonic", "report.tex"]]
    if engine == "latexmk":
        return [["latexmk", "-pdf", "-interaction=nonstopmode", "report.tex"]]
    return [["pdflatex", "-interaction=nonstopmode", "report.tex"]] * 2
