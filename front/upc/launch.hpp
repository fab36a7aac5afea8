// SPDX-License-Identifier: BSD-3-Clause
//
// Options of the start of a program: those of upcrun, by its variables, and, where no launcher has
// started the program, its first arguments: -n N, -nN, -fupc-threads-N, -fupc-threads N and
// -fupc-heap-SIZE. These are taken away before the program sees them. A program that is to run as
// several threads and has no launcher starts `atoll run` in its place.
#pragma once

#include <cstddef>

namespace atl::upc {

struct launch_options {
  std::size_t shared_heap_bytes = 0;  // per thread; 0: not given
};

/// `threads`: the number that the program was translated for, 0: any. Replaces the process by
/// `atoll run` where that is asked for. Throws `atl::error` for invalid values, and for a number of
/// threads that the program was not translated for.
launch_options take_options(int* argc, char*** argv, int threads);

/// Whether UPC_POLITE_SYNC asks for waits that yield the processor.
bool polite_is_wanted() noexcept;

/// Whether values of threads on other hosts may be kept between synchronisations: UPC_CACHE=no says
/// that each relaxed access is a transfer of its own.
bool cache_is_wanted() noexcept;

}  // namespace atl::upc
