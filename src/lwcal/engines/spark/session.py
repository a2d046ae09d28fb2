"""Spark itself: whether its version is one we know, and its errors in our words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from lwcal.errors import EngineError, InputError, message, missing_extra

try:
    import pyarrow  # noqa: F401  # counts leave Spark in Arrow's memory
    import pyspark
    from pyspark.errors import AnalysisException
except ImportError as error:
    raise missing_extra(str(error.name), "spark", "lwcal.engines.spark") from None

OLDEST, TOO_NEW = (4, 1), (5, 0)
"""Functions of Arrow arrays came with 4.1; the tests run on the versions in between."""
INPUT = ("FAILED_READ_FILE", "MALFORMED", "CANNOT_READ", "INVALID_COLUMN", "UNABLE_TO_INFER_SCHEMA")
"""How Spark calls what is wrong with files while it reads them."""
OWN = "lwcal: "
"""Begins errors that are raised on workers in our words."""


def check_version(version: str) -> None:
    """Refuse versions of pyspark that are too old, or that nobody has tried.

    >>> check_version("4.3.0")
    """
    found = tuple(int(part) for part in re.findall(r"\d+", version)[:2])
    if not OLDEST <= found < TOO_NEW:
        expected = f"pyspark {OLDEST[0]}.{OLDEST[1]} or newer, below {TOO_NEW[0]}"
        raise EngineError(message(expected, version, 'pip install "lwcal[spark]"'))


check_version(pyspark.__version__)


@contextmanager
def explained(name: str) -> Iterator[None]:
    """Turn errors of Spark into ours: about the input, or about the cluster."""
    try:
        yield
    except Exception as error:
        # of Spark, of what it talks to Java with, or of a Java that has gone
        package = type(error).__module__.partition(".")[0]
        if package not in ("pyspark", "py4j") and not isinstance(error, ConnectionError):
            raise
        raise _translated(error, name) from error


def _translated(error: Exception, name: str) -> Exception:
    said = str(error)
    own = re.search(rf"{OWN}(.+?)(?: SQLSTATE: \w+)?$", said, flags=re.MULTILINE)
    if own:
        return InputError(own[1])
    condition = re.search(r"\[([A-Z_]+)[.\]]", said)  # by name also where Java's words came
    is_input = condition is not None and condition[1].startswith(INPUT)
    if isinstance(error, AnalysisException) or is_input:
        return InputError(f"{name} cannot be read: {_reason(said)}.")
    hint = "run it again; if it fails again, the logs of Spark say more"
    return EngineError(f"Spark failed: {_reason(said)}; {hint}.")


def _reason(said: str) -> str:
    """The first line that says something, without what is only for Spark."""
    lines = [line.strip() for line in said.splitlines() if line.strip()] or ["without a word"]
    # "An error occurred while calling o42.count." tells nothing; what comes after it does
    told = lines[1] if lines[0].startswith("An error occurred while calling") else lines[0]
    told = re.sub(r"^: |\s*SQLSTATE: \w+;?$", "", told)
    return re.sub(r"^(?:(?:[\w$]+\.)+\w+: )?(?:\[[\w.]+\] )?", "", told).rstrip(".")[:300]
