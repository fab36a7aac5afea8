// SPDX-License-Identifier: BSD-3-Clause
//
// Translates messages of daemons into events, and orders into messages to all daemons. A message
// about a node is accepted only from a daemon above that node (branch.hpp); the ranks that it names
// are checked here.
#include <atoll/base/version.hpp>
#include <tools/hosts/remote_ranks.hpp>
#include <tools/run/ending.hpp>
#include <tools/run/process_tree.hpp>

#include <sys/wait.h>

#include <algorithm>
#include <utility>

namespace atl::tools {

using namespace protocol;
using namespace std::chrono_literals;

namespace {

constexpr auto grace_for_hosts = 10s;                  // to say that they have finished
constexpr auto grace_for_shells = 2s;                  // to end after their daemons
constexpr auto tick_time = 1s;                         // pings and deadlines of links
constexpr std::size_t output_bytes_high = 256 * 1024;  // waiting for the user's streams

}  // namespace

remote_ranks::remote_ranks(const parts& made_of)
    : loop_(made_of.loop),
      output_(made_of.output),
      options_(made_of.options),
      job_(made_of.job),
      events_(made_of.events),
      children_(open_children_signal()),
      nodes_(job_.hosts.size() + 1),
      branch_(
          loop_, made_of.key, job_, {0, version_text, made_of.core_file},
          {.received = [this](const frame& message) { receive(message); },
           .lost = [this](std::uint32_t node, const std::string& reason) { lost(node, reason); }}) {
  loop_.add(children_.get(), EPOLLIN, [this](std::uint32_t) { reap_shells(); });
}

void remote_ranks::start() {
  branch_.start();
  open_input();
}

void remote_ranks::tick(clock::time_point now) {
  flush_notices();
  acknowledge();
  if (now >= give_up_at_) give_up();
  look_at_input();
  branch_.tick(now);
}

rank_port::clock::time_point remote_ranks::next_deadline() const {
  return std::min(give_up_at_, clock::now() + tick_time);
}

bool remote_ranks::is_done() const {
  return std::all_of(nodes_.begin() + 1, nodes_.end(),
                     [](const auto& each) { return each.finished; });
}

void remote_ranks::reap_shells() {
  drain_signals(children_);
  int status = 0;
  for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) branch_.reap(pid, status);
}

// --- orders ------------------------------------------------------------------------------------

void remote_ranks::pass(const bootstrap::wire::bytes& answer) {
  flush_notices();  // those that came before the answer
  branch_.broadcast(encode(kind::pass, 0, answer));
}

/// One message names all ranks that have stopped or failed in one turn of the loop.
void remote_ranks::note_fate(rank_id rank, bootstrap::rank_fate fate) {
  notices_.push_back({.rank = rank, .fate = fate});
}

void remote_ranks::flush_notices() {
  while (!notices_.empty()) {
    const auto count = static_cast<std::ptrdiff_t>(std::min(notices_.size(), list_max));
    branch_.broadcast(encode(kind::note_fates, 0,
                             body_of(fate_notices{{notices_.begin(), notices_.begin() + count}})));
    notices_.erase(notices_.begin(), notices_.begin() + count);
  }
}

void remote_ranks::signal(const signal_order& order) {
  branch_.broadcast(encode(kind::signal, 0, body_of(protocol::signal{order.signal})));
}

void remote_ranks::end(std::chrono::milliseconds grace) {
  is_ending_ = true;
  give_up_at_ = clock::now() + grace + grace_for_hosts;
  branch_.broadcast(
      encode(kind::end, 0, body_of(protocol::end{static_cast<std::uint32_t>(grace.count())})));
}

void remote_ranks::report() {
  is_reporting_ = true;
  branch_.broadcast(encode(kind::report, 0));
}

void remote_ranks::finish() {
  print_reports();
  if (options_.verbose > 0)
    report_line("the supervisor took " + std::to_string(messages_) + " messages with events of " +
                std::to_string(job_.size) + " ranks on " + std::to_string(job_.hosts.size()) +
                " hosts");
  branch_.broadcast(encode(kind::job_over, 0));
  end_shells();
}

void remote_ranks::abandon() { branch_.broadcast(encode(kind::job_over, 0)); }

/// Remote shells end with their daemons; those that are left then are killed.
void remote_ranks::end_shells() {
  branch_.expect_end();
  const auto deadline = clock::now() + grace_for_shells;
  while (branch_.has_shells() && clock::now() < deadline) {
    loop_.wait(20);
    loop_.dispatch();
  }
  kill_descendants();
}

/// A host that is cut off or hangs cannot say that it has finished. Its daemon ends its ranks when
/// its link to us falls silent.
void remote_ranks::give_up() {
  give_up_at_ = never;
  for (std::uint32_t node = 1; node < nodes_.size(); ++node) {
    if (std::exchange(nodes_[node].finished, true)) continue;
    report_line("host " + job_.hosts[node - 1].name +
                " does not answer; it ends its ranks by itself when it can");
  }
}

void remote_ranks::print_reports() {
  for (std::uint32_t node = 1; is_reporting_ && node < nodes_.size(); ++node) {
    for (const auto& text : nodes_[node].report) report_line(text);
    if (nodes_[node].report.empty())
      report_line("  of host " + job_.hosts[node - 1].name + " nothing was heard");
  }
}

// --- what daemons tell -------------------------------------------------------------------------

void remote_ranks::receive(const frame& message) {
  auto& from = nodes_[message.node];
  switch (message.kind) {
    case kind::events:
      return heard_events(message);
    case kind::failed:
      if (const auto found = decode<protocol::failed>(message.body);
          found && (found->rank == no_rank || is_from(found->rank, message.node)))
        return events_.failed({.code = found->code,
                               .interrupted_by = found->interrupted_by,
                               .others_speak = found->others_speak != 0,
                               .also_ended = found->also_ended,
                               .reason = found->reason,
                               .rank = found->rank,
                               .rank_code = found->rank_code});
      break;
    case kind::lost:
      if (const auto reason = decode<output_line>(message.body))
        return lost(message.node, reason->text);
      break;
    case kind::report_line:
      if (const auto line = decode<output_line>(message.body))
        return is_reporting_ ? from.report.push_back(line->text) : report_line(line->text);
      break;
    case kind::output:
      if (auto data = decode<protocol::output>(message.body))
        return take_output(message.node, std::move(*data));
      break;
    case kind::input_taken:
      if (const auto count = decode<amount>(message.body)) return took_input(count->bytes_count);
      break;
    case kind::finished:
      return heard_finished(message);
    default:
      break;
  }
  broken(message.node);
}

void remote_ranks::heard_events(const frame& message) {
  auto happened = decode<protocol::events>(message.body);
  const auto is_from_subtree = [&](const rank_event& each) {
    return is_from(each.rank, message.node);
  };
  if (!happened || !std::ranges::all_of(happened->list, is_from_subtree))
    return broken(message.node);
  ++messages_;
  for (auto& each : happened->list) events_.happened(std::move(each));
}

void remote_ranks::heard_finished(const frame& message) {
  const auto finished = decode<protocol::nodes>(message.body);
  const auto is_from_subtree = [&](std::uint32_t node) {
    return node <= job_.hosts.size() && is_below(node, message.node, job_.radix);
  };
  if (!finished || !std::ranges::all_of(finished->list, is_from_subtree))
    return broken(message.node);
  for (const std::uint32_t node : finished->list) {
    nodes_[node].finished = true;
    const auto& host = job_.hosts[node - 1];
    for (rank_id rank = host.first; rank < host.first + host.count; ++rank)
      events_.happened({.type = rank_event::kind::ended, .rank = rank, .version = {}, .blob = {}});
  }
}

std::uint32_t remote_ranks::node_of(rank_id rank) const {
  const auto after = std::ranges::upper_bound(job_.hosts, rank, {}, &host::first);
  return static_cast<std::uint32_t>(after - job_.hosts.begin());
}

/// Whether a rank is on this node or on one below it.
bool remote_ranks::is_from(rank_id rank, std::uint32_t node) const {
  return rank < job_.size && is_below(node_of(rank), node, job_.radix);
}

bool remote_ranks::is_of_node(rank_id rank, std::uint32_t node) const {
  return rank < job_.size && node_of(rank) == node;
}

std::string remote_ranks::name_of(rank_id rank) const {
  return "rank " + std::to_string(rank) + " on " + job_.hosts[node_of(rank) - 1].name;
}

/// A proven daemon that sends an invalid message is a defect or an attack, and ends the job.
void remote_ranks::broken(std::uint32_t node) {
  events_.failed({.reason = "host " + job_.hosts[node - 1].name +
                            ": its daemon sent a message that makes no sense"});
}

/// Nothing more comes from this node nor from those below it.
void remote_ranks::lost(std::uint32_t node, const std::string& reason) {
  for (std::uint32_t each = 1; each < nodes_.size(); ++each)
    if (is_below(each, node, job_.radix)) nodes_[each].finished = true;
  events_.failed({.code = 125, .also_ended = job_.hosts[node - 1].count, .reason = reason});
}

void remote_ranks::take_output(std::uint32_t node, protocol::output&& message) {
  if (!is_of_node(message.rank, node) || (message.stream != 1 && message.stream != 2))
    return broken(node);
  const std::string_view text(reinterpret_cast<const char*>(message.data.data()),
                              message.data.size());
  output_.accept(message.rank, message.stream, text, options_.tag);
  nodes_[node].unacknowledged_bytes += message.data.size();
}

/// Tells daemons that their output was taken, while the user's streams keep up.
void remote_ranks::acknowledge() {
  const bool is_gone = output_.reader_is_gone();
  if (!is_gone && output_.backlog_bytes() > output_bytes_high) return;
  for (std::uint32_t node = 1; node < nodes_.size(); ++node) {
    const auto count = std::exchange(nodes_[node].unacknowledged_bytes, 0);
    if (count == 0) continue;
    const amount taken{is_gone ? reader_gone : static_cast<std::uint32_t>(count)};
    branch_.send_to(node, encode(kind::output_taken, node, body_of(taken)));
  }
}

}  // namespace atl::tools
