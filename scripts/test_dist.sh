#!/bin/sh
# Test the wheel in a folder: test_dist.sh FOLDER [TESTS ...]. The wheel is installed into an empty
# environment with the locked dependencies. The tests come from the sdist, whose sources are removed, so
# that only the wheel can be imported. Tests marked source_tree need the sources and do not run.
# The variables PYTHON and WORKERS are used.
set -eu
folder=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- tests --pyargs lwcal lwcal_study
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
wheel=$(ls "$folder"/*.whl | grep -v -e '-none-any\.whl$')

tar -xzf "$folder"/*.tar.gz -C "$scratch"
tree=$(echo "$scratch"/lwcal-*)
rm -rf "$tree/src" "$tree/native" "$tree/CMakeLists.txt"

echo "installing $(basename "$wheel") into an empty environment ..."
"${PYTHON:-python3}" -m venv "$scratch/venv"
python="$scratch/venv/bin/python"
"$python" -m pip install --quiet --quiet --disable-pip-version-check --require-hashes -r "$tree/requirements.lock"
"$python" -m pip install --quiet --disable-pip-version-check --no-index --no-deps "$wheel"

cd "$tree"
export PATH="$scratch/venv/bin:$PATH"
"$python" -c '
import pathlib, sys, lwcal
from lwcal import kernels
place = pathlib.Path(lwcal.__file__)
assert place.is_relative_to(sys.prefix), f"expected lwcal in {sys.prefix}, got {place}"
assert kernels.backend_name == "compiled", kernels.backend_name
print("testing", lwcal.__version__, "with", kernels.backend_name, "kernels, as installed")
'
"$python" -m pytest -c pyproject.toml --rootdir . -n "${WORKERS:-auto}" --dist worksteal -m "not source_tree" "$@"
