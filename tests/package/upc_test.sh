#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# The part of package_test.sh for UPC: upcc, upc, upcrun, the function of the CMake package and the pkg-config module,
# with the installed tree after its move. The programs are those of the guide and of with_upc/. Prints a line and tests
# nothing where the build has no translator.
#
#   upc_test.sh PREFIX CMAKE CC CXX WORK

set -eu
prefix=$1
cmake=$2
cc=$3
cxx=$4
work="$5/with blank"
here=$(cd "$(dirname "$0")" && pwd)
guide=$here/../../docs/guide/upc
upcc=$prefix/bin/upcc
upcrun=$prefix/bin/upcrun

if [ ! -e "$upcc" ]; then
  echo "skipped: UPC: the translator was not built"
  exit 0
fi
mkdir "$work"
cd "$work"
cp -r "$here/with_upc" "some units" # from here on, all paths have blanks
units=$work/some\ units
unset UPCC_FLAGS UPCRUN_FLAGS
HOME=$work
export HOME

fail() {
  echo "$*"
  exit 1
}

# refuses WORDS COMMAND...: the command must fail, and print these words.
refuses() {
  words=$1
  shift
  if "$@" >output 2>&1; then fail "this went on: $*"; fi
  grep -q -e "$words" output || {
    cat output
    fail "this did not say '$words': $*"
  }
}

echo "== one command, and starting"
"$upcc" "$guide/hello.upc" -o "my hello"
"$upcrun" -n 3 "./my hello" >output
[ "$(sort output | tail -n 1)" = "thread 2 of 3: 1 is to my left" ] || fail "upcrun -n 3"
"$upcrun" -np 2 -q -shared-heap 64MB "my hello" | grep -q "thread 1 of 2"
"$upcrun" -n2 -shared-heap=1GB "./my hello" | grep -q "thread 1 of 2"
UPCRUN_FLAGS="-n 2" "$upcrun" "./my hello" | grep -q "thread 1 of 2"
"./my hello" | grep -q "thread 0 of 1"
sed -i.own 's/^#define ATOLL_ABI_VERSION .*/#define ATOLL_ABI_VERSION 99u/' "$prefix/include/atoll/abi.h"
"$upcc" "$guide/hello.upc" -o "hello of another"
mv "$prefix/include/atoll/abi.h.own" "$prefix/include/atoll/abi.h"
refuses "hello.upc.*it was translated for version .* of the library" "./hello of another"
"./my hello" -n 3 | grep -q "thread 2 of 3"
"./my hello" -fupc-threads-2 | grep -q "thread 1 of 2"
"$upcrun" -n 2 --tag "./my hello" | grep -q "^\[1\] thread 1 of 2"
"$upcrun" -show -n 4 -bind-threads "./my hello" 2>&1 | grep -q "run -n 4 --bind core './my hello'"
"$upcrun" -i "./my hello" | grep -q "threads: *any number"
refuses "needs a number, not 'none'" "$upcrun" -n none "./my hello"
refuses "there is no program" "$upcrun" -n 2
refuses "say how many by -n" "$upcrun" "./my hello"

"$upcrun" -help | grep -q "UPC_CACHE=no" || fail "upcrun -help and variables"
for option in -tv -notv -inst -noinst -size-warn -nosize-warn -require-size -norequire-size -opt -noopt -nopthreads \
  -bupc -gupc -cupc -cupc2c; do
  "$upcc" $option -c "$guide/hello.upc" -o accepted.o >output 2>&1 && [ ! -s output ] || fail "upcc $option: $(cat output)"
done

echo "== a number of threads"
"$prefix/bin/upc" -fupc-threads-3 -O2 "$guide/hello.upc" -o fixed
"$upcrun" ./fixed | grep -q "thread 2 of 3"
"$upcrun" -n 3 ./fixed | grep -q "thread 2 of 3"
./fixed | grep -q "thread 2 of 3"
"$upcrun" -i ./fixed | grep -q "threads: *3"
refuses "3" "$upcrun" -n 2 ./fixed
refuses "is no number of threads" "$upcc" -T none "$guide/hello.upc"
refuses "both 3 and 4 threads" "$upcc" -T 3 -T4 "$guide/hello.upc"

echo "== objects, archives, C and C++"
"$upcc" -c "$units/main.upc"
"$upcc" -c -O "$units/ring.upc" -o ring.o
"$cc" -c "$units/average.c"
"$upcc" main.o ring.o average.o -o rings
"$upcrun" -n 2 ./rings | grep -q "thread 1 of 2: 0"
ar rcs libring.a ring.o average.o
"$upcc" main.o -L. -lring -o by_archive
"$upcrun" -n 2 ./by_archive | grep -q "thread 1 of 2: 0"
ar rcs libmain.a main.o
"$upcc" -L. -lmain -lring -o main_in_archive
"$upcrun" -n 2 ./main_in_archive | grep -q "thread 1 of 2: 0"
"$cxx" -c "$units/print.cpp"
"$upcc" -DBY_CXX "-I$units" "$units/main.upc" "$units/ring.upc" -x c "$units/average.c" -x none print.o \
  -link-with="$cxx" -o mixed
"$upcrun" -n 2 ./mixed | grep -q "thread 1 of 2: 0"
cp "$units/ring.upc" ring.c # .c is UPC too
"$upcc" -I"$units" ring.c main.o average.o -o from_c
"$upcrun" -n 2 ./from_c | grep -q "thread 1 of 2: 0"
"$upcc" -extern-main -x c "$units/plain_main.c" -x none ring.o -o main_in_c
"$upcrun" -n 2 ./main_in_c | grep -q "told by C"
"$upcc" -T4 -I"$units" -c "$units/ring.upc" -o four.o
refuses "main.o is compiled for any number of threads, four.o for 4 threads" "$upcc" main.o four.o average.o
refuses "compile it with -T 4" "$upcc" -T 4 main.o ring.o average.o
"$cc" -c "$units/plain_main.c"
refuses "has a main that is not UPC" "$upcc" plain_main.o ring.o

echo "== the steps of a compilation"
"$upcc" -trans "$guide/list.upc"
"$upcc" list.trans.c -o list
"$upcrun" -n 2 ./list | grep -q "thread 1 sees 3 parts"
"$upcc" -E -DNUMBER=17 -T 2 - >output <<'END'
int number = NUMBER + THREADS;
END
grep -q "int number = 17 + 2" output
"$upcc" -save-temps -smart-output "$guide/counter.upc"
for made in counter counter.o counter.trans.c; do [ -e "$made" ] || fail "-save-temps left no $made"; done
"$upcc" -MD -c -I"$units" "$units/main.upc" -o depends.o
grep -q "ring.uph" depends.d
"$upcc" -Wc,"-O2 -std=gnu99 " -Wl, -Wp,"-DA -DB" -c "$guide/hello.upc" -o words.o || fail "several words behind -Wc,"
"$upcc" -shared-heap=64MB -Wc,-DX=1,2 -Wl,-Map=map,-z,now -network=smp -pthreads=2 -g -lines "$guide/heat.upc" -o heat
[ -e map ]
"$upcrun" -n 2 ./heat | grep -q "1000.000"
UPCC_FLAGS="-smart-output '-DTEXT=two words'" "$upcc" -v "$guide/hello.upc" 2>output
grep -q "DTEXT=two words" output
[ -x hello ]
echo 'default_options = -T 2' >.upccrc
"$upcc" "$guide/hello.upc" -o by_settings && "$upcrun" ./by_settings | grep -q "thread 1 of 2"
"$upcc" -norc "$guide/hello.upc" -o without && "$upcrun" -n 3 ./without | grep -q "thread 2 of 3"
UPCC_NORC=1 "$upcc" -T 3 "$guide/hello.upc" -o without
rm .upccrc

echo "== what is told"
"$upcc" -help | grep -q "fupc-threads-N"
"$upcc" --version | grep -q "UPC 1.3 on Atoll"
"$upcrun" -version | grep -q "on Atoll"
[ -e "$("$upcc" -print-include-dir)/upc.h" ] || fail "upcc -print-include-dir names no folder with upc.h"
refuses "no files to compile" "$upcc" -O
refuses "there is no file 'nothing.upc'" "$upcc" nothing.upc
refuses "there is no C compiler 'none'" env ATOLL_CC=none "$upcc" -c "$guide/hello.upc"
for option in --frob --no-frob --mfrob --Wfrob; do
  refuses "[^-]$option" "$upcc" $option -c "$guide/hello.upc" -o frob.o
  if grep -v -e "$option" output; then fail "upcc $option names another option"; fi
done
refuses "[^-]--shared-heap needs a value" "$upcc" "$guide/hello.upc" --shared-heap
refuses "[^-]--nodes needs a number" "$upcrun" --nodes none -n 2 ./list
"$upcrun" --trace -n 2 ./list 2>&1 | grep -q "upcrun: --trace has no effect" || fail "upcrun --trace"
refuses "'much' is no size" "$upcc" -shared-heap much "$guide/hello.upc"
refuses "there are 2 sources" "$upcc" -c "$guide/hello.upc" "$guide/list.upc" -o both.o
printf 'shared int x;\nint main(void) {\n  int* p = &x;\n  return *p;\n}\n' >wrong.upc
refuses "wrong.upc:3" "$upcc" wrong.upc -o wrong
[ ! -e wrong ] || fail "upcc made a program of a wrong one"
"$upcc" -no-such-option -c "$guide/hello.upc" 2>output || :
grep -q "warning: option -no-such-option is for the C compiler" output

echo "== CMake and pkg-config"
"$cmake" -S "$units" -B project -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Release >cmake.log || {
  cat cmake.log
  exit 1
}
"$cmake" --build project
"$upcrun" -n 3 project/rings | grep -q "thread 2 of 3: 1"
"$upcrun" project/fixed | grep -q "thread 1 of 2: 0"
"$upcrun" -n 2 project/started_by_c | grep -q "told by C"
PKG_CONFIG_PATH=$prefix/lib/pkgconfig
export PKG_CONFIG_PATH
# shellcheck disable=SC2046 # the flags are words
"$cc" main.o ring.o average.o -o by_module $(pkg-config --libs atoll-upc)
"$upcrun" -n 2 ./by_module | grep -q "thread 1 of 2: 0"
