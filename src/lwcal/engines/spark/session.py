"""Sessions of Spark: the version that is needed, how to start one, and translation of errors."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from lwcal.errors import EngineError, InputError, message, missing_extra

try:
    import pyarrow  # noqa: F401  # Spark hands counts over as Arrow tables
    import pyspark
    from pyspark.errors import AnalysisException
    from pyspark.sql import SparkSession
except ImportError as error:
    raise missing_extra(str(error.name), "spark", "lwcal.engines.spark") from None

OLDEST, TOO_NEW = (4, 1), (5, 0)
"""Functions of Arrow arrays came with 4.1; no test runs on version 5."""
INPUT = ("FAILED_READ_FILE", "MALFORMED", "CANNOT_READ", "INVALID_COLUMN", "UNABLE_TO_INFER_SCHEMA")
"""Beginnings of the names that Spark gives to errors in files."""
OWN = "lwcal: "
"""Prefix of errors that lwcal raises on workers."""
OLDEST_JAVA = 17
CONNECT = "sc://"
SETTINGS = {"SPARK_HOME", "SPARK_CONF_DIR"}
"""Variables that give Spark settings, which may send it to a cluster."""
PATIENCE = 10.0
"""Seconds that a master has to answer; Spark itself would wait for a minute."""


def check_version(version: str) -> None:
    """Refuse versions of pyspark that are too old, or too new to be tested.

    >>> check_version("4.3.0")
    """
    found = tuple(int(part) for part in re.findall(r"\d+", version)[:2])
    if not OLDEST <= found < TOO_NEW:
        expected = f"pyspark {OLDEST[0]}.{OLDEST[1]} or newer, below {TOO_NEW[0]}"
        raise EngineError(message(expected, version, 'pip install "lwcal[spark]"'))


check_version(pyspark.__version__)


@contextmanager
def explained(name: str) -> Iterator[None]:
    """Translate errors of Spark: of the input to InputError, of the cluster to EngineError."""
    try:
        yield
    except Exception as error:
        # raised by Spark, by its bridge to Java, or because Java has stopped
        package = type(error).__module__.partition(".")[0]
        if package not in ("pyspark", "py4j") and not isinstance(error, ConnectionError):
            raise
        raise _translated(error, name) from error


def _translated(error: Exception, name: str) -> Exception:
    said = str(error)
    own = re.search(rf"{OWN}(.+?)(?: SQLSTATE: \w+)?$", said, flags=re.MULTILINE)
    if own:
        return InputError(own[1])
    condition = re.search(r"\[([A-Z_]+)[.\]]", said)  # Java's messages carry the name too
    is_input = condition is not None and condition[1].startswith(INPUT)
    if isinstance(error, AnalysisException) or is_input:
        return InputError(f"{name} cannot be read: {_reason(said)}.")
    hint = "run it again; if it fails again, look into the logs of Spark"
    return EngineError(f"Spark failed: {_reason(said)}; {hint}.")


def _reason(said: str) -> str:
    """Return the first line of a message that has content, without Spark's own codes."""
    lines = [line.strip() for line in said.splitlines() if line.strip()] or ["no message"]
    # "An error occurred while calling o42.count." has no content; the next line has
    line = lines[1] if lines[0].startswith("An error occurred while calling") else lines[0]
    line = re.sub(r"^: |\s*SQLSTATE: \w+;?$", "", line)
    return re.sub(r"^(?:(?:[\w$]+\.)+\w+: )?(?:\[[\w.]+\] )?", "", line).rstrip(".")[:300]


@contextmanager
def started(master: str | None = None) -> Iterator[SparkSession]:
    """Yield the active session, as in ``spark-submit``, or a new one that ends with the block.

    Parameters
    ----------
    master : str, optional
        Such as ``spark://host:7077`` or ``local[4]``, or ``sc://host`` for Spark Connect. By
        default Spark's own settings decide, and without settings it runs on this machine.
    """
    active = SparkSession.getActiveSession()
    if active is not None:
        yield active
        return
    builder: Any = SparkSession.builder
    if (master or os.environ.get("SPARK_REMOTE", "")).startswith(CONNECT):
        builder = builder if master is None else builder.remote(master)
    else:
        check_java()
        if master is not None:
            check_master(master)
            builder = builder.master(master)
        if (master or "local").startswith("local") and not SETTINGS & set(os.environ):
            # the workers run on this machine, with the same Python
            os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        # a progress bar only on a terminal
        builder = builder.config("spark.ui.showConsoleProgress", str(sys.stderr.isatty()).lower())
    with explained("Spark"):
        session = builder.appName("lwcal").getOrCreate()
    try:
        yield session
    finally:
        session.stop()


def check_java() -> None:
    """Refuse to start Spark without a recent Java; Spark's own message would be cryptic."""
    home = os.environ.get("JAVA_HOME")
    program = shutil.which("java", path=f"{home}/bin" if home else None)
    hint = f"install Java {OLDEST_JAVA} or newer (apt-get install default-jre-headless)"
    if program is None:
        place = f"in JAVA_HOME={home}" if home else "on the path"
        raise EngineError(f"Spark needs Java, and there is none {place}; {hint}.")
    done = subprocess.run([program, "-version"], capture_output=True, text=True, check=False)
    version = re.search(r'version "(?:1\.)?(\d+)', done.stderr)
    if done.returncode or version is None:
        raise EngineError(f"Spark needs Java, and {program} does not run; {hint}.")
    if int(version[1]) < OLDEST_JAVA:
        raise EngineError(message(f"Java {OLDEST_JAVA} or newer", f"Java {version[1]}", hint))


def check_master(master: str) -> None:
    """Check that a master of a standalone cluster answers: the first, or else a standby."""
    reasons = []
    for address in re.findall(r"[^/,]+:\d+", master) if master.startswith("spark://") else ():
        host, _, port = address.rpartition(":")
        try:
            socket.create_connection((host, int(port)), PATIENCE).close()
        except (OSError, OverflowError) as error:  # a port above 65,535 overflows
            reasons.append(getattr(error, "strerror", None) or str(error))
        else:
            return
    if reasons:
        hint = "check the address, and whether the master runs"
        raise EngineError(f"No Spark master answers at {master}: {reasons[0]}; {hint}.")
