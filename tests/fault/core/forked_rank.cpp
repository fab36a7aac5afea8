// SPDX-License-Identifier: BSD-3-Clause
//
// A rank that forks. The child has a copy of the runtime, and ends in each way that a program may:
// by the destructor, by exit() with what is registered there, by ending the job, by a wrong use. In
// none of them may it take the rank's part in a barrier, end the job, or disturb the messages of
// the rank, which go on while it does so. Both kinds of path: memory, and a network where there is
// one.
#include <atoll/core/rma.hpp>
#include <atoll/core/runtime.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>

namespace {

using namespace atl;

constexpr int turns = 200;

std::optional<runtime> job;  // destroyed by exit(), as a program's global object is

/// Counts one more on each neighbour, by what the child may not disturb.
bool exchange_words(std::uint64_t* word) {
  const auto& rows = job->primordial().paths();
  const auto offset = reinterpret_cast<std::uintptr_t>(word) - rows[job->rank()].remote_base;
  const rank_id right = (job->rank() + 1) % job->size();
  auto* const theirs = reinterpret_cast<std::uint64_t*>(rows[right].remote_base + offset);
  bool good = true;
  for (std::uint64_t turn = 1; turn <= turns && good; ++turn) {
    put_value(job->primordial(), right, theirs, turn);
    job->world().barrier();
    good = *static_cast<volatile std::uint64_t*>(word) == turn;
    job->world().barrier();
  }
  return good;
}

enum class ending { destructor, process_exit, end_of_job, wrong_use };

[[noreturn]] void end_child(ending how) {
  if (how == ending::process_exit) std::exit(7);
  if (how == ending::end_of_job) job->exit(7);
  if (how == ending::wrong_use) job->fail("child", "it is wrong on purpose", "none");
  job.reset();
  std::_Exit(7);
}

/// In one rank: the children of all would complete a barrier of their own, unnoticed.
bool fork_one(ending how, std::uint64_t* word) {
  if (job->rank() + 1 != job->size()) return exchange_words(word);
  const pid_t child = fork();
  if (child < 0) return false;
  if (child == 0) end_child(how);
  usleep(100'000);  // what the child does in the rank's name, it does before the rank
  const bool good = exchange_words(word);
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) return false;
  return good && WEXITSTATUS(status) == (how == ending::wrong_use ? 1 : 7);
}

}  // namespace

int main() {
  job.emplace();
  auto* const word = static_cast<std::uint64_t*>(job->heap().allocate(sizeof(std::uint64_t)));
  *word = 0;
  job->world().barrier();
  bool good = true;
  for (const ending how :
       {ending::destructor, ending::process_exit, ending::end_of_job, ending::wrong_use})
    good = fork_one(how, word) && good;
  job.reset();
  if (!good) std::fputs("forked_rank: a child disturbed its rank, or did not end\n", stderr);
  return good ? 0 : 1;
}
