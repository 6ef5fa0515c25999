#!/usr/bin/env bash
# Runs the ocean diagnosis on a running layoutd: uploads the fields, sets the
# mask, runs ocean.program, prints its numbers, streams `heat` back. Fails if a
# number is not the expected one.
#
#   run.sh FOLDER [--layout KIND] [--replace]
#
# FOLDER takes the .npy and .json files. --layout: VIJFH (default) or VIJHF.
# --replace first deletes the fields and the mask that an earlier run left.
# LAYOUTD_TARGET names the server, LAYOUTCTL the client (default: on PATH).
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

usage() {
  echo "usage: run.sh FOLDER [--layout KIND] [--replace]" >&2
  exit 2
}
[[ $# -gt 0 && $1 != -* ]] || usage
folder=$1
shift
layout=VIJFH
replace=no
while [[ $# -gt 0 ]]; do
  case $1 in
    --layout)
      [[ $# -gt 1 ]] || usage
      layout=$2
      shift
      ;;
    --replace) replace=yes ;;
    *) usage ;;
  esac
  shift
done

ctl() { "${LAYOUTCTL:-layoutctl}" "$@"; }
# Says nothing unless it fails.
quietly() {
  local output
  output=$(ctl "$@" 2>&1) || {
    echo "run.sh: layoutctl $*: $output" >&2
    exit 1
  }
}
# NAME NV NI NJ NH [ATTRIBUTES]
create() {
  local name=$1 nv=$2 ni=$3 nj=$4 nh=$5
  shift 5
  quietly field create "$name" --layout "$layout" --type f64 \
    --nv "$nv" --ni "$ni" --nj "$nj" --nh "$nh" "$@"
}
put() { quietly field put "$1" "$folder/$1.npy"; }
exists() { ctl "$1" show "$2" >/dev/null 2>&1; }

/usr/bin/python3 "$here/prepare.py" "$folder"

if [[ $replace == yes ]]; then
  if exists mask ocean; then quietly mask delete ocean; fi
  for name in temp dz depth area d20 heat; do
    if exists field "$name"; then quietly field delete "$name"; fi
  done
fi

create temp 20 4 4 4050 --attr units=degC
create dz 20 1 1 1 --attr units=m
create depth 20 1 1 1 --attr units=m
create area 1 4 4 4050 --attr units=m2
create d20 1 4 4 4050 --attr units=m
for name in temp dz depth area; do put "$name"; done

quietly mask create ocean --like temp
quietly mask set ocean --where 'isfinite(at(temp, 0))'
ctl --json mask show ocean >"$folder/mask.json"
ctl --json run -f "$here/ocean.program" >"$folder/run.json" || {
  cat "$folder/run.json" >&2
  exit 1
}
/usr/bin/python3 "$here/report.py" "$folder/run.json" "$folder/mask.json"

quietly field get heat "$folder/heat.npy"
/usr/bin/python3 "$here/check.py" "$folder"
