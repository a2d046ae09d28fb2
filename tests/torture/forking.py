"""Run commands in forks of one process, which has imported what they need: a start takes no time.

Reads lines of JSON, each a folder, a limit of the size of files or null, and arguments. Writes the
number of the process, and then how it ended.
"""

import importlib
import json
import os
import resource
import sys

NEEDED = (
    "lwcal.cli.app",
    "lwcal.engines.duckdb",
    "lwcal.report.page",
    "lwcal.report.building",
    "lwcal.artifact.export",
    "lwcal.audit.evaluation",
    "lwcal.diagnosis",
    "pyarrow.csv",
    "pyarrow.parquet",
)


def main():
    """Fork once for every line."""
    for name in NEEDED:
        importlib.import_module(name)
    for line in sys.stdin:
        folder, limit, arguments = json.loads(line)
        process = os.fork()
        if process == 0:
            os._exit(_run(folder, limit, arguments))
        print(process, flush=True)
        _, status = os.waitpid(process, 0)
        print(status, flush=True)


def _run(folder, limit, arguments):
    from lwcal.cli.app import run

    os.chdir(folder)
    nowhere = os.open(os.devnull, os.O_RDWR)
    said = os.open(f"{folder}-{os.getpid()}.said", os.O_CREAT | os.O_TRUNC | os.O_WRONLY)
    for stream, target in ((0, nowhere), (1, nowhere), (2, said)):
        os.dup2(target, stream)
    sys.stderr = os.fdopen(2, "w", buffering=1)
    if limit is not None:
        sys.dont_write_bytecode = True  # half a file of bytecode would stay
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    try:
        return run(arguments)
    except SystemExit as end:
        return int(end.code or 0)
    except BaseException:
        return 70
    finally:
        sys.stderr.flush()


if __name__ == "__main__":
    main()
