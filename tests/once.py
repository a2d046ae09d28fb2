"""Build what is slow to build once for a whole run, whichever of its processes needs it first."""

import fcntl
import os


def built_once(tmp_path_factory, name, build):
    """A folder that all processes of a run share, made by ``build(folder)``.

    Nobody may change it: take a copy to write in. It gets its name when it is complete, so a
    build that fails leaves nothing behind, and the next process tries again.
    """
    own = tmp_path_factory.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    folder = shared / name
    with (shared / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            unfinished = tmp_path_factory.mktemp(name) / name
            unfinished.mkdir()
            build(unfinished)
            unfinished.rename(folder)
    return folder
