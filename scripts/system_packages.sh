#!/bin/sh
# Install the system packages that the tests use, if apt-get is available.
# This script never fails. Without a compiler, lwcal uses its numpy kernels. Tests that need a
# missing package are skipped, and name it.
missing=""
command -v c++ >/dev/null 2>&1 || missing="$missing g++"
if command -v ldconfig >/dev/null 2>&1; then
    ldconfig -p | grep -q 'libgomp\.so\.1' || missing="$missing libgomp1"  # LightGBM loads it
fi
command -v pdflatex >/dev/null 2>&1 || missing="$missing latexmk texlive-latex-recommended"
ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null 2>&1 ||
    missing="$missing postgresql"  # the tests start a server of their own
command -v chromium-headless-shell >/dev/null 2>&1 || command -v chromium >/dev/null 2>&1 ||
    missing="$missing chromium-headless-shell"  # opens the report
command -v java >/dev/null 2>&1 || missing="$missing default-jre-headless"  # Spark runs on it
[ -z "$missing" ] && exit 0
if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
    echo "installing system packages:$missing"
    apt-get update -qq >/dev/null 2>&1
    # some releases have the whole browser only
    apt-cache show chromium-headless-shell >/dev/null 2>&1 ||
        missing=$(echo "$missing" | sed 's/chromium-headless-shell/chromium/')
    apt-get install -y -qq --no-install-recommends $missing >/dev/null 2>&1 && {
        rm -f "${VENV:-.venv}/.installed"  # build the kernels again: there may be a compiler now
        exit 0
    }
fi
echo "not installed:$missing (the tests that need them are skipped)"
exit 0
