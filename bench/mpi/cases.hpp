// SPDX-License-Identifier: BSD-3-Clause
//
// The loops of our benchmarks written for MPI: RMA where ours are puts and gets,
// two-sided messages where ours are active messages. Cases that do the same have the same names.
#pragma once

#include <bench/harness/suite.hpp>
#include <bench/mpi/world.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace bench {

/// The small operations; they use 4096 bytes of the window.
void add_mpi_latency(suite& to, const mpi_world& world, const mpi_window& window);

/// The cases of bench_curves: `set` is latency, bandwidth or rate. The result, called after the
/// suite on all ranks, says whether all data arrived as sent.
std::function<bool()> add_mpi_curves(suite& to, const mpi_world& world, const std::string& set,
                                     const std::vector<std::size_t>& sizes);

/// Puts and gets of 8 bytes to `most_bytes`, repeated and rotating through an area of `area_bytes`,
/// the window's size.
void add_mpi_bandwidth(suite& to, const mpi_world& world, const mpi_window& window,
                       std::size_t most_bytes, std::size_t area_bytes);

/// The shapes of bench/strided with derived datatypes; the window holds `area_doubles`.
void add_mpi_strided(suite& to, const mpi_world& world, const mpi_window& window);

/// The cases of bench/atomics; the window holds `atomic_area_bytes`. The result, called after the
/// suite on all ranks, says whether every operation was done.
std::function<bool()> add_mpi_atomics(suite& to, const mpi_world& world, const mpi_window& window);

/// The cases of bench_threads; MPI must have been started for several threads, and the window holds
/// `thread_area_bytes`. The result lives as long as the suite.
std::shared_ptr<void> add_mpi_threads(suite& to, const mpi_world& world, const mpi_window& window,
                                      unsigned threads);

/// The cases of bench/collectives, up to `bytes_max` bytes; the result lives as long as the suite.
std::shared_ptr<void> add_mpi_collectives(suite& to, const mpi_world& world, std::size_t bytes_max);

}  // namespace bench
