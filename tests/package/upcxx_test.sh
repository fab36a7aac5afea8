#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# The part of package_test.sh for UPC++: its commands, its CMake package, and a make project that uses
# upcxx-meta, with the installed tree after its move. Most programs here are small; one program that
# includes all of UPC++ is compiled by the wrapper and one by CMake.
#
#   upcxx_test.sh PREFIX CMAKE WORK

set -eu
prefix=$1
cmake=$2
work=$3/upcxx
here=$(cd "$(dirname "$0")" && pwd)
bin=$prefix/bin
mkdir "$work"
cp -r "$here/with_upcxx" "$work/a project"
cd "$work/a project"

# expect WORDS: the last command's output must contain them.
expect() {
  grep -q -e "$1" "$work/output" || {
    echo "not printed: $1, but:"
    cat "$work/output"
    exit 1
  }
}

# expect_absent WORDS: it must not contain them.
expect_absent() {
  if grep -e "$1" "$work/output"; then
    echo "that should not have been printed: $1"
    exit 1
  fi
}

# refused WORDS COMMAND...: the command must fail, and print these words.
refused() {
  words=$1
  shift
  if "$@" >"$work/output" 2>&1; then
    echo "not refused: $*"
    exit 1
  fi
  expect "$words"
}

# The headers are compiled once: by the first program, into a cache; or for all users, by -prepare.
export XDG_CACHE_HOME="$work/cache"
asks() {
  "$bin/upcxx" -v -### ring.cpp "$@" 2>"$work/output" # prints the commands that it would run
}
prepared_headers() {
  expect "^! $XDG_CACHE_HOME/atoll/upcxx/opt-par-.*/upcxx.hpp.gch"
  "$bin/upcxx" -fsyntax-only -H ring.cpp -DUPCXX_MAX_RPC_ARG_SIZE=64 2>"$work/output"
  expect "^x $XDG_CACHE_HOME/.*/upcxx.hpp.gch" # does not fit the macro, and is left alone
  touch "$prefix/include/upcxx/say.hpp"
  asks & # two at once, when a header has changed
  "$bin/upcxx" -v -### ring.cpp >/dev/null 2>&1
  wait $!
  asks
  expect "^upcxx: .* -include $XDG_CACHE_HOME"
  find "$XDG_CACHE_HOME" -name stamps -newer "$prefix/include/upcxx/say.hpp" | grep -q opt-par
  prepared=$(find "$XDG_CACHE_HOME" -name upcxx.hpp.gch | wc -l)
  mkdir -p like/upcxx
  for no in -MD "-include cstdio" "-Wp,-DNDEBUG" "-I like"; do
    # shellcheck disable=SC2086  # two words
    asks $no
    expect_absent "-include $XDG_CACHE_HOME"
  done
  asks -std=c++20 # headers of its own for each standard
  expect "^upcxx: .* -include $XDG_CACHE_HOME"
  [ "$(find "$XDG_CACHE_HOME" -name upcxx.hpp.gch | wc -l)" -gt "$prepared" ]
  UPCXX_PREPARE=no asks
  expect_absent "-include $XDG_CACHE_HOME"
  XDG_CACHE_HOME=/dev/null asks # nowhere to keep them
  "$bin/upcxx" -prepare -O
  XDG_CACHE_HOME=/dev/null asks
  expect "^upcxx: .* -include $prefix/lib/upcxx-prepared/opt-par-"
}

echo "== upcxx and upcxx-run"
"$bin/upcxx" -O -H ring.cpp -o "ring by wrapper" 2>"$work/output"
if "$bin/upcxx-meta" CXX | grep -q clang; then
  expect_absent "^[!x] $XDG_CACHE_HOME"
else
  prepared_headers
fi
"$bin/upcxx" -O -std=c++17 -Wall -Wextra -pedantic -Werror cxx17.cpp -o cxx17_by_wrapper
"$bin/upcxx-run" -n 2 ./cxx17_by_wrapper >"$work/output"
expect "opened 7 in C++17"
"$bin/upcxx-run" -n 2 -localhost -shared-heap 64MB "./ring by wrapper" >"$work/output"
expect "rank 1 of 2: 0 wrote here, 1 wrote to the left"
"$bin/upcxx-run" -np 3 "ring by wrapper" >"$work/output" # found here without ./
expect "rank 0 of 3: 2 wrote here"
GASNET_PSHM_NODES=3 UPCXX_VERBOSE=1 UPCXX_CCS_AUTOVERIFY=1 "./ring by wrapper" >"$work/output" 2>&1
expect "rank 2 of 3: 1 wrote here"
expect "UPC++ on Atoll .*: 3 ranks, 3 share memory"
expect "no effect on UPC++ here: UPCXX_CCS_AUTOVERIFY (code is found"
refused "UPCXX_SHARED_HEAP_SIZE: the value \"much\" is not one" \
  "$bin/upcxx-run" -n 2 -shared-heap much "./ring by wrapper"
"$bin/upcxx-run" -n 4 -vv -show -- prog -n 7 >"$work/output"
expect "run -n 4 --verbose prog -n 7"
expect "UPCXX_VERBOSE = 1"
"$bin/upcxx-run" -n 5 -N 2 -ssh-servers one,two,three -show prog >"$work/output"
expect "run -n 5 --hosts one:3,two:3 prog"
"$bin/upcxx-run" -n 2 -ssh-servers "one one" -show prog >"$work/output"
expect "run -n 2 --hosts one:2 prog"
GASNET_SPAWNFN=C GASNET_CSPAWN_CMD='mpirun -np %N %C' "$bin/upcxx-run" -n 2 -show prog >"$work/output"
expect "run -n 2 --launcher mpirun -np %N %C prog"
refused "GASNET_SPAWNFN=C needs GASNET_CSPAWN_CMD" env GASNET_SPAWNFN=C "$bin/upcxx-run" -n 2 prog
UPCXX_SEGMENT_MB=32 "$bin/upcxx-run" -n 1 -show prog >"$work/output"
expect "UPCXX_SHARED_HEAP_SIZE = 32"
"$bin/upcxx-run" -info "./ring by wrapper" >"$work/output"
expect "$prefix/lib/libatoll"
"$bin/upcxx-run" -help >"$work/output"
expect "shared-heap SIZE"
refused "say by -n how many ranks" "$bin/upcxx-run" ./prog
refused "needs the number of ranks, not '-5'" "$bin/upcxx-run" -n -5 ./prog
refused "unknown option -nodes" "$bin/upcxx-run" -n 2 -nodes 3 ./prog
refused "exclude each other" "$bin/upcxx-run" -n 2 -localhost -ssh-servers a,b ./prog

# The compiler's default standard, which modes.cpp must report where none is given.
default=C++$(echo __cplusplus | "$("$bin/upcxx-meta" CXX)" -E -P -x c++ - | cut -c3-4)

echo "== several files, C, modes"
"$bin/upcxx" -g -std=gnu++14 -c modes.cpp 2>"$work/output"
expect "note: -std=gnu++14 is raised to -std=gnu++17"
"$bin/upcxx" -std=c99 -Werror -c half.c
"$bin/upcxx" -g modes.o half.o -o modes
[ "$(./modes)" = "par debug 1 C++17" ]
echo "-c modes.cpp -o 'its modes.o'" >arguments
"$bin/upcxx" -O -threadmode=seq -network udp -Wc,-Werror @arguments
"$bin/upcxx" -O2 "its modes.o" half.o -o modes
[ "$(./modes)" = "seq opt 0 $default" ]
UPCXX_CODEMODE=debug "$bin/upcxx" modes.cpp half.o -o modes
[ "$(./modes)" = "par debug 1 $default" ]
for standard in gnu++17 c++17 c++1z c++20 gnu++2a; do
  "$bin/upcxx" -std=$standard modes.cpp half.o -o modes 2>"$work/output"
  expect_absent "is raised"
  case $standard in
    *17 | *1z) [ "$(./modes)" = "par opt 0 C++17" ] ;;
    *) [ "$(./modes)" = "par opt 0 C++20" ] ;;
  esac
done
"$bin/upcxx" -shared -fPIC half.o -o half.so
"$bin/upcxx" -E -codemode=debug modes.cpp | grep -q 'int main'
"$bin/upcxx" -MM modes.cpp | grep -q "version.hpp"
refused "is C: compile it with -c" "$bin/upcxx" half.c
refused "is C++: compile each by itself" "$bin/upcxx" -c half.c modes.cpp
refused "give opt" "$bin/upcxx" -codemode=fast -c modes.cpp
refused "network is chosen" "$bin/upcxx" -network=fast -c modes.cpp
"$bin/upcxx" -v -purge-option=-O3 -E -O modes.cpp 2>"$work/output" >preprocessed
if grep "^upcxx:.* -O3 " "$work/output"; then
  echo "upcxx does not leave out what it was asked to"
  exit 1
fi
"$bin/upcxx" --version >"$work/output"
expect "^UPC++ version 20.* on Atoll"
"$bin/upcxx" -info >"$work/output"
expect "^prefix:  *$prefix"

echo "== another compiler"
ours=$("$bin/upcxx-meta" CXX)
mkdir "$work/mpi tools"
mpicxx="$work/mpi tools/mpicxx"
printf '#!/bin/sh\necho "mpicxx $*" >>"%s/called"\nexec %s -DBY_MPICXX "$@"\n' "$work" "$ours" >"$mpicxx"
printf '#!/bin/sh\necho "again $*" >>"%s/called"\nexec "%s/upcxx" "$@"\n' "$work" "$bin" >"$mpicxx-again"
chmod +x "$mpicxx" "$mpicxx-again"
printf 'all:\n\t$(CXX) -c modes.cpp\n' >plain.mak
calls() { # COUNT COMMAND...: the command starts that compiler as often
  wanted=$1
  shift
  : >"$work/called"
  "$@" >"$work/output" 2>&1 || {
    cat "$work/output"
    exit 1
  }
  [ "$(wc -l <"$work/called")" = "$wanted" ] || {
    echo "not called $wanted times: $*"
    exit 1
  }
}
calls 1 env CXX="$mpicxx" "$bin/upcxx" -O -c modes.cpp
grep -q -e "-O3" "$work/called"
calls 1 env CXX=no-compiler UPCXX_CXX="$mpicxx" "$bin/upcxx" -c modes.cpp
calls 1 env UPCXX_CXX="$mpicxx" PATH="$bin:$PATH" make -s -f plain.mak CXX=upcxx
calls 0 env -u UPCXX_CXX PATH="$bin:$PATH" make -s -f plain.mak CXX=upcxx
calls 1 env UPCXX_CXX="$mpicxx-again" "$bin/upcxx" -c modes.cpp # and then ours
calls 0 env CXX="env LANG=C $ours" "$bin/upcxx" -c modes.cpp   # of several words
[ "$(CXX=$mpicxx "$bin/upcxx-meta" CXX)" = "$mpicxx" ]
[ "$(CXX="$bin/upcxx" "$bin/upcxx-meta" CXX)" = "$("$bin/upcxx-meta" CXX)" ]
[ "$(UPCXX_CC=mpicc "$bin/upcxx-meta" CC)" = mpicc ]
refused "there is no compiler no-compiler; set UPCXX_CXX" env CXX=no-compiler "$bin/upcxx" -c modes.cpp
if ! "$bin/upcxx-meta" CXX | grep -q clang; then # headers of its own, since it may define something
  asks
  sed -n 's/^upcxx: .* -include \([^ ]*\).*/\1/p' "$work/output" >"$work/of ours"
  UPCXX_CXX="$mpicxx" asks
  expect "^upcxx: .* -include $XDG_CACHE_HOME"
  expect_absent "-include $(cat "$work/of ours")"
fi
if command -v mpicxx >/dev/null; then # needs the flags and the libraries of both
  cat >hybrid.cpp <<'END'
#include <mpi.h>
#include <upcxx/version.hpp>
#include <iostream>
int main() {
  int major = 0, minor = 0;
  MPI_Get_version(&major, &minor);
  std::cout << "UPC++ " << upcxx::release_version() << " with MPI " << major << std::endl;
}
END
  UPCXX_CXX=mpicxx "$bin/upcxx" hybrid.cpp -o hybrid
  ./hybrid >"$work/output"
  expect "^UPC++ 20[0-9]* with MPI"
fi

echo "== upcxx-meta"
UPCXX_CODEMODE=debug UPCXX_THREADMODE=seq make -s UPCXX_INSTALL="$prefix" clean all
[ "$(./modes)" = "seq debug 1 $default" ]
UPCXX_THREADMODE=seq make -s UPCXX_INSTALL="$prefix" modes_cxx20
[ "$(./modes_cxx20)" = "seq opt 0 C++20" ]
make -s UPCXX_INSTALL="$prefix" cxx17
[ "$(./cxx17)" = "opened 7 in C++17" ]
[ "$("$bin/upcxx-meta" LIBS)" = "$("$bin/upcxx-meta" LIBFLAGS)" ]
[ "$(eval "$("$bin/upcxx-meta" DUMP)" && echo "$CXX")" = "$("$bin/upcxx-meta" CXX)" ]
refused "give one of: CC " "$bin/upcxx-meta" NOTHING
refused "UPCXX_THREADMODE is 'two'" env UPCXX_THREADMODE=two "$bin/upcxx-meta" CXX

echo "== find_package(UPCXX)"
"$cmake" -S . -B build -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Release >"$work/output" || {
  cat "$work/output"
  exit 1
}
expect "found UPC++ 20[0-9.]*: par opt"
"$cmake" --build build
"$bin/upcxx-run" -n 2 build/ring >"$work/output"
expect "rank 1 of 2: 0 wrote here"
[ "$(build/modes)" = "par opt 0 $default" ]
[ "$(build/modes_cxx20)" = "par opt 0 C++20" ]
"$bin/upcxx-run" -n 2 build/cxx17 >"$work/output"
expect "opened 7 in C++17"
