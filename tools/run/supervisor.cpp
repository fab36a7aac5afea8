// SPDX-License-Identifier: BSD-3-Clause
//
// The supervisor's loop and its decisions. Everything that decides the job's exit code goes through
// failed(), which accepts only the first failure, or note_code().
#include <tools/run/descriptors.hpp>
#include <tools/run/ending.hpp>
#include <tools/run/process_tree.hpp>
#include <tools/run/supervisor.hpp>

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <utility>

namespace atl::tools {

using namespace std::chrono_literals;
namespace wire = bootstrap::wire;

namespace {

constexpr auto grace_after_failure = 250ms;    // between SIGTERM and SIGKILL
constexpr auto grace_to_speak = 300ms;         // for ranks that are about to tell the same
constexpr auto grace_after_interrupt = 800ms;  // the user asked, and programs may want to save
constexpr auto grace_after_hangup = 2s;
constexpr auto grace_after_clean_end = 2s;  // for the other ranks to come to their own end
constexpr auto grace_for_reader = 1s;       // of last lines, when the user has asked for the end
constexpr auto grace_to_outlive = 3s;       // for ranks to say that they go on without a failed one
constexpr int least_code_of_signal = 128;

}  // namespace

supervisor::supervisor(parts made_of)
    : loop_(made_of.loop),
      output_(made_of.output),
      options_(made_of.options),
      control_(made_of.control),
      ranks_(made_of.size),
      states_(made_of.size) {
  loop_.add(control_, EPOLLIN, [this](std::uint32_t) { obey(); });
}

launch_outcome supervisor::run(rank_port& ranks) {
  port_ = &ranks;
  ranks.start();
  if (options_.timeout_s > 0)
    timeout_at_ = clock::now() +
                  std::chrono::microseconds(static_cast<std::int64_t>(options_.timeout_s * 1e6));
  while (!ranks.is_done()) {
    loop_.wait(wait_ms());
    ranks.reap();
    loop_.dispatch();
    check_deadlines();
    ranks.tick(clock::now());
  }
  ranks.finish();
  const auto read_by = interrupted_by_ != 0 ? clock::now() + grace_for_reader : never;
  output_.finish([=, this] { return clock::now() > read_by || is_given_up(); });
  return outcome_;
}

int supervisor::wait_ms() const {
  auto next = std::min({end_at_, end_cleanly_at_, port_->next_deadline()});
  for (const undecided& each : undecided_) next = std::min(next, each.decide_at);
  if (paused_at_ == never) next = std::min(next, timeout_at_);
  if (next == never) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - clock::now());
  return static_cast<int>(std::clamp(left, 0ms, std::chrono::milliseconds(1h)).count());
}

// --- what happens to the ranks -----------------------------------------------------------------

void supervisor::happened(rank_event event) {
  const rank_id rank = event.rank;
  switch (event.type) {
    case rank_event::kind::joined:
      return joined(event);
    case rank_event::kind::entered:
      entered(std::move(event));
      break;
    case rank_event::kind::left:
      ranks_.leave(rank);
      break;
    case rank_event::kind::stopped:
      note_code(event, "stopped");
      return port_->note_fate(rank, bootstrap::rank_fate::stopped);
    case rank_event::kind::outlives:
      states_[rank].outlives = true;
      return decide_again();
    case rank_event::kind::depends:
      states_[rank].outlives = false;
      states_[rank].depends = true;
      return;
    case rank_event::kind::asked_to_end:
      states_[rank].asked_to_end = true;
      if (end_cleanly_at_ == never) end_cleanly_at_ = clock::now() + grace_after_clean_end;
      check_clean_end(clock::now());
      break;
    case rank_event::kind::ended:
      if (std::exchange(states_[rank].has_ended, true)) return;
      ++ended_;
      note_code(event, "exited");
      ranks_.process_ended(rank);
      check_clean_end(clock::now());
      break;
  }
  decide_again();
  pass_if_complete();
  check_stuck();
}

void supervisor::joined(const rank_event& event) {
  const bool had_stopped = ranks_.state_of(event.rank).has_stopped;
  states_[event.rank].outlives = states_[event.rank].depends = false;
  const auto refusal = ranks_.join(event.rank, event.version, static_cast<pid_t>(event.number));
  if (refusal)
    return failed({.reason = "rank " + std::to_string(event.rank) + ": " + refusal->cause + "; " +
                             refusal->remedy});
  if (had_stopped) port_->note_fate(event.rank, bootstrap::rank_fate::runs);
}

void supervisor::entered(rank_event&& event) {
  ranks_.enter(event.rank, static_cast<rendezvous::collective>(event.number),
               std::move(event.blob));
}

void supervisor::pass_if_complete() {
  const auto which = ranks_.complete();
  if (which == rendezvous::collective::none) return;
  const auto blobs = ranks_.pass();
  port_->pass(which == rendezvous::collective::exchange ? wire::encode_blobs(blobs)
                                                        : wire::encode(wire::kind::passed));
}

/// A rank that has announced its end may end with any code. The first one that is not 0 is the
/// job's, and no reason to end the others.
void supervisor::note_code(const rank_event& event, const char* verb) {
  if (event.number == 0 || phase_ != phase::running || outcome_.code != 0) return;
  outcome_.code = static_cast<unsigned char>(event.number);
  report_line(port_->name_of(event.rank) + " " + verb + " with code " +
              std::to_string(event.number));
}

// --- endings -----------------------------------------------------------------------------------

void supervisor::check_stuck() {
  if (phase_ != phase::running || !undecided_.empty()) return;
  if (const auto reason = ranks_.stuck()) failed({.reason = *reason});
}

/// Ranks that are done end one after another and may still print: the first that asks to end the
/// job gives the others time, and ends those that take longer.
void supervisor::check_clean_end(clock::time_point now) {
  if (phase_ != phase::running || end_cleanly_at_ == never) return;
  const auto is_done = [](const rank_state& each) { return each.has_ended || each.asked_to_end; };
  if (now < end_cleanly_at_ && !std::ranges::all_of(states_, is_done)) return;
  end_all(grace_after_failure);
}

void supervisor::failed(const failure& found) {
  if (phase_ != phase::running) return;
  if (!can_be_outlived(found)) return end_because(found);
  if (is_outlived(found.rank)) return go_on_without(found);
  undecided_.push_back({found, clock::now() + grace_to_outlive});
}

/// A rank that exits before it has joined has refused something. The others may do the same, and
/// one of them may say why: then (`others_speak`) they get time for that before they are ended.
void supervisor::end_because(const failure& found) {
  undecided_.clear();
  const rank_id left = ranks_.size() - std::min(ranks_.size(), ended_ + found.also_ended);
  report_line(found.reason + (left > 0 ? "; ending the " + std::to_string(left) + " left" : ""));
  if (found.interrupted_by != 0) interrupted_by_ = found.interrupted_by;
  if (found.interrupted_by == SIGINT) outcome_.signal = SIGINT;
  if (outcome_.code == 0) outcome_.code = static_cast<unsigned char>(found.code);
  if (!found.others_speak)
    return end_all(interrupted_by_ != 0 ? grace_after_interrupt : grace_after_failure);
  phase_ = phase::failed;
  end_at_ = clock::now() + grace_to_speak;
  timeout_at_ = end_cleanly_at_ = never;
}

/// Whether others may go on without a rank: it has said that it would go on without them, or a
/// signal has ended it before it could; and at least one of the others has said so.
bool supervisor::can_be_outlived(const failure& found) const {
  if (found.rank == no_rank || states_[found.rank].depends) return false;
  if (states_[found.rank].outlives) return true;
  return found.rank_code > least_code_of_signal &&
         std::ranges::any_of(states_, [](const rank_state& each) { return each.outlives; });
}

/// Whether all others that are in the job, or may still join it, want to go on.
bool supervisor::is_outlived(rank_id failed) const {
  for (rank_id rank = 0; rank < ranks_.size(); ++rank) {
    const bool is_gone =
        states_[rank].has_ended || ranks_.state_of(rank).state == rendezvous::membership::left;
    if (rank != failed && !is_gone && !states_[rank].outlives) return false;
  }
  return true;
}

void supervisor::go_on_without(const failure& found) {
  report_line(found.reason + "; the others go on without it");
  if (outcome_.code == 0) outcome_.code = static_cast<unsigned char>(found.rank_code);
  ranks_.fail(found.rank);
  port_->note_fate(found.rank, bootstrap::rank_fate::failed);
  pass_if_complete();
}

/// A rank has said that it goes on, or is gone; either may decide about ranks that failed before.
void supervisor::decide_again() {
  for (std::size_t i = 0; i < undecided_.size();) {
    if (!is_outlived(undecided_[i].found.rank)) {
      ++i;
      continue;
    }
    const undecided decided = std::move(undecided_[i]);
    undecided_.erase(undecided_.begin() + static_cast<std::ptrdiff_t>(i));
    go_on_without(decided.found);
  }
}

void supervisor::end_all(std::chrono::milliseconds grace) {
  phase_ = phase::ending;
  undecided_.clear();
  timeout_at_ = end_at_ = end_cleanly_at_ = never;
  port_->end(grace);
}

void supervisor::check_deadlines() {
  const auto now = clock::now();
  check_clean_end(now);
  if (!undecided_.empty() && now >= undecided_.front().decide_at)
    end_because(failure(undecided_.front().found));
  if (paused_at_ == never && now >= timeout_at_) report_timeout();
  if (now >= end_at_) end_all(grace_after_failure);
}

void supervisor::report_timeout() {
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%g", options_.timeout_s);
  report_line(std::string("time-out after ") + seconds + " s; the ranks were:");
  outcome_.code = 124;
  port_->report();
  end_all(grace_after_failure);
}

void supervisor::report_line(const std::string& line) { output_.say("atoll run: " + line + "\n"); }

// --- the user ----------------------------------------------------------------------------------

/// The foreground process has sent a signal, or is dead: then so is the job.
void supervisor::obey() {
  signal_order order;
  const ssize_t got = recv(control_, &order, sizeof order, MSG_DONTWAIT);
  if (got == sizeof order) return obey(order);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  port_->abandon();
  kill_descendants();
  _exit(1);
}

/// A signal that ends programs goes to the ranks once. A second one of its kind, or a hangup, ends
/// the job; an interrupt never does when a debugger handles it.
void supervisor::obey(const signal_order& order) {
  note_pause(order);
  if (!ends_by_default(order.signal)) return port_->signal(order);
  const bool is_again = interrupted_by_ == order.signal && phase_ == phase::running;
  const bool is_insistent = is_again && !(options_.debugger && order.signal == SIGINT);
  interrupted_by_ = order.signal;
  if (!is_insistent) port_->signal(order);
  if (!is_insistent && order.signal != SIGHUP) return;
  outcome_.signal = order.signal == SIGINT ? SIGINT : 0;
  if (phase_ == phase::running) report_line("interrupted by " + signal_name(order.signal));
  outcome_.code = static_cast<unsigned char>(128 + order.signal);
  end_all(is_insistent ? grace_after_failure : grace_after_hangup);
}

/// The clock of --timeout stands while the job is stopped.
void supervisor::note_pause(const signal_order& order) {
  if (order.signal == SIGTSTP) paused_at_ = clock::now();
  if (order.signal != SIGCONT || paused_at_ == never) return;
  if (timeout_at_ != never) timeout_at_ += clock::now() - paused_at_;
  paused_at_ = never;
}

/// The job is over and its last lines wait for a reader. Whether the user has given them up.
bool supervisor::is_given_up() {
  signal_order order;
  const ssize_t got = recv(control_, &order, sizeof order, MSG_DONTWAIT);
  if (got == sizeof order) return ends_by_default(order.signal);
  return got >= 0 || (errno != EAGAIN && errno != EINTR);
}

}  // namespace atl::tools
