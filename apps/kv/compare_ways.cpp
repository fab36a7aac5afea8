// SPDX-License-Identifier: BSD-3-Clause
//
// Compares the ways. Every rank inserts its part of the keys and finds the part of its right
// neighbour, so no rank looks up its own keys. Times are from barrier to barrier. Then as many keys
// that do not exist, up to a thousand per rank, must not be found; these are not timed.
#include <apps/kv/report.hpp>
#include <apps/kv/run.hpp>
#include <apps/kv/stores.hpp>
#include <atoll/base/clock.hpp>
#include <atoll/core/job/machine_cores.hpp>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <vector>

namespace kv {
namespace {

double seconds_of(const std::function<void()>& action) {
  const std::int64_t start_ns = atl::now_ns();
  action();
  return static_cast<double>(atl::now_ns() - start_ns) * 1e-9;
}

/// The keys that one rank, or the only one, inserts, finds, and must not find.
struct shares {
  key_range insert;
  key_range find;
  key_range absent;
};

shares shares_of(const options& chosen, std::uint64_t rank, std::uint64_t ranks) {
  constexpr key_number absent_max = 1000;
  const key_range keys{0, chosen.keys};
  shares ranges{.insert = part_of(keys, rank, ranks),
                .find = part_of(keys, (rank + 1) % ranks, ranks)};
  ranges.absent = part_of({chosen.keys, 2 * chosen.keys}, rank, ranks);
  ranges.absent.last = std::min(ranges.absent.last, ranges.absent.first + absent_max);
  return ranges;
}

bool is_right(const shares& ranges, const tally& present, const tally& absent) {
  return present.found == ranges.find.last - ranges.find.first && present.wrong == 0 &&
         present.absent == 0 && absent.absent == ranges.absent.last - ranges.absent.first &&
         absent.found == 0 && absent.wrong == 0;
}

/// Runs all steps of one way; `meet` is a barrier, or does nothing for one rank alone.
template <class Store, class Meet>
outcome run_steps(Store& store, const shares& ranges, Meet meet) {
  outcome result;
  tally present;
  tally absent;
  meet();
  result.insert_s = seconds_of([&] {
    store.insert(ranges.insert);
    meet();
  });
  result.settle_s = seconds_of([&] {
    store.settle();
    meet();
  });
  result.find_s = seconds_of([&] {
    store.find(ranges.find, present);
    meet();
  });
  store.find(ranges.absent, absent);
  meet();
  result.right = is_right(ranges, present, absent);
  return result;
}

template <class Store>
outcome run_on_all(const options& chosen) {
  Store store(chosen);
  const auto rank = static_cast<std::uint64_t>(upcxx::rank_me());
  const auto ranks = static_cast<std::uint64_t>(upcxx::rank_n());
  outcome result = run_steps(store, shares_of(chosen, rank, ranks), [] { upcxx::barrier(); });
  const std::uint64_t held = upcxx::reduce_all(store.local_size(), upcxx::op_fast_add).wait();
  const bool right = result.right && held == chosen.keys;
  result.right = upcxx::reduce_all(right ? 1 : 0, upcxx::op_fast_min).wait() != 0;
  return result;
}

/// Rank 0 runs this with a private map while all others sleep in the barrier.
outcome run_alone(const options& chosen) {
  outcome result;
  if (upcxx::rank_me() == 0) {
    alone store(chosen);
    result = run_steps(store, shares_of(chosen, 0, 1), [] {});
    result.right = result.right && store.local_size() == chosen.keys;
  }
  upcxx::barrier();
  return result;
}

outcome repeat(const options& chosen, outcome (*run)(const options&)) {
  std::vector<outcome> rounds;
  for (unsigned round = 0; round < chosen.rounds; ++round) rounds.push_back(run(chosen));
  return median_of(rounds);
}

struct place {
  std::uint32_t host;
  atl::core_claim cores;
};

// The ranks of a machine share the cores that any of them may use. Every rank counts those of its
// machine and contributes its share.
double cores_of_job() {
  const place own{static_cast<std::uint32_t>(upcxx::local_team()[0]), atl::claim_cores()};
  atl::machine_cores machine(own.cores);
  for (int rank = 0; rank < upcxx::rank_n(); ++rank) {
    const place other = upcxx::broadcast(own, rank).wait();
    machine.add(other.host, other.cores);
  }
  double share = 1;  // where the system does not tell which machine it is
  if (machine.ranks() > 0) share = std::min(1.0, 1.0 * machine.cores() / machine.ranks());
  return upcxx::reduce_all(share, upcxx::op_fast_add).wait();
}

}  // namespace

bool compare_ways(const options& chosen) {
  const bool first = upcxx::rank_me() == 0;
  const outcome alone = repeat(chosen, run_alone);
  report out(chosen, {.ranks = upcxx::rank_n(), .cores = cores_of_job(), .speaks = first}, alone);
  bool right = upcxx::broadcast(alone.right, 0).wait();
  if (chosen.runs(way::one_by_one))
    right = out.row("one_by_one", repeat(chosen, run_on_all<one_by_one>)) && right;
  if (chosen.runs(way::batches))
    right = out.row("in_batches", repeat(chosen, run_on_all<in_batches>)) && right;
  if (chosen.runs(way::one_sided))
    right = out.row("one_sided_find", repeat(chosen, run_on_all<one_sided>)) && right;
  if (!first) return right;
  std::printf("%skv: %s\n", chosen.quiet ? "" : "\n",
              right ? "all keys found with their values, and no others" : "WRONG");
  if (!chosen.json_path.empty()) out.write_json(chosen.json_path, right);
  return right;
}

}  // namespace kv
