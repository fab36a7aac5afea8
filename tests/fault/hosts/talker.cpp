// SPDX-License-Identifier: BSD-3-Clause
//
// A job whose ranks communicate without a pause, for tests that kill or cut off a part of it:
// rounds of puts, gets, atomics, messages and collectives, each checked. Rank 0 prints when the
// first round is over; when the named file exists, the job ends and every rank prints that all was
// right.
#include <atoll/coll/collectives.hpp>
#include <atoll/coll/engine/engine.hpp>
#include <atoll/core/atomic/atomic.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/rma/rma.hpp>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace {

using namespace atl;

constexpr std::size_t words = 4096;

struct board {
  std::uint64_t from_left[words];
  std::uint64_t counter;
};

void must(bool holds, const char* name, std::uint64_t round) {
  if (holds) return;
  std::fprintf(stderr, "talker: %s is wrong in round %lu\n", name,
               static_cast<unsigned long>(round));
  std::_Exit(3);
}

/// The board of another rank, by that rank's own address: all have the same offset.
board* board_of(runtime& job, rank_id rank, board* local) {
  const auto offset = reinterpret_cast<std::byte*>(local) - job.heaps().own_part().base;
  return reinterpret_cast<board*>(job.heaps().part(rank).base + offset);
}

void talk(runtime& job, board* local, std::uint64_t round) {
  endpoint& primordial = job.primordial();
  const rank_id right = (job.rank() + 1) % job.size();
  board* const remote = board_of(job, right, local);
  std::uint64_t sent[words];
  for (std::size_t i = 0; i < words; ++i) sent[i] = round * words + i + job.rank();
  put(primordial, right, remote->from_left, sent, sizeof sent);
  std::uint64_t back[words];
  get(primordial, back, right, remote->from_left, sizeof back);
  must(back[words - 1] == sent[words - 1] && back[0] == sent[0], "what was put", round);
  board* const first = board_of(job, 0, local);
  const std::uint64_t old_value =
      atomic(primordial, 0, &first->counter, {.op = atomic_op::fetch_add, .operand = 1});
  must(old_value / job.size() == round, "the counter", round);
  std::uint64_t sum = round;
  coll::allreduce(job.world(), &sum, &sum, 1,
                  coll::built_in(coll::reduce_operation::add, data_type::u64));
  must(sum == round * job.size(), "the sum", round);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  runtime job;
  coll::open(job);
  auto* const local = static_cast<board*>(job.heap().allocate(sizeof(board)));
  local->counter = 0;
  job.world().barrier();
  for (std::uint64_t round = 0;; ++round) {
    talk(job, local, round);
    if (round == 0 && job.rank() == 0) {
      std::puts("ready");
      std::fflush(stdout);
    }
    std::uint64_t finished = job.rank() == 0 && ::access(argv[1], F_OK) == 0 ? 1 : 0;
    coll::broadcast(job.world(), 0, &finished, &finished, sizeof finished);
    if (finished != 0) break;
  }
  job.world().barrier();
  std::puts("right");
  return 0;
}
