// SPDX-License-Identifier: BSD-3-Clause
//
// A million random operations between random ranks, all checked: puts and gets of random sizes in
// all forms, short, medium and long messages with and without replies, from one or several threads.
// Every source owns a region at every target, so it can read back and compare its puts; messages
// carry a value that both ends add up, and the sums are compared at the end. A seed makes a run
// repeatable.
#include <atoll/base/error.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/rma/rma.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace atl;

constexpr std::size_t region_bytes = 256 << 10;  // per source thread and target
constexpr handler_id note_id = 130, answer_id = 131, answered_id = 132, landed_id = 133,
                     landed_reply_id = 134;

/// The messages that arrived at this rank.
struct tally {
  explicit tally(unsigned lanes) : landed(lanes) {}
  std::atomic<std::uint64_t> messages = 0, sum = 0, answers = 0;
  std::vector<std::atomic<std::uint64_t>> landed;  // long messages of each lane that were handled
};

struct plan {
  std::uint64_t operations = 1'000'000;  // of all ranks together
  unsigned threads = 1;
  std::uint64_t seed = 1;
};

std::uint64_t sum_of(const void* data, std::size_t bytes) {
  std::uint64_t sum = 0;
  const auto* values = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i < bytes; ++i) sum += values[i];
  return sum;
}

void on_note(void* context, am_token&, const std::uint32_t* args, unsigned nargs, void* payload,
             std::size_t bytes) {
  auto& seen = *static_cast<tally*>(context);
  std::uint64_t sum = sum_of(payload, bytes);
  for (unsigned i = 0; i < nargs; ++i) sum += args[i];
  seen.sum.fetch_add(sum, std::memory_order_relaxed);
  seen.messages.fetch_add(1, std::memory_order_relaxed);
}

void on_answer(void* context, am_token& token, const std::uint32_t* args, unsigned nargs,
               void* payload, std::size_t bytes) {
  on_note(context, token, args, nargs, payload, bytes);
  token.reply({.kind = am_category::medium,
               .handler = answered_id,
               .nargs = 1,
               .args = args,
               .payload = payload,
               .bytes = bytes});
}

void on_answered(void* context, am_token&, const std::uint32_t*, unsigned, void*, std::size_t) {
  static_cast<tally*>(context)->answers.fetch_add(1, std::memory_order_relaxed);
}

// A long payload is in place before its handler runs; the reply names the lane that sent it.
void on_landed(void*, am_token& token, const std::uint32_t* args, unsigned, void*, std::size_t) {
  token.reply({.handler = landed_reply_id, .nargs = 1, .args = args});
}

void on_landed_reply(void* context, am_token&, const std::uint32_t* args, unsigned, void*,
                     std::size_t) {
  static_cast<tally*>(context)->landed[args[0]].fetch_add(1, std::memory_order_release);
}

/// One thread of one rank, with its own region at every target.
class traffic {
 public:
  traffic(runtime& job, tally& seen, std::byte* regions, unsigned lane, const plan& wanted)
      : job_(job),
        seen_(seen),
        regions_(regions),
        lane_(lane),
        lanes_(wanted.threads),
        random_(wanted.seed * 7919 + job.rank() * 64 + lane),
        model_(job.size()),
        sent_(job.size()),
        sent_sum_(job.size()) {
    for (auto& each : model_) each.resize(region_bytes);
  }

  bool run(std::uint64_t operations) {
    for (std::uint64_t i = 0; i < operations; ++i) step();
    for (event& each : pending_) job_.wait(each);
    job_.wait_implicit(true, true);
    for (rank_id to = 0; to < job_.size(); ++to) check(to, 0, region_bytes);
    return wrong_ == 0;
  }

  const std::vector<std::uint64_t>& sent() const { return sent_; }
  const std::vector<std::uint64_t>& sent_sum() const { return sent_sum_; }
  std::uint64_t asked() const { return asked_; }

 private:
  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }

  // Mostly small sizes, sometimes large ones.
  std::size_t size_up_to(std::size_t most) {
    const std::size_t scale = std::size_t{1} << below(18);
    return std::min<std::size_t>(below(scale + 1), most);
  }

  std::byte* region(rank_id to) const {
    const auto& rows = job_.heaps().routes();
    const auto offset = reinterpret_cast<std::uintptr_t>(regions_) - rows[job_.rank()].remote();
    const std::size_t index = job_.rank() * lanes_ + lane_;
    return reinterpret_cast<std::byte*>(rows[to].remote() + offset) + index * region_bytes;
  }

  void step() {
    const auto to = static_cast<rank_id>(below(job_.size()));
    switch (below(10)) {
      case 0:
      case 1:
      case 2:
        return put_some(to);
      case 3:
        return check_some(to);
      case 4:
      case 5:
        return message(to, am_category::short_, note_id);
      case 6:
      case 7:
        return message(to, am_category::medium, note_id);
      case 8:
        return message(to, am_category::medium, answer_id);
      default:
        return put_long(to);
    }
  }

  void fill(rank_id to, std::size_t offset, std::size_t bytes) {
    const std::uint64_t salt = random_();
    for (std::size_t i = 0; i < bytes; ++i) {
      model_[to][offset + i] = static_cast<std::byte>((salt >> (i % 8 * 8)) + i);
    }
  }

  void put_some(rank_id to) {
    settle();  // transfers to one region are not ordered among themselves
    const std::size_t bytes = size_up_to(60'000);
    const std::size_t offset = below(region_bytes - bytes);
    fill(to, offset, bytes);
    endpoint& via = job_.primordial();
    const std::byte* from = model_[to].data() + offset;
    switch (below(3)) {
      case 0:
        put(via, to, region(to) + offset, from, bytes);
        return;
      case 1:
        pending_.emplace_back();
        put_nb(via, to, region(to) + offset, from, bytes, pending_.back());
        return;
      default:
        put_nbi(via, to, region(to) + offset, from, bytes);
    }
  }

  void check_some(rank_id to) {
    const std::size_t bytes = size_up_to(60'000);
    check(to, below(region_bytes - bytes), bytes);
  }

  void settle() {
    for (event& each : pending_) job_.wait(each);
    pending_.clear();
    job_.wait_implicit(true, true);
  }

  void check(rank_id to, std::size_t offset, std::size_t bytes) {
    settle();
    std::vector<std::byte> got(bytes);
    get(job_.primordial(), got.data(), to, region(to) + offset, bytes);
    if (bytes != 0 && std::memcmp(got.data(), model_[to].data() + offset, bytes) != 0) {
      std::fprintf(stderr, "rank %u: %zu bytes at %zu of rank %u differ\n", job_.rank(), bytes,
                   offset, to);
      ++wrong_;
    }
  }

  void message(rank_id to, am_category kind, handler_id handler) {
    std::array<std::uint32_t, 16> args;
    for (auto& each : args) each = static_cast<std::uint32_t>(random_());
    const auto nargs = static_cast<std::uint8_t>(handler == answer_id ? 1 + below(16) : below(17));
    const std::size_t bytes = kind == am_category::medium ? size_up_to(65536) : 0;
    const std::byte* payload = model_[to].data();
    job_.primordial().request({.target = to,
                               .kind = kind,
                               .handler = handler,
                               .nargs = nargs,
                               .args = args.data(),
                               .payload = payload,
                               .bytes = bytes});
    ++sent_[to];
    sent_sum_[to] += sum_of(payload, bytes);
    for (unsigned i = 0; i < nargs; ++i) sent_sum_[to] += args[i];
    if (handler == answer_id) ++asked_;
  }

  void put_long(rank_id to) {
    settle();
    const std::size_t bytes = size_up_to(100'000);
    const std::size_t offset = below(region_bytes - bytes);
    fill(to, offset, bytes);
    job_.primordial().request({.target = to,
                               .kind = am_category::long_,
                               .handler = landed_id,
                               .nargs = 1,
                               .args = &lane_,
                               .payload = model_[to].data() + offset,
                               .bytes = bytes,
                               .address = reinterpret_cast<std::uintptr_t>(region(to) + offset)});
    ++longs_;
    job_.wait_until([&] { return seen_.landed[lane_].load(std::memory_order_acquire) == longs_; });
  }

  runtime& job_;
  tally& seen_;
  std::byte* regions_;
  unsigned lane_;
  unsigned lanes_;
  std::mt19937_64 random_;
  std::vector<std::vector<std::byte>> model_;  // the bytes that the region at each target must hold
  std::vector<std::uint64_t> sent_, sent_sum_;
  std::vector<event> pending_;
  std::uint64_t asked_ = 0, longs_ = 0, wrong_ = 0;
};

void register_handlers(runtime& job, tally& seen) {
  handler_table& table = job.primordial().handlers();
  table.set(note_id, {.run = on_note, .context = &seen, .name = "note"});
  table.set(answer_id, {.run = on_answer, .context = &seen, .name = "answer"});
  table.set(answered_id, {.run = on_answered, .context = &seen, .name = "answered"});
  table.set(landed_id, {.run = on_landed, .context = &seen, .name = "landed"});
  table.set(landed_reply_id, {.run = on_landed_reply, .context = &seen, .name = "landed reply"});
}

/// Compares what all ranks sent to this one with what it received.
bool compare(runtime& job, const tally& seen, const std::vector<traffic>& lanes) {
  const rank_id size = job.size();
  auto* const sent =
      static_cast<std::uint64_t*>(job.heap().allocate(2 * size * sizeof(std::uint64_t)));
  job.world().barrier();
  const auto& rows = job.heaps().routes();
  for (rank_id to = 0; to < size; ++to) {
    std::array<std::uint64_t, 2> totals{};
    for (const traffic& lane : lanes) {
      totals[0] += lane.sent()[to];
      totals[1] += lane.sent_sum()[to];
    }
    const auto offset = reinterpret_cast<std::uintptr_t>(sent) - rows[job.rank()].remote();
    auto* const remote = reinterpret_cast<std::uint64_t*>(rows[to].remote() + offset);
    put(job.primordial(), to, remote + 2 * job.rank(), totals.data(), sizeof totals);
  }
  job.world().barrier();
  std::uint64_t messages = 0, sum = 0, asked = 0;
  for (rank_id from = 0; from < size; ++from) {
    messages += sent[2 * from];
    sum += sent[2 * from + 1];
  }
  for (const traffic& lane : lanes) asked += lane.asked();
  job.wait_until([&] { return seen.messages == messages && seen.answers == asked; });
  const bool right = seen.sum == sum;
  if (!right) std::fprintf(stderr, "rank %u: the sums of the messages differ\n", job.rank());
  job.world().barrier();
  return right;
}

bool run_job(const plan& wanted) {
  runtime job({.threads = wanted.threads > 1 ? thread_mode::any : thread_mode::single});
  tally seen(wanted.threads);
  const std::size_t bytes = job.size() * wanted.threads * region_bytes;
  auto* const regions = static_cast<std::byte*>(job.heap().allocate(bytes));
  std::memset(regions, 0, bytes);
  register_handlers(job, seen);
  job.world().barrier();
  std::vector<traffic> lanes;
  for (unsigned lane = 0; lane < wanted.threads; ++lane)
    lanes.emplace_back(job, seen, regions, lane, wanted);
  const std::uint64_t share = wanted.operations / job.size() / wanted.threads;
  std::atomic<unsigned> wrong_lanes = 0;  // counted: a lane that was right takes no failure back
  const auto run_lane = [&](unsigned lane) {
    if (!lanes[lane].run(share)) ++wrong_lanes;
  };
  {
    std::vector<std::jthread> others;
    for (unsigned lane = 1; lane < wanted.threads; ++lane) others.emplace_back(run_lane, lane);
    run_lane(0);
  }
  const bool sums_agree = compare(job, seen, lanes);
  return sums_agree && wrong_lanes == 0;
}

}  // namespace

/// random_traffic [operations of all ranks [threads per rank [seed]]]
int main(int argc, char** argv) {
  plan wanted;
  if (argc > 1) wanted.operations = std::strtoull(argv[1], nullptr, 10);
  if (argc > 2) wanted.threads = static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10));
  if (argc > 3) wanted.seed = std::strtoull(argv[3], nullptr, 10);
  try {
    return run_job(wanted) ? 0 : 1;
  } catch (const atl::error& refused) {
    std::fprintf(stderr, "random_traffic: %s\n", refused.what());
    return 1;
  }
}
