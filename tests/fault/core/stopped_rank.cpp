// SPDX-License-Identifier: BSD-3-Clause
//
// The last rank stops with code 3 while the others go on: they see that it has stopped, and then
// read and write its memory, by loads and stores or by messages that it must serve, and add to a
// number in it. After that they end as the first argument says: `stop` with codes of their own,
// `leave` by the end of the runtime, or `exit`, where all stop and then call exit() themselves. A
// wrong value is printed and becomes code 9.
#include <atoll/core/atomic/atomic.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/rma/rma.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string_view>

namespace {

using namespace atl;

constexpr int first_code = 3;
constexpr int later_code = 5;
constexpr int wrong_code = 9;
constexpr std::uint64_t pattern = 0x0123456789abcdef;
constexpr std::size_t places = 64;  // ranks at most

struct board {
  std::uint64_t written_before;
  std::uint64_t counter;
  std::uint64_t by_rank[places];
};

void require(bool condition, const runtime& job, const char* property) {
  if (condition) return;
  std::fprintf(stderr, "rank %u: wrong: %s\n", job.rank(), property);
  std::_Exit(wrong_code);
}

/// The board of the last rank, by that rank's own address.
board* board_of_last(runtime& job, board* own) {
  const auto offset = reinterpret_cast<std::byte*>(own) - job.heaps().own_part().base;
  return reinterpret_cast<board*>(job.heaps().part(job.size() - 1).base + offset);
}

void use_memory_of(runtime& job, rank_id last, board* remote) {
  endpoint& own = job.primordial();
  for (std::uint64_t turn = 1; turn <= 200; ++turn) {
    put_value(own, last, &remote->by_rank[job.rank()], turn);
    require(get_value(own, last, &remote->by_rank[job.rank()]) == turn, job, "a value written");
    atomic(own, last, &remote->counter, {.op = atomic_op::fetch_add, .operand = 1});
  }
  require(get_value(own, last, &remote->written_before) == pattern, job, "a value from before");
}

[[noreturn]] void stop(runtime& job, std::string_view ending, int code) {
  if (ending != "exit") job.stop(code);
  job.stop_serving(code);
  std::exit(code);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view ending = argc > 1 ? argv[1] : "stop";
  runtime job;
  const rank_id last = job.size() - 1;
  auto* const own = static_cast<board*>(job.heap().allocate(sizeof(board)));
  std::memset(own, 0, sizeof *own);
  own->written_before = pattern;
  board* const remote = board_of_last(job, own);
  require(!job.stopped(last), job, "the last rank has not stopped yet");
  job.world().barrier();
  if (job.rank() == last) stop(job, ending, first_code);

  job.wait_until([&] { return job.stopped(last); }, runtime::silent_sleep_ns);
  require(!job.stopped(job.rank()), job, "this rank has not stopped");
  use_memory_of(job, last, remote);
  if (ending != "leave") stop(job, ending, job.rank() == 0 ? 0 : later_code);
  return 0;  // the end of the runtime
}
