"""Without MLflow, one line says how to install it."""

import subprocess
import sys

import pytest

WITHOUT = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == {package!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name={package!r})

sys.meta_path.insert(0, Absent())
import lwcal, lwcal.mlflow
fitted = lwcal.Platt().fit([0.1, 0.4, 0.6, 0.9], [0, 1, 0, 1])
try:
    lwcal.mlflow.log_calibrator(fitted)
except lwcal.errors.MissingExtraError as error:
    print(error)
"""


@pytest.mark.parametrize(("package", "name"), [("mlflow", "MLflow"), ("pandas", "pandas")])
def test_the_message_names_the_command(package, name):
    """The import of lwcal.mlflow works; the call says what is missing."""
    script = WITHOUT.format(package=package)
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    (line,) = done.stdout.splitlines()
    assert line == (
        f"lwcal.mlflow.log_calibrator needs {name}, which is not installed: "
        'pip install "lwcal[mlflow]"'
    )
