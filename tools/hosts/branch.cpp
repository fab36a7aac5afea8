// SPDX-License-Identifier: BSD-3-Clause
//
// Starting daemons and keeping in touch with them. A daemon reads what it must know before it can
// call - the key, its node, where to call - from the standard input of its remote shell; everything
// else follows over the proven link.
#include <atoll/base/settings.hpp>
#include <tools/hosts/branch.hpp>
#include <tools/hosts/invitation.hpp>
#include <tools/run/descriptors.hpp>
#include <tools/run/ending.hpp>
#include <tools/run/options.hpp>
#include <tools/run/program.hpp>
#include <tools/run/spawn.hpp>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace atl::tools {
namespace {

using namespace protocol;

constexpr std::size_t output_bytes_max = 2048;

/// The keys of the terminal are for the launcher, which tells the daemons itself.
sigset_t mask_for_shells() {
  sigset_t mask;
  sigemptyset(&mask);
  for (const int each : {SIGINT, SIGQUIT, SIGHUP, SIGTSTP, SIGTTIN, SIGTTOU})
    sigaddset(&mask, each);
  return mask;
}

std::string joined_words(const std::vector<std::string>& words) {
  std::string line;
  for (const auto& word : words) line += (line.empty() ? "" : " ") + word;
  return line;
}

/// The words of the remote shell. ssh must not ask anything, because nobody could answer. That
/// option comes before those of --rsh, because ssh takes the first of an option given twice.
std::vector<std::string> shell_words(const std::string& rsh) {
  auto words = split_words(rsh);
  const auto& program = words.front();
  if (program == "ssh" || program.ends_with("/ssh"))
    words.insert(words.begin() + 1, {"-o", "BatchMode=yes"});
  return words;
}

/// The last line of a text that is not blank.
std::string last_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  const auto start = text.rfind('\n');
  return start == std::string::npos ? text : text.substr(start + 1);
}

}  // namespace

branch::branch(event_loop& loop, const secret& key, const plan& job, owner self, events handlers)
    : loop_(loop), key_(key), job_(job), self_(std::move(self)), events_(std::move(handlers)) {
  const std::uint64_t first = std::uint64_t{self_.node} * job.radix + 1;
  const std::uint64_t last = std::min<std::uint64_t>(first + job.radix - 1, job.hosts.size());
  for (std::uint64_t node = first; node <= last; ++node)
    children_[static_cast<std::uint32_t>(node)].node = static_cast<std::uint32_t>(node);
}

branch::~branch() {
  for (auto& [node, daemon] : children_)
    if (daemon.output) loop_.remove(daemon.output_token);
}

void branch::start() {
  if (children_.empty()) return;
  std::vector<std::string> names;
  for (const auto& [node, daemon] : children_)
    names.push_back(is_local(job_.hosts[node - 1]) ? "127.0.0.1" : host_of(daemon));
  listener_ = std::make_unique<daemon_listener>(
      loop_, key_, addresses_for(names, job_.interface), children_.size(),
      [this](std::shared_ptr<link> from) { arrived(from); });
  for (auto& [node, daemon] : children_) start_child(daemon);
}

/// This machine needs no remote shell, unless the user has chosen one.
bool branch::is_local(const host& host) const {
  return self_.node == 0 && host.name == "localhost" && job_.rsh == usual_rsh;
}

std::vector<std::string> branch::command_for(const host& host) const {
  std::vector<std::string> words;
  if (!is_local(host)) {
    words = shell_words(job_.rsh);
    words.push_back(host.name);
  }
  words.push_back(job_.atoll_path);
  words.push_back("daemon");
  return words;
}

void branch::start_child(child& daemon) {
  const auto words = command_for(job_.hosts[daemon.node - 1]);
  const auto path = find_program(words.front(), foreign_variable("PATH"));
  auto input = make_pipe("input of a daemon");
  auto output = make_pipe("output of a daemon");
  std::vector<char*> arguments;
  for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  spawn_order order{.path = path.c_str(), .arguments = arguments.data(), .environment = environ};
  order.input = input.read.get();
  order.output = output.write.get();
  order.errors = output.write.get();
  order.signal_mask = mask_for_shells();
  getrlimit(RLIMIT_NOFILE, &order.open_files);
  order.core_file = &self_.core_file;
  const auto result = spawn(order);
  if (result.pid < 0)
    throw launch_refusal{126, "--rsh: " + words.front() +
                                  " cannot be started: " + std::strerror(result.error_number)};
  daemon.shell = result.pid;
  daemon.started_at = link::clock::now();
  daemon.output = std::move(output.read);
  watch_output(daemon);
  auto text = invitation{daemon.node, key_, listener_->addresses()}.text();
  [[maybe_unused]] const auto put = write(input.write.get(), text.data(), text.size());
  forget(std::as_writable_bytes(std::span(text)));
}

void branch::watch_output(child& daemon) {
  fcntl(daemon.output.get(), F_SETFL, O_NONBLOCK);
  daemon.output_token = loop_.add(daemon.output.get(), EPOLLIN,
                                  [this, &daemon](std::uint32_t) { read_output(daemon); });
}

void branch::read_output(child& daemon) {
  char chunk[1024];
  for (;;) {
    const ssize_t got = read(daemon.output.get(), chunk, sizeof chunk);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got <= 0) break;
    daemon.output_tail.append(chunk, static_cast<std::size_t>(got));
    if (daemon.output_tail.size() > output_bytes_max)
      daemon.output_tail.erase(0, daemon.output_tail.size() - output_bytes_max);
  }
  loop_.remove(daemon.output_token);
  daemon.output.reset();
}

std::string branch::last_output(child& daemon) {
  if (daemon.output) read_output(daemon);
  const auto line = last_line(daemon.output_tail);
  return line.empty() ? "" : ": " + line;
}

/// Advice about a remote shell that fails: to run it by hand, where it prints more.
std::string branch::by_hand(const child& daemon) const {
  const auto& host = job_.hosts[daemon.node - 1];
  if (is_local(host)) return "";
  return "; try `" + joined_words(shell_words(job_.rsh)) + " " + host.name +
         " true` by hand, which must ask nothing";
}

void branch::arrived(const std::shared_ptr<link>& from) {
  const auto found = children_.find(from->node());
  // A caller that proves the key is of the job, but each node may call only once.
  if (found == children_.end() || found->second.connection || found->second.lost) return;
  auto& daemon = found->second;
  daemon.connection = from;
  from->set_events(
      {.proven = {},
       .received = [this, &daemon](link&, const frame& message) { receive(daemon, message); },
       .closed = [this, &daemon](
                     link&, const std::string& reason) { lose(daemon, "its daemon: " + reason); }});
}

void branch::receive(child& from, const frame& message) {
  if (!from.greeted) return greet(from, message);
  const auto hosts = job_.hosts.size();
  if (message.node == 0 || message.node > hosts || !is_below(message.node, from.node, job_.radix))
    return lose(from, "its daemon speaks for a host that is not below it");
  events_.received(message);
}

void branch::greet(child& from, const frame& message) {
  const auto shown = message.kind == kind::hello ? decode<output_line>(message.body) : std::nullopt;
  if (!shown) return lose(from, "its daemon does not begin with its version");
  if (shown->text != self_.version)
    return lose(from, "it runs Atoll " + shown->text + ", but the launcher is Atoll " +
                          self_.version +
                          "; install the same on all hosts, or name it by --atoll-path");
  from.greeted = true;
  from.connection->send(encode(kind::plan, from.node, body_of(job_)));
}

void branch::lose(child& daemon, const std::string& reason) {
  if (std::exchange(daemon.lost, true)) return;
  if (daemon.connection) daemon.connection->drop();
  if (!end_expected_) events_.lost(daemon.node, "host " + host_of(daemon) + ": " + reason);
}

void branch::broadcast(std::span<const std::byte> frame) {
  for (auto& [node, daemon] : children_)
    if (daemon.greeted && !daemon.lost) daemon.connection->send(frame);
}

void branch::send_to(std::uint32_t node, std::span<const std::byte> frame) {
  for (auto& [below, daemon] : children_)
    if (daemon.greeted && !daemon.lost && is_below(node, below, job_.radix))
      daemon.connection->send(frame);
}

void branch::tick(link::clock::time_point now) {
  if (listener_) listener_->tick(now);
  const auto start_by = std::chrono::milliseconds(job_.start_timeout_ms);
  for (auto& [node, daemon] : children_) {
    if (daemon.connection && !daemon.lost)
      daemon.connection->tick(now, std::chrono::milliseconds(job_.link_timeout_ms));
    if (!daemon.greeted && !daemon.lost && now - daemon.started_at > start_by)
      lose(daemon,
           "its daemon did not call within the time for starting (--start-timeout); started "
           "by " +
               joined_words(command_for(job_.hosts[node - 1])) + last_output(daemon) +
               by_hand(daemon));
  }
}

bool branch::reap(pid_t pid, int wait_status) {
  for (auto& [node, daemon] : children_) {
    if (daemon.shell != pid) continue;
    daemon.shell = 0;
    if (!daemon.connection)
      lose(daemon, joined_words(command_for(job_.hosts[node - 1])) + " " +
                       describe_ending(wait_status) + " before its daemon had called" +
                       last_output(daemon) + by_hand(daemon));
    return true;
  }
  return false;
}

bool branch::has_shells() const {
  return std::ranges::any_of(children_, [](const auto& each) { return each.second.shell != 0; });
}

}  // namespace atl::tools
