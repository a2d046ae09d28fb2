"""Tables and report in LaTeX, compiled to PDF if an engine is installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

from lwcal_study.files import replacing
from lwcal_study.paper.analysis import Analysis
from lwcal_study.paper.report_parts import Grid, Section
from lwcal_study.paper.sections import sections
from lwcal_study.paper.summary import CAPTIONS, number

PORTRAIT_LETTERS, LANDSCAPE_LETTERS = 95, 210
"""Letters that fit into a line of a table of sentences, in its size on a page of that kind."""
USED = 0.9
"""Share of a line for text. The rest is the space between columns."""
ENGINES = ("tectonic", "latexmk", "pdflatex")
SPECIAL = str.maketrans(
    {
        "%": r"\%",
        "&": r"\&",
        "_": r"\_",
        "#": r"\#",
        "~": r"\textasciitilde{}",
        "$": r"\$",
        "<": "$<$",
        ">": "$>$",
        "≤": r"$\leq$",
        "≥": r"$\geq$",
        "†": r"\dag{}",
        "[": "{[}",  # after the end of a row, a bracket would start an option
        "^": r"\textasciicircum{}",
    }
)


def escape(text: object) -> str:
    r"""Escape the special characters of LaTeX. Commands are in backquotes.

    >>> print(escape("10% of A_B"))
    10\% of A\_B
    >>> print(escape("run `lwcal fit`, -0.5"))
    run \texttt{lwcal fit}, $-$0.5
    """
    # a line may end after a hyphen, and the number would lose its sign
    signed = re.sub(r"(?<![\w.])-(?=\d)", "$-$", str(text).translate(SPECIAL))
    return re.sub("`([^`]*)`", r"\\texttt{\1}", signed)


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


def report(analysis: Analysis) -> str:
    """Write the report as one LaTeX document."""
    parts = [PREAMBLE, *(line for section in sections(analysis) for line in _section(section))]
    parts += [r"\clearpage", r"\section{Figures}"]
    parts += [line for name in CAPTIONS for line in _figure(name)]
    return "\n".join([*parts, r"\end{document}", ""])


def _section(section: Section) -> list[str]:
    lines = [rf"\section{{{escape(section.title)}}}"]
    lines += [escape(paragraph) + "\n" for paragraph in section.paragraphs]
    if section.points:
        items = (rf"\item {escape(point)}" for point in section.points)
        lines += [r"\begin{itemize}", *items, r"\end{itemize}"]
    for grid in section.grids:
        lines += _prose(grid) if grid.prose else _numbers(grid)
    return lines


def _numbers(grid: Grid) -> list[str]:
    return [
        r"\begin{table}[htbp]\centering\small",
        rf"\caption{{{escape(grid.title)}.}}",
        r"\resizebox{\textwidth}{!}{" + _rows(grid, "l" + "r" * (len(grid.header) - 1)) + "}",
        r"\end{table}",
    ]


def _rows(grid: Grid, columns: str) -> str:
    lines = [" & ".join(map(escape, row)) + r"\\" for row in (grid.header, *grid.rows)]
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            lines[0],
            r"\midrule",
            *lines[1:],
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def _prose(grid: Grid) -> list[str]:
    """A table of sentences, which breaks across pages. If it is wide, its pages lie on a side."""
    texts = [grid.header, *grid.rows]
    wide = sum(map(_longest_word, zip(*texts, strict=True))) > PORTRAIT_LETTERS
    columns = "".join(
        rf">{{\raggedright\arraybackslash}}p{{{width:.3f}\linewidth}}"
        for width in column_widths(texts, wide=wide)
    )
    head, *body = [" & ".join(map(escape, row)) + r"\\" for row in texts]
    table = [
        r"{\scriptsize" if wide else r"{\footnotesize",
        r"\setlength{\tabcolsep}{2pt}",
        rf"\begin{{longtable}}{{{columns}}}",
        r"\toprule",
        head,
        r"\midrule",
        r"\endhead",
        *body,
        r"\bottomrule",
        r"\end{longtable}}",
    ]
    return [r"\begin{landscape}", *table, r"\end{landscape}"] if wide else table


def column_widths(texts: list[list[str]], *, wide: bool) -> list[float]:
    """Shares of the line: the longest word fits, and what is left follows the longest text.

    >>> column_widths([["a", "word"], ["a", "word " * 25]], wide=False)
    [0.028, 0.872]
    """
    columns = list(zip(*texts, strict=True))
    letters = LANDSCAPE_LETTERS if wide else PORTRAIT_LETTERS
    needed = [(_longest_word(column) + 1) / letters for column in columns]
    length = [max(map(len, column)) for column in columns]
    left = max(USED - sum(needed), 0.0)
    shares = [n + left * part / sum(length) for n, part in zip(needed, length, strict=True)]
    return [round(share * USED / max(sum(shares), USED), 3) for share in shares]


def _longest_word(column: tuple[str, ...]) -> float:
    """Length in small letters. A capital is as wide as 1.75 of them."""
    words = [word for text in column for word in text.split()]
    return max((len(word) + 0.75 * sum(map(str.isupper, word)) for word in words), default=0)


def _figure(name: str) -> list[str]:
    return [
        r"\begin{figure}[htbp]\centering",
        rf"\includegraphics[width=0.8\textwidth]{{{name}}}",
        rf"\caption{{{escape(CAPTIONS[name])}}}",
        r"\end{figure}",
    ]


PREAMBLE = r"""\documentclass[11pt,a4paper]{article}
\usepackage[margin=2.2cm]{geometry}
\usepackage{array,booktabs,graphicx,longtable,pdflscape}
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
