// SPDX-License-Identifier: BSD-3-Clause
//
// The warden's loop, its judgement of endings, and the end of a job. Everything that decides about
// the job's exit status is in judge(), end_job(), check_stuck() and check_clocks(), and goes
// through fail(), which hears only the first.
#include <atoll/base/error.hpp>
#include <tools/run/process_tree.hpp>
#include <tools/run/warden.hpp>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <utility>

namespace atl::tools {

using namespace std::chrono_literals;

namespace {

constexpr auto grace_after_failure = 250ms;    // between SIGTERM and SIGKILL
constexpr auto grace_to_speak = 300ms;         // for ranks that are about to tell the same
constexpr auto grace_after_interrupt = 800ms;  // the user asked, and programs may want to save
constexpr auto grace_after_hangup = 2s;
constexpr auto grace_after_clean_end = 2s;  // for the other ranks to come to their own end
constexpr auto grace_after_loss = 200ms;    // for the process of a closed connection to end
constexpr auto grace_for_reader = 1s;       // of last lines, when the user has asked for the end
constexpr auto kill_again_after = 20ms;
constexpr auto told_after = 10s;  // when a process does not die, the user is told

bool ends_by_default(int signal) {
  return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
}

/// An exit status has 8 bits; a failure must not become success by losing the others.
int exit_code_of_request(int code) { return code != 0 && (code & 0xff) == 0 ? 1 : code & 0xff; }

descriptor open_children_signal() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  return descriptor(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

void drain_signals(const descriptor& from) {
  signalfd_siginfo info[16];
  while (read(from.get(), info, sizeof info) > 0) {
  }
}

}  // namespace

warden::warden(const launch& job, int control, std::unique_ptr<superior> above)
    : job_(job),
      control_(control),
      children_(open_children_signal()),
      null_(open("/dev/null", O_RDONLY | O_CLOEXEC)),
      ranks_(job.options.size),
      output_(loop_, job.options.size),
      above_(std::move(above)),
      processes_(job.options.size) {
  if (above_)
    above_->attach(loop_, orders_of_superior());
  else
    loop_.add(control_, EPOLLIN, [this](std::uint32_t) { obey(); });
  loop_.add(children_.get(), EPOLLIN, [](std::uint32_t) {});  // wakes the loop, which then reaps
  open_door();
}

void warden::open_door() {
  door_ = std::make_unique<door>(
      loop_, ranks_, job_,
      door::events{
          .end_job = [this](rank_id rank, const auto& last) { end_job(rank, last); },
          .lost = [this](rank_id rank) { lost(rank); },
          .wrong = [this](rank_id rank,
                          const std::string& why) { fail(1, rank_text(rank) + " " + why); },
          .changed = [this](rank_id rank, door::change what) { changed(rank, what); },
          .process_of = [this](rank_id rank) { return processes_[rank].pid; },
      });
}

superior::orders warden::orders_of_superior() {
  return {
      .signal = [this](const signal_order& order) { obey(order); },
      .pass = [this](const bootstrap::wire::bytes& answer) { door_->pass(answer); },
      .end =
          [this](std::chrono::milliseconds grace) {
            if (phase_ != phase::ending) end_all(grace);
          },
      .report = [this] { report_ranks(); },
      .gone =
          [] {
            kill_descendants(5000);
            _exit(1);
          },
  };
}

/// A change of one rank at the door concerns the other ranks: here, or on all hosts.
void warden::changed(rank_id rank, door::change what) {
  if (!above_) {
    if (what != door::change::joined) check_stuck();
    return;
  }
  const auto& state = ranks_.of(rank);
  if (what == door::change::joined) above_->joined(number_of(rank), state, ranks_.version());
  if (what == door::change::entered) above_->entered(number_of(rank), state);
  if (what == door::change::left) above_->left(number_of(rank));
}

outcome warden::run() {
  start_ranks();
  memory_ = std::make_unique<memory_evidence>();
  if (job_.options.timeout_s > 0)
    timeout_at_ = clock::now() + std::chrono::microseconds(
                                     static_cast<std::int64_t>(job_.options.timeout_s * 1e6));
  while (!no_children_) {
    loop_.wait(wait_ms());
    reap();
    loop_.dispatch();
    check_clocks();
  }
  if (above_) {
    above_->finish();
    return outcome_;
  }
  const auto read_by = interrupted_by_ != 0 ? clock::now() + grace_for_reader : never;
  output_.finish([=, this] { return clock::now() > read_by || is_given_up(); });
  return outcome_;
}

int warden::wait_ms() const {
  auto next = std::min(kill_at_, end_at_);
  if (paused_at_ == never) next = std::min({next, timeout_at_, door_->next_tick()});
  if (phase_ == phase::running) next = std::min(next, end_cleanly_at_);
  for (const rank_id rank : lost_)
    next = std::min(next, processes_[rank].lost_at + grace_after_loss);
  if (next == never) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - clock::now());
  return static_cast<int>(std::clamp(left, 0ms, std::chrono::milliseconds(1h)).count());
}

/// The signal is taken off before the children are asked for: one that ends in between raises it
/// again. The other way round its signal could be taken off with nobody left to look.
void warden::reap() {
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
  if (ended_ == ranks_.size() && !no_children_ && phase_ != phase::ending) {
    if (job_.options.verbose > 0) tell("ending what the ranks have left running");
    end_all(grace_after_failure);
  }
}

void warden::rank_ended(rank_id rank, int wait_status) {
  processes_[rank].ended = true;
  ++ended_;
  door_->drain(rank);
  ranks_.process_ended(rank);
  if (job_.options.verbose > 0) tell(rank_text(rank) + " " + describe_ending(wait_status));
  if (phase_ == phase::running) judge(rank, wait_status);
  if (above_) above_->ended(number_of(rank));
}

void warden::judge(rank_id rank, int wait_status) {
  const bool inside =
      ranks_.of(rank).state == meeting::membership::inside && !processes_[rank].asked_to_end;
  if (wait_status == 0) {
    if (inside)
      return fail(1, rank_text(rank) +
                         " exited with code 0 without leaving the job; a rank must shut Atoll down "
                         "before it exits");
    return check_stuck();
  }
  if (WIFSIGNALED(wait_status) && is_interrupt(WTERMSIG(wait_status))) {
    interrupted_by_ = WTERMSIG(wait_status);
    outcome_.signal = interrupted_by_ == SIGINT ? SIGINT : 0;
    return fail(exit_code_of(wait_status), "interrupted by " + signal_name(interrupted_by_));
  }
  auto text = rank_text(rank) + " " + describe_ending(wait_status);
  if (WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == SIGKILL) {
    const auto evidence = memory_ ? memory_->since() : std::string();
    if (!evidence.empty()) text += "; " + evidence;
  }
  fail(exit_code_of(wait_status), text, WIFEXITED(wait_status) && !inside);
}

/// Whether a rank's signal is one that the user sent to the whole job. A key of the terminal may
/// have ended the rank before the foreground process could tell us of it, but it is pending here
/// too.
bool warden::is_interrupt(int signal) const {
  if (signal == interrupted_by_) return true;
  sigset_t pending;
  return sigpending(&pending) == 0 && ends_by_default(signal) && sigismember(&pending, signal) == 1;
}

void warden::lost(rank_id rank) {
  if (phase_ != phase::running || processes_[rank].ended) return;
  processes_[rank].lost_at = clock::now();
  lost_.push_back(rank);
}

void warden::check_lost(clock::time_point now) {
  while (!lost_.empty() && processes_[lost_.front()].lost_at + grace_after_loss <= now) {
    const rank_id rank = lost_.front();
    lost_.erase(lost_.begin());
    if (phase_ != phase::running || processes_[rank].ended) continue;
    fail(1, "rank " + std::to_string(number_of(rank)) + ": process " +
                std::to_string(ranks_.of(rank).pid) +
                " ended or closed its connection without leaving the job");
  }
}

void warden::end_job(rank_id rank, const bootstrap::wire::end_job& last) {
  if (phase_ != phase::running) return;
  const int code = exit_code_of_request(last.code);
  if (code == 0 && last.message.empty()) return end_cleanly(rank);
  fail(code,
       rank_text(rank) + (last.message.empty() ? " ended the job with code " + std::to_string(code)
                                               : ": " + last.message));
}

/// Ranks that are done end one after another, with output to the last: the first to ask does not
/// cut the others short, but it does end those that go on for long.
void warden::end_cleanly(rank_id rank) {
  processes_[rank].asked_to_end = true;
  if (above_) return above_->asked_to_end(number_of(rank));
  if (end_cleanly_at_ == never) end_cleanly_at_ = clock::now() + grace_after_clean_end;
  check_clean_end(clock::now());
}

void warden::check_clean_end(clock::time_point now) {
  if (phase_ != phase::running || end_cleanly_at_ == never) return;
  const auto is_done = [](const rank_process& each) { return each.ended || each.asked_to_end; };
  if (now < end_cleanly_at_ && !std::ranges::all_of(processes_, is_done)) return;
  end_all(grace_after_failure);
}

void warden::check_stuck() {
  if (phase_ != phase::running || above_) return;
  if (const auto why = ranks_.stuck()) fail(1, *why);
}

/// A rank that was not in the job and exits has refused something, and so do the others, maybe, one
/// of which says why: they get time for that before they are ended.
void warden::fail(int code, const std::string& why, bool others_speak) {
  if (phase_ != phase::running) return;
  const rank_id left = ranks_.size() - ended_;
  if (above_)
    above_->failed({.code = code,
                    .signal = outcome_.signal,
                    .left = left,
                    .others_speak = others_speak,
                    .why = why});
  else
    tell(why + (left > 0 ? "; ending the " + std::to_string(left) + " left" : ""));
  outcome_.code = static_cast<unsigned char>(code);
  if (!others_speak)
    return end_all(interrupted_by_ != 0 ? grace_after_interrupt : grace_after_failure);
  phase_ = phase::failed;
  end_at_ = clock::now() + grace_to_speak;
  timeout_at_ = end_cleanly_at_ = never;
}

void warden::end_all(std::chrono::milliseconds grace) {
  phase_ = phase::ending;
  lost_.clear();
  timeout_at_ = end_at_ = never;
  kill_at_ = clock::now() + grace;
  end_by_ = clock::now() + told_after;
  signal_all(SIGTERM);
  signal_all(SIGCONT);
}

/// To everything below; without /proc at least to the ranks themselves. The number of a rank's own
/// process stays its own until reap() has waited for it, which sets `ended`.
void warden::signal_all(int signal) {
  if (signal_descendants(signal) > 0) return;
  for (const auto& process : processes_)
    if (!process.ended) kill(process.pid, signal);
}

/// Some process has outlived SIGKILL for long: it hangs in the kernel, and so must we.
void warden::tell_of_survivors() {
  end_by_ = never;
  for (const process& each : process_table().below(getpid()))
    tell("still waiting for the end of " + describe_process(each.pid));
}

void warden::check_clocks() {
  const auto now = clock::now();
  if (paused_at_ == never) door_->tick(now);
  check_lost(now);
  check_clean_end(now);
  if (paused_at_ == never && now >= timeout_at_) {
    report_timeout();
    outcome_.code = 124;
    end_all(grace_after_failure);
  }
  if (now >= end_at_) end_all(grace_after_failure);
  if (now >= kill_at_) {
    signal_all(SIGKILL);
    kill_at_ = now + kill_again_after;
  }
  if (now >= end_by_) tell_of_survivors();
}

/// The foreground process has sent a signal, or is dead: then so is the job.
void warden::obey() {
  signal_order order;
  const ssize_t got = recv(control_, &order, sizeof order, MSG_DONTWAIT);
  if (got == sizeof order) return obey(order);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  kill_descendants(5000);
  _exit(1);
}

void warden::obey(const signal_order& order) {
  if (order.signal == SIGTSTP || order.signal == SIGCONT) return pause_or_resume(order);
  if (!ends_by_default(order.signal)) return forward(order);
  const bool again = interrupted_by_ == order.signal && phase_ == phase::running;
  const bool insistent = again && !(job_.options.debugger && order.signal == SIGINT);
  interrupted_by_ = order.signal;
  if (!insistent) forward(order);
  if (!insistent && order.signal != SIGHUP) return;
  outcome_.signal = order.signal == SIGINT ? SIGINT : 0;
  if (phase_ == phase::running && !above_) tell("interrupted by " + signal_name(order.signal));
  outcome_.code = static_cast<unsigned char>(128 + order.signal);
  end_all(insistent ? grace_after_failure : grace_after_hangup);
}

/// Signals that end go to everything below; others only to the ranks' own processes, because a
/// signal that is news to a program kills the shell that started it.
void warden::forward(const signal_order& order) {
  if (order.from_terminal) return;
  if (ends_by_default(order.signal)) return signal_all(order.signal);
  for (const auto& process : processes_)
    if (!process.ended) kill(process.pid, order.signal);
}

void warden::pause_or_resume(const signal_order& order) {
  if (order.signal == SIGTSTP) {
    if (!order.from_terminal) signal_all(SIGSTOP);
    paused_at_ = clock::now();
    return;
  }
  if (paused_at_ != never && timeout_at_ != never) timeout_at_ += clock::now() - paused_at_;
  paused_at_ = never;
  door_->renew_time(clock::now());
  signal_all(SIGCONT);
}

void warden::report_timeout() {
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%g", job_.options.timeout_s);
  tell(std::string("time-out after ") + seconds + " s; the ranks were:");
  report_ranks();
}

void warden::report_ranks() {
  const process_table now;
  for (rank_id rank = 0; rank < ranks_.size(); ++rank) {
    const auto& process = processes_[rank];
    tell("  rank " + std::to_string(number_of(rank)) + on_host() + " " + ranks_.describe(rank) +
         (process.ended ? "" : "; " + describe_process(process.pid)));
    if (process.ended) continue;
    for (const auto& child : now.below(process.pid)) tell("    " + describe_process(child.pid));
  }
}

void warden::tell(const std::string& line) {
  if (above_) return above_->tell(line);
  output_.say("atoll run: " + line + "\n");
}

/// The job is over and its last lines wait for a reader: nobody may want them any more.
bool warden::is_given_up() {
  signal_order order;
  const ssize_t got = recv(control_, &order, sizeof order, MSG_DONTWAIT);
  if (got == sizeof order) return ends_by_default(order.signal);
  return got >= 0 || (errno != EAGAIN && errno != EINTR);
}

std::string warden::rank_text(rank_id rank) const {
  if (!job_.options.launcher.empty())
    return "the launcher (" + job_.options.launcher + ", pid " +
           std::to_string(processes_[rank].pid) + ")";
  return "rank " + std::to_string(number_of(rank)) + on_host() + " (" +
         job_.options.command.front() + ", pid " + std::to_string(processes_[rank].pid) + ")";
}

/// " on HOST" in a job of several.
std::string warden::on_host() const {
  return job_.place.host.empty() ? std::string() : " on " + job_.place.host;
}

outcome run_warden(const launch& job, int control) {
  prctl(PR_SET_NAME, "atoll-warden");
  become_subreaper();
  signal(SIGPIPE, SIG_IGN);
  return warden(job, control).run();
}

void run_warden(const launch& job, std::unique_ptr<superior> above) {
  prctl(PR_SET_NAME, "atoll-warden");
  become_subreaper();
  signal(SIGPIPE, SIG_IGN);
  warden(job, -1, std::move(above)).run();
}

}  // namespace atl::tools
