#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# A stranger's view of the installed package. Installs the build into a temporary folder, moves the
# whole tree (it must not remember where it was), and there builds and runs a CMake project that says
# find_package(atoll) and a make project that asks pkg-config: the C++ core and a GASNet-EX client in
# each thread mode. Nothing of the build tree is used after the install.
#
#   package_test.sh BUILD CMAKE CXX CC

set -eu
build=$1
cmake=$2
CXX=$3
CC=$4
export CXX CC
here=$(cd "$(dirname "$0")" && pwd)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

"$cmake" --install "$build" --prefix "$work/installed" >"$work/install.log"
mkdir "$work/elsewhere"
mv "$work/installed" "$work/elsewhere/atoll"
prefix=$work/elsewhere/atoll
atoll=$prefix/bin/atoll

for wanted in bin/atoll lib/libatoll.so include/atoll/core/runtime.hpp include/gasnetex.h \
  lib/cmake/atoll/atoll-config.cmake lib/pkgconfig/atoll.pc lib/pkgconfig/gasnetex-seq.pc \
  lib/pkgconfig/gasnetex-par.pc lib/pkgconfig/gasnetex-parsync.pc; do
  [ -e "$prefix/$wanted" ] || {
    echo "the installed tree has no $wanted"
    exit 1
  }
done
if grep -rlF -e "$work/installed" -e "$build" "$prefix/lib/cmake" "$prefix/lib/pkgconfig"; then
  echo "these files remember where they were built or installed"
  exit 1
fi

run() { "$atoll" run -n 2 --timeout 30 "$@"; }

echo "== find_package(atoll)"
"$cmake" -S "$here/with_cmake" -B "$work/with_cmake" -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_BUILD_TYPE=Release >"$work/cmake.log" || {
  cat "$work/cmake.log"
  exit 1
}
"$cmake" --build "$work/with_cmake"
run "$work/with_cmake/ring"
run "$work/with_cmake/client"

echo "== pkg-config"
cp -r "$here/with_make" "$work/with_make"
PKG_CONFIG_PATH=$prefix/lib/pkgconfig
export PKG_CONFIG_PATH
make -C "$work/with_make" SOURCES="$here/with_cmake"
run "$work/with_make/ring"
for mode in seq par parsync; do
  run "$work/with_make/client-$mode"
done
echo "the installed package works where it was moved to"
