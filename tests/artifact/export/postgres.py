"""A PostgreSQL server for the tests, in a temporary folder."""

import os
import pwd
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

PACKAGE = "postgresql"


def programs():
    """Return the folder of initdb and pg_ctl, which Debian keeps off the path, or None."""
    found = shutil.which("initdb")
    folders = [Path(found).parent] if found else Path("/usr/lib/postgresql").glob("*/bin")
    return next((folder for folder in folders if (folder / "pg_ctl").exists()), None)


@contextmanager
def server():
    """Start a server that listens only on a socket in its folder, and yield the folder."""
    folder = Path(tempfile.mkdtemp(prefix="lwcal-postgres-"))
    try:
        user = _user_for(folder)
        _run(user, folder, "initdb", "--auth=trust", "--username=lwcal", "--no-sync", "-E", "UTF8")
        options = f"-k {folder} -c listen_addresses='' -c fsync=off"
        _run(user, folder, "pg_ctl", "start", "-w", "-l", str(folder / "log"), "-o", options)
        try:
            yield folder
        finally:
            _run(user, folder, "pg_ctl", "stop", "-m", "immediate")
    finally:
        shutil.rmtree(folder)


def _user_for(folder):
    """Return the user of the package, because the server refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    owner = pwd.getpwnam("postgres")
    os.chown(folder, owner.pw_uid, owner.pw_gid)
    return {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}


def _run(user, folder, program, *arguments):
    command = [str(programs() / program), "-D", str(folder / "data"), *arguments]
    log = (folder / f"{program}.log").open("w")  # a pipe would stay open as long as the server
    with log:
        subprocess.run(command, check=True, cwd=folder, stdout=log, stderr=log, **user)
