#!/bin/sh
# Test lwcal with the oldest versions of its dependencies that pyproject.toml allows, in an
# empty environment: test_oldest.sh [TESTS ...]. PYTHON builds the wheel; WORKERS is used.
set -eu
cd "$(dirname "$0")/.."
build=${PYTHON:-python3}
# The oldest numpy has no wheels for newer versions of Python.
for oldest in "$build" python3.11 python3.12 none; do
  "$oldest" -c 'import sys; sys.exit(sys.version_info >= (3, 13))' 2>/dev/null && break
done
if [ "$oldest" = none ]; then
  echo "the oldest dependencies were not tested: that needs Python 3.11 or 3.12"
  [ -z "${CI:-}" ]
  exit
fi
[ $# -gt 0 ] || set -- tests/kernels tests/calibrators/test_calibrators.py tests/calibrators/test_noise_aware.py \
  tests/calibrators/test_auto.py tests/calibrators/test_audited.py \
  tests/classifier tests/metrics/test_discrimination.py tests/metrics/test_scorer.py tests/test_maps.py tests/test_table.py
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

"$build" -m pip wheel --quiet --disable-pip-version-check --no-build-isolation --no-deps --wheel-dir "$scratch" .
"$build" -c '
import tomllib
for name in tomllib.load(open("pyproject.toml", "rb"))["project"]["dependencies"]:
    print(name.replace(">=", "=="))
' > "$scratch/oldest.txt"
echo "installing $(tr '\n' ' ' < "$scratch/oldest.txt")..."
"$oldest" -m venv "$scratch/venv"
python="$scratch/venv/bin/python"
# Packages of that time: later ones need numpy 2, or warn about the checks of scikit-learn 1.6.
"$python" -m pip install --quiet --disable-pip-version-check -r "$scratch/oldest.txt" \
  hypothesis lightgbm pandas "polars<1.30" pyarrow==18 "pytest<9" pytest-xdist "$scratch"/*.whl

# The tests lie beside the wheel, away from the sources, so that only the wheel can be imported.
cp -R tests pyproject.toml "$scratch"
cd "$scratch"
"$python" -m pytest -c pyproject.toml --rootdir . -q -n "${WORKERS:-auto}" --dist worksteal \
  -m "not source_tree" "$@"
