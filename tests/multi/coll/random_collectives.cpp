// SPDX-License-Identifier: BSD-3-Clause
//
// Random collectives between processes, all checked: any of them, of random sizes and roots, many
// under way, on the team of all and on teams split from it that come and go, from one thread or
// several. All ranks draw the same numbers, and so agree on what comes next; which one they wait
// for first, each draws for itself. A seed makes a run repeatable.
#include <atoll/base/text.hpp>
#include <atoll/coll/collectives.hpp>
#include <atoll/coll/team_creation.hpp>
#include <atoll/core/runtime.hpp>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace {

using namespace atl;
using coll::collective;

struct plan {
  std::uint64_t calls = 2000;  // of each thread
  unsigned threads = 1;
  std::uint64_t seed = 1;
};

constexpr std::size_t under_way_max = 24;
constexpr std::size_t calls_per_epoch = 250;

/// One call under way, with its buffers; elements are 64 bits.
struct flight {
  event done;
  collective what;
  team* on;
  rank_id root;
  std::uint64_t number;
  std::size_t count;
  bool exclusive;
  std::vector<std::uint64_t> from, to;
};

std::uint64_t element(const flight& of, rank_id source, rank_id target, std::size_t i) {
  return (of.number * 1'000'003 + source * 1009 + target) * 65'537 + i;
}

/// x -> x * factor + summand, both of 32 bits, in one number: composed in order.
void compose(const void* first, void* second, std::size_t count, const void*) {
  const auto* f = static_cast<const std::uint64_t*>(first);
  auto* g = static_cast<std::uint64_t*>(second);
  for (std::size_t i = 0; i < count; ++i) {
    const auto a = static_cast<std::uint32_t>(f[i] >> 32), b = static_cast<std::uint32_t>(f[i]);
    const auto c = static_cast<std::uint32_t>(g[i] >> 32), d = static_cast<std::uint32_t>(g[i]);
    g[i] = std::uint64_t{a * c} << 32 | static_cast<std::uint32_t>(a * d + b);
  }
}
constexpr coll::reduction composition{.element_bytes = 8, .combine = compose, .commutative = false};

bool has_blocks_out(collective what) {
  return what == collective::scatter || what == collective::alltoall;
}
bool has_blocks_in(collective what) {
  return what == collective::gather || what == collective::allgather ||
         what == collective::alltoall;
}

void fill(flight& one) {
  const team& on = *one.on;
  const std::size_t blocks = has_blocks_out(one.what) ? on.size() : 1;
  one.from.resize(blocks * one.count);
  one.to.assign((has_blocks_in(one.what) ? on.size() : 1) * one.count, 0);
  for (std::size_t i = 0; i < one.from.size(); ++i) {
    const auto target = static_cast<rank_id>(blocks > 1 ? i / one.count : 0);
    one.from[i] = element(one, on.rank(), target, i % one.count);
  }
}

void start(flight& one) {
  team& on = *one.on;
  void* const to = one.to.data();
  const void* const from = one.from.data();
  const std::size_t bytes = 8 * one.count;
  const auto kind = one.exclusive ? coll::scan_kind::exclusive : coll::scan_kind::inclusive;
  switch (one.what) {
    case collective::broadcast:
      one.done = coll::start_broadcast(on, one.root, to, from, bytes);
      break;
    case collective::reduce:
      one.done = coll::start_reduce(on, one.root, to, from, one.count, composition);
      break;
    case collective::allreduce:
      one.done = coll::start_allreduce(on, to, from, one.count, composition);
      break;
    case collective::scatter:
      one.done = coll::start_scatter(on, one.root, to, from, bytes);
      break;
    case collective::gather:
      one.done = coll::start_gather(on, one.root, to, from, bytes);
      break;
    case collective::allgather:
      one.done = coll::start_allgather(on, to, from, bytes);
      break;
    case collective::alltoall:
      one.done = coll::start_alltoall(on, to, from, bytes);
      break;
    default:
      one.done = coll::start_scan(on, to, from, one.count, composition, kind);
  }
}

/// The composition of the elements of the members from 0 to before `end`.
std::uint64_t composed(const flight& one, rank_id end, std::size_t i) {
  std::uint64_t all = element(one, 0, 0, i);
  for (rank_id member = 1; member < end; ++member) {
    std::uint64_t next = element(one, member, 0, i);
    compose(&all, &next, 1, nullptr);
    all = next;
  }
  return all;
}

std::uint64_t wanted(const flight& one, std::size_t at) {
  const team& on = *one.on;
  const std::size_t i = at % one.count;
  const auto block = static_cast<rank_id>(at / one.count);
  const bool is_root = on.rank() == one.root;
  switch (one.what) {
    case collective::broadcast:
      return element(one, one.root, 0, i);
    case collective::reduce:
      return is_root ? composed(one, on.size(), i) : 0;
    case collective::allreduce:
      return composed(one, on.size(), i);
    case collective::scatter:
      return element(one, one.root, on.size() > 1 ? on.rank() : 0, i);
    case collective::gather:
      return is_root ? element(one, block, 0, i) : 0;
    case collective::allgather:
      return element(one, block, 0, i);
    case collective::alltoall:
      return element(one, block, on.size() > 1 ? on.rank() : 0, i);
    default:
      break;
  }
  if (!one.exclusive) return composed(one, on.rank() + 1, i);
  return on.rank() == 0 ? 0 : composed(one, on.rank(), i);
}

bool check(runtime& job, flight& one) {
  job.wait(one.done);
  for (std::size_t at = 0; at < one.to.size(); ++at) {
    if (one.to[at] == wanted(one, at)) continue;
    const std::string told =
        text("rank ", job.rank(), ": call ", one.number, ", ", coll::name_of(one.what), " of ",
             one.count, " elements, root ", one.root, ", on ", one.on->size(), " members, member ",
             one.on->rank(), ": element ", at, " is wrong\n");
    std::fputs(told.c_str(), stderr);
    return false;
  }
  return true;
}

/// Calls of one thread on teams of its own.
class traffic {
 public:
  traffic(runtime& job, const plan& wanted, unsigned thread)
      : job_(job), common_(wanted.seed * 1000 + thread), own_(wanted.seed + job.rank()) {}

  void take(std::unique_ptr<team> one) { teams_.push_back(std::move(one)); }

  bool run(std::size_t calls) {
    bool right = true;
    for (std::size_t i = 0; i < calls && right; ++i) {
      if (under_way_.size() == under_way_max) right = finish_one();
      flight& one = *under_way_.emplace_back(std::make_unique<flight>());
      draw(one);
      fill(one);
      start(one);
    }
    while (right && !under_way_.empty()) right = finish_one();
    return right;
  }

  void end_teams() {
    for (auto& each : teams_) coll::destroy_team(std::move(each));
    teams_.clear();
  }

 private:
  void draw(flight& one) {
    one.number = ++calls_;
    one.what = static_cast<collective>(common_() % static_cast<unsigned>(collective::fence));
    one.on = teams_[common_() % teams_.size()].get();
    one.root = static_cast<rank_id>(common_() % one.on->size());
    const std::uint64_t kind = common_() % 16;
    const std::size_t most = kind < 8 ? 4 : kind < 14 ? 600 : kind < 15 ? 5000 : 40'000;
    one.count = 1 + common_() % most;
    one.exclusive = common_() % 2 != 0;
  }

  bool finish_one() {
    const std::size_t which = own_() % under_way_.size();
    const bool right = check(job_, *under_way_[which]);
    under_way_[which] = std::move(under_way_.back());
    under_way_.pop_back();
    return right;
  }

  runtime& job_;
  std::mt19937_64 common_, own_;  // what all ranks draw alike, and what not
  std::uint64_t calls_ = 0;
  std::vector<std::unique_ptr<team>> teams_;
  std::vector<std::unique_ptr<flight>> under_way_;
};

/// Teams for one thread: all, in reverse; halves; thirds by remainder.
void split_for(runtime& job, traffic& one) {
  const int rank = static_cast<int>(job.rank()), size = static_cast<int>(job.size());
  one.take(coll::split_team(job.world(), 0, -rank));
  one.take(coll::split_team(job.world(), 2 * rank / size, rank));
  one.take(coll::split_team(job.world(), rank % 3, 5 * rank % 7));
}

}  // namespace

/// random_collectives [calls per thread [threads [seed]]]
int main(int argc, char** argv) {
  plan wanted;
  if (argc > 1) wanted.calls = std::strtoull(argv[1], nullptr, 10);
  if (argc > 2) wanted.threads = static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10));
  if (argc > 3) wanted.seed = std::strtoull(argv[3], nullptr, 10);
  runtime job({.threads = wanted.threads > 1 ? thread_mode::any : thread_mode::single});
  coll::open(job);
  std::vector<std::unique_ptr<traffic>> lanes;
  for (unsigned i = 0; i < wanted.threads; ++i) {
    lanes.push_back(std::make_unique<traffic>(job, wanted, i));
  }
  for (std::uint64_t left = wanted.calls; left != 0;) {
    const std::uint64_t now = std::min<std::uint64_t>(left, calls_per_epoch);
    left -= now;
    for (auto& each : lanes) split_for(job, *each);
    const auto run_lane = [&](unsigned i) {
      if (!lanes[i]->run(now)) job.exit(1);  // at once: the other ranks and lanes wait for this one
    };
    {
      std::vector<std::jthread> others;
      for (unsigned i = 1; i < wanted.threads; ++i) others.emplace_back(run_lane, i);
      run_lane(0);
    }
    for (auto& each : lanes) each->end_teams();
  }
  return 0;
}
