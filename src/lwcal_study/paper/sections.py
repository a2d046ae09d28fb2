"""The content of the report, which every format renders: sections of paragraphs and grids."""

from __future__ import annotations

import pandas as pd

import lwcal
from lwcal_study.paper.analysis import Analysis, Appendix
from lwcal_study.paper.inconsistencies import agreements, contradictions
from lwcal_study.paper.methods import KEEP
from lwcal_study.paper.report_parts import Grid, Section
from lwcal_study.paper.summary import (
    FITTED,
    digits_of,
    marked,
    number,
    open_points,
    summary_sentences,
)
from lwcal_study.paper.tables import StudyTable
from lwcal_study.paper.tested_claims.listed import UNTESTED, TestedClaim
from lwcal_study.paper.tested_claims.parts import Part

DEFAULT_KEEP = lwcal.TrimmedBeta().keep
"""Share of rows that hard trimming keeps on the leaderboard."""
MOST_SHOWN = 4
"""Parts that hold, listed for one claim. All parts are in ``tables/claim_parts.csv``."""


def sections(analysis: Analysis) -> list[Section]:
    """Everything but the figures, in the order of the report."""
    found = [
        _claims(analysis),
        *([analysis.sensitivity] if analysis.sensitivity else []),
        _protocol(analysis),
        _inconsistencies(),
        _section("Details that the paper does not state", [FITTED], points=open_points()),
        _section(
            "Tables",
            ["Values measured here, with the paper's values in brackets.", FITTED],
            [study_grid(table) for table in analysis.tables],
        ),
        _section(
            "Sentences that no cell can test",
            points=[f"{sentence} {reason}" for sentence, reason in UNTESTED.items()],
        ),
        *([_appendix(analysis.appendix)] if analysis.appendix else []),
    ]
    return [_section("Summary", _summary(analysis)), *found]


def _summary(analysis: Analysis) -> list[str]:
    """What was claimed, what holds, what depends on open choices, and what else was tried."""
    sentences = summary_sentences(analysis.summary)
    if analysis.sensitivity:
        sentences.append(
            "The paper leaves choices open, and this report tries others. "
            + analysis.sensitivity.paragraphs[0]
        )
    if analysis.appendix:
        sentences.append(analysis.appendix.headline)
    return [*sentences, *([analysis.run] if analysis.run else [])]


def _section(
    title: str,
    paragraphs: list[str] | None = None,
    grids: list[Grid] | None = None,
    points: list[str] | None = None,
) -> Section:
    return Section(title, paragraphs or [], grids or [], points or [])


def _claims(analysis: Analysis) -> Section:
    deltas = next(table for table in analysis.tables if table.name == "main_deltas").measured
    fitted, strict = (deltas.loc[f"{metric} Raw"] for metric in ("nll", "nll_strict"))
    return _section(
        "Claims",
        [
            "A claim holds if all its parts hold. Numbers in square brackets are 95% intervals of "
            "the difference, over data sets: the cells of a data set share its rows, so they are "
            "not independent. A part about means is decided by the means, a part about intervals "
            "by the intervals. " + FITTED,
            "The leaderboard clips log loss at 1e-6, so its intervals differ from those of log "
            "loss† here. Gated-LWCal minus raw, by data set: "
            f"{fitted['delta']:+.3f} [{fitted['lower by data set']:+.3f}, "
            f"{fitted['upper by data set']:+.3f}] with the fitted clip, {strict['delta']:+.3f} "
            f"[{strict['lower by data set']:+.3f}, {strict['upper by data set']:+.3f}] with 1e-6. "
            "Hard trimming differs too: here it keeps "
            f"{KEEP:.0%} of the rows†, on the leaderboard {DEFAULT_KEEP:.0%}.",
        ],
        [
            Grid(
                "",
                ["outcome", "claim", "parts", "what fails", "what holds"],
                [_claim(claim) for claim in analysis.claims],
                prose=True,
            )
        ],
    )


def _claim(claim: TestedClaim) -> list[str]:
    text = f"{claim.text} ({claim.where})"
    return [
        claim.outcome,
        f"{text} {claim.note}" if claim.note else text,
        f"{len(claim.held)} of {len(claim.parts)}",
        _listed(claim.failed, len(claim.failed)),
        _listed(claim.held, MOST_SHOWN),
    ]


def _listed(parts: list[Part], most: int) -> str:
    shown = [f"{part.text}: {part.measured}" for part in parts[:most]]
    if len(parts) > most:
        shown.append(f"and {len(parts) - most} more")
    return "; ".join(shown)


def _protocol(analysis: Analysis) -> Section:
    grids = [frame_grid(title, frame) for title, frame in analysis.protocol_tables.items()]
    return _section(
        "The protocol evaluated",
        [
            "The paper turns the disagreement d, the share of labels that contradict the model's "
            "decision, into advice. The simulation knows how many labels are wrong, so the advice "
            "can be judged."
        ],
        grids,
        points=analysis.protocol_findings,
    )


def _inconsistencies() -> Section:
    rows = [[c.lines, c.table, c.says, c.tables_say] for c in contradictions()]
    return _section(
        "Where the paper contradicts itself",
        [
            "Recomputed from the paper's own tables, without any cell of this study. Lines are "
            "those of its LaTeX source.",
            agreements(),
        ],
        [Grid("", ["lines", "table", "the paper says", "its tables say"], rows, prose=True)],
    )


def _appendix(appendix: Appendix) -> Section:
    return _section(
        "Appendix: other baselines",
        [
            "Methods that the paper cites or discusses, but does not run. They see the same cells "
            "as the paper's methods, and no table or claim above uses them. The leaderboard "
            "compares still more calibrators on these cells, with the clip at 1e-6.",
            "Histogram binning has ten bins with equally many rows. BBQ averages over binnings, "
            "weighted by their marginal likelihood, with a prior worth two rows in each bin. "
            "Filter and relabel find labels that are probably wrong by the rule of confident "
            "learning. They drop these rows or flip their labels, and then fit isotonic "
            "regression or Platt scaling.",
            "Rows that begin with Hindsight cannot be had in practice. They blend the raw score "
            "with a calibrator, and the weight is chosen in every cell with the true labels of the "
            "test rows, for the lowest log loss†. They bound what a rule for the weight can reach.",
            "Numbers in brackets are Gated-LWCal minus the baseline, with 95% intervals over data "
            "sets. Above zero, the baseline is better. With so many comparisons, some intervals "
            "exclude zero by chance.",
        ],
        [
            frame_grid(table.title, table.measured, digits_of(table.name))
            for table in appendix.tables
        ],
        points=appendix.findings,
    )


def study_grid(table: StudyTable) -> Grid:
    """A table of the paper: our value, and the paper's in brackets if it reports one."""
    digits = digits_of(table.name)
    reported = table.reported.reindex(index=table.measured.index, columns=table.measured.columns)
    rows = [
        [
            marked(str(name)),
            *(
                _beside(number(here, digits), there, digits)
                for here, there in zip(table.measured.loc[name], reported.loc[name], strict=True)
            ),
        ]
        for name in table.measured.index
    ]
    return Grid(table.title, ["", *(marked(str(c)) for c in table.measured.columns)], rows)


def _beside(here: str, there: float, digits: int) -> str:
    return here if pd.isna(there) else f"{here} ({number(there, digits)})"


def frame_grid(title: str, frame: pd.DataFrame, digits: int = 3) -> Grid:
    """A table that only this study has."""
    shown = [0 if _counts(frame[column]) else digits for column in frame.columns]
    rows = [
        [marked(str(name)), *map(number, values, shown)] for name, *values in frame.itertuples()
    ]
    return Grid(title, ["", *(marked(str(column)) for column in frame.columns)], rows)


def _counts(column: pd.Series) -> bool:
    """Whether a column has whole numbers only."""
    return bool((column % 1 == 0).all())
