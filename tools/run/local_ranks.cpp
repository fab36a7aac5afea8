// SPDX-License-Identifier: BSD-3-Clause
//
// Handles processes that end, signals to them, and messages of the listener; start.cpp starts them.
// Ranks have the numbers of this machine here; those passed to the events and received through the
// port are the job's.
#include <atoll/base/error.hpp>
#include <tools/run/descriptors.hpp>
#include <tools/run/local_ranks.hpp>
#include <tools/run/process_tree.hpp>

#include <fcntl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>

namespace atl::tools {

using namespace std::chrono_literals;

namespace {

constexpr auto grace_for_remains = 250ms;  // of what the ranks have left running
constexpr auto grace_after_loss = 200ms;   // for the process of a closed connection to end
constexpr auto kill_again_after = 20ms;
constexpr auto told_after = 10s;  // when a process does not die, the user is told

/// An exit code has 8 bits; a failure must not become success by losing the others.
int exit_code_of_request(int code) { return code != 0 && (code & 0xff) == 0 ? 1 : code & 0xff; }

}  // namespace

local_ranks::local_ranks(event_loop& loop, const launch& job, rank_events& events,
                         rank_streams streams)
    : loop_(loop),
      job_(job),
      events_(events),
      streams_(std::move(streams)),
      children_(open_children_signal()),
      null_(open("/dev/null", O_RDONLY | O_CLOEXEC)),
      ranks_(job.options.size),
      processes_(job.options.size) {
  loop_.add(children_.get(), EPOLLIN, [](std::uint32_t) {});  // wakes the loop, which then reaps
  open_listener();
}

void local_ranks::open_listener() {
  using kind = rank_event::kind;
  listener_ = std::make_unique<rank_listener>(
      loop_, ranks_, job_,
      rank_listener::events{
          .joined = [this](rank_id rank) { joined(rank); },
          .entered =
              [this](rank_id rank, rendezvous::collective which, bootstrap::wire::bytes blob) {
                events_.happened({.type = kind::entered,
                                  .rank = number_of(rank),
                                  .number = static_cast<std::uint32_t>(which),
                                  .version = {},
                                  .blob = std::move(blob)});
              },
          .left = [this](rank_id rank) { happened(kind::left, rank); },
          .stopped =
              [this](rank_id rank, int code) {
                happened(kind::stopped, rank,
                         static_cast<std::uint32_t>(exit_code_of_request(code)));
              },
          .outlives = [this](rank_id rank) { happened(kind::outlives, rank); },
          .depends = [this](rank_id rank) { happened(kind::depends, rank); },
          .end_job = [this](rank_id rank, const auto& last) { end_job(rank, last); },
          .lost = [this](rank_id rank) { lost(rank); },
          .wrong =
              [this](rank_id rank, const std::string& reason) {
                fail({.reason = rank_text(rank) + " " + reason});
              },
          .process_of = [this](rank_id rank) { return processes_[rank].pid; },
      });
}

void local_ranks::happened(rank_event::kind type, rank_id rank, std::uint32_t number) {
  events_.happened(
      {.type = type, .rank = number_of(rank), .number = number, .version = {}, .blob = {}});
}

void local_ranks::joined(rank_id rank) {
  events_.happened({.type = rank_event::kind::joined,
                    .rank = number_of(rank),
                    .number = static_cast<std::uint32_t>(ranks_.state_of(rank).pid),
                    .version = ranks_.version(),
                    .blob = {}});
}

void local_ranks::note_fate(rank_id rank, bootstrap::rank_fate fate) {
  listener_->note_fate(rank, fate);
}

rank_port::clock::time_point local_ranks::next_deadline() const {
  auto next = std::min(kill_at_, tell_survivors_at_);
  if (paused_at_ == never) next = std::min(next, listener_->next_tick());
  for (const rank_id rank : lost_)
    next = std::min(next, processes_[rank].lost_at + grace_after_loss);
  return next;
}

void local_ranks::tick(clock::time_point now) {
  if (paused_at_ == never) listener_->tick(now);
  check_lost(now);
  if (now >= kill_at_) {
    signal_all(SIGKILL);
    kill_at_ = now + kill_again_after;
  }
  if (now >= tell_survivors_at_) tell_of_survivors();
}

// --- endings -----------------------------------------------------------------------------------

/// Reads the pending signal before it waits for children, because a child that ends in between
/// raises it again. In the other order that child's signal would be read and the child missed.
void local_ranks::reap() {
  drain_signals(children_);
  for (;;) {
    int status = 0;
    const pid_t pid = waitpid(-1, &status, WNOHANG);
    if (pid < 0 && errno == ECHILD) no_children_ = true;
    if (pid <= 0) break;
    const auto found = rank_of_.find(pid);  // any other is an orphan that some rank has left
    if (found == rank_of_.end()) continue;
    const rank_id rank = found->second;
    rank_of_.erase(found);
    rank_ended(rank, status);
  }
  if (ended_ == ranks_.size() && !no_children_ && !is_ending_) {
    if (job_.options.verbose > 0)
      report_line("ending what the ranks have left running" + host_text());
    end(grace_for_remains);
  }
}

void local_ranks::rank_ended(rank_id rank, int wait_status) {
  processes_[rank].ended = true;
  ++ended_;
  if (WIFSIGNALED(wait_status) && !is_ending_ && !has_failed_)
    listener_->drain_all();
  else
    listener_->drain(rank);
  ranks_.process_ended(rank);
  if (job_.options.verbose > 0) report_line(rank_text(rank) + " " + describe_ending(wait_status));
  handle_exit(rank, wait_status);
  happened(rank_event::kind::ended, rank,
           static_cast<std::uint32_t>(orderly_code(rank, wait_status)));
}

/// The exit code of a rank that has left the job in order; 0 for others, whose code is a failure's.
int local_ranks::orderly_code(rank_id rank, int wait_status) const {
  const bool has_left = ranks_.state_of(rank).state == rendezvous::membership::left;
  return has_left && WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 0;
}

void local_ranks::handle_exit(rank_id rank, int wait_status) {
  const bool is_inside = ranks_.state_of(rank).state == rendezvous::membership::inside &&
                         !processes_[rank].asked_to_end;
  if (wait_status == 0 && is_inside)
    return fail({.also_ended = 1,
                 .reason = rank_text(rank) +
                           " exited with code 0 without leaving the job; a rank must shut Atoll "
                           "down before it exits",
                 .rank = number_of(rank)});
  if (wait_status == 0 || orderly_code(rank, wait_status) != 0) return;
  const int code = exit_code_of(wait_status);
  if (WIFSIGNALED(wait_status) && is_interrupt(WTERMSIG(wait_status)))
    return fail({.code = code,
                 .interrupted_by = WTERMSIG(wait_status),
                 .also_ended = 1,
                 .reason = "interrupted by " + signal_name(WTERMSIG(wait_status))});
  auto reason = rank_text(rank) + " " + describe_ending(wait_status);
  if (WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == SIGKILL) {
    const auto evidence = memory_ ? memory_->since() : std::string();
    if (!evidence.empty()) reason += "; " + evidence;
  }
  fail({.code = code,
        .others_speak = WIFEXITED(wait_status) && !is_inside,
        .also_ended = 1,
        .reason = reason,
        .rank = is_inside ? number_of(rank) : no_rank,
        .rank_code = code});
}

/// Whether a rank's signal is one that the user sent to the whole job. A key of the terminal may
/// have ended the rank before the foreground process could tell us of it, but it is pending here
/// too.
bool local_ranks::is_interrupt(int signal) const {
  if (signal == interrupted_by_) return true;
  sigset_t pending;
  return sigpending(&pending) == 0 && ends_by_default(signal) && sigismember(&pending, signal) == 1;
}

/// Only the first failure is reported, but for those of single ranks: the job may go on after them.
void local_ranks::fail(failure found) {
  if (is_ending_ || has_failed_) return;
  has_failed_ = found.rank == no_rank;
  events_.failed(found);
}

void local_ranks::lost(rank_id rank) {
  if (is_ending_ || has_failed_ || processes_[rank].ended) return;
  processes_[rank].lost_at = clock::now();
  lost_.push_back(rank);
}

void local_ranks::check_lost(clock::time_point now) {
  while (!lost_.empty() && processes_[lost_.front()].lost_at + grace_after_loss <= now) {
    const rank_id rank = lost_.front();
    lost_.erase(lost_.begin());
    if (processes_[rank].ended) continue;
    fail({.reason = "rank " + std::to_string(number_of(rank)) + ": process " +
                    std::to_string(ranks_.state_of(rank).pid) +
                    " ended or closed its connection without leaving the job"});
  }
}

void local_ranks::end_job(rank_id rank, const bootstrap::wire::end_job& last) {
  if (is_ending_ || has_failed_) return;
  const int code = exit_code_of_request(last.code);
  if (code == 0 && last.message.empty()) {
    processes_[rank].asked_to_end = true;
    return happened(rank_event::kind::asked_to_end, rank);
  }
  fail({.code = code,
        .reason = rank_text(rank) + (last.message.empty()
                                         ? " ended the job with code " + std::to_string(code)
                                         : ": " + last.message)});
}

void local_ranks::end(std::chrono::milliseconds grace) {
  is_ending_ = true;
  lost_.clear();
  kill_at_ = clock::now() + grace;
  tell_survivors_at_ = clock::now() + told_after;
  signal_all(SIGTERM);
  signal_all(SIGCONT);
}

/// To everything below; without /proc at least to the ranks themselves. The number of a rank's own
/// process stays its own until reap() has waited for it, which sets `ended`.
void local_ranks::signal_all(int signal) {
  if (signal_descendants(signal) > 0) return;
  for (const auto& process : processes_)
    if (!process.ended) kill(process.pid, signal);
}

/// A process has survived SIGKILL for long: it hangs in the kernel, and we must wait for it.
void local_ranks::tell_of_survivors() {
  tell_survivors_at_ = never;
  for (const auto& each : process_table().below(getpid()))
    report_line("still waiting for the end of " + describe_process(each.pid));
}

// --- signals and reports -----------------------------------------------------------------------

void local_ranks::signal(const signal_order& order) {
  if (order.signal == SIGTSTP || order.signal == SIGCONT) return pause_or_resume(order);
  if (ends_by_default(order.signal)) interrupted_by_ = order.signal;
  forward(order);
}

/// Signals that end programs go to everything below; others, as SIGUSR1, only to the ranks' own
/// processes, because such a signal would kill a shell that does not handle it.
void local_ranks::forward(const signal_order& order) {
  if (order.from_terminal) return;
  if (ends_by_default(order.signal)) return signal_all(order.signal);
  for (const auto& process : processes_)
    if (!process.ended) kill(process.pid, order.signal);
}

void local_ranks::pause_or_resume(const signal_order& order) {
  if (order.signal == SIGTSTP) {
    if (!order.from_terminal) signal_all(SIGSTOP);
    paused_at_ = clock::now();
    return;
  }
  paused_at_ = never;
  listener_->renew_time(clock::now());
  signal_all(SIGCONT);
}

void local_ranks::report() {
  const process_table now;
  for (rank_id rank = 0; rank < ranks_.size(); ++rank) {
    const auto& process = processes_[rank];
    report_line("  rank " + std::to_string(number_of(rank)) + host_text() + " " +
                ranks_.describe(rank) +
                (process.ended ? "" : "; " + describe_process(process.pid)));
    if (process.ended) continue;
    for (const auto& child : now.below(process.pid))
      report_line("    " + describe_process(child.pid));
  }
}

std::string local_ranks::rank_text(rank_id rank) const {
  const auto pid = std::to_string(processes_[rank].pid);
  if (!job_.options.launcher.empty())
    return "the launcher (" + job_.options.launcher + ", pid " + pid + ")";
  return "rank " + std::to_string(number_of(rank)) + host_text() + " (" +
         job_.options.command.front() + ", pid " + pid + ")";
}

/// " on HOST" in a job of several.
std::string local_ranks::host_text() const {
  return job_.place.host.empty() ? std::string() : " on " + job_.place.host;
}

}  // namespace atl::tools
