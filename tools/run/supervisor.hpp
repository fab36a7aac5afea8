// SPDX-License-Identifier: BSD-3-Clause
//
// The supervisor: what a job is doing and what is to be done about it, as one state machine for one
// host and for many. It hears what happens to the ranks, keeps their rendezvous, and alone decides
// what the job's failure is, when a collective is complete, when the job ends, and with which code.
// The port starts, signals and ends the ranks.
//
// A job is running until the first failure, or until all ranks have ended well. Then all that is
// left is ended. Only the first failure is reported and decides the exit code, unless a rank that
// has left or stopped in order ended with a code before; that ends no other rank.
//
// A rank that fails is no failure of the job when all others that are in the job have said that
// they want to go on without it; they are then told of the failure. Once one rank has said so, the
// others get some time to say it after a failure, since they may be about to.
#pragma once

#include <tools/run/event_loop.hpp>
#include <tools/run/output.hpp>
#include <tools/run/rank_port.hpp>
#include <tools/run/rendezvous.hpp>

#include <vector>

namespace atl::tools {

class supervisor final : public rank_events {
 public:
  struct parts {
    event_loop& loop;
    job_output& output;
    const run_options& options;
    rank_id size = 0;  // of the job
    int control = -1;  // the socket to the foreground process
  };

  explicit supervisor(parts made_of);

  /// Runs the job to its end: no process that a rank has started is left when it returns.
  launch_outcome run(rank_port& ranks);

  void happened(rank_event event) override;
  void failed(const failure& found) override;
  void report_line(const std::string& line) override;

 private:
  using clock = rank_port::clock;
  enum class phase : std::uint8_t { running, failed, ending };  // failed: ranks end by themselves

  struct rank_state {
    bool has_ended = false;
    bool asked_to_end = false;  // with code 0
    bool outlives = false;      // it wants to go on when another one fails
    bool depends = false;       // it has taken that back
  };

  /// A rank has failed, and not all others have said yet that they want to go on.
  struct undecided {
    failure found;
    clock::time_point decide_at;
  };

  void joined(const rank_event& event);
  void entered(rank_event&& event);
  void note_code(const rank_event& event, const char* verb);
  void pass_if_complete();
  void check_stuck();
  void check_clean_end(clock::time_point now);
  void check_deadlines();
  int wait_ms() const;
  bool can_be_outlived(const failure& found) const;
  bool is_outlived(rank_id failed) const;
  void go_on_without(const failure& found);
  void decide_again();
  void end_because(const failure& found);
  void end_all(std::chrono::milliseconds grace);
  void obey();
  void obey(const signal_order& order);
  void note_pause(const signal_order& order);
  void report_timeout();
  bool is_given_up();

  event_loop& loop_;
  job_output& output_;
  const run_options& options_;
  int control_;  // its end is the death of the foreground process
  rank_port* port_ = nullptr;
  rendezvous ranks_;
  std::vector<rank_state> states_;
  std::vector<undecided> undecided_;
  rank_id ended_ = 0;
  phase phase_ = phase::running;
  launch_outcome outcome_{};
  int interrupted_by_ = 0;  // the last of SIGINT, SIGTERM ... that the user has sent

  static constexpr auto never = rank_port::never;
  clock::time_point end_at_ = never;          // in phase `failed`
  clock::time_point end_cleanly_at_ = never;  // from when the first rank asked for it
  clock::time_point timeout_at_ = never;
  clock::time_point paused_at_ = never;
};

}  // namespace atl::tools
