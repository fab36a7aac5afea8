// SPDX-License-Identifier: BSD-3-Clause
//
// The port to the ranks of this machine: starts their processes, watches and ends them, and has the
// socket at which they join. One thread and one loop; kernel events are always looked at in this
// order: processes that ended, then sockets and pipes, then clocks, so that a rank that died is
// reported before the neighbour that noticed.
//
// When the port is told to end, everything left below this process gets SIGTERM, a moment later
// SIGKILL, and the port is done when this process has no descendants. The meaning of an ending is
// judged here, where the wait status is known; the supervisor decides what follows from it.
#pragma once

#include <tools/run/ending.hpp>
#include <tools/run/event_loop.hpp>
#include <tools/run/rank_listener.hpp>
#include <tools/run/rank_port.hpp>
#include <tools/run/spawn.hpp>

#include <memory>
#include <unordered_map>
#include <vector>

namespace atl::tools {

class local_ranks final : public rank_port {
 public:
  local_ranks(event_loop& loop, const launch& job, rank_events& events, rank_streams streams);

  void start() override;
  void reap() override;
  void tick(clock::time_point now) override;
  clock::time_point next_deadline() const override;
  bool is_done() const override { return no_children_; }
  void pass(const bootstrap::wire::bytes& answer) override { listener_->pass(answer); }
  void note_fate(rank_id rank, bootstrap::rank_fate fate) override;
  void signal(const signal_order& order) override;
  void end(std::chrono::milliseconds grace) override;
  void report() override;
  std::string name_of(rank_id rank) const override { return rank_text(rank - job_.place.first); }

 private:
  struct rank_process {
    pid_t pid = 0;
    bool ended = false;
    bool asked_to_end = false;    // with code 0
    clock::time_point lost_at{};  // its connection has closed without goodbye
  };

  void open_listener();
  void start_rank(rank_id rank, spawn_order& order);
  void not_started(rank_id first, int code, const std::string& reason);
  std::vector<char*> arguments_of(rank_id rank, const char*& path) const;

  void rank_ended(rank_id rank, int wait_status);
  void handle_exit(rank_id rank, int wait_status);
  int orderly_code(rank_id rank, int wait_status) const;
  bool is_interrupt(int signal) const;
  void forward(const signal_order& order);
  void pause_or_resume(const signal_order& order);
  void check_lost(clock::time_point now);

  void lost(rank_id rank);
  void end_job(rank_id rank, const bootstrap::wire::end_job& last);
  void fail(failure found);
  void happened(rank_event::kind type, rank_id rank, std::uint32_t number = 0);
  void joined(rank_id rank);
  void signal_all(int signal);
  void tell_of_survivors();
  void report_line(const std::string& line) { events_.report_line(line); }
  std::string rank_text(rank_id rank) const;
  std::string host_text() const;
  rank_id number_of(rank_id rank) const { return job_.place.first + rank; }

  event_loop& loop_;
  const launch& job_;
  rank_events& events_;
  rank_streams streams_;
  descriptor children_;  // signalfd of SIGCHLD
  descriptor null_;      // standard input of all ranks but the first
  rendezvous ranks_;     // of this machine
  std::unique_ptr<rank_listener> listener_;
  std::unique_ptr<memory_evidence> memory_;

  std::vector<rank_process> processes_;
  std::unordered_map<pid_t, rank_id> rank_of_;
  rank_id ended_ = 0;
  bool no_children_ = false;
  bool has_failed_ = false;  // only the first failure is reported
  bool is_ending_ = false;
  int interrupted_by_ = 0;  // the last of SIGINT, SIGTERM ... that was forwarded
  std::vector<rank_id> lost_;

  clock::time_point kill_at_ = never;
  clock::time_point tell_survivors_at_ = never;
  clock::time_point paused_at_ = never;
};

}  // namespace atl::tools
