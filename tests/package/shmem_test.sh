#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# The part of package_test.sh for OpenSHMEM: its commands under all their names, pkg-config, and the names of
# other libraries for the linker, with the installed tree after its move. The programs are those of the guide.
#
#   shmem_test.sh PREFIX CC CXX WORK

set -eu
prefix=$1
cc=$2
cxx=$3
work=$4/shmem
here=$(cd "$(dirname "$0")" && pwd)
bin=$prefix/bin
programs=$here/../../docs/guide/shmem
mkdir "$work"
cd "$work"

# Each command by all its names; C++ with another program, which the C compiler refuses.
for command in oshcc shmemcc; do
  "$bin/$command" -O1 "$programs/hello.c" -o "$command.out"
  "$bin/oshrun" -n 3 "./$command.out" | grep -q "PE 2 of 3: 1 is to my left"
done
for command in oshc++ oshCC oshcxx shmemc++ shmemCC shmemcxx; do
  "$bin/$command" -showme "$programs/overloads.cpp" | grep -q "^$cxx .*-I$prefix/include.*-latoll"
done
"$bin/oshc++" "$programs/overloads.cpp" -o overloads
"$bin/shmemrun" -np 2 ./overloads | grep -q "2000 numbers"

"$bin/oshcc" -showme:compile | grep -qx -e "-I$prefix/include"
"$bin/oshcc" -showlibs | grep -q -e "-L$prefix/lib .*-latoll"
[ "$("$bin/oshcc" -showme:libs)" = "atoll m" ]
[ "$(SHMEM_CC=mine "$bin/oshcc" -show -c a.c)" = "mine -I$prefix/include -c a.c" ]
"$bin/oshcc" -c "$programs/heap.c" -o heap.o

# Mathematical functions need no option, as with upcc and upcxx.
cat >root.c <<'END'
#include <math.h>
#include <shmem.h>
int main(int argc, char** argv) {
  (void)argv;
  shmem_init();
  const int fails = pow(argc + 1, 10) != 1024;
  shmem_finalize();
  return fails;
}
END
"$bin/oshcc" root.c -o root
"$bin/oshrun" -n 2 ./root

# Inline code reads a table of the library, so a program of another abi.h is not loaded.
sed -i.own 's/^#define ATOLL_ABI_VERSION .*/#define ATOLL_ABI_VERSION 99u/' "$prefix/include/atoll/abi.h"
cat >other.c <<'END'
#include <shmem.h>
int main(void) {
  static int number;
  shmem_init();
  shmem_int_p(&number, 1, 0);
  shmem_finalize();
  return 0;
}
END
"$bin/oshcc" -O2 other.c -o other >output 2>&1 && exit 1
mv "$prefix/include/atoll/abi.h.own" "$prefix/include/atoll/abi.h"
grep -q "atoll_shmem_direct_4_99u" output
"$bin/oshcc" -O2 other.c -o other
"$bin/oshrun" -n 2 ./other

# The names of libraries that build files use, and the pkg-config module.
for library in sma pmi_simple oshmem; do
  "$cc" -I"$prefix/include" "$programs/counter.c" -o "$library" -L"$prefix/lib" -Wl,-rpath,"$prefix/lib" "-l$library"
  "$bin/oshrun" -n 2 "./$library" | grep -q "1000 tasks are done"
done
PKG_CONFIG_PATH=$prefix/lib/pkgconfig
export PKG_CONFIG_PATH
# shellcheck disable=SC2046 # the flags are words
"$cc" "$programs/teams.c" -o teams $(pkg-config --cflags --libs openshmem)
"$bin/oshrun" -n2 ./teams | grep -q "PE 1 is 1 of 2 in its row"

# A program at a fixed address: its variables have copies of the library's objects among them.
"$bin/oshcc" -O1 -no-pie "$programs/pipeline.c" -o fixed
"$bin/oshrun" -n 2 ./fixed | grep -q "yes"

# The number of PEs behind other options; a bare program is one PE.
"$bin/oshrun" --tag -n 2 ./fixed | grep -q "^\[1\].*yes"
"$bin/oshrun" -n 2 --wrap env ./fixed | grep -q "yes"
"$bin/oshrun" ./oshcc.out | grep -q "PE 0 of 1"

if "$bin/oshrun" -n none ./teams 2>output; then
  echo "oshrun took a number that is none"
  exit 1
fi
grep -q "needs the number of PEs, not 'none'" output
