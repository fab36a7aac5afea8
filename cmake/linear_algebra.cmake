# SPDX-License-Identifier: BSD-3-Clause
#
# Libraries of linear algebra for apps: OpenBLAS for the work within a rank, and ScaLAPACK as the peer. A missing
# one leaves programs out. OpenBLAS comes first on the linker's command line, so that ScaLAPACK uses it too.

# Defines atoll_blas and sets ATOLL_HAVE_BLAS when OpenBLAS is installed.
macro(atoll_find_blas)
  find_path(ATOLL_OPENBLAS_INCLUDE cblas.h PATH_SUFFIXES openblas-pthread openblas)
  find_library(ATOLL_OPENBLAS openblas)
  mark_as_advanced(ATOLL_OPENBLAS_INCLUDE ATOLL_OPENBLAS)
  set(ATOLL_HAVE_BLAS OFF)
  if(ATOLL_OPENBLAS_INCLUDE AND ATOLL_OPENBLAS)
    set(ATOLL_HAVE_BLAS ON)
    if(NOT TARGET atoll_blas)
      add_library(atoll_blas INTERFACE)
      target_include_directories(atoll_blas SYSTEM INTERFACE ${ATOLL_OPENBLAS_INCLUDE})
      target_link_libraries(atoll_blas INTERFACE ${ATOLL_OPENBLAS})
    endif()
  endif()
endmacro()

# Defines scalapack_<flavour> when Debian's ScaLAPACK for that MPI is installed.
function(atoll_find_scalapack flavour)
  find_library(ATOLL_SCALAPACK_${flavour} scalapack-${flavour})
  mark_as_advanced(ATOLL_SCALAPACK_${flavour})
  if(NOT ATOLL_SCALAPACK_${flavour})
    message(STATUS "ScaLAPACK for ${flavour} is not installed: no peer of the apps of linear algebra")
  elseif(NOT TARGET scalapack_${flavour})
    add_library(scalapack_${flavour} INTERFACE)
    target_link_libraries(scalapack_${flavour} INTERFACE ${ATOLL_SCALAPACK_${flavour}})
  endif()
endfunction()
