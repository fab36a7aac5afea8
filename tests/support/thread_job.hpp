// SPDX-License-Identifier: BSD-3-Clause
//
// A whole job in one process: every rank is a thread with its own runtime, and the bootstrap is a
// rendezvous in memory. The ranks share only the host's memory file, which each maps separately, so
// this tests the real core and the real transport without a launcher: it starts fast, is one
// process to debug, and works with sanitizers.
//
// Under a launcher the ranks are its processes: each runs the same tests and takes part in one job
// after the other. The tests must then be those for this number of ranks (--gtest_filter), and may
// share only what the job provides. In this way a whole suite runs over several hosts.
#pragma once

#include <atoll/base/system/memory_file.hpp>
#include <atoll/bootstrap/bootstrap.hpp>
#include <atoll/core/job/runtime.hpp>

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace atl::support {

/// The memory through which the ranks of one job meet.
struct thread_rendezvous {
  explicit thread_rendezvous(rank_id ranks) : size(ranks), file(make_memory_file()), blobs(ranks) {}

  /// Waits until all ranks have arrived.
  void arrive() {
    std::unique_lock hold(guard);
    const std::uint64_t own_round = round;
    if (++arrived == size) {
      arrived = 0;
      ++round;
      changed.notify_all();
    } else {
      changed.wait(hold, [&] { return round != own_round; });
    }
  }

  rank_id size;
  descriptor file;
  std::vector<bootstrap::blob> blobs;
  std::mutex guard;
  std::condition_variable changed;
  rank_id arrived = 0;
  std::uint64_t round = 0;
};

/// One rank's bootstrap: it exchanges data through the rendezvous.
class thread_bootstrap final : public bootstrap::bootstrap {
 public:
  thread_bootstrap(thread_rendezvous& rendezvous, rank_id rank)
      : rendezvous_(rendezvous), rank_(rank) {}

  rank_id rank() const noexcept override { return rank_; }
  rank_id size() const noexcept override { return rendezvous_.size; }
  atl::bootstrap::blob_table exchange(std::span<const std::byte> own) override {
    rendezvous_.blobs[rank_].assign(own.begin(), own.end());
    rendezvous_.arrive();
    auto everybody = atl::bootstrap::blob_table::of_blobs(rendezvous_.blobs);
    rendezvous_.arrive();
    return everybody;
  }
  void fence() override { rendezvous_.arrive(); }
  descriptor host_memory() override { return descriptor(::dup(rendezvous_.file.get())); }
  [[noreturn]] void end_job(int code, std::string_view message) noexcept override {
    std::fprintf(stderr, "%.*s\n", static_cast<int>(message.size()), message.data());
    std::_Exit(code);
  }
  void goodbye() noexcept override {}

 private:
  thread_rendezvous& rendezvous_;
  rank_id rank_;
};

/// Settings for a test: NAME=value strings on top of a small heap that suits many ranks in one
/// process. The environment's settings of networks override these, so that any test of this kind
/// can be run over any network.
inline settings settings_of(std::vector<std::string> variables) {
  if (!foreign_variable("ATOLL_NETWORK").empty()) {
    for (const char* beginning : {"ATOLL_NETWORK=", "ATOLL_NEIGHBOURHOOD=", "ATOLL_OFI_"}) {
      const auto set = foreign_variables(beginning);
      variables.insert(variables.begin(), set.begin(), set.end());
    }
  }
  variables.insert(variables.begin(), "ATOLL_SEGMENT_LIMIT=64M");
  std::vector<const char*> names;
  for (const std::string& each : variables) names.push_back(each.c_str());
  names.push_back(nullptr);
  return settings::read(names.data());
}

/// Runs this process's part of a job of the launcher that has started it. The environment overrides
/// the settings of the test.
inline void run_part(rank_id ranks, const std::function<void(runtime&)>& body,
                     std::vector<std::string> variables, thread_mode threads) {
  variables.emplace_back("ATOLL_SEGMENT_LIMIT=64M");
  runtime job({.threads = threads, .configuration = settings::from_environment(variables)});
  if (job.size() != ranks) {
    std::fprintf(stderr, "a test for %u ranks in a job of %u: choose others by --gtest_filter\n",
                 ranks, job.size());
    std::_Exit(1);
  }
  body(job);
}

/// Runs `body` as a job of `ranks` ranks and returns when all have left it.
inline void run_job(rank_id ranks, const std::function<void(runtime&)>& body,
                    const std::vector<std::string>& variables = {},
                    thread_mode threads = thread_mode::any) {
  if (!foreign_variable("ATOLL_RANK").empty()) return run_part(ranks, body, variables, threads);
  thread_rendezvous rendezvous(ranks);
  std::vector<std::thread> running;
  for (rank_id rank = 0; rank < ranks; ++rank) {
    running.emplace_back([&, rank] {
      runtime job({.threads = threads,
                   .configuration = settings_of(variables),
                   .boot = std::make_unique<thread_bootstrap>(rendezvous, rank)});
      body(job);
    });
  }
  for (std::thread& each : running) each.join();
}

}  // namespace atl::support
