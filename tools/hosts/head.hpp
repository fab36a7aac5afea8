// SPDX-License-Identifier: BSD-3-Clause
//
// The head of a job on several hosts: the second process of the launcher on the user's machine,
// where a job on one host has its warden. It has no ranks of its own. It knows all of them as the
// warden does - one meeting - and alone decides what the job's first failure is, when a collective
// is complete, when the job is over, and what is printed.
//
// However hosts and networks behave it ends in bounded time: after the order to end, hosts that
// do not say that they have finished are given up one by one, and named.
#pragma once

#include <tools/hosts/branch.hpp>
#include <tools/run/launch.hpp>
#include <tools/run/meeting.hpp>
#include <tools/run/output.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace atl::tools {

class head {
 public:
  /// `control`: the socket to the foreground process; `core_file`: the limit for remote shells.
  head(const run_options& options, words::plan job, const secret& key, int control,
       const rlimit& core_file);
  ~head();

  outcome run();

 private:
  using clock = std::chrono::steady_clock;
  enum class phase : std::uint8_t { running, failed, ending };  // as the warden's

  struct node_state {
    bool finished = false;  // or lost: nothing more comes from it
    rank_id ended = 0;
    std::size_t untold_bytes = 0;     // of output that it waits to hear of
    std::vector<std::string> report;  // after --timeout
  };
  struct rank_state {
    bool ended = false;
    bool asked_to_end = false;
  };

  void heard(const words::frame& what);
  void heard_of_rank(const words::frame& what);
  bool is_of_node(rank_id rank, std::uint32_t node) const;
  void joined(const words::joined& who);
  void entered(words::entered&& what);
  void rank_ended(rank_id rank);
  void asked(rank_id rank);
  void failed(std::uint32_t node, const words::failed& why);
  void lost(std::uint32_t node, const std::string& why);
  void broken(std::uint32_t node);
  void take_output(std::uint32_t node, words::output&& what);
  void acknowledge();
  void took_input(std::uint32_t count);
  void open_input();
  void read_input();
  void look_at_input();
  void pass_if_complete();
  void check_stuck();
  void check_clocks();
  void check_clean_end(clock::time_point now);
  void fail(int code, const std::string& why, rank_id left, bool others_speak = false);
  void end_all(std::chrono::milliseconds grace);
  void obey();
  void obey(const signal_order& order);
  void report_timeout();
  void print_reports();
  void give_up();
  void reap();
  void end_shells();
  rank_id left_but_on(std::uint32_t node) const;
  bool all_finished() const;
  void tell(const std::string& line) { output_.say("atoll run: " + line + "\n"); }
  bool is_given_up();

  const run_options& options_;
  words::plan job_;
  int control_;
  event_loop loop_;
  descriptor children_;
  meeting ranks_;
  job_output output_;
  std::vector<node_state> nodes_;  // by node; the head's own entry is not used
  std::vector<rank_state> states_;
  branch below_;
  phase phase_ = phase::running;
  outcome outcome_{};
  int interrupted_by_ = 0;
  bool reporting_ = false;

  descriptor input_;
  event_loop::token input_token_ = 0;
  std::size_t input_under_way_ = 0;
  bool input_is_wanted_ = false;

  static constexpr auto never = clock::time_point::max();
  clock::time_point timeout_at_ = never;
  clock::time_point paused_at_ = never;
  clock::time_point end_at_ = never;
  clock::time_point end_cleanly_at_ = never;
  clock::time_point give_up_at_ = never;
};

}  // namespace atl::tools
