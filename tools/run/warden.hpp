// SPDX-License-Identifier: BSD-3-Clause
//
// The warden: the process that starts the ranks, watches them, carries their first words to each
// other, and ends them. One thread and one loop; kernel events are always looked at in this order:
// processes that ended, then sockets and pipes, then clocks, so that a rank that died is reported
// before the neighbour that noticed.
//
// A job is running until the first failure, or until all ranks have ended well; then everything
// that is left below the warden gets SIGTERM, a moment later SIGKILL, and the warden stays until it
// has no descendants. Only the first failure is told and decides the exit status.
#pragma once

#include <tools/run/door.hpp>
#include <tools/run/ending.hpp>
#include <tools/run/event_loop.hpp>
#include <tools/run/launch.hpp>
#include <tools/run/meeting.hpp>
#include <tools/run/output.hpp>
#include <tools/run/spawn.hpp>
#include <tools/run/superior.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace atl::tools {

class warden {
 public:
  /// `control`: the socket to the foreground process. With a superior there is none.
  warden(const launch& job, int control, std::unique_ptr<superior> above = nullptr);

  /// Runs the job to its end: no process that a rank has started is left when it returns.
  outcome run();

 private:
  using clock = std::chrono::steady_clock;
  enum class phase : std::uint8_t { running, failed, ending };  // failed: ranks end by themselves

  struct rank_process {
    pid_t pid = 0;
    bool ended = false;
    bool asked_to_end = false;    // with code 0
    clock::time_point lost_at{};  // its connection has closed without goodbye
  };

  void open_door();
  superior::orders orders_of_superior();
  void start_ranks();
  void start_rank(rank_id rank, spawn_order& order);
  void not_started(rank_id first, int code, const std::string& why);
  std::vector<char*> arguments_of(rank_id rank, const char*& path) const;

  void reap();
  void rank_ended(rank_id rank, int wait_status);
  void judge(rank_id rank, int wait_status);
  bool is_interrupt(int signal) const;
  void obey();
  void obey(const signal_order& order);
  void forward(const signal_order& order);
  void pause_or_resume(const signal_order& order);
  void check_clocks();
  void check_lost(clock::time_point now);
  int wait_ms() const;

  void lost(rank_id rank);
  void end_job(rank_id rank, const bootstrap::wire::end_job& last);
  void end_cleanly(rank_id rank);
  void check_clean_end(clock::time_point now);
  void check_stuck();
  void changed(rank_id rank, door::change what);
  void fail(int code, const std::string& why, bool others_speak = false);
  void end_all(std::chrono::milliseconds grace);
  void signal_all(int signal);
  void tell_of_survivors();
  void report_timeout();
  void report_ranks();
  void tell(const std::string& line);
  bool is_given_up();
  std::string rank_text(rank_id rank) const;
  std::string on_host() const;
  rank_id number_of(rank_id rank) const { return job_.place.first + rank; }

  const launch& job_;
  int control_;          // to the foreground process; its end is that process's death
  descriptor children_;  // signalfd of SIGCHLD
  descriptor null_;      // standard input of all ranks but the first
  event_loop loop_;
  meeting ranks_;
  job_output output_;
  std::unique_ptr<superior> above_;  // null: this host is the whole job
  std::unique_ptr<door> door_;
  std::unique_ptr<memory_evidence> memory_;

  std::vector<rank_process> processes_;
  std::unordered_map<pid_t, rank_id> rank_of_;
  rank_id ended_ = 0;
  bool no_children_ = false;
  phase phase_ = phase::running;
  outcome outcome_{};
  int interrupted_by_ = 0;  // the last of SIGINT, SIGTERM ... that was forwarded
  std::vector<rank_id> lost_;

  static constexpr auto never = clock::time_point::max();
  clock::time_point kill_at_ = never;
  clock::time_point end_at_ = never;  // in phase `failed`
  clock::time_point end_by_ = never;
  clock::time_point end_cleanly_at_ = never;  // from when the first rank asked for it
  clock::time_point timeout_at_ = never;
  clock::time_point paused_at_ = never;
};

}  // namespace atl::tools
