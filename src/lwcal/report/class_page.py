"""What the template of several classes needs besides the parts of every page."""

from __future__ import annotations

from typing import NamedTuple

from lwcal.diagnosis.corrected_losses import about_corrected
from lwcal.report.chart_shapes import ReliabilityChart
from lwcal.report.charts import reliability_chart
from lwcal.report.class_charts import PanelChart, heat_map, panel_chart, shown_matrix
from lwcal.report.class_report_data import ClassReportData
from lwcal.report.class_summary import (
    candidates_note,
    class_lines,
    confused_pairs,
    facts,
    fitted_facts,
    hypotheses,
    next_step,
    noise_sentence,
    panels_note,
    readings_table,
    remarks,
    unknowns,
)
from lwcal.report.heat_maps import HeatMap
from lwcal.report.reviewer_section import reviewer_section


class ClassCharts(NamedTuple):
    """All charts of the page."""

    reliability: dict[str, tuple[ReliabilityChart, ReliabilityChart]]
    panels: dict[str, list[PanelChart]]
    heat: HeatMap


def content_of(data: ClassReportData) -> dict[str, object]:
    """Everything that the template shows, by name."""
    return {
        "facts": facts(data),
        "remarks": remarks(data),
        "next_step": next_step(data),
        "readings": readings_table(data),
        "noise_sentence": noise_sentence(data),
        "confused": confused_pairs(data),
        # rows that were refused say nothing about the noise
        "matrix": None if data.diagnosis.recommendation.refuses_rows else shown_matrix(data),
        "unknowns": unknowns(data),
        "panels_note": panels_note(data),
        "class_lines": class_lines(data),
        "averaged": about_corrected(data.diagnosis),
        "candidates_note": candidates_note(data),
        "fitted_facts": fitted_facts(data),
        "hypotheses": hypotheses(data),
        "reviewers": reviewer_section(data.reviews),
        "charts": _charts(data),
    }


def _charts(data: ClassReportData) -> ClassCharts:
    rows = data.histograms
    return ClassCharts(
        {
            view.key: (
                reliability_chart(view.top.before, rows.before),
                reliability_chart(view.top.after, rows.after),
            )
            for view in data.views
        },
        {view.key: [panel_chart(panel) for panel in view.panels] for view in data.views},
        heat_map(data),
    )
