// SPDX-License-Identifier: BSD-3-Clause
//
// The daemon of one host: calls the part of the tree that started it, gets the plan, starts the
// daemons below it, gives its own part of the plan to a warden, and passes frames between them. It
// decides nothing about the job. When its link upwards breaks the job is over: it kills what is
// below it and goes, and so do its warden and the daemons below when they miss it.
//
// The warden's process is forked before the daemon has read the key, and so never has it in its
// memory: it may leave a core file, and a process that reads its memory learns nothing.
#include <atoll/base/error.hpp>
#include <tools/hosts/branch.hpp>
#include <tools/hosts/call.hpp>
#include <tools/hosts/host_warden.hpp>
#include <tools/hosts/hosts.hpp>
#include <tools/run/descriptors.hpp>
#include <tools/run/ending.hpp>
#include <tools/run/process_tree.hpp>
#include <tools/run/program.hpp>

#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>
#include <utility>

namespace atl::tools {

using namespace words;
using namespace std::chrono_literals;

namespace {

constexpr auto call_within = 30s;
constexpr auto between_calls = 100ms;
constexpr std::chrono::seconds proof_within = 10s;
constexpr std::chrono::seconds plan_within = 60s;
constexpr int kill_within_ms = 5000;

/// Reads the call from standard input. Throws `launch_refusal`.
call read_call() {
  std::string text;
  const auto until = link::clock::now() + call_within;
  while (text.size() < call_bytes_max && link::clock::now() < until) {
    pollfd waiting{.fd = 0, .events = POLLIN, .revents = 0};
    if (poll(&waiting, 1, 1000) <= 0) continue;
    char chunk[1024];
    const ssize_t got = read(0, chunk, sizeof chunk);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(chunk, static_cast<std::size_t>(got));
    if (auto made = call::parse(text)) {
      forget(std::as_writable_bytes(std::span(text)));
      return *made;
    }
  }
  throw launch_refusal{2,
                       "its standard input does not tell whom to call; `atoll daemon` is started "
                       "by `atoll run --hosts`, not by hand"};
}

class host_daemon {
 public:
  /// The parts of a daemon, apart from the key and its place in the tree.
  struct parts {
    std::string version;
    std::string interface;  // that leads to the others
    rlimit core_file{};     // of what knows no key
    host_warden& warden;
  };

  host_daemon(const call& how, parts made_of)
      : key_(how.key),
        core_file_(made_of.core_file),
        node_(how.node),
        version_(std::move(made_of.version)),
        interface_(std::move(made_of.interface)),
        warden_(made_of.warden),
        opened_at_(link::clock::now()) {}

  int run(descriptor socket);
  bool was_proven() const { return up_->is_proven(); }
  bool was_refused() const { return up_->is_refused(); }

 private:
  void from_above(const frame& what);
  void begin(const frame& what);
  void start_warden();
  void from_warden(const frame& what);
  void from_below(const frame& what);
  void warden_gone();
  void refuse(int code, const std::string& why);
  void reap();
  void end_here();
  void say(word what, const bytes& body = {}) { up_->send(encode(what, node_, body)); }
  std::string host() const { return plan_.hosts[node_ - 1].name; }

  secret key_;
  rlimit core_file_;  // of what knows no key
  std::uint32_t node_;
  std::string version_;
  std::string interface_;
  host_warden& warden_;
  link::clock::time_point opened_at_;
  event_loop loop_;
  descriptor children_;
  plan plan_;
  bool has_plan_ = false;
  bool over_ = false;
  bool finished_ = false;
  std::shared_ptr<link> up_;
  std::shared_ptr<link> down_;  // to the warden
  std::unique_ptr<branch> below_;
};

int host_daemon::run(descriptor socket) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  children_ = descriptor(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  loop_.add(children_.get(), EPOLLIN, [this](std::uint32_t) { reap(); });
  up_ = link::open(
      loop_,
      {.socket = std::move(socket), .key = &key_, .node = node_, .body_bytes_max = down_bytes_max},
      {.proven = [this](link&) { say(word::hello, body_of(line{version_})); },
       .heard = [this](link&, const frame& what) { from_above(what); },
       .closed = [this](link&, const std::string&) { over_ = true; }});
  while (!over_) {
    loop_.wait(1000);
    loop_.dispatch();
    const auto now = link::clock::now();
    if (has_plan_)
      up_->tick(now, std::chrono::milliseconds(plan_.link_timeout_ms));
    else if (now - opened_at_ > (up_->is_proven() ? plan_within : proof_within))
      over_ = true;
    if (below_) below_->tick(now);
  }
  // A caller who was not proven has started nothing here, and the next attempt needs the warden.
  if (was_proven()) end_here();
  return has_plan_ ? 0 : 1;
}

void host_daemon::from_above(const frame& what) {
  if (what.what == word::plan && !has_plan_) return begin(what);
  if (what.what == word::over) {
    if (below_) below_->over();
    if (below_) below_->broadcast(encode(word::over, 0));
    over_ = true;
    return;
  }
  const auto raw = encode(what.what, what.node, what.body);
  if (down_ && (what.node == 0 || what.node == node_)) down_->send(raw);
  if (below_ && what.node == 0) below_->broadcast(raw);
  if (below_ && what.node != 0 && what.node != node_) below_->send_to(what.node, raw);
  // Without a warden there is nobody left to end, and the head has been told.
}

void host_daemon::begin(const frame& what) {
  auto got = decode<plan>(what.body);
  if (!got || node_ > got->hosts.size()) {
    over_ = true;
    return;
  }
  plan_ = std::move(*got);
  has_plan_ = true;
  below_ = std::make_unique<branch>(
      loop_, key_, plan_, branch::owner{node_, version_, core_file_},
      branch::events{.heard = [this](const frame& from) { from_below(from); },
                     .lost =
                         [this](std::uint32_t node, const std::string& why) {
                           up_->send(encode(word::lost, node, body_of(line{why})));
                         }});
  try {
    below_->start();
    start_warden();
  } catch (const launch_refusal& why) {
    refuse(why.code, why.message);
  } catch (const error& why) {
    refuse(125, why.what());
  }
}

/// The job cannot begin on this host.
void host_daemon::refuse(int code, const std::string& why) {
  say(word::failed, body_of(words::failed{.code = static_cast<std::uint8_t>(code),
                                          .why = "host " + host() + ": " + why}));
  say(word::finished);
  finished_ = true;
}

void host_daemon::start_warden() {
  down_ = link::open(loop_, {.socket = warden_.take_link()},
                     {.proven = {},
                      .heard = [this](link&, const frame& what) { from_warden(what); },
                      .closed = [this](link&, const std::string&) { warden_gone(); }});
  down_->send(encode(word::hello, node_, body_of(line{interface_})));
  down_->send(encode(word::plan, node_, body_of(plan_)));
}

void host_daemon::from_warden(const frame& what) {
  if (what.what == word::finished) finished_ = true;
  up_->send(encode(what.what, node_, what.body));
}

void host_daemon::from_below(const frame& what) {
  up_->send(encode(what.what, what.node, what.body));
}

/// Its link has closed: as it should after its last word, or because it has died. Then the ranks
/// have died with it, and what they have started is ours to end.
void host_daemon::warden_gone() {
  if (finished_) return;
  finished_ = true;
  const int status = warden_.end();
  say(word::failed, body_of(words::failed{
                        .code = static_cast<std::uint8_t>(exit_code_of(status)),
                        .left = 0,
                        .why = "host " + host() + ": the launcher's own process (pid " +
                               std::to_string(warden_.pid()) + ") " + describe_ending(status)}));
  kill_descendants(kill_within_ms);
  say(word::finished);
}

void host_daemon::reap() {
  signalfd_siginfo info[16];
  while (read(children_.get(), info, sizeof info) > 0) {
  }
  int status = 0;
  for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
    if (pid == warden_.pid())
      warden_.has_ended(status);
    else if (below_)
      below_->reap(pid, status);
  }
}

/// Lets daemons below that were told go by themselves, then ends whatever is left.
void host_daemon::end_here() {
  const auto until = link::clock::now() + 2s;
  if (below_) below_->over();
  const bool told = up_ && up_->is_open();
  while (told && below_ && below_->has_shells() && link::clock::now() < until) {
    loop_.wait(100);
    loop_.dispatch();
  }
  kill_descendants(kill_within_ms);
}

/// Calls until the answering side proves to be the caller of this daemon. An address may be another
/// machine's here, and a busy gate may have dropped this call: an address that cannot prove it is
/// not asked again, and one that closed the connection is asked again after all others.
int answer_call(call& how, std::string_view version, const rlimit& core_file, host_warden& warden) {
  const auto until = link::clock::now() + call_within;
  std::string why = "nobody there knows the key of the job";
  do {
    std::size_t which = 0;
    auto socket = connect_to_any(how.addresses, until, which, why);
    if (!socket) break;
    auto interface = interface_to_others(socket, how.addresses);
    host_daemon here(how, {.version = std::string(version),
                           .interface = std::move(interface),
                           .core_file = core_file,
                           .warden = warden});
    const int code = here.run(std::move(socket));
    if (here.was_proven()) return code;
    const auto asked = how.addresses.begin() + static_cast<std::ptrdiff_t>(which);
    if (here.was_refused()) {
      how.addresses.erase(asked);
    } else {
      std::rotate(asked, asked + 1, how.addresses.end());
      std::this_thread::sleep_for(between_calls);
    }
  } while (!how.addresses.empty() && link::clock::now() < until);
  throw launch_refusal{125, "the launcher cannot be reached: " + why +
                                "; --interface names what both machines can reach"};
}

}  // namespace

int daemon_command(const std::vector<std::string>& words, std::string_view version) {
  if (!words.empty())
    throw launch_refusal{2,
                         "`atoll daemon` takes no arguments; it is started by `atoll run --hosts`"};
  close_descriptors_from(3);  // of the remote shell, which may have left any number open
  setsid();
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGCHLD, SIG_DFL);
  prctl(PR_SET_NAME, "atoll-daemon");
  become_subreaper();
  host_warden warden;  // before there is a key
  const auto core_file = forbid_core_file();
  auto how = read_call();
  const int code = answer_call(how, version, core_file, warden);
  forget(how.key);
  return code;
}

}  // namespace atl::tools
