#!/usr/bin/env bash
# Builds and runs engine_bench and prints what tests/bench/README.md keeps: the
# machine, the date, the commit and the table of goals, as Markdown.
#
#   tests/bench/run.sh [ARGUMENT OF engine_bench]...
#
# The JSON goes to build/release/engine_bench.json, Google Benchmark's own lines
# to build/release/engine_bench.txt.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

build=build/release
failed=0
cmake --preset release >/dev/null
cmake --build --preset release --target engine_bench >/dev/null

table=$(mktemp)
trap 'rm -f "$table"' EXIT
"$build/tests/bench/engine_bench" --benchmark_out="$build/engine_bench.json" \
  --benchmark_out_format=json "$@" >"$build/engine_bench.txt" 2>"$table" ||
  failed=1

cpu=$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -1)
family=$(sed -n 's/^cpu family[[:space:]]*: //p' /proc/cpuinfo | head -1)
model=$(sed -n 's/^model[[:space:]]*: //p' /proc/cpuinfo | head -1)
memory=$(awk '/MemTotal/ {printf "%.0f GiB", $2 / 1048576}' /proc/meminfo)
commit=$(git rev-parse --short HEAD)
[[ -z $(git status --porcelain) ]] || commit+=" and changes"
echo "$cpu (family $family, model $model), $(nproc) CPUs, $memory;" \
  "$(date -u +%Y-%m-%d); commit $commit; load $(cut -d' ' -f1 /proc/loadavg)"
echo
grep '^|' "$table"
exit "$failed"
