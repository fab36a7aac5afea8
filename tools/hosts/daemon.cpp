// SPDX-License-Identifier: BSD-3-Clause
//
// The daemon of one host: calls the part of the tree that started it, gets the plan, starts the
// daemons below it, gives its own part of the plan to the process that has the ranks of its host,
// and passes messages between them. It decides nothing about the job. When its upstream link breaks
// the job is over: it kills what is below it and exits. The process that has the ranks and the
// daemons below do the same when their links to it break.
//
// The process that has the ranks is forked before the daemon has read the key, and so never has the
// key in its memory: it may leave a core file, and a process that reads its memory learns nothing.
#include <atoll/base/error.hpp>
#include <tools/hosts/branch.hpp>
#include <tools/hosts/event_batch.hpp>
#include <tools/hosts/host_ranks.hpp>
#include <tools/hosts/hosts.hpp>
#include <tools/hosts/invitation.hpp>
#include <tools/run/descriptors.hpp>
#include <tools/run/ending.hpp>
#include <tools/run/process_tree.hpp>
#include <tools/run/program.hpp>

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>
#include <utility>

namespace atl::tools {

using namespace protocol;
using namespace std::chrono_literals;

namespace {

constexpr auto call_within = 30s;
constexpr auto between_calls = 100ms;
constexpr std::chrono::seconds proof_within = 10s;
constexpr std::chrono::seconds plan_within = 60s;

/// Reads the invitation from standard input. Throws `launch_refusal`.
invitation read_invitation() {
  std::string text;
  const auto deadline = link::clock::now() + call_within;
  while (text.size() < invitation_bytes_max && link::clock::now() < deadline) {
    pollfd waiting{.fd = 0, .events = POLLIN, .revents = 0};
    if (poll(&waiting, 1, 1000) <= 0) continue;
    char chunk[1024];
    const ssize_t got = read(0, chunk, sizeof chunk);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(chunk, static_cast<std::size_t>(got));
    if (auto made = invitation::parse(text)) {
      forget(std::as_writable_bytes(std::span(text)));
      return *made;
    }
  }
  throw launch_refusal{
      2,
      "its standard input contains no address to connect to; `atoll daemon` is started "
      "by `atoll run --hosts`, not by hand"};
}

class host_daemon {
 public:
  /// The parts of a daemon, apart from the key and its place in the tree.
  struct parts {
    std::string version;
    std::string interface;  // that leads to the others
    rlimit core_file{};     // of processes that do not know the key
    host_ranks& ranks;
  };

  host_daemon(const invitation& invited, parts made_of)
      : key_(invited.key),
        core_file_(made_of.core_file),
        node_(invited.node),
        version_(std::move(made_of.version)),
        interface_(std::move(made_of.interface)),
        ranks_(made_of.ranks),
        opened_at_(link::clock::now()) {}

  int run(descriptor socket);
  bool was_proven() const { return upstream_->is_proven(); }
  bool was_refused() const { return upstream_->is_refused(); }

 private:
  void from_upstream(const frame& message);
  void begin(const frame& message);
  void start_ranks();
  void from_ranks(const frame& message);
  void from_branch(const frame& message);
  void pass_up(const frame& message);
  void send_held();
  void tell_finished();
  int wait_ms() const;
  void host_ranks_gone();
  void refuse(int code, const std::string& reason);
  void reap();
  void end_rest();
  void send(protocol::kind type, const bytes& body = {}) {
    upstream_->send(encode(type, node_, body));
  }
  std::string host() const { return plan_.hosts[node_ - 1].name; }

  secret key_;
  rlimit core_file_;  // of processes that do not know the key
  std::uint32_t node_;
  std::string version_;
  std::string interface_;
  host_ranks& ranks_;
  link::clock::time_point opened_at_;
  event_loop loop_;
  descriptor children_;
  plan plan_;
  bool has_plan_ = false;
  bool job_over_ = false;
  bool finished_ = false;
  std::shared_ptr<link> upstream_;
  std::shared_ptr<link> ranks_link_;  // to the process that has the ranks
  std::unique_ptr<branch> branch_;

  // On their way to the supervisor, with the plan.
  std::unique_ptr<event_batch> events_;
  std::size_t nodes_below_ = 0;     // with this one
  std::size_t finished_count_ = 0;  // of those that have finished
  std::vector<std::uint32_t> finished_nodes_;
  event_batch::clock::time_point finished_due_at_ = event_batch::clock::time_point::max();
};

int host_daemon::run(descriptor socket) {
  children_ = open_children_signal();
  loop_.add(children_.get(), EPOLLIN, [this](std::uint32_t) { reap(); });
  upstream_ = link::open(
      loop_,
      {.socket = std::move(socket), .key = &key_, .node = node_, .body_bytes_max = down_bytes_max},
      {.proven = [this](link&) { send(kind::hello, body_of(output_line{version_})); },
       .received = [this](link&, const frame& message) { from_upstream(message); },
       .closed = [this](link&, const std::string&) { job_over_ = true; }});
  while (!job_over_) {
    loop_.wait(wait_ms());
    loop_.dispatch();
    const auto now = link::clock::now();
    if (events_ && std::min(events_->due_at(), finished_due_at_) <= now) send_held();
    if (has_plan_)
      upstream_->tick(now, std::chrono::milliseconds(plan_.link_timeout_ms));
    else if (now - opened_at_ > (upstream_->is_proven() ? plan_within : proof_within))
      job_over_ = true;
    if (branch_) branch_->tick(now);
  }
  // Without a proof nothing was started here, and the next attempt needs the process that will
  // have the ranks.
  if (was_proven()) end_rest();
  return has_plan_ ? 0 : 1;
}

void host_daemon::from_upstream(const frame& message) {
  if (message.kind == kind::plan && !has_plan_) return begin(message);
  if (message.kind == kind::job_over) {
    if (branch_) branch_->expect_end();
    if (branch_) branch_->broadcast(encode(kind::job_over, 0));
    job_over_ = true;
    return;
  }
  if (message.kind == kind::pass && events_) events_->passed();
  const auto raw = encode(message.kind, message.node, message.body);
  if (ranks_link_ && (message.node == 0 || message.node == node_)) ranks_link_->send(raw);
  if (branch_ && message.node == 0) branch_->broadcast(raw);
  if (branch_ && message.node != 0 && message.node != node_) branch_->send_to(message.node, raw);
  // Without its process there are no ranks left to end, and the supervisor has been told.
}

void host_daemon::begin(const frame& message) {
  auto got = decode<plan>(message.body);
  if (!got || node_ > got->hosts.size()) {
    job_over_ = true;
    return;
  }
  plan_ = std::move(*got);
  has_plan_ = true;
  rank_id ranks = 0;
  for (std::uint32_t node = node_; node <= plan_.hosts.size(); ++node) {
    if (!is_below(node, node_, plan_.radix)) continue;
    ranks += plan_.hosts[node - 1].count;
    ++nodes_below_;
  }
  events_ = std::make_unique<event_batch>(ranks);
  branch_ = std::make_unique<branch>(
      loop_, key_, plan_, branch::owner{node_, version_, core_file_},
      branch::events{.received = [this](const frame& from) { from_branch(from); },
                     .lost =
                         [this](std::uint32_t node, const std::string& reason) {
                           const auto body = body_of(output_line{reason});
                           pass_up({.kind = kind::lost, .node = node, .body = body});
                         }});
  try {
    branch_->start();
    start_ranks();
  } catch (const launch_refusal& reason) {
    refuse(reason.code, reason.message);
  } catch (const error& reason) {
    refuse(125, reason.what());
  }
}

void host_daemon::tell_finished() {
  const auto body = body_of(nodes{{node_}});
  pass_up({.kind = kind::finished, .node = node_, .body = body});
}

/// The job cannot begin on this host.
void host_daemon::refuse(int code, const std::string& reason) {
  send(kind::failed, body_of(protocol::failed{.code = static_cast<std::uint8_t>(code),
                                              .also_ended = plan_.hosts[node_ - 1].count,
                                              .reason = "host " + host() + ": " + reason}));
  tell_finished();
  finished_ = true;
}

void host_daemon::start_ranks() {
  ranks_link_ =
      link::open(loop_, {.socket = ranks_.take_link()},
                 {.proven = {},
                  .received = [this](link&, const frame& message) { from_ranks(message); },
                  .closed = [this](link&, const std::string&) { host_ranks_gone(); }});
  ranks_link_->send(encode(kind::hello, node_, body_of(output_line{interface_})));
  ranks_link_->send(encode(kind::plan, node_, body_of(plan_)));
}

void host_daemon::from_ranks(const frame& message) {
  if (message.kind == kind::finished) finished_ = true;
  pass_up({.kind = message.kind, .node = node_, .body = message.body});
}

void host_daemon::from_branch(const frame& message) { pass_up(message); }

/// Holds events and ends of hosts until all below have sent the same; passes other messages on at
/// once. A failure is sent after the events that came before it.
void host_daemon::pass_up(const frame& message) {
  const auto now = event_batch::clock::now();
  if (message.kind == kind::events) {
    if (auto happened = decode<events>(message.body))
      for (auto& each : happened->list) events_->add(std::move(each), now);
    return;
  }
  if (message.kind == kind::finished) {
    const auto ended = decode<nodes>(message.body);
    if (!ended) return;
    finished_nodes_.insert(finished_nodes_.end(), ended->list.begin(), ended->list.end());
    finished_count_ += ended->list.size();
    finished_due_at_ = std::min(
        finished_due_at_, finished_count_ >= nodes_below_ ? now : now + event_batch::hold_time);
    return;
  }
  if (message.kind == kind::lost) events_->stop_holding();
  if (message.kind == kind::lost || message.kind == kind::failed) send_held();
  upstream_->send(encode(message.kind, message.node, message.body));
}

/// Events go before the ends of hosts.
void host_daemon::send_held() {
  for (auto& piece : events_->take()) send(kind::events, body_of(events{std::move(piece)}));
  if (finished_nodes_.empty()) return;
  finished_due_at_ = event_batch::clock::time_point::max();
  send(kind::finished, body_of(nodes{std::exchange(finished_nodes_, {})}));
}

int host_daemon::wait_ms() const {
  using namespace std::chrono;
  if (!events_) return 1000;
  const auto due_at = std::min(events_->due_at(), finished_due_at_);
  const auto left = ceil<milliseconds>(due_at - event_batch::clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1000));
}

/// The process of the ranks has closed its link: after its last message, or because it has died.
/// Then the ranks have died with it, and the daemon ends what they have started.
void host_daemon::host_ranks_gone() {
  if (finished_) return;
  finished_ = true;
  const int status = ranks_.end();
  send(kind::failed, body_of(protocol::failed{
                         .code = static_cast<std::uint8_t>(exit_code_of(status)),
                         .also_ended = plan_.hosts[node_ - 1].count,
                         .reason = "host " + host() + ": the launcher's own process (pid " +
                                   std::to_string(ranks_.pid()) + ") " + describe_ending(status)}));
  kill_descendants();
  tell_finished();
}

void host_daemon::reap() {
  drain_signals(children_);
  int status = 0;
  for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
    if (pid == ranks_.pid())
      ranks_.has_ended(status);
    else if (branch_)
      branch_->reap(pid, status);
  }
}

/// Gives the daemons below, which know that the job is over, time to exit; then ends what is left.
void host_daemon::end_rest() {
  const auto deadline = link::clock::now() + 2s;
  if (branch_) branch_->expect_end();
  const bool is_reported = upstream_ && upstream_->is_open();
  while (is_reported && branch_ && branch_->has_shells() && link::clock::now() < deadline) {
    loop_.wait(100);
    loop_.dispatch();
  }
  kill_descendants();
}

/// Connects until one side proves that it has invited this daemon. On this host an address may be
/// another machine's: one that gives a wrong proof is not tried again. A busy listener may have
/// dropped the connection: one that closed it is tried again after all others.
int answer_call(invitation& invited, std::string_view version, const rlimit& core_file,
                host_ranks& ranks) {
  const auto deadline = link::clock::now() + call_within;
  std::string reason = "nobody there knows the key of the job";
  do {
    std::size_t which = 0;
    auto socket = connect_to_any(invited.addresses, deadline, which, reason);
    if (!socket) break;
    auto interface = interface_to_others(socket, invited.addresses);
    host_daemon daemon(invited, {.version = std::string(version),
                                 .interface = std::move(interface),
                                 .core_file = core_file,
                                 .ranks = ranks});
    const int code = daemon.run(std::move(socket));
    if (daemon.was_proven()) return code;
    const auto asked = invited.addresses.begin() + static_cast<std::ptrdiff_t>(which);
    if (daemon.was_refused()) {
      invited.addresses.erase(asked);
    } else {
      std::rotate(asked, asked + 1, invited.addresses.end());
      std::this_thread::sleep_for(between_calls);
    }
  } while (!invited.addresses.empty() && link::clock::now() < deadline);
  throw launch_refusal{125, "the launcher cannot be reached: " + reason +
                                "; --interface names what both machines can reach"};
}

}  // namespace

int daemon_command(const std::vector<std::string>& words, std::string_view version) {
  if (!words.empty())
    throw launch_refusal{2,
                         "`atoll daemon` takes no arguments; it is started by `atoll run --hosts`"};
  close_descriptors_from(3);  // of the remote shell, which may have left any number open
  setsid();
  sigset_t no_signals;
  sigemptyset(&no_signals);
  sigprocmask(SIG_SETMASK, &no_signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGCHLD, SIG_DFL);
  prctl(PR_SET_NAME, "atoll-daemon");
  become_subreaper();
  host_ranks ranks;  // before there is a key
  const auto core_file = forbid_core_file();
  auto invited = read_invitation();
  const int code = answer_call(invited, version, core_file, ranks);
  forget(invited.key);
  return code;
}

}  // namespace atl::tools
