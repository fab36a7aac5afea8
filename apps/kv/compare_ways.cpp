// SPDX-License-Identifier: BSD-3-Clause
//
// Every rank inserts its part of the keys and finds the part of its right neighbour, so nobody
// looks for what it has put itself. Times are from barrier to barrier. Then as many keys that do
// not exist, up to a thousand of each rank, must not be found; these are not timed.
#include <apps/kv/run.hpp>
#include <apps/kv/stores.hpp>
#include <atoll/base/clock.hpp>

#include <algorithm>
#include <cstdio>
#include <functional>

namespace kv {
namespace {

struct outcome {
  double insert_s = 0;
  double find_s = 0;
  bool right = true;
};

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

/// All steps of one way; `meet` is a barrier, or nothing for one rank alone.
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
  store.settle();
  meet();
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
  const std::uint64_t held = upcxx::reduce_all(store.size_here(), upcxx::op_fast_add).wait();
  const bool right = result.right && held == chosen.keys;
  result.right = upcxx::reduce_all(right ? 1 : 0, upcxx::op_fast_min).wait() != 0;
  return result;
}

/// Rank 0 runs this in a map of its own while all others sleep in the barrier.
outcome run_alone(const options& chosen) {
  outcome result;
  if (upcxx::rank_me() == 0) {
    alone store(chosen);
    result = run_steps(store, shares_of(chosen, 0, 1), [] {});
    result.right = result.right && store.size_here() == chosen.keys;
  }
  upcxx::barrier();
  return result;
}

class report {
 public:
  report(const options& chosen, const outcome& alone)
      : chosen_(chosen), alone_(alone), speak_(upcxx::rank_me() == 0 && !chosen.quiet) {
    if (!speak_) return;
    std::printf("kv: %llu keys, values of %zu bytes, %d rank%s, %zu messages under way\n\n",
                static_cast<unsigned long long>(chosen.keys), chosen.value_bytes, upcxx::rank_n(),
                upcxx::rank_n() == 1 ? "" : "s", chosen.window);
    std::printf("                            insert          find   of one map on every rank\n");
    std::printf("  std::unordered_map  %7.2f M/s   %7.2f M/s\n", rate(alone.insert_s),
                rate(alone.find_s));
    std::fflush(stdout);
  }

  bool row(const char* name, const outcome& result) const {
    if (speak_) {
      std::printf("  %-18s  %7.2f M/s   %7.2f M/s   %4.0f %% %7.0f %%%s\n", name,
                  rate(result.insert_s), rate(result.find_s),
                  efficiency(alone_.insert_s, result.insert_s),
                  efficiency(alone_.find_s, result.find_s), result.right ? "" : "   WRONG");
      std::fflush(stdout);
    }
    return result.right;
  }

 private:
  double rate(double time_s) const {  // in millions per second
    return static_cast<double>(chosen_.keys) / std::max(time_s, 1e-9) * 1e-6;
  }
  static double efficiency(double alone_s, double time_s) {
    return 100 * alone_s / std::max(time_s, 1e-9) / upcxx::rank_n();
  }

  const options& chosen_;
  outcome alone_;
  bool speak_;
};

}  // namespace

bool compare_ways(const options& chosen) {
  const outcome alone = run_alone(chosen);
  const report out(chosen, alone);
  bool right = upcxx::broadcast(alone.right, 0).wait();
  if (chosen.runs(way::one_by_one))
    right = out.row("one by one", run_on_all<one_by_one>(chosen)) && right;
  if (chosen.runs(way::batches))
    right = out.row("in batches", run_on_all<in_batches>(chosen)) && right;
  if (chosen.runs(way::one_sided))
    right = out.row("one-sided find", run_on_all<one_sided>(chosen)) && right;
  if (upcxx::rank_me() == 0) {
    std::printf("%skv: %s\n", chosen.quiet ? "" : "\n",
                right ? "all keys found with their values, and no others" : "WRONG");
  }
  return right;
}

}  // namespace kv
