// SPDX-License-Identifier: BSD-3-Clause
//
// The cases of bench_collectives, written once for every library: each operation at each size, and
// small broadcasts one at a time and eight in flight. A collective is repeated, all ranks meet at a
// barrier, and the whole is timed: so the time lasts until all members are done, and a rank that
// runs ahead of them gains nothing. `Library` has
//     rank(), ranks(), barrier()
//     broadcast(data, bytes), reduce(to, from, doubles), allreduce(to, from, doubles),
//     scan(to, from, doubles), scatter, gather, allgather and alltoall(to, from, bytes of a block)
//     broadcasts(data, bytes, several)    several under way at once, side by side in `data`
// and reductions are sums of doubles. Collectives with a root have root 0.
#pragma once

#include <bench/harness/stopwatch.hpp>
#include <bench/harness/suite.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace bench {

inline constexpr std::size_t collective_sizes[] = {8,        64,        512,     4 << 10, 16 << 10,
                                                   64 << 10, 256 << 10, 1 << 20, 4 << 20};
inline constexpr unsigned broadcasts_in_flight = 8;

/// The operations of a round: it lasts about a millisecond where each rank has a core, and not too
/// long where they share cores.
inline std::uint64_t collective_operations(std::size_t bytes, unsigned ranks) {
  const std::uint64_t most = ranks <= 2 ? 1000 : 100;
  const std::uint64_t data = (std::uint64_t{16} << 20) / ranks;
  return std::clamp<std::uint64_t>(data / bytes, 4, most);
}

inline std::string size_text(std::size_t bytes) {
  if (bytes >= 1 << 20) return std::to_string(bytes >> 20) + "M";
  return bytes >= 1 << 10 ? std::to_string(bytes >> 10) + "k" : std::to_string(bytes);
}

template <class Library>
class collective_cases {
 public:
  /// Makes buffers for one block of the largest size per rank; a rank that has ended may not use
  /// them.
  collective_cases(const Library& library, std::size_t bytes_max)
      : library_(library),
        bytes_max_(bytes_max),
        from_(bytes_max / sizeof(double) * library.ranks(), 1.0),
        to_(from_.size(), 0.0) {}

  void add_to(suite& to) {
    for (const std::size_t bytes : collective_sizes) {
      if (bytes > bytes_max_) break;
      const std::size_t doubles = bytes / sizeof(double);
      add(to, "broadcast", bytes, [=, this] { library_.broadcast(from_.data(), bytes); });
      add(to, "reduce", bytes, [=, this] { library_.reduce(to_.data(), from_.data(), doubles); });
      add(to, "allreduce", bytes,
          [=, this] { library_.allreduce(to_.data(), from_.data(), doubles); });
      add(to, "scan", bytes, [=, this] { library_.scan(to_.data(), from_.data(), doubles); });
      add(to, "scatter", bytes, [=, this] { library_.scatter(to_.data(), from_.data(), bytes); });
      add(to, "gather", bytes, [=, this] { library_.gather(to_.data(), from_.data(), bytes); });
      add(to, "allgather", bytes,
          [=, this] { library_.allgather(to_.data(), from_.data(), bytes); });
      add(to, "alltoall", bytes, [=, this] { library_.alltoall(to_.data(), from_.data(), bytes); });
    }
    constexpr std::size_t bytes = 4096;
    add(to, "broadcast_8_in_turn", bytes, [=, this] {
      for (unsigned i = 0; i < broadcasts_in_flight; ++i) {
        library_.broadcast(from_.data() + i * bytes / sizeof(double), bytes);
        library_.barrier();
      }
    });
    add(to, "broadcast_8_in_flight", bytes, [=, this] {
      library_.broadcasts(from_.data(), bytes, broadcasts_in_flight);
      library_.barrier();
    });
    to.compare({.numerator = "broadcast_8_in_turn_4k", .denominator = "broadcast_8_in_flight_4k"});
  }

 private:
  template <class Each>
  void add(suite& to, const char* operation, std::size_t bytes, Each each) {
    to.add({.name = std::string(operation) + "_" + size_text(bytes),
            .operations = collective_operations(bytes, library_.ranks()),
            .bytes = bytes,
            .operations_least = bytes <= 4096 ? std::uint64_t{256} : 1,  // hides the barrier's time
            .operation = operation,
            .run = [this, each](std::uint64_t count) {
              const double taken = time_of(1, [&] {
                for (std::uint64_t i = 0; i < count; ++i) each();
                library_.barrier();
              });
              check();
              return taken;
            }});
  }

  /// Every contribution is 1, so a result is 1, the number of all ranks or of those up to
  /// this one, and 0 where there is none.
  void check() const {
    for (const double found : {from_.front(), to_.front()}) {
      const bool is_sum = found == library_.ranks() || found == library_.rank() + 1;
      if (found == 0 || found == 1 || is_sum) continue;
      std::fprintf(stderr, "bench_collectives: rank %u has %g\n", library_.rank(), found);
      std::exit(EXIT_FAILURE);
    }
  }

  const Library& library_;
  std::size_t bytes_max_;
  std::vector<double> from_;
  std::vector<double> to_;
};

}  // namespace bench
