"""Names of the package: imported on first use."""

import subprocess
import sys

import lwcal


def test_every_public_name_is_there_without_another_import():
    """In a new process, because a test before this one may have imported all of it."""
    for name in lwcal.segments.__all__:
        assert getattr(lwcal.segments, name).__name__ == name
    assert dir(lwcal.segments) == sorted(lwcal.segments.__all__)
    code = (
        "import sys, lwcal; first = lwcal.segments.__all__; light = 'sklearn' not in sys.modules;"
        "print(light, *(getattr(lwcal.segments, name).__name__ for name in first))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.split() == ["True", *lwcal.segments.__all__]
