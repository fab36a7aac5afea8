// SPDX-License-Identifier: BSD-3-Clause
//
// A rank that forks. The child has a copy of the runtime, and ends in each way that a program may:
// by the destructor, by exit() with its registered functions, by ending the job, by a wrong use. It
// must not take part in a barrier for the rank, end the job, or disturb the messages of the rank,
// which go on meanwhile. Both kinds of path are tested: memory, and a network where there is one.
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/rma/rma.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace {

using namespace atl;

constexpr int turns = 200;

std::optional<runtime> job;  // destroyed by exit(), as a program's global object is

/// Puts the number of each turn into the right neighbour's word, and checks the one from the left.
/// The child must not disturb these puts and barriers.
bool exchange_words(std::uint64_t* word) {
  const auto& rows = job->heaps().routes();
  const auto offset = reinterpret_cast<std::uintptr_t>(word) - rows[job->rank()].remote();
  const rank_id right = (job->rank() + 1) % job->size();
  auto* const remote = reinterpret_cast<std::uint64_t*>(rows[right].remote() + offset);
  bool good = true;
  for (std::uint64_t turn = 1; turn <= turns && good; ++turn) {
    put_value(job->primordial(), right, remote, turn);
    job->world().barrier();
    good = *static_cast<volatile std::uint64_t*>(word) == turn;
    job->world().barrier();
  }
  return good;
}

/// Memory outside of the heaps, which neighbours reach through the kernel where it allows that.
class private_memory {
 public:
  private_memory() {
    segment_.share({bytes_.data(), bytes_.size()});
    is_reached_ = put_by_kernel();
  }

  /// Whether the kernel still copies (or refuses) as before any rank had forked.
  bool is_reached_as_before() { return put_by_kernel() == is_reached_; }

 private:
  bool put_by_kernel() {
    constexpr auto copies = static_cast<std::size_t>(trace::counter::kernel_copies);
    const rank_id right = (job->rank() + 1) % job->size();
    const std::uint64_t start_count = trace::read()[copies];
    job->world().barrier();
    put(segment_, right, segment_.part(right).base, source_.data(), source_.size());
    job->world().barrier();
    return trace::read()[copies] != start_count;
  }

  segment segment_{*job};
  std::vector<std::byte> bytes_ = std::vector<std::byte>(65536);
  std::vector<std::byte> source_ = std::vector<std::byte>(65536);
  bool is_reached_ = false;
};

enum class ending { destructor, process_exit, end_of_job, wrong_use };

[[noreturn]] void end_child(ending kind) {
  if (kind == ending::process_exit) std::exit(7);
  if (kind == ending::end_of_job) job->exit(7);
  if (kind == ending::wrong_use) job->fail("child", "it is wrong on purpose", "none");
  job.reset();
  std::_Exit(7);
}

/// Forks on one rank alone: if all ranks forked, their children could complete a barrier among
/// themselves, and no rank would notice.
bool fork_one(ending kind, std::uint64_t* word) {
  if (job->rank() + 1 != job->size()) return exchange_words(word);
  const pid_t child = fork();
  if (child < 0) return false;
  if (child == 0) end_child(kind);
  usleep(100'000);  // the child acts before the rank goes on
  const bool good = exchange_words(word);
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) return false;
  return good && WEXITSTATUS(status) == (kind == ending::wrong_use ? 1 : 7);
}

}  // namespace

int main() {
  job.emplace();
  auto* const word = static_cast<std::uint64_t*>(job->heap().allocate(sizeof(std::uint64_t)));
  *word = 0;
  job->world().barrier();
  bool good = true;
  auto others_reach = std::make_unique<private_memory>();
  for (const ending kind :
       {ending::destructor, ending::process_exit, ending::end_of_job, ending::wrong_use})
    good = fork_one(kind, word) && others_reach->is_reached_as_before() && good;
  others_reach.reset();
  job.reset();
  if (!good) std::fputs("forked_rank: a child disturbed its rank, or did not end\n", stderr);
  return good ? 0 : 1;
}
