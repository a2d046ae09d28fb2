"""A Spark cluster on loopback for benchmarks and tests, from the pip package of Spark.

Its Python workers can import numpy, pyarrow and pyspark, but no other installed package.
"""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep

PACKAGE = "default-jre-headless"
QUICK = (
    "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC "
    "-XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
)
"""Compile less, and trust the classes of Spark: these processes are too short for more."""
PATIENCE = 120
ON_WORKERS = ("numpy", "numpy.libs", "pyarrow", "pyarrow.libs", "pyspark", "py4j")
"""The last two would come from archives otherwise, and be compiled in every process."""


def java():
    """The Java program that Spark would use, or None."""
    home = os.environ.get("JAVA_HOME")
    return shutil.which("java", path=f"{home}/bin" if home else None)


class Cluster:
    """The processes of a cluster. Their folder holds logs, scratch files and a bare Python."""

    def __init__(self, folder, memory):
        self.folder = folder
        self.memory = memory
        self.environment = {
            **os.environ,
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_LOCAL_DIRS": str(folder / "scratch"),
            "SPARK_DAEMON_JAVA_OPTS": QUICK,
            "SPARK_WORKER_DIR": str(folder / "work"),
            "PYSPARK_PYTHON": str(bare_python(folder)),
            "PYSPARK_DRIVER_PYTHON": sys.executable,
        }
        for name in ("SPARK_HOME", "SPARK_CONF_DIR", "SPARK_MASTER", "SPARK_REMOTE"):
            self.environment.pop(name, None)
        self.workers = []
        self._started = 0
        self.master, log = self._start("master.Master", "--port", "0", "--webui-port", "0")
        self.url = waited(lambda: re.search(r"Starting Spark master at (\S+)", log.read_text()))[1]

    def _start(self, name, *arguments):
        import pyspark

        self._started += 1
        log = self.folder / f"{self._started}.log"
        program = Path(pyspark.__file__).parent / "bin" / "spark-class"
        command = [program, f"org.apache.spark.deploy.{name}", "--host", "127.0.0.1", *arguments]
        with log.open("w") as handle:
            process = subprocess.Popen(
                command,
                env=self.environment,
                stdout=handle,
                stderr=handle,
                cwd=self.folder,
                start_new_session=True,  # its own process group, with its executors
            )
        return process, log

    def add_worker(self):
        """Start a worker, which registers with the master."""
        options = ("--webui-port", "0", "--cores", "2", "--memory", self.memory, self.url)
        worker, log = self._start("worker.Worker", *options)
        self.workers.append(worker)
        return log

    def add_workers(self, count):
        """Start workers, and wait until they are registered."""
        for log in [self.add_worker() for _ in range(count)]:
            waited(lambda log=log: "Successfully registered" in log.read_text())

    def kill_worker(self):
        """Kill the newest worker and its executors, like a loss of power."""
        kill(self.workers.pop())

    def stop(self):
        """Stop all processes."""
        for process in (*self.workers, self.master):
            kill(process)


def bare_python(folder):
    """Write a program that starts Python with only the packages that workers need."""
    packages = folder / "packages"
    packages.mkdir()
    site = Path(sys.modules["numpy"].__file__).parents[1]
    for name in ON_WORKERS:
        if (site / name).exists():
            (packages / name).symlink_to(site / name)
    program = folder / "bare-python"
    program.write_text(
        f'#!/bin/sh\nPYTHONPATH="{packages}:$PYTHONPATH" exec {sys.executable} -S "$@"\n'
    )
    program.chmod(0o755)
    return program


def kill(process):
    """Kill a process and its children."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def waited(condition):
    """Wait until the condition is true, and return its value."""
    end = monotonic() + PATIENCE
    while not (found := condition()):
        if monotonic() > end:
            raise TimeoutError(f"the cluster was not ready after {PATIENCE} seconds")
        sleep(0.02)
    return found


def free_port():
    """An unused port of loopback."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def cluster(workers=2, memory="2g"):
    """Run a cluster inside of the block; ``memory`` is what each worker has for its executors."""
    folder = Path(tempfile.mkdtemp(prefix="lwcal-spark-"))
    running = Cluster(folder, memory)
    try:
        running.add_workers(workers)
        yield running
    finally:
        running.stop()
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def session(running, **options):
    """A classic session. Its driver also serves Spark Connect, on the port ``connect``."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    running.connect = free_port()
    before = dict(os.environ)
    os.environ.clear()
    os.environ.update(running.environment)
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "OFF",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.extraJavaOptions": QUICK,
        "spark.executor.extraJavaOptions": QUICK,
        "spark.executor.memory": "512m",
        "spark.shuffle.io.retryWait": "100ms",
        "spark.cores.max": "2",
        "spark.executor.cores": "1",
        "spark.sql.shuffle.partitions": "4",
        "spark.sql.warehouse.dir": str(running.folder / "warehouse"),
        "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(running.connect),
        **options,
    }
    builder = SparkSession.builder.master(running.url).appName("tests")
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    try:
        yield spark
    finally:
        spark.stop()
        gateway = SparkContext._gateway
        gateway.shutdown()
        gateway.proc.stdin.close()  # the Java process stops then
        gateway.proc.wait()
        SparkContext._gateway = SparkContext._jvm = None
        os.environ.clear()
        os.environ.update(before)
