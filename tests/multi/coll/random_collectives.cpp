// SPDX-License-Identifier: BSD-3-Clause
//
// Random collectives between processes, all checked: of all kinds, with random sizes and roots,
// many under way, on the world team and on teams split from it that come and go, from one or
// several threads. All ranks draw the same numbers and so agree on the next call; each rank draws
// separately which call it waits for first. A seed makes a run repeatable.
#include <atoll/base/text.hpp>
#include <atoll/coll/collectives.hpp>
#include <atoll/coll/engine/engine.hpp>
#include <atoll/coll/team_creation.hpp>
#include <atoll/core/job/runtime.hpp>

#include <algorithm>
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
  collective operation;
  team* group;
  rank_id root;
  std::uint64_t number;
  std::size_t count;
  bool exclusive;
  std::vector<std::uint64_t> from, to;
};

std::uint64_t element(const flight& call, rank_id source, rank_id target, std::size_t i) {
  return (call.number * 1'000'003 + source * 1009 + target) * 65'537 + i;
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

bool has_blocks_out(collective operation) {
  return operation == collective::scatter || operation == collective::alltoall;
}
bool has_blocks_in(collective operation) {
  return operation == collective::gather || operation == collective::allgather ||
         operation == collective::alltoall;
}

void fill(flight& call) {
  const team& group = *call.group;
  const std::size_t blocks = has_blocks_out(call.operation) ? group.size() : 1;
  call.from.resize(blocks * call.count);
  call.to.assign((has_blocks_in(call.operation) ? group.size() : 1) * call.count, 0);
  for (std::size_t i = 0; i < call.from.size(); ++i) {
    const auto target = static_cast<rank_id>(blocks > 1 ? i / call.count : 0);
    call.from[i] = element(call, group.rank(), target, i % call.count);
  }
}

void start(flight& call) {
  team& group = *call.group;
  void* const to = call.to.data();
  const void* const from = call.from.data();
  const std::size_t bytes = 8 * call.count;
  const auto kind = call.exclusive ? coll::scan_kind::exclusive : coll::scan_kind::inclusive;
  switch (call.operation) {
    case collective::broadcast:
      call.done = coll::start_broadcast(group, call.root, to, from, bytes);
      break;
    case collective::reduce:
      call.done = coll::start_reduce(group, call.root, to, from, call.count, composition);
      break;
    case collective::allreduce:
      call.done = coll::start_allreduce(group, to, from, call.count, composition);
      break;
    case collective::scatter:
      call.done = coll::start_scatter(group, call.root, to, from, bytes);
      break;
    case collective::gather:
      call.done = coll::start_gather(group, call.root, to, from, bytes);
      break;
    case collective::allgather:
      call.done = coll::start_allgather(group, to, from, bytes);
      break;
    case collective::alltoall:
      call.done = coll::start_alltoall(group, to, from, bytes);
      break;
    case collective::barrier:
      call.done = group.start_barrier();
      break;
    default:
      call.done = coll::start_scan(group, to, from, call.count, composition, kind);
  }
}

/// The composition of the elements of the members 0 to `end` - 1.
std::uint64_t composed(const flight& call, rank_id end, std::size_t i) {
  std::uint64_t result = element(call, 0, 0, i);
  for (rank_id member = 1; member < end; ++member) {
    std::uint64_t next = element(call, member, 0, i);
    compose(&result, &next, 1, nullptr);
    result = next;
  }
  return result;
}

std::uint64_t wanted(const flight& call, std::size_t position) {
  const team& group = *call.group;
  const std::size_t i = position % call.count;
  const auto block = static_cast<rank_id>(position / call.count);
  const bool is_root = group.rank() == call.root;
  switch (call.operation) {
    case collective::broadcast:
      return element(call, call.root, 0, i);
    case collective::reduce:
      return is_root ? composed(call, group.size(), i) : 0;
    case collective::allreduce:
      return composed(call, group.size(), i);
    case collective::scatter:
      return element(call, call.root, group.size() > 1 ? group.rank() : 0, i);
    case collective::gather:
      return is_root ? element(call, block, 0, i) : 0;
    case collective::allgather:
      return element(call, block, 0, i);
    case collective::barrier:
      return 0;  // moves no data
    case collective::alltoall:
      return element(call, block, group.size() > 1 ? group.rank() : 0, i);
    default:
      break;
  }
  if (!call.exclusive) return composed(call, group.rank() + 1, i);
  return group.rank() == 0 ? 0 : composed(call, group.rank(), i);
}

bool check(runtime& job, flight& call) {
  job.wait(call.done);
  for (std::size_t position = 0; position < call.to.size(); ++position) {
    if (call.to[position] == wanted(call, position)) continue;
    const std::string report =
        text("rank ", job.rank(), ": call ", call.number, ", ", coll::name_of(call.operation),
             " of ", call.count, " elements, root ", call.root, ", on ", call.group->size(),
             " members, member ", call.group->rank(), ": element ", position, " is wrong\n");
    std::fputs(report.c_str(), stderr);
    return false;
  }
  return true;
}

/// The calls of one thread, on teams that it does not share.
class traffic {
 public:
  traffic(runtime& job, const plan& wanted, unsigned thread)
      : job_(job), common_(wanted.seed * 1000 + thread), own_(wanted.seed + job.rank()) {}

  void take(std::unique_ptr<team> group) { teams_.push_back(std::move(group)); }

  bool run(std::size_t calls) {
    bool right = true;
    for (std::size_t i = 0; i < calls && right; ++i) {
      if (under_way_.size() == under_way_max) right = finish_one();
      flight& call = *under_way_.emplace_back(std::make_unique<flight>());
      draw(call);
      fill(call);
      start(call);
    }
    while (right && !under_way_.empty()) right = finish_one();
    return right;
  }

  void end_teams() {
    for (auto& each : teams_) coll::destroy_team(std::move(each));
    teams_.clear();
  }

 private:
  void draw(flight& call) {
    call.number = ++calls_;
    call.operation =
        static_cast<collective>(common_() % (static_cast<unsigned>(collective::barrier) + 1));
    call.group = teams_[common_() % teams_.size()].get();
    call.root = static_cast<rank_id>(common_() % call.group->size());
    const std::uint64_t kind = common_() % 16;
    const std::size_t most = kind < 8 ? 4 : kind < 14 ? 600 : kind < 15 ? 5000 : 40'000;
    call.count = 1 + common_() % most;
    call.exclusive = common_() % 2 != 0;
  }

  bool finish_one() {
    const std::size_t which = own_() % under_way_.size();
    const bool right = check(job_, *under_way_[which]);
    under_way_[which] = std::move(under_way_.back());
    under_way_.pop_back();
    return right;
  }

  runtime& job_;
  std::mt19937_64 common_, own_;  // the same numbers on all ranks; other numbers on each
  std::uint64_t calls_ = 0;
  std::vector<std::unique_ptr<team>> teams_;
  std::vector<std::unique_ptr<flight>> under_way_;
};

/// Gives a lane its teams: all ranks in reverse order, halves, and thirds by remainder.
void split_for(runtime& job, traffic& lane) {
  const int rank = static_cast<int>(job.rank()), size = static_cast<int>(job.size());
  lane.take(coll::split_team(job.world(), 0, -rank));
  lane.take(coll::split_team(job.world(), 2 * rank / size, rank));
  lane.take(coll::split_team(job.world(), rank % 3, 5 * rank % 7));
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
