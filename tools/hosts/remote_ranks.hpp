// SPDX-License-Identifier: BSD-3-Clause
//
// The port to the ranks of other hosts: the daemons that this process has started, and through them
// all others. It passes the events of all ranks to the supervisor and the supervisor's orders to
// all hosts, writes the ranks' output, and gives rank 0 the user's input.
//
// However hosts and networks behave it is done in bounded time: after the order to end, hosts that
// do not say that they have finished are given up one by one, and named.
#pragma once

#include <tools/hosts/branch.hpp>
#include <tools/run/output.hpp>
#include <tools/run/rank_port.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace atl::tools {

class remote_ranks final : public rank_port {
 public:
  struct parts {
    event_loop& loop;
    job_output& output;
    const run_options& options;
    const protocol::plan& job;
    const secret& key;
    const rlimit& core_file;  // the limit for remote shells
    rank_events& events;
  };

  explicit remote_ranks(const parts& made_of);

  void start() override;
  void tick(clock::time_point now) override;
  clock::time_point next_deadline() const override;
  bool is_done() const override;
  void pass(const bootstrap::wire::bytes& answer) override;
  void note_fate(rank_id rank, bootstrap::rank_fate fate) override;
  void signal(const signal_order& order) override;
  void end(std::chrono::milliseconds grace) override;
  void report() override;
  void finish() override;
  void abandon() override;
  std::string name_of(rank_id rank) const override;

 private:
  struct node_state {
    bool finished = false;                 // or lost: nothing more comes from it
    std::size_t unacknowledged_bytes = 0;  // output written but not acknowledged to it
    std::vector<std::string> report;       // after --timeout
  };

  void receive(const protocol::frame& message);
  void heard_events(const protocol::frame& message);
  void heard_finished(const protocol::frame& message);
  std::uint32_t node_of(rank_id rank) const;
  bool is_from(rank_id rank, std::uint32_t node) const;
  bool is_of_node(rank_id rank, std::uint32_t node) const;
  void lost(std::uint32_t node, const std::string& reason);
  void broken(std::uint32_t node);
  void take_output(std::uint32_t node, protocol::output&& message);
  void acknowledge();
  void flush_notices();
  void took_input(std::uint32_t count);
  void open_input();
  void read_input();
  void look_at_input();
  void print_reports();
  void give_up();
  void reap_shells();
  void end_shells();
  void report_line(const std::string& line) { events_.report_line(line); }

  event_loop& loop_;
  job_output& output_;
  const run_options& options_;
  const protocol::plan& job_;
  rank_events& events_;
  descriptor children_;
  std::vector<node_state> nodes_;  // by node; entry 0 is not used
  branch branch_;
  std::vector<protocol::fate_notice> notices_;
  bool is_ending_ = false;
  bool is_reporting_ = false;
  std::size_t messages_ = 0;  // received ones with events of ranks

  descriptor input_;
  event_loop::token input_token_ = 0;
  std::size_t input_under_way_ = 0;
  bool input_is_wanted_ = false;

  clock::time_point give_up_at_ = never;
};

}  // namespace atl::tools
