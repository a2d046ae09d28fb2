#!/bin/sh
# Run the tests of the kernels, and a million calls with arbitrary arguments, with kernels that were
# built with sanitizers: test_sanitized.sh address,undefined|thread [TESTS ...]. PYTHON and
# LWCAL_FUZZ_KERNELS are used. Any finding ends the process.
set -eu
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
sanitizers=$1
shift
case $sanitizers in thread) runtime=libtsan.so ;; *) runtime=libasan.so ;; esac
preload=$(g++ -print-file-name="$runtime" 2>/dev/null || echo none)
if [ ! -e "$preload" ]; then
  echo "the kernels were not sanitized: that needs g++ with $runtime"
  [ -z "${CI:-}" ]
  exit
fi
if [ $# -eq 0 ]; then
  case $sanitizers in
    thread) set -- tests/kernels/test_threads.py ;;
    *) set -- tests/fuzz/test_kernels.py tests/kernels tests/test_maps.py ;;
  esac
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

PATH="$(dirname "$python"):$PATH" cmake -S . -B "$scratch/build" -G Ninja \
  -DCMAKE_BUILD_TYPE=Debug -DLWCAL_SANITIZE="$sanitizers" -DPython_EXECUTABLE="$python" \
  -Dnanobind_DIR="$("$python" -m nanobind --cmake_dir)" > "$scratch/log"
PATH="$(dirname "$python"):$PATH" cmake --build "$scratch/build" >> "$scratch/log" || { cat "$scratch/log"; exit 1; }
# A copy of the sources with these kernels, found before the installed package
cp -R src tests pyproject.toml conftest.py "$scratch"
cp "$scratch"/build/compiled*.so "$scratch/src/lwcal/kernels/"
cd "$scratch"
"$python" -m venv --without-pip venv
packages=$("$python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
printf '%s\n%s\n' "$scratch/src" "$packages" > "$(venv/bin/python -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')/sources.pth"
echo "running with $sanitizers sanitizers ..."
# Leaks: the interpreter itself never frees some memory. Allocations that fail are tested, too.
env LD_PRELOAD="$preload $(g++ -print-file-name=libstdc++.so)" LWCAL_FUZZ_KERNELS="${LWCAL_FUZZ_KERNELS:-1000000}" PYTHONMALLOC=malloc OMP_NUM_THREADS=1 \
  ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:halt_on_error=1 \
  UBSAN_OPTIONS=print_stacktrace=1 TSAN_OPTIONS=halt_on_error=1:report_signal_unsafe=0 \
  venv/bin/python -m pytest -c pyproject.toml --rootdir . -q -p no:cacheprovider -p no:xdist --capture=no "$@"
