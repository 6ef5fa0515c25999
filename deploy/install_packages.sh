#!/usr/bin/env bash
# Installs the Debian 12 packages that layoutd needs, and only those that are
# missing. The one list that the quickstart, the checks and the Dockerfile use.
#
#   deploy/install_packages.sh GROUP...      GROUP: build, test, fuzz, demo, runtime
#
# Needs root, or sudo. Asks nothing.
set -euo pipefail

# What compiles layoutd and layoutctl.
build=(
  cmake ninja-build ccache g++ pkg-config
  libgrpc++-dev protobuf-compiler protobuf-compiler-grpc libprotobuf-dev
  libabsl-dev libtbb-dev llvm-19-dev
  libcli11-dev nlohmann-json3-dev libspdlog-dev
)
# What the test suite needs beyond that.
test=(
  libgtest-dev libgmock-dev libbenchmark-dev libmpfr-dev clang-format-14
  python3
)
# What the fuzzers need: tests/fuzz/run.sh.
fuzz=(clang-14 libclang-rt-14-dev)
# What the ocean demo needs: the data, and NumPy to prepare and check it.
demo=(ferret-datasets python3 python3-numpy python3-netcdf4)
# What the two programs load when they run.
runtime=(libgrpc++1.51 libllvm19 libprotobuf32 libspdlog1.10 libtbb12)

usage() {
  echo "usage: deploy/install_packages.sh build|test|fuzz|demo|runtime ..." >&2
  exit 2
}

[[ $# -gt 0 ]] || usage
wanted=()
for group in "$@"; do
  case $group in
    build) wanted+=("${build[@]}") ;;
    test) wanted+=("${test[@]}") ;;
    fuzz) wanted+=("${fuzz[@]}") ;;
    demo) wanted+=("${demo[@]}") ;;
    runtime) wanted+=("${runtime[@]}") ;;
    *) usage ;;
  esac
done

if ! command -v apt-get >/dev/null; then
  echo "install_packages: no apt-get here; needed are: ${wanted[*]}" >&2
  exit 1
fi

missing=()
for package in "${wanted[@]}"; do
  [[ " ${missing[*]} " != *" $package "* ]] || continue
  state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [[ $state == installed ]] || missing+=("$package")
done
[[ ${#missing[@]} -gt 0 ]] || exit 0

as_root=()
if [[ $(id -u) -ne 0 ]]; then
  if ! command -v sudo >/dev/null; then
    echo "install_packages: run as root (no sudo here): ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

echo "installing ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# apt-get is quiet unless it fails; then its whole output is worth seeing.
install() {
  "${as_root[@]}" apt-get update &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y --no-install-recommends "${missing[@]}"
}
if ! install >"$log" 2>&1; then
  cat "$log" >&2
  echo "install_packages: apt-get failed, see above" >&2
  exit 1
fi
