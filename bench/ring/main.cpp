// SPDX-License-Identifier: BSD-3-Clause
//
// bench_ring: every rank sends active messages to the next one, all at the same time, each with a
// window of unanswered ones. Started with 2 ranks and with 16 on the same two cores it shows
// whether many ranks on few cores slow each other down: the time per message of the whole job
// should not grow. The processor time per message shows how much of it was spent polling. Then it
// measures a rank that only waits: its processor time while it waits for a message, and its
// resident memory.
//
// The suite gets times that are sums over all ranks, which rank 0 gathers by messages.
#include <bench/harness/command_line.hpp>
#include <bench/harness/job_main.hpp>
#include <bench/harness/stopwatch.hpp>

#include <atoll/core/am/am.hpp>
#include <atoll/core/job/runtime.hpp>

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>

namespace {

constexpr std::uint64_t messages_of_job = 64'000;  // per round, all ranks together
constexpr std::uint64_t window = 64;
constexpr auto idle_time = std::chrono::milliseconds(200);

double processor_time_ns() {
  timespec used;
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return 1e9 * static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec);
}

/// Memory of this process in KiB: the sum of the lines of smaps_rollup that begin with a key.
/// "Rss:" is all that is resident, pages of programs and libraries that all processes share
/// included; "Pss:" divides what is shared among those who share it.
double memory_kib(const std::string& key) {
  std::ifstream rollup("/proc/self/smaps_rollup");
  double kib = 0;
  for (std::string word; rollup >> word;) {
    double value = 0;
    if (word == key && rollup >> value) kib += value;
  }
  return kib;
}

class ring {
 public:
  explicit ring(atl::runtime& job) : job_(job) {
    atl::handler_table& table = job.primordial().handlers();
    table.set(token, {.run = on_token, .context = this, .name = "token"});
    table.set(answer, {.run = on_answer, .context = this, .name = "answer"});
    table.set(add, {.run = on_add, .context = this, .name = "add"});
    job.world().barrier();
  }
  ring(const ring&) = delete;
  ring& operator=(const ring&) = delete;

  /// All ranks send their part of `messages`; returns the processor time of all ranks, at rank 0.
  double flood(std::uint64_t messages) {
    const double before_ns = processor_time_ns();
    const std::uint64_t share = std::max<std::uint64_t>(1, messages / job_.size());
    const atl::rank_id next = (job_.rank() + 1) % job_.size();
    for (std::uint64_t i = 0; i < share; ++i) {
      job_.wait_until([&] { return sent_ - answered_ < window; });
      ++sent_;
      job_.primordial().request({.target = next, .handler = token});
    }
    expected_ += share;
    job_.wait_until([&] { return answered_ == sent_ && arrived_ == expected_; });
    job_.world().barrier();
    return sum_over_ranks(processor_time_ns() - before_ns);
  }

  /// Rank 0 sleeps outside of Atoll while all others wait for it; returns their processor time.
  double idle() {
    job_.world().barrier();
    const double before_ns = processor_time_ns();
    if (job_.rank() == 0) std::this_thread::sleep_for(idle_time);
    job_.world().barrier();
    return sum_over_ranks(processor_time_ns() - before_ns);
  }

  /// The sum of the values of all ranks, at rank 0; collective.
  double sum_over_ranks(double value) {
    sum_ = 0;
    added_ = 0;
    job_.world().barrier();
    std::uint32_t args[2];
    static_assert(sizeof args == sizeof value);
    std::memcpy(args, &value, sizeof value);
    job_.primordial().request({.target = 0, .handler = add, .nargs = 2, .args = args});
    if (job_.rank() == 0) job_.wait_until([this] { return added_ == job_.size(); });
    job_.world().barrier();
    return sum_;
  }

  bool all_arrived() const noexcept { return arrived_ == expected_; }

 private:
  enum handler : atl::handler_id { token, answer, add };

  static void on_token(void* self, atl::am_token& from, const std::uint32_t*, unsigned, void*,
                       std::size_t) {
    ++static_cast<ring*>(self)->arrived_;
    from.reply({.handler = answer});
  }
  static void on_answer(void* self, atl::am_token&, const std::uint32_t*, unsigned, void*,
                        std::size_t) {
    ++static_cast<ring*>(self)->answered_;
  }
  static void on_add(void* self, atl::am_token&, const std::uint32_t* args, unsigned, void*,
                     std::size_t) {
    double value;
    std::memcpy(&value, args, sizeof value);
    static_cast<ring*>(self)->sum_ += value;
    ++static_cast<ring*>(self)->added_;
  }

  atl::runtime& job_;
  std::uint64_t sent_ = 0;
  std::uint64_t answered_ = 0;
  std::uint64_t arrived_ = 0;
  std::uint64_t expected_ = 0;
  double sum_ = 0;
  atl::rank_id added_ = 0;
};

bool measure(atl::runtime& job, const bench::options& chosen) {
  ring job_ring(job);
  const double resident_kib = job_ring.sum_over_ranks(memory_kib("Rss:")) / job.size();
  const double share_kib = job_ring.sum_over_ranks(memory_kib("Pss:")) / job.size();
  bench::suite suite(bench::title_of("ring", job), chosen, [&] { job.world().barrier(); });
  double processor_ns = 0;
  suite.add({.name = "ring_message", .operations = messages_of_job, .run = [&](auto count) {
               const bench::stopwatch watch;
               processor_ns = job_ring.flood(count);
               return watch.elapsed_ns();
             }});
  // This row shows the processor time of the messages that the case before has sent.
  suite.add({.name = "ring_message_processor", .operations = messages_of_job, .run = [&](auto) {
               return processor_ns;
             }});
  suite.add({.name = "idle_200_ms_processor", .operations = 1, .run = [&](auto) {
               return job_ring.idle() / std::max<double>(1, job.size() - 1.0);
             }});
  suite.compare({.numerator = "ring_message_processor", .denominator = "ring_message"});
  suite.add_fact({.name = "resident memory per rank", .value = resident_kib, .unit = "KiB"});
  suite.add_fact({.name = "its share of what is resident", .value = share_kib, .unit = "KiB"});
  suite.run();
  job.world().barrier();
  return job_ring.all_arrived();
}

}  // namespace

int main(int argc, char** argv) {
  bench::options chosen;
  bench::command_line line("A ring of ranks that all send active messages to the next", chosen);
  line.parse(argc, argv);
  return bench::job_main("bench_ring", chosen, measure);
}
