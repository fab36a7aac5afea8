// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers for OpenBLAS, which takes lengths as its own integers, and reads the number of its
// threads from the environment when it is loaded: every rank would use all cores.
#pragma once

#include <cblas.h>

#include <cstddef>

namespace trial {

inline blasint blas_length(std::size_t length) { return static_cast<blasint>(length); }

/// Sets how many threads calls of this process use: one where each rank has a core.
inline void use_blas_threads(unsigned count) { openblas_set_num_threads(static_cast<int>(count)); }

}  // namespace trial
