"""A session for whoever has none: found or started, with what could be missing told beforehand."""

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

from pyspark.sql import SparkSession

from lwcal.engines.spark.session import explained
from lwcal.errors import EngineError, message

OLDEST_JAVA = 17
CONNECT = "sc://"
SETTINGS = {"SPARK_HOME", "SPARK_CONF_DIR"}
"""Variables with which Spark has settings, and may go elsewhere than to this machine."""
PATIENCE = 10.0
"""Seconds in which a master has to answer; Spark itself would ask for a minute."""


@contextmanager
def started(master: str | None = None) -> Iterator[SparkSession]:
    """Yield the session that is there, as in ``spark-submit``, or one that ends with the block.

    Parameters
    ----------
    master : str, optional
        Such as ``spark://host:7077`` or ``local[4]``, or ``sc://host`` for Spark Connect; by
        default what Spark's own settings say, which is this machine if they say nothing.
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
            # the workers are of this machine: they have what we have
            os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        # a bar is for people who watch
        builder = builder.config("spark.ui.showConsoleProgress", str(sys.stderr.isatty()).lower())
    with explained("Spark"):
        session = builder.appName("lwcal").getOrCreate()
    try:
        yield session
    finally:
        session.stop()


def check_java() -> None:
    """Refuse to start Spark without Java, or with one that is too old: it would tell in riddles."""
    home = os.environ.get("JAVA_HOME")
    program = shutil.which("java", path=f"{home}/bin" if home else None)
    hint = f"install Java {OLDEST_JAVA} or newer (apt-get install default-jre-headless)"
    if program is None:
        got = f"none in JAVA_HOME={home}" if home else "none on the path"
        raise EngineError(message("Java, which Spark runs on", got, hint))
    done = subprocess.run([program, "-version"], capture_output=True, text=True, check=False)
    version = re.search(r'version "(?:1\.)?(\d+)', done.stderr)
    if done.returncode or version is None:
        got = f"{program}, which does not run"
        raise EngineError(message("Java, which Spark runs on", got, hint))
    if int(version[1]) < OLDEST_JAVA:
        raise EngineError(message(f"Java {OLDEST_JAVA} or newer", f"Java {version[1]}", hint))


def check_master(master: str) -> None:
    """Ask a master of a standalone cluster whether it is there."""
    for address in re.findall(r"[^/,]+:\d+", master) if master.startswith("spark://") else ():
        host, _, port = address.rpartition(":")
        try:
            socket.create_connection((host, int(port)), PATIENCE).close()
        except OSError as error:
            problem = error
        else:
            return
        reason = problem.strerror or str(problem)
        hint = "check that it runs, and its address"
        raise EngineError(message(f"a Spark master at {master}", reason, hint))
