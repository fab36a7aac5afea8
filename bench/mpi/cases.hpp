// SPDX-License-Identifier: BSD-3-Clause
//
// The loops of bench_latency and bench_bandwidth written for MPI: RMA where ours are puts and gets,
// two-sided messages where ours are active messages. Cases that do the same have the same names.
#pragma once

#include <bench/harness/suite.hpp>
#include <bench/mpi/world.hpp>

namespace bench {

/// The small operations; bytes of window used: 4096.
void add_mpi_latency(suite& to, const mpi_world& world, const mpi_window& window);

/// Puts and gets of 8 bytes to `most_bytes`, repeated and rotating through an area of `area_bytes`,
/// the window's size.
void add_mpi_bandwidth(suite& to, const mpi_world& world, const mpi_window& window,
                       std::size_t most_bytes, std::size_t area_bytes);

}  // namespace bench
