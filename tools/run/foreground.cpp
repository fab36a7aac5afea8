// SPDX-License-Identifier: BSD-3-Clause
//
// The process that the user started. It does little, so that little can go wrong in it: it passes
// signals on to the supervisor, stops and continues with the job, and if the supervisor is killed
// it ends what the supervisor has left (the ranks die with the supervisor; the processes that they
// had started become children of this one).
//
// All processes of the job stay in the process group of the shell's job, so the terminal's keys
// reach the ranks directly, rank 0 may read the terminal, and a job in the background is stopped by
// the kernel when it tries. The code of a signal says whether it came from a key or from kill();
// one from a key is not sent on.
#include <atoll/base/error.hpp>
#include <tools/run/ending.hpp>
#include <tools/run/launch.hpp>
#include <tools/run/process_tree.hpp>
#include <tools/run/program.hpp>

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <optional>

namespace atl::tools {
namespace {

constexpr std::array passed_on{SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,
                               SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT};
constexpr std::array blocked_in_supervisor{SIGTTIN, SIGTTOU};

/// Blocks what is passed on, except what our parent made us ignore (nohup, a background job of a
/// script): that stays ignored, here and in the ranks.
sigset_t block_signals(sigset_t& previous) {
  sigset_t taken;
  sigemptyset(&taken);
  for (const int signal : passed_on) {
    struct sigaction action{};
    sigaction(signal, nullptr, &action);
    if (action.sa_handler != SIG_IGN || signal == SIGCONT) sigaddset(&taken, signal);
  }
  sigaddset(&taken, SIGCHLD);
  signal(SIGCHLD, SIG_DFL);  // had our parent ignored it, our children's endings would be lost
  sigprocmask(SIG_BLOCK, &taken, &previous);
  return taken;
}

void end_by_signal(int signal) {
  std::signal(signal, SIG_DFL);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  raise(signal);
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
}

class foreground {
 public:
  foreground(pid_t supervisor, descriptor control, descriptor signals)
      : supervisor_(supervisor), control_(std::move(control)), signals_(std::move(signals)) {}

  int wait();

 private:
  void pass_signals();
  void pass(const signalfd_siginfo& info);
  int finish(const launch_outcome& end);
  int supervisor_died();

  pid_t supervisor_;
  descriptor control_;
  descriptor signals_;
};

int foreground::wait() {
  for (;;) {
    std::array<pollfd, 2> watched{pollfd{signals_.get(), POLLIN, 0},
                                  pollfd{control_.get(), POLLIN, 0}};
    if (poll(watched.data(), watched.size(), -1) < 0) continue;
    if (watched[0].revents != 0) pass_signals();
    if (watched[1].revents == 0) continue;
    launch_outcome end;
    const ssize_t got = recv(control_.get(), &end, sizeof end, MSG_DONTWAIT);
    if (got == sizeof end) return finish(end);
    // A supervisor that ends before it has read our last signal resets the connection; its answer
    // comes after that error.
    if (got < 0 && (errno == EAGAIN || errno == EINTR || errno == ECONNRESET)) continue;
    return supervisor_died();
  }
}

void foreground::pass_signals() {
  signalfd_siginfo info;
  while (read(signals_.get(), &info, sizeof info) == sizeof info) pass(info);
}

void foreground::pass(const signalfd_siginfo& info) {
  if (info.ssi_signo == SIGCHLD) return;
  const signal_order order{.signal = static_cast<unsigned char>(info.ssi_signo),
                           .from_terminal = info.ssi_code == SI_KERNEL};
  send(control_.get(), &order, sizeof order, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (info.ssi_signo == SIGTSTP) raise(SIGSTOP);  // SIGCONT wakes us and is passed on in turn
}

int foreground::finish(const launch_outcome& end) {
  waitpid(supervisor_, nullptr, 0);
  if (end.signal != 0) end_by_signal(end.signal);
  return end.code;
}

int foreground::supervisor_died() {
  int status = 0;
  waitpid(supervisor_, &status, 0);
  const bool all_ended = kill_descendants();
  say("the launcher's own process (pid " + std::to_string(supervisor_) + ") " +
      describe_ending(status) + "; the job has been ended" +
      (all_ended ? "" : ", but some process does not die"));
  return status == 0 ? 125 : exit_code_of(status);
}

[[noreturn]] void be_second(const launch& job, const second_process& second, descriptor control) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : blocked_in_supervisor) sigaddset(&set, signal);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  const int number = control.get();
  launch_outcome end;
  try {
    end = second(job, number);
  } catch (const error& refused) {
    say(refused.what());
    kill_descendants();
    end.code = 125;
  } catch (const launch_refusal& refused) {
    say(refused.message);
    kill_descendants();
    end.code = refused.code;
  }
  send(number, &end, sizeof end, MSG_NOSIGNAL);
  _exit(0);
}

}  // namespace

int run_foreground(launch job, const second_process& second) {
  const auto taken = block_signals(job.signal_mask);
  become_subreaper();
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    throw error("launcher", "socketpair failed: " + errno_text(errno),
                "raise the limit of open files (ulimit -n)");
  descriptor near_end(ends[0]);
  descriptor child_end(ends[1]);
  descriptor signals(signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK));
  const pid_t supervisor = fork();
  if (supervisor < 0)
    throw error("launcher", "fork failed: " + errno_text(errno),
                "the limit of processes is reached (ulimit -u, or the control group's)");
  if (supervisor == 0) {
    near_end.reset();
    signals.reset();
    be_second(job, second, std::move(child_end));
  }
  child_end.reset();
  return foreground(supervisor, std::move(near_end), std::move(signals)).wait();
}

}  // namespace atl::tools
