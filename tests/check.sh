#!/usr/bin/env bash
# Checks everything: installs what is missing, checks the format, configures,
# builds and runs the test suite, ending with ctest's summary.
#
#   tests/check.sh [PRESET]     PRESET: release (default), dev, asan, tsan
#
# LAYOUTD_JOBS bounds the compile and test jobs (default: all cores).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=${1:-release}
case $preset in
  release | dev | asan | tsan) ;;
  *)
    echo "usage: tests/check.sh [release|dev|asan|tsan]" >&2
    exit 2
    ;;
esac
jobs=${LAYOUTD_JOBS:-$(nproc)}

step() { printf '[%4d s] %s\n' "$SECONDS" "$*"; }

step "packages"
deploy/install_packages.sh build test demo

step "format"
find server client engine tests \( -name '*.h' -o -name '*.cc' \) -print0 |
  xargs -0 --no-run-if-empty clang-format-14 --dry-run -Werror

step "configure ($preset)"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
cmake --preset "$preset" >"$log" 2>&1 || {
  cat "$log" >&2
  echo "check.sh: configuring failed, see above" >&2
  exit 1
}

step "build"
cmake --build --preset "$preset" --parallel "$jobs"

step "built; running the tests"
ctest --preset "$preset" --parallel "$jobs" --output-on-failure
