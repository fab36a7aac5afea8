// SPDX-License-Identifier: BSD-3-Clause
//
// bench_threads: several threads of two ranks that put and send at once, on Atoll. Handlers run on
// whichever thread polls, so their counts are atomic. An addition pairs only with the load of the
// thread that waits for the number, and publishes nothing else. Ranks are not pinned, because all
// threads of a rank would share one core.
#include <bench/harness/command_line.hpp>
#include <bench/harness/job_main.hpp>
#include <bench/threads/cases.hpp>

#include <atoll/core/rma/rma.hpp>

#include <array>
#include <atomic>
#include <cstring>
#include <stdexcept>

namespace {

/// The messages that one thread has sent and received; each tally has its own cache lines.
struct alignas(128) tally {
  std::atomic<std::uint64_t> answers = 0;
  std::atomic<std::uint64_t> handled = 0;
  std::uint64_t asked = 0;
  std::uint64_t expected = 0;
};

class library {
 public:
  explicit library(atl::runtime& job) : job_(job), endpoint_(job.primordial()) {
    if (job.threads() != atl::thread_mode::any)
      throw std::runtime_error("several threads communicate; unset ATOLL_THREADS or set it to any");
    area_ = static_cast<std::byte*>(job.heap().allocate(bench::thread_area_bytes, 4096));
    if (area_ == nullptr) throw std::runtime_error("not enough memory for the buffers");
    std::memset(area_, 0, bench::thread_area_bytes);
    atl::handler_table& table = endpoint_.handlers();
    table.set(take, {.run = on_take, .context = this, .name = "take"});
    table.set(ask, {.run = on_ask, .context = this, .name = "ask"});
    table.set(answer, {.run = on_answer, .context = this, .name = "answer"});
    job.world().barrier();
  }
  library(const library&) = delete;
  library& operator=(const library&) = delete;

  bool acts() const noexcept { return job_.rank() == 0; }
  bool is_target() const noexcept { return job_.rank() == target(); }

  void puts(unsigned thread, std::uint64_t count) {
    const atl::route* const paths = endpoint_.bound().routes();
    const auto own = reinterpret_cast<std::uintptr_t>(area_);
    auto* const remote = reinterpret_cast<std::uint64_t*>(own - paths[job_.rank()].remote() +
                                                          paths[target()].remote()) +
                         thread * bench::thread_places;
    for (std::uint64_t i = 0; i < count; ++i) {
      atl::put_nbi(endpoint_, target(), remote + i % bench::thread_places, &i, sizeof i);
      bench::touch_memory();
    }
    job_.wait_implicit(true, false);
  }

  void messages(unsigned thread, std::uint64_t count) {
    if (acts()) {
      for (std::uint64_t i = 1; i < count; ++i) send(take, thread);
      ++tallies_[thread].asked;
      send(ask, thread);
    }
    settle(thread, count);
  }

  void round_trips(unsigned thread, std::uint64_t count) {
    if (acts()) {
      for (std::uint64_t i = 0; i < count; ++i) {
        ++tallies_[thread].asked;
        send(ask, thread);
        await_answers(tallies_[thread]);
      }
    }
    settle(thread, count);
  }

  bool all_arrived() const {
    for (const tally& each : tallies_) {
      if (each.handled != each.expected || each.answers != each.asked) return false;
    }
    return true;
  }

 private:
  enum handler : atl::handler_id { take, ask, answer };

  atl::rank_id target() const noexcept { return job_.size() == 1 ? 0 : 1; }

  void send(atl::handler_id which, unsigned thread) {
    const std::uint32_t number = thread;
    const std::uint64_t value = thread;
    endpoint_.request({.target = target(),
                       .kind = atl::am_category::medium,
                       .handler = which,
                       .nargs = 1,
                       .args = &number,
                       .payload = &value,
                       .bytes = sizeof value});
  }

  void await_answers(tally& counts) {
    job_.wait_until([&] { return counts.answers.load(std::memory_order_relaxed) == counts.asked; });
  }

  /// Ends a case: waits at the target until all have come, at the source until all are answered.
  void settle(unsigned thread, std::uint64_t count) {
    tally& counts = tallies_[thread];
    if (is_target()) {
      counts.expected += count;
      job_.wait_until(
          [&] { return counts.handled.load(std::memory_order_relaxed) == counts.expected; });
    }
    if (acts()) await_answers(counts);
  }

  static void on_take(void* self, atl::am_token&, const std::uint32_t* args, unsigned, void*,
                      std::size_t) {
    static_cast<library*>(self)->tallies_[args[0]].handled.fetch_add(1, std::memory_order_relaxed);
  }
  static void on_ask(void* self, atl::am_token& token, const std::uint32_t* args, unsigned, void*,
                     std::size_t) {
    static_cast<library*>(self)->tallies_[args[0]].handled.fetch_add(1, std::memory_order_relaxed);
    token.reply({.handler = answer, .nargs = 1, .args = args});
  }
  static void on_answer(void* self, atl::am_token&, const std::uint32_t* args, unsigned, void*,
                        std::size_t) {
    static_cast<library*>(self)->tallies_[args[0]].answers.fetch_add(1, std::memory_order_relaxed);
  }

  atl::runtime& job_;
  atl::endpoint& endpoint_;
  std::byte* area_;
  std::array<tally, bench::threads_max> tallies_;
};

bool measure(atl::runtime& job, const bench::options& chosen, unsigned threads) {
  library pair(job);
  bench::thread_cases cases(pair, threads);
  bench::suite suite(bench::title_of("threads", job), chosen, [&] { job.world().barrier(); });
  bench::fit_to_job(suite, job);
  cases.add_to(suite);
  suite.run();
  job.world().barrier();
  return pair.all_arrived();
}

}  // namespace

int main(int argc, char** argv) {
  bench::options chosen;
  unsigned threads = 2;
  bench::command_line line("Several threads of two ranks that put and send at once", chosen);
  line.add_number("--threads", threads, "Threads of each rank (default 2)", 1u, bench::threads_max);
  line.parse(argc, argv);
  chosen.pinned = false;
  return bench::job_main("bench_threads", chosen,
                         [&](atl::runtime& job, const bench::options& options) {
                           return measure(job, options, threads);
                         });
}
