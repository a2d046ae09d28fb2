"""Sort the gallery: first the use cases, then the tools."""

from pathlib import Path

ORDER = (
    "credit",
    "health_survey",
    "fraud_missed_positives",
    "base_rate",
    "multiclass",
    "pipeline",
    "boosters",
    "polars",
    "duckdb",
    "registry",
    "large_data_spark",
)


class QuestionsFirst:
    """Sort key for file names. Unlisted examples come last, by name."""

    def __init__(self, folder):
        self.folder = folder

    def __call__(self, filename):
        """Return the position of one example."""
        name = Path(filename).stem.removeprefix("plot_")
        return (ORDER.index(name) if name in ORDER else len(ORDER), name)
