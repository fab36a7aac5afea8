#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# The part of package_test.sh for Fortran coarrays: caf, cafrun and pkg-config, with the installed tree after its
# move. The programs are those of the guide. Prints a line and tests nothing where gfortran is missing.
#
#   coarray_test.sh PREFIX CMAKE WORK

set -eu
prefix=$1
cmake=$2
work=$3/coarray
here=$(cd "$(dirname "$0")" && pwd)
bin=$prefix/bin
programs=$here/../../docs/guide/coarrays
mkdir "$work"
cd "$work"

if ! version=$(gfortran -dumpversion 2>/dev/null) || [ "${version%%.*}" -lt 8 ] || [ "${version%%.*}" -gt 14 ]; then
  echo "skipped: Fortran coarrays: gfortran 8 to 14 is not installed"
  exit 0
fi

"$bin/caf" -w -O1 "$programs/hello.f90" -o hello # -w is an option of caf only where it is alone
"$bin/cafrun" -n 3 ./hello | grep -q "image 2 of 3: 1 is to my left"
"$bin/cafrun" -np 2 ./hello | grep -q "image 2 of 2: 1 is to my left"
./hello | grep -q "image 1 of 1: 1 is to my left"
ATOLL_IMAGES=2 ./hello | grep -q "image 2 of 2: 1 is to my left"
GFORTRAN_NUM_IMAGES=3 ./hello | grep -q "image 3 of 3: 2 is to my left"
"$bin/atoll-fc" "$programs/hello.f90" -o hello_by_name
"$bin/cafrun" -n 1 ./hello_by_name | grep -q "image 1 of 1"

# In two steps, and by pkg-config.
"$bin/caf" -c "$programs/heat.f90" -o heat.o
"$bin/caf" heat.o -o heat
"$bin/cafrun" -n2 ./heat | grep -q "1000.000"
PKG_CONFIG_PATH=$prefix/lib/pkgconfig
export PKG_CONFIG_PATH
# shellcheck disable=SC2046 # the flags are words
gfortran "$programs/parts.f90" -o parts $(pkg-config --cflags --libs atoll-coarray)
"$bin/cafrun" -n 3 ./parts | grep -q "image 1 sees 9 particles"
[ "$(pkg-config --libs caf)" = "$(pkg-config --libs atoll-coarray)" ]
for later in 15 16; do
  pkg-config --libs atoll-coarray-$later | grep -q -e "-lcaf_atoll_$later "
  [ -e "$prefix/lib/libcaf_atoll_$later.a" ]
done

# By CMake, in the two ways in which projects find coarrays.
CMAKE_PREFIX_PATH=$prefix "$cmake" -S "$here/with_coarray" -B by_cmake -D PROGRAMS="$programs" >output 2>&1 ||
  { cat output; exit 1; }
"$cmake" --build by_cmake >output 2>&1 || { cat output; exit 1; }
"$bin/cafrun" -n 2 by_cmake/heat | grep -q "1000.000"
"$bin/cafrun" -n 2 by_cmake/hello | grep -q "image 2 of 2"

# The library's code inlined into an optimised program, compiled in one step and in two; and without it.
"$bin/caf" -O2 -march=native "$programs/heat.f90" -o heat_native
"$bin/cafrun" -n 2 ./heat_native | grep -q "1000.000"
"$bin/caf" -O3 -c "$programs/heat.f90" -o heat.o
"$bin/caf" heat.o -o heat_inline
"$bin/cafrun" -n 2 ./heat_inline | grep -q "1000.000"
"$bin/caf" --no-inline -O2 "$programs/heat.f90" -o heat_called
ATOLL_CAF_INLINE=no "$bin/caf" -O2 "$programs/heat.f90" -o heat_called_too
for program in heat_native heat_inline heat_called heat_called_too; do
  nm "$program" | grep -q -w atoll_coarray_get_value && echo $program >>with_code
done
[ "$(tr '\n' ' ' <with_code)" = "heat_native heat_inline " ]

# Such code reads tables of the library, so caf must refuse a library with another layout of them.
sed -i.own 's/^#define ATOLL_ABI_VERSION .*/#define ATOLL_ABI_VERSION 99u/' "$prefix/include/atoll/abi.h"
"$bin/caf" -O2 "$programs/heat.f90" -o heat_of_another >output 2>&1 && exit 1
mv "$prefix/include/atoll/abi.h.own" "$prefix/include/atoll/abi.h"
grep -q "atoll_coarray_direct_99u" output

"$bin/caf" --show a.f90 | grep -q -e "^gfortran -fcoarray=lib a.f90 -L$prefix/lib -lcaf_atoll -latoll"
"$bin/caf" --show a.f90 | grep -q -e "--wrap=malloc"
! "$bin/caf" --private-allocate --show a.f90 | grep -q -e "--wrap=malloc"
[ "$("$bin/caf" --show -c a.f90)" = "gfortran -fcoarray=lib -c a.f90" ]
[ "$("$bin/caf" --show -fcoarray=single -c a.f90)" = "gfortran -fcoarray=single -c a.f90" ]
[ "$("$bin/caf" --wraps)" = gfortran ]
"$bin/caf" --version | grep -q "on Atoll"
"$bin/cafrun" --tag -n 2 ./hello | grep -q "^\[1\] image 2 of 2"
"$bin/cafrun" --show -n 4 ./hello | grep -q "atoll run -n 4 ./hello"

printf '#!/bin/sh\necho 16\n' >sixteen
chmod +x sixteen
ATOLL_FC=./sixteen "$bin/caf" --show a.f90 | grep -q -e "-L$prefix/lib -lcaf_atoll_16 -latoll"

if ATOLL_FC=no_such_compiler "$bin/caf" a.f90 2>output; then
  echo "caf went on without a compiler"
  exit 1
fi
grep -q "there is no compiler 'no_such_compiler'" output
printf '#!/bin/sh\necho 17\n' >newer
chmod +x newer
if ATOLL_FC=./newer "$bin/caf" a.f90 2>output; then
  echo "caf took a compiler that calls other functions"
  exit 1
fi
grep -q "is of version 17" output
# Module prif, which is installed as source, and flang.
"$bin/caf" -fcoarray=none "$prefix/include/atoll/prif/prif_access.f90" "$prefix/include/atoll/prif/prif.f90" \
  "$programs/prif_ring.f90" -o prif_ring
"$bin/cafrun" -n 2 ./prif_ring | grep -q "image 2 got 1"
if flang-22 -dumpversion >output 2>&1; then
  printf 'print *, "image", this_image()\nend\n' >images.f90
  ATOLL_FC=flang-22 "$bin/caf" images.f90 -o images 2>output
  "$bin/cafrun" -n 2 ./images | grep -q "image 2"
  ATOLL_FC=flang-22 "$bin/caf" --show a.f90 | grep -q -e "^flang-22 -fcoarray a.f90 -L$prefix/lib -lprif_flang_22 -latoll"
else
  echo "skipped: coarrays of flang: flang-22 is not installed"
fi
if "$bin/cafrun" -n none ./hello 2>output; then
  echo "cafrun took a number that is none"
  exit 1
fi
grep -q "needs the number of images, not 'none'" output
