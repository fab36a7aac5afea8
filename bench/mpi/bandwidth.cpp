// SPDX-License-Identifier: BSD-3-Clause
//
// Transfers of all sizes by MPI RMA, each completed by a flush before the next, as our blocking
// puts and gets are.
#include <bench/harness/rotation.hpp>
#include <bench/harness/stopwatch.hpp>
#include <bench/mpi/cases.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace bench {

namespace {

constexpr std::size_t bytes_per_round = std::size_t{4} << 20;  // at least one operation
constexpr std::uint64_t operations_max = 2'000;

/// The transfers that a case repeats on the acting rank: `bytes` at one place after the other.
struct series {
  std::string name;
  rotation places;
  std::size_t bytes;
};

template <class Transfer>
void add(suite& to, const mpi_world& world, series plan, Transfer transfer) {
  to.add({.name = std::move(plan.name),
          .operations = std::clamp<std::uint64_t>(bytes_per_round / plan.bytes, 1, operations_max),
          .bytes = plan.bytes,
          .run = [&world, places = plan.places, transfer](std::uint64_t count) mutable {
            if (!world.acts()) return 0.0;
            return time_of(count, [&] { transfer(places.next()); });
          }});
}

}  // namespace

void add_mpi_bandwidth(suite& to, const mpi_world& world, const mpi_window& window,
                       std::size_t most_bytes, std::size_t area_bytes) {
  const auto own = std::make_shared<std::vector<char>>(area_bytes);
  const int target = world.target();
  for (const bool rotating : {false, true}) {
    for (std::size_t bytes = 8; bytes <= most_bytes; bytes *= bytes < 4096 ? 8 : 4) {
      const std::string kind = (rotating ? "rotating_" : "repeated_") + std::to_string(bytes);
      const rotation places(bytes, rotating ? area_bytes : 0);
      add(to, world, {"put_" + kind, places, bytes}, [=, &window](std::size_t offset) {
        window.put(own->data() + offset, bytes, target, offset);
        window.flush(target);
      });
      add(to, world, {"get_" + kind, places, bytes}, [=, &window](std::size_t offset) {
        window.get(own->data() + offset, bytes, target, offset);
        window.flush(target);
      });
    }
  }
}

}  // namespace bench
