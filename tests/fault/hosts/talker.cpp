// SPDX-License-Identifier: BSD-3-Clause
//
// A job that talks between its ranks without a pause, for tests that kill or cut off a part of it:
// rounds of puts, gets, atomics, messages and collectives, each checked. Rank 0 says when the first
// round is over; the job ends, and every rank says that all was right, when the file named exists.
#include <atoll/coll/collectives.hpp>
#include <atoll/coll/engine.hpp>
#include <atoll/core/atomic.hpp>
#include <atoll/core/rma.hpp>
#include <atoll/core/runtime.hpp>

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

void must(bool holds, const char* what, std::uint64_t round) {
  if (holds) return;
  std::fprintf(stderr, "talker: %s is wrong in round %lu\n", what,
               static_cast<unsigned long>(round));
  std::_Exit(3);
}

/// The board of another rank, by its own address: all allocate alike.
board* board_of(runtime& job, rank_id rank, board* mine) {
  const auto offset = reinterpret_cast<std::byte*>(mine) - job.heaps().mine().base;
  return reinterpret_cast<board*>(job.heaps().part(rank).base + offset);
}

void talk(runtime& job, board* mine, std::uint64_t round) {
  endpoint& here = job.primordial();
  const rank_id right = (job.rank() + 1) % job.size();
  board* const theirs = board_of(job, right, mine);
  std::uint64_t sent[words];
  for (std::size_t i = 0; i < words; ++i) sent[i] = round * words + i + job.rank();
  put(here, right, theirs->from_left, sent, sizeof sent);
  std::uint64_t back[words];
  get(here, back, right, theirs->from_left, sizeof back);
  must(back[words - 1] == sent[words - 1] && back[0] == sent[0], "what was put", round);
  board* const first = board_of(job, 0, mine);
  const std::uint64_t before =
      atomic(here, 0, &first->counter, {.op = atomic_op::fetch_add, .operand = 1});
  must(before / job.size() == round, "the counter", round);
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
  auto* const mine = static_cast<board*>(job.heap().allocate(sizeof(board)));
  mine->counter = 0;
  job.world().barrier();
  for (std::uint64_t round = 0;; ++round) {
    talk(job, mine, round);
    if (round == 0 && job.rank() == 0) {
      std::puts("ready");
      std::fflush(stdout);
    }
    std::uint64_t over = job.rank() == 0 && ::access(argv[1], F_OK) == 0 ? 1 : 0;
    coll::broadcast(job.world(), 0, &over, &over, sizeof over);
    if (over != 0) break;
  }
  job.world().barrier();
  std::puts("right");
  return 0;
}
