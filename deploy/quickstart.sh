#!/usr/bin/env bash
# From a fresh Debian 12 machine to an answer: installs what is missing, builds,
# starts layoutd on a free loopback port, runs the ocean diagnosis, prints its
# table and stops the server.
#
#   deploy/quickstart.sh [--keep]     --keep: leave the server running
#
# Safe to run again. LAYOUTD_JOBS bounds the compile jobs (default: all cores).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

keep=no
case "${1-}" in
  "") ;;
  --keep) keep=yes ;;
  *)
    echo "usage: deploy/quickstart.sh [--keep]" >&2
    exit 2
    ;;
esac

build=$PWD/build/release
work=$build/quickstart
server_log=$work/layoutd.log
server_pid=

step() { printf '[%4d s] %s\n' "$SECONDS" "$*"; }
fail() {
  echo "quickstart: $*" >&2
  exit 1
}
# Shows a step's output only if it fails.
quietly() {
  local log=$1
  shift
  "$@" >"$log" 2>&1 || {
    tail -n 60 "$log" >&2
    fail "failed: $* (whole output: $log)"
  }
}
stop_server() {
  if [[ -n $server_pid ]]; then
    kill "$server_pid" 2>/dev/null || true
    wait "$server_pid" 2>/dev/null || true
    server_pid=
  fi
}
trap stop_server EXIT
trap 'exit 130' INT TERM

step "packages"
# The tests' packages too: tests/check.sh shares this build folder, and one
# configuration serves both.
deploy/install_packages.sh build test demo

step "build (release) in $build; from nothing this takes minutes"
mkdir -p "$work"
compile=(cmake --build --preset release --parallel "${LAYOUTD_JOBS:-$(nproc)}"
  --target layoutd layoutctl)
quietly "$work/configure.log" cmake --preset release
if [[ -t 1 ]]; then
  "${compile[@]}" || fail "the build failed, see above"
else
  quietly "$work/build.log" "${compile[@]}"
fi

step "start layoutd"
if [[ $keep == yes ]]; then
  # Detached, so that it outlives this terminal.
  setsid "$build/server/layoutd" --listen 127.0.0.1:0 \
    >"$server_log" 2>&1 </dev/null &
else
  "$build/server/layoutd" --listen 127.0.0.1:0 >"$server_log" 2>&1 &
fi
server_pid=$!
target=
for _ in $(seq 200); do
  target=$(sed -n 's/^layoutd listening on \([^, ]*\).*/\1/p' "$server_log")
  [[ -z $target ]] || break
  kill -0 "$server_pid" 2>/dev/null || break
  sleep 0.1
done
if [[ -z $target ]]; then
  cat "$server_log" >&2
  fail "layoutd did not start, see above"
fi
step "layoutd listens on $target (pid $server_pid)"

step "ocean diagnosis"
LAYOUTD_TARGET=$target LAYOUTCTL=$build/client/cpp/layoutctl \
  deploy/demo/ocean/run.sh "$work"

if [[ $keep == yes ]]; then
  step "done; layoutd is left running"
  cat <<TEXT

  export LAYOUTD_TARGET=$target
  $build/client/cpp/layoutctl field list
  kill $server_pid        # stops it
TEXT
  server_pid=
else
  stop_server
  step "done; layoutd is stopped"
fi
