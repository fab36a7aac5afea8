// SPDX-License-Identifier: BSD-3-Clause
//
// One rank dies while the others have operations under way to it, and they go on: each operation
// ends with peer_lost, later ones do at once, barriers and collectives with it end, the others can
// make a team and use it, and the runtime ends without the dead rank. A wrong result is printed and
// becomes code 9. The first argument says how the rank dies: `kill` by a signal, `fail` by
// fail_rank(), and `depend` by an exit after depend_on_others(), which ends the job. With a second
// argument `threads` a second thread of each rank polls.
#include <atoll/coll/collectives.hpp>
#include <atoll/coll/team_creation.hpp>
#include <atoll/core/atomic/atomic.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/progress/operation_group.hpp>
#include <atoll/core/rma/rma.hpp>
#include <atoll/core/strided/strided.hpp>

#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using namespace atl;
using namespace std::chrono_literals;

constexpr int wrong_code = 9;
constexpr int dependent_code = 7;
constexpr std::size_t place_count = 1 << 16;
constexpr auto lost = operation_status::peer_lost;

struct loss_test {
  explicit loss_test(std::string_view threads)
      : job({.threads = threads == "threads" ? thread_mode::any : thread_mode::single,
             .on_peer_lost = {.run = note_loss, .context = this}}),
        victim(job.size() / 2),
        places(static_cast<std::uint64_t*>(job.heap().allocate(place_count * 8))) {
    std::memset(places, 0, place_count * 8);
    remote = at(victim);
    survivor = (job.rank() + 1) % job.size() == victim ? (job.rank() + 2) % job.size()
                                                       : (job.rank() + 1) % job.size();
  }

  static void note_loss(void* context, rank_id peer, std::string_view) noexcept {
    loss_test& test = *static_cast<loss_test*>(context);
    test.last_lost = peer;
    ++test.losses;  // last, since others wait for it
  }

  std::uint64_t* at(rank_id rank) const {
    const auto offset = reinterpret_cast<std::byte*>(places) - job.heaps().own_part().base;
    return reinterpret_cast<std::uint64_t*>(job.heaps().part(rank).base + offset);
  }

  void require(bool condition, const char* property) const {
    if (condition) return;
    std::fprintf(stderr, "rank %u: wrong: %s\n", job.rank(), property);
    job.exit(wrong_code);
  }

  mutable runtime job;
  rank_id victim;
  rank_id survivor;  // another rank that lives, or this one
  std::uint64_t* places;
  std::uint64_t* remote;  // those of the victim
  std::atomic<int> losses = 0;
  std::atomic<rank_id> last_lost = no_rank;
};

/// From here on the rank that dies makes no progress, so requests to it stay unanswered. All ranks
/// meet by the launcher, at first with progress, since some may still need their last messages.
void synchronise_without_progress(loss_test& test) {
  test.job.exchange({});
  atl::layer_access::boot(test.job).fence();
}

[[noreturn]] void die(loss_test& test, std::string_view how) {
  std::this_thread::sleep_for(300ms);
  if (how == "fail") test.job.fail_rank();
  if (how == "depend") {
    test.job.depend_on_others();
    ::_exit(dependent_code);
  }
  ::raise(SIGKILL);
  std::abort();
}

/// Operations under way when the rank dies. Where its memory is mapped here, they are complete at
/// once.
class operations {
 public:
  explicit operations(loss_test& test) : test_(test), group_(test.job) {}

  void start() {
    runtime& job = test_.job;
    put_nb(job.heaps(), test_.victim, test_.remote, data_.data(), sizeof data_, put_);
    get_nb(job.heaps(), got_.data(), test_.victim, test_.remote, sizeof got_, get_);
    atomic_nb(job.heaps(), test_.victim, test_.remote, {.op = atomic_op::fetch_add, .operand = 1},
              &number_, add_);
    put_nbi(job.heaps(), test_.victim, test_.remote + 4096, data_.data(), sizeof data_);
    put_nbi(job.heaps(), test_.survivor, test_.at(test_.survivor) + 4096, data_.data(),
            sizeof data_);
    {
      const counting_in scope(job, group_);
      get_nbi(job.heaps(), grouped_.data(), test_.victim, test_.remote, sizeof grouped_);
    }
    put_nb(job.heaps(), test_.victim, test_.remote, data_.data(), 8, continued_);
    barrier_ = job.world().start_barrier();
    job.world().arrive_named(barrier_tag::named(7));
  }

  /// Each has ended, done or with peer_lost; with `all_lost` none can have been done.
  void check(bool all_lost) {
    runtime& job = test_.job;
    is_continued_ = false;
    if (!job.when_complete(continued_, {.run = note_continuation, .context = this}))
      is_continued_ = !all_lost;
    expect(job.wait(put_), all_lost, "a put under way");
    expect(job.wait(get_), all_lost, "a get under way");
    expect(job.wait(add_), all_lost, "an atomic under way");
    expect(job.wait_implicit(true, true, true), all_lost, "implicit puts under way");
    test_.require(job.wait_implicit(true, true, true) == operation_status::done, "reported once");
    expect(group_.wait(), all_lost, "a group under way");
    job.wait_until([&] { return is_continued_.load(); });
    test_.require(job.wait(barrier_) == lost, "a barrier under way");
    job.wait_until([&] { return job.world().test_named(); });
    test_.require(job.world().named_result().is_mismatch(), "a named barrier under way");
  }

 private:
  void expect(operation_status status, bool all_lost, const char* property) const {
    test_.require(status == lost || (!all_lost && status == operation_status::done), property);
  }
  static void note_continuation(void* self, operation_status) noexcept {
    static_cast<operations*>(self)->is_continued_ = true;
  }

  loss_test& test_;
  std::array<std::uint64_t, 2048> data_{};
  std::array<std::uint64_t, 2048> got_{};
  std::array<std::uint64_t, 2048> grouped_{};
  std::uint64_t number_ = 0;
  event put_, get_, add_, continued_, barrier_;
  operation_group group_;
  std::atomic<bool> is_continued_ = false;
};

void check_later_operations(loss_test& test) {
  runtime& job = test.job;
  std::uint64_t value = 1;
  test.require(put(job.heaps(), test.victim, test.remote, &value, 8) == lost, "a later put");
  test.require(get(job.heaps(), &value, test.victim, test.remote, 8) == lost, "a later get");
  test.require(get_value(job.heaps(), test.victim, test.remote) == 0, "a later get of a value");
  std::uint64_t old_value = 3;
  test.require(atomic_into(job.heaps(), test.victim, test.remote,
                           {.op = atomic_op::fetch_add, .operand = 1}, &old_value) == lost,
               "a later atomic");
  const atomic_domain sums(job.world(), data_type::u64, {atomic_op::fetch_add});
  test.require(sums.apply_into(test.victim, test.remote, {.op = atomic_op::fetch_add, .operand = 1},
                               &old_value) == lost,
               "a later atomic of a domain");
  event done;
  put_nb(job.heaps(), test.victim, test.remote, &value, 8, done);
  operation_status status = operation_status::done;
  test.require(job.test(done, status) && status == lost, "a later put with an event");
  test.require(job.world().barrier() == lost, "a later barrier");
  std::uint64_t sum = 0;
  const auto add = coll::built_in(coll::reduce_operation::add, data_type::u64);
  test.require(coll::allreduce(job.world(), &sum, &value, 1, add) == lost, "a later collective");
  event started = coll::start_allreduce(job.world(), &sum, &value, 1, add);
  test.require(job.wait(started) == lost, "a later collective with an event");
  const std::array<std::size_t, 1> rows{64};
  const std::array<std::ptrdiff_t, 1> strides{64};
  const strided_transfer block{.to = test.remote,
                               .to_strides = strides,
                               .from = test.places,
                               .from_strides = strides,
                               .element_bytes = 8,
                               .counts = rows};
  test.require(put(job.primordial(), test.victim, block) == lost, "a later strided put");
}

/// More messages than any queue holds, of all sizes: none may wait for the dead rank.
void flood(loss_test& test) {
  std::vector<std::byte> payload(60'000);
  for (unsigned turn = 0; turn < 3000; ++turn) {
    const std::size_t bytes = std::array<std::size_t, 4>{0, 40, 3000, 60'000}[turn % 4];
    test.job.primordial().request({.target = test.victim,
                                   .kind = bytes == 0 ? am_category::short_ : am_category::medium,
                                   .handler = 1,
                                   .payload = payload.data(),
                                   .bytes = bytes});
  }
}

void use_the_others(loss_test& test) {
  runtime& job = test.job;
  std::vector<rank_id> left;
  for (rank_id rank = 0; rank < job.size(); ++rank) {
    test.require(job.failed(rank) == (rank == test.victim), "which ranks have failed");
    if (rank != test.victim) left.push_back(rank);
  }
  std::unique_ptr<team> others = coll::create_team_alone(job, rank_set(left));
  for (int turn = 0; turn < 100; ++turn) {
    test.require(others->barrier() == operation_status::done, "a barrier of the others");
    const std::uint64_t own = job.rank();
    std::uint64_t sum = 0;
    const auto add = coll::built_in(coll::reduce_operation::add, data_type::u64);
    coll::allreduce(*others, &sum, &own, 1, add);
    std::uint64_t expected = 0;
    for (const rank_id rank : left) expected += rank;
    test.require(sum == expected, "a reduction of the others");
  }
  const std::uint64_t mark = 1000 + job.rank();
  put_value(job.heaps(), test.survivor, test.at(test.survivor) + job.rank(), mark);
  test.require(get_value(job.heaps(), test.survivor, test.at(test.survivor) + job.rank()) == mark,
               "a put and a get among the others");
  test.require(others->barrier() == operation_status::done, "the last barrier of the others");
  coll::destroy_team(std::move(others));
}

void survive(loss_test& test) {
  const bool is_mapped = test.job.heaps().routes()[test.victim].direct(test.remote, 8) != nullptr;
  operations under_way(test);
  under_way.start();
  under_way.check(!is_mapped);
  test.job.wait_until([&] { return test.losses == 1; });
  test.require(test.last_lost == test.victim, "which rank the handler received");
  check_later_operations(test);
  flood(test);
  use_the_others(test);
  test.require(test.losses == 1, "a loss is reported once");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view how = argc > 1 ? argv[1] : "kill";
  loss_test test(argc > 2 ? argv[2] : "");
  test.job.primordial().handlers().set(
      1, {.run = [](void*, am_token&, const std::uint32_t*, unsigned, void*, std::size_t) {},
          .name = "nothing"});
  coll::open(test.job);
  test.job.world().barrier();
  synchronise_without_progress(test);
  if (test.job.rank() == test.victim) die(test, how);
  std::atomic<bool> ends = false;
  std::jthread second;
  if (test.job.threads() == thread_mode::any) {
    second = std::jthread(
        [&] { test.job.wait_until([&] { return ends.load(); }, runtime::silent_sleep_ns); });
  }
  survive(test);
  ends = true;
}
