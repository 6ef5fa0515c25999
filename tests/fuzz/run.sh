#!/usr/bin/env bash
# Builds the fuzzers with clang and the sanitizers, and runs them.
#
#   tests/fuzz/run.sh [SECONDS]     of all three together; 600 unless given
#
# What they learn is kept in build/fuzz/corpus, inputs that fail in
# build/fuzz/findings: add those, once understood, to tests/fuzz/corpus.
# LAYOUTD_JOBS bounds the compile jobs (default: all cores).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

seconds=${1:-600}
if [[ ! $seconds =~ ^[1-9][0-9]*$ ]]; then
  echo "usage: tests/fuzz/run.sh [SECONDS]" >&2
  exit 2
fi
jobs=${LAYOUTD_JOBS:-$(nproc)}
build=build/fuzz

deploy/install_packages.sh build test fuzz
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz --parallel "$jobs" \
  --target text_fuzz graph_fuzz proto_fuzz

# Debian's libraries are not instrumented, so a container that crosses into one
# looks overflown.
export ASAN_OPTIONS=detect_container_overflow=0:allocator_may_return_null=1
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1

# NAME PERCENT: runs one of them for its part of the time.
fuzz() {
  mkdir -p $build/corpus/"$1" $build/findings
  echo "run.sh: $1 for $((seconds * $2 / 100)) s"
  nice $build/tests/fuzz/"$1"_fuzz -max_total_time=$((seconds * $2 / 100)) \
    -max_len=2000 -timeout=30 -rss_limit_mb=6000 -print_final_stats=1 \
    -artifact_prefix=$build/findings/"$1"_ "${@:3}" \
    $build/corpus/"$1" tests/fuzz/corpus/"$1"
}
fuzz text 40 -dict=tests/fuzz/program.dict
fuzz graph 40 -len_control=0
fuzz proto 20 -len_control=0 -dict=tests/fuzz/program.dict
