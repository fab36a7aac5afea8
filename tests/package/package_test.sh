#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# The installed package as its users see it. Installs the build into a temporary folder, moves the
# whole tree (it must not depend on its place), and there builds and runs a CMake project that uses
# find_package(atoll) and a make project that uses pkg-config: the C++ core and a GASNet-EX client in
# each thread mode. UPC++ is in upcxx_test.sh. Nothing of the build tree is used after the install.
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

for wanted in bin/atoll lib/libatoll.so include/atoll/core/job/runtime.hpp include/gasnetex.h \
  include/atoll-gasnet/gasnetex.h include/smp-conduit/gasnet_core.h lib/libgasnet-smp-seq.a lib/cmake/atoll/atoll-config.cmake lib/pkgconfig/atoll.pc lib/pkgconfig/gasnetex-seq.pc \
  lib/pkgconfig/gasnetex-par.pc lib/pkgconfig/gasnetex-parsync.pc; do
  [ -e "$prefix/$wanted" ] || {
    echo "the installed tree has no $wanted"
    exit 1
  }
done
if grep -rlF -e "$work/installed" -e "$build" "$prefix/lib/cmake" "$prefix/lib/pkgconfig" \
  "$prefix"/include/*.mak "$prefix"/include/*/*.mak $(find "$prefix/bin" -name "*run*" -o -name "upcxx*" -o -name "upcc"); then
  echo "these files remember where they were built or installed"
  exit 1
fi

echo "== the public headers, and no others but what they include"
sed -n 's,^    \(atoll/[a-z_/]*\.hp*\) .*,#include <\1>,p' "$here/../../cmake/public_headers.cmake" >"$work/all.cpp"
grep -q 'core/rma/rma.hpp' "$work/all.cpp"
"$CXX" -std=c++20 -Wall -Wextra -Wno-missing-field-initializers -fsyntax-only -I"$prefix/include" "$work/all.cpp"
python3 -B "$here/public_headers_test.py" "$here/../.." "$prefix/include"
for private in core/job/core_access.hpp core/job/layer_access.hpp core/segment/segment_access.hpp coll/engine \
  transport/shm/context.hpp transport/transport_module.hpp core/rma/reference_transfers.hpp transport/ofi transport/loop \
  bootstrap/wire.hpp coll/shared memory/device/cuda_driver.hpp; do
  if [ -e "$prefix/include/atoll/$private" ]; then
    echo "atoll/$private is installed, and is no part of the interface"
    exit 1
  fi
done

echo "== the names that the library shows"
nm -D --defined-only "$prefix/lib/libatoll.so" | awk '{print $3}' | grep -v '@@ATOLL_[0-9.]*$' |
  grep -v '^ATOLL_[0-9.]*$' >"$work/unversioned" || true
nm -DC --defined-only "$prefix/lib/libatoll.so" | grep -v 'atl::\|upcxx::\|atoll_\|gex_\|gasnet\|ATOLL_\|shmem\| b\?upc_\| p\?sh\(malloc\|free\|realloc\)$\| p\?start_pes$\| p\?_\(my_pe\|num_pes\)$' >"$work/foreign" || true
if [ -s "$work/unversioned" ] || [ -s "$work/foreign" ]; then
  echo "libatoll.so shows names without its version, or names of others"
  cat "$work/unversioned" "$work/foreign"
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
run "$work/with_cmake/neighbour" | grep -q "PE 1 has the number of PE 0"

echo "== a program that is older than a header"
cp -r "$prefix/include" "$work/older"
sed -i '/^struct transfer_options {/a\  std::size_t one_more = 0;' "$work/older/atoll/core/segment/segment.hpp"
"$CXX" -std=c++20 -O1 -I"$work/older" "$here/with_cmake/core_ring.cpp" -o "$work/older/ring" \
  -L"$prefix/lib" -latoll -pthread -Wl,-rpath,"$prefix/lib"
if run "$work/older/ring" >"$work/output" 2>&1; then
  echo "a program of another layout ran"
  exit 1
fi
grep -q "compiled with the headers of another library than it runs with, which is $prefix" "$work/output" || {
  cat "$work/output"
  exit 1
}

if [ -e "$prefix/include/upcxx" ]; then
  cp -r "$prefix/include" "$work/newer"
  sed -i 's/^#define ATOLL_ABI_VERSION .*/#define ATOLL_ABI_VERSION 99u/' "$work/newer/atoll/abi.h"
  printf '#include <upcxx/upcxx.hpp>\nint main() { upcxx::init(); upcxx::finalize(); }\n' >"$work/newer/empty.cpp"
  "$CXX" -std=c++17 -O1 -I"$work/newer" "$work/newer/empty.cpp" -o "$work/newer/empty" \
    -L"$prefix/lib" -latoll -pthread -Wl,-rpath,"$prefix/lib"
  if run "$work/newer/empty" >"$work/output" 2>&1; then
    echo "a UPC++ program for other routes ran"
    exit 1
  fi
  grep -q "compiled with the headers of another library than it runs with" "$work/output"
fi

echo "== programs of other minor versions of atoll/abi.h"
minor=$(sed -n 's/^#define ATOLL_ABI_MINOR \([0-9]*\)u$/\1/p' "$prefix/include/atoll/abi.h")
printf '#include <atoll/abi.h>\nint main(void) { return atoll_library_heaps(ATOLL_ABI) != NULL; }\n' >"$work/heaps.c"
for other in 0 $((minor + 1)); do
  mkdir -p "$work/minor/atoll"
  sed "s/^#define ATOLL_ABI_MINOR .*/#define ATOLL_ABI_MINOR ${other}u/" "$prefix/include/atoll/abi.h" \
    >"$work/minor/atoll/abi.h"
  "$CC" -std=c11 -I"$work/minor" "$work/heaps.c" -o "$work/heaps" -L"$prefix/lib" -latoll -Wl,-rpath,"$prefix/lib"
  if [ "$other" -le "$minor" ]; then
    "$work/heaps"
  elif "$work/heaps" 2>"$work/output"; then
    echo "a program for a newer minor version ran"
    exit 1
  else
    grep -q "compiled with atoll/abi.h of version [0-9]*\.$other, but" "$work/output"
  fi
done

echo "== a program that opens the library late"
# Libraries that are loaded late share a small thread-local area, of which the C library keeps 128 bytes.
late=$(readelf -lW "$prefix/lib/libatoll.so" | awk '$1 == "TLS" { print $6 }')
if [ $((late)) -gt 64 ]; then
  echo "libatoll.so has $((late)) bytes of thread-local storage, more than 64"
  exit 1
fi
version=$(sed -n 's/^#define ATOLL_ABI_VERSION \([0-9]*\).*/\1/p' "$prefix/include/atoll/abi.h")
GLIBC_TUNABLES=glibc.rtld.nns=1:glibc.rtld.optional_static_tls=128 python3 -c '
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
library.atoll_library_heaps.restype = ctypes.c_void_p
version = int(sys.argv[2])
assert library.atoll_library_heaps(version) is None  # no front has started
' "$prefix/lib/libatoll.so" "$version"

echo "== pkg-config"
cp -r "$here/with_make" "$work/with_make"
PKG_CONFIG_PATH=$prefix/lib/pkgconfig
export PKG_CONFIG_PATH
make -C "$work/with_make" SOURCES="$here/with_cmake"
run "$work/with_make/ring"
for mode in seq par parsync; do
  run "$work/with_make/client-$mode"
done

echo "== a module that is not there"
mkdir "$work/alone"
cp "$atoll" "$work/alone"
(cd "$work/alone" && PATH=$work/alone:$PATH && atoll info) >"$work/output"
real=$(cd "$work" && pwd -P)
grep -q "there is no libatoll_ofi.so in $real/alone, nor in $real/lib" "$work/output" || {
  cat "$work/output"
  exit 1
}

echo "== the names of GASNet"
conduits=$(make -s -C "$prefix/share/gasnet" echovar VARNAME=CONDUITS | sed 's/.*="\(.*\)".*/\1/')
if [ -e "$prefix/lib/libatoll_ofi.so" ]; then
  [ "$conduits" = "smp udp mpi ofi ucx ibv" ]
else
  [ "$conduits" = smp ] # the other conduits need a network
fi
for built in "smp seq" "smp par" "udp parsync" "mpi seq" "ofi par" "ucx seq" "ibv par"; do
  conduit=${built% *}
  mode=${built#* }
  case " $conduits " in
    *" $conduit "*) ;;
    *) continue ;;
  esac
  dir=$work/with_gasnet-$conduit-$mode
  cp -r "$here/with_gasnet" "$dir"
  make -s -C "$dir" CONDUIT="$conduit" MODE="$mode" PREFIX="$prefix"
  # The flags for a client name no folder with headers of other languages, which would hide the client's own.
  for folder in $(make -s -C "$dir" CONDUIT="$conduit" MODE="$mode" PREFIX="$prefix" folders) \
    $(pkg-config --cflags-only-I "gasnet-$conduit-$mode" "gasnetex-$mode" | sed 's/-I//g'); do
    if [ -e "$folder/upcxx" ] || [ -e "$folder/atoll/core" ]; then
      echo "clients of GASNet get $folder, where headers of other languages are"
      exit 1
    fi
  done
  for program in by_fragment by_fragment_cxx by_module by_place; do
    run "$dir/$program" >"$work/output"
    grep -q "CONDUIT=$(echo "$conduit" | tr a-z A-Z)(.*: 2 ranks" "$work/output"
  done
  # This program has no path to the library; the launcher gasnetrun_* adds it.
  "$prefix/bin/gasnetrun_$conduit" -n 3 -N 1 -E HOME,PATH -- "$dir/by_name" | grep -q ": 3 ranks"
done
if [ -e "$prefix/bin/amudprun" ]; then
  "$prefix/bin/amudprun" -np 2 "$work/with_gasnet-udp-parsync/by_fragment" | grep -q ": 2 ranks"
  GASNET_SPAWNFN=C GASNET_CSPAWN_CMD='mpirun -np %N %C' "$prefix/bin/amudprun" -np 2 -t ./nothing |
    grep -q -- "--launcher mpirun -np %N %C ./nothing"
fi
"$prefix/bin/gasnetrun_smp" -n 2 -t ./nothing | grep -q "run -n 2 --same-addresses *./nothing"
if "$prefix/bin/gasnetrun_smp" ./nothing >"$work/output" 2>&1; then
  echo "gasnetrun_smp started without a number of ranks"
  exit 1
fi
grep -q "say by -n how many ranks" "$work/output"
program=$work/with_gasnet-smp-seq/same_layout
make -s -C "$work/with_gasnet-smp-seq" CONDUIT=smp MODE=seq PREFIX="$prefix" same_layout
[ "$(grep -ac GASNetConduitName: "$program")" = 1 ] || {
  echo "each object file of $program tells its conduit, not the program once"
  exit 1
}
if "$prefix/bin/gasnetrun_smp" -n 2 true 2>&1 | grep "not possible here"; then
  echo "addresses stay random: not tested"
else
  "$prefix/bin/gasnetrun_smp" -n 3 "$program" | grep -q "same on 3 ranks"
  GASNET_PSHM_NODES=3 "$program" | grep -q "same on 3 ranks"
fi
"$cmake" -S "$here/with_gasnet" -B "$work/with_gasnet" >"$work/cmake.log" || {
  cat "$work/cmake.log"
  exit 1
}
"$cmake" --build "$work/with_gasnet"
run "$work/with_gasnet/by_cmake"
run "$work/with_gasnet/by_library"
for module in gasnet_tools-seq gasnet_tools-par; do
  pkg-config --exists "$module"
  [ -n "$(pkg-config "$module" --variable=GASNETTOOLS_LIBS)" ]
done

echo "== what stands for a build tree of GASNet"
tree=$work/linked # clients link to it
ln -s "$prefix/share/gasnet" "$tree"
for config in "$tree/gasnet_config.h" "$prefix/include/gasnet_config.h"; do
  grep -q "EX_SPEC_VERSION_MAJOR 0" "$config"
  grep -qx "#define GASNET_RELEASE_VERSION_MAJOR [0-9]*" "$config"
  grep -qx "#define GASNET_RELEASE_VERSION_MINOR [0-9]*" "$config"
  grep -qx "#define GASNET_RELEASE_VERSION_PATCH [0-9]*" "$config"
done
# A configure script compiles a header, without any flags, to find out whether a conduit is installed.
echo "#include \"$prefix/include/smp-conduit/gasnet_core.h\"" >"$work/probe.c"
"$CC" -fsyntax-only "$work/probe.c"
make -s -C "$tree" all
make -s -C "$tree/smp-conduit" seq smp-seq.mak
make -s -C "$tree" install prefix="$work/client/gasnet.opt"
[ -x "$work/client/gasnet.opt/bin/gasnetrun_smp" ]
echo 'CONDUITS = @CONDUITS@' >"$work/template"
(cd "$tree" && CONFIG_FILES="$work/filled:$work/template" ./config.status)
grep -qx "CONDUITS = $conduits" "$work/filled"
cp -r "$here/with_gasnet" "$work/with_tree"
sed -i "s|^include .*|include $tree/smp-conduit/smp-seq.mak|" "$work/with_tree/Makefile"
make -s -C "$work/with_tree" CONDUIT=smp MODE=seq PREFIX="$prefix" by_fragment
run "$work/with_tree/by_fragment"

if [ -e "$prefix/libexec/atoll/bench_curves" ]; then
  echo "== atoll bench"
  "$atoll" bench rate --quick --turns 1 --peers none --output "$work/figures.json"
  "$atoll" bench compare "$work/figures.json" "$work/figures.json"
  [ -z "$(find "$prefix/share/atoll" -name __pycache__)" ]
fi

if [ -e "$prefix/include/upcxx" ]; then
  "$here/upcxx_test.sh" "$prefix" "$cmake" "$work"
fi

"$here/shmem_test.sh" "$prefix" "$CC" "$CXX" "$work"
"$here/coarray_test.sh" "$prefix" "$cmake" "$work"
"$here/upc_test.sh" "$prefix" "$cmake" "$CC" "$CXX" "$work"

echo "the installed package works where it was moved to"
