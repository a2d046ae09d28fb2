#!/bin/sh
# Test the kernels with sanitizers: their tests and a million calls with arbitrary arguments with
# those for addresses and undefined behaviour, and calls from several threads with that for
# threads. PYTHON and LWCAL_FUZZ_KERNELS are used. Any finding ends the process.
set -eu
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
preload=$(g++ -print-file-name=libasan.so 2>/dev/null || echo none)
if [ ! -e "$preload" ] || [ ! -e "$(g++ -print-file-name=libtsan.so)" ]; then
  echo "the kernels were not sanitized: that needs g++ with libasan and libtsan"
  [ -z "${CI:-}" ]
  exit
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

echo "threads ..."
g++ -std=c++20 -g -O1 -fsanitize=thread -Inative native/check_threads.cpp -pthread -o "$scratch/check_threads"
TSAN_OPTIONS=halt_on_error=1 "$scratch/check_threads"

echo "addresses and undefined behaviour ..."
PATH="$(dirname "$python"):$PATH"
cmake -S . -B "$scratch/build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DLWCAL_SANITIZE=address,undefined \
  -DPython_EXECUTABLE="$python" -Dnanobind_DIR="$("$python" -m nanobind --cmake_dir)" > "$scratch/log" 2>&1 &&
  cmake --build "$scratch/build" >> "$scratch/log" || { cat "$scratch/log"; exit 1; }
# A copy of the sources with these kernels, in an environment that does not find the installed ones
cp -R src tests pyproject.toml conftest.py "$scratch"
cp "$scratch"/build/compiled*.so "$scratch/src/lwcal/kernels/"
cd "$scratch"
"$python" -m venv --without-pip venv
where='import sysconfig; print(sysconfig.get_paths()["purelib"])'
printf '%s\n%s\n' "$scratch/src" "$("$python" -c "$where")" > "$(venv/bin/python -c "$where")/sources.pth"
# Python itself never frees some memory. Sanitizers need more memory than the tests of exhausted
# memory leave them. Exceptions pass through libstdc++, which has to be loaded first.
env LD_PRELOAD="$preload $(g++ -print-file-name=libstdc++.so)" PYTHONMALLOC=malloc OMP_NUM_THREADS=1 \
  LWCAL_FUZZ_KERNELS="${LWCAL_FUZZ_KERNELS:-1000000}" \
  ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1 \
  venv/bin/python -m pytest -c pyproject.toml --rootdir . -q -p no:cacheprovider -p no:xdist --capture=no \
  --ignore tests/kernels/test_exhaustion.py tests/fuzz/test_kernels.py tests/kernels tests/test_maps.py
