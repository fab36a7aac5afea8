// SPDX-License-Identifier: BSD-3-Clause
//
// Starting daemons and keeping in touch with them. A daemon reads what it must know before it can
// call - the key, its node, where to call - from the standard input of its remote shell; everything
// else follows over the proven link.
#include <atoll/base/error.hpp>
#include <atoll/base/settings.hpp>
#include <tools/hosts/branch.hpp>
#include <tools/hosts/call.hpp>
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

using namespace words;

constexpr std::size_t words_bytes_max = 2048;

struct pipe_ends {
  descriptor read;
  descriptor write;
};

pipe_ends make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw error("launcher", "pipe2 failed: " + errno_text(errno),
                "raise the limit of open files (ulimit -n)");
  return {descriptor(ends[0]), descriptor(ends[1])};
}

/// The keys of the terminal are for the launcher, which tells the daemons itself.
sigset_t mask_for_shells() {
  sigset_t mask;
  sigemptyset(&mask);
  for (const int each : {SIGINT, SIGQUIT, SIGHUP, SIGTSTP, SIGTTIN, SIGTTOU})
    sigaddset(&mask, each);
  return mask;
}

std::string joined_words(const std::vector<std::string>& words) {
  std::string all;
  for (const auto& word : words) all += (all.empty() ? "" : " ") + word;
  return all;
}

/// The remote shell. ssh is told not to ask anything, also where --rsh gives it options: nobody
/// could answer, and of an option that is given twice it takes the first.
std::vector<std::string> shell_words(const std::string& rsh) {
  auto words = split_words(rsh);
  const auto& program = words.front();
  if (program == "ssh" || program.ends_with("/ssh"))
    words.insert(words.begin() + 1, {"-o", "BatchMode=yes"});
  return words;
}

/// Blank lines at the end cut off, and the last line that is left.
std::string last_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  const auto start = text.rfind('\n');
  return start == std::string::npos ? text : text.substr(start + 1);
}

}  // namespace

branch::branch(event_loop& loop, const secret& key, const plan& job, owner self, events tell)
    : loop_(loop), key_(key), job_(job), self_(std::move(self)), tell_(std::move(tell)) {
  const std::uint64_t first = std::uint64_t{self_.node} * job.radix + 1;
  const std::uint64_t last = std::min<std::uint64_t>(first + job.radix - 1, job.hosts.size());
  for (std::uint64_t node = first; node <= last; ++node)
    children_[static_cast<std::uint32_t>(node)].node = static_cast<std::uint32_t>(node);
}

branch::~branch() {
  for (auto& [node, one] : children_)
    if (one.said) loop_.remove(one.said_token);
}

void branch::start() {
  if (children_.empty()) return;
  std::vector<std::string> names;
  for (const auto& [node, one] : children_)
    names.push_back(is_here(job_.hosts[node - 1]) ? "127.0.0.1" : host_of(one));
  gate_ =
      std::make_unique<gate>(loop_, key_, addresses_for(names, job_.interface), children_.size(),
                             [this](std::shared_ptr<link> from) { arrived(from); });
  for (auto& [node, one] : children_) start_child(one);
}

/// This machine needs no remote shell, unless the user has chosen one.
bool branch::is_here(const host& host) const {
  return self_.node == 0 && host.name == "localhost" && job_.rsh == usual_rsh;
}

std::vector<std::string> branch::command_for(const host& host) const {
  std::vector<std::string> words;
  if (!is_here(host)) {
    words = shell_words(job_.rsh);
    words.push_back(host.name);
  }
  words.push_back(job_.atoll_path);
  words.push_back("daemon");
  return words;
}

void branch::start_child(child& one) {
  const auto words = command_for(job_.hosts[one.node - 1]);
  const auto path = find_program(words.front(), foreign_variable("PATH"));
  auto input = make_pipe();
  auto output = make_pipe();
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
  one.shell = result.pid;
  one.started_at = link::clock::now();
  one.said = std::move(output.read);
  listen_to(one);
  auto text = call{one.node, key_, gate_->addresses()}.text();
  [[maybe_unused]] const auto put = write(input.write.get(), text.data(), text.size());
  forget(std::as_writable_bytes(std::span(text)));
}

void branch::listen_to(child& one) {
  fcntl(one.said.get(), F_SETFL, O_NONBLOCK);
  one.said_token =
      loop_.add(one.said.get(), EPOLLIN, [this, &one](std::uint32_t) { read_words(one); });
}

void branch::read_words(child& one) {
  char chunk[1024];
  for (;;) {
    const ssize_t got = read(one.said.get(), chunk, sizeof chunk);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got <= 0) break;
    one.words.append(chunk, static_cast<std::size_t>(got));
    if (one.words.size() > words_bytes_max) one.words.erase(0, one.words.size() - words_bytes_max);
  }
  loop_.remove(one.said_token);
  one.said.reset();
}

std::string branch::last_words(child& one) {
  if (one.said) read_words(one);
  const auto line = last_line(one.words);
  return line.empty() ? "" : ": " + line;
}

/// Advice about a remote shell that fails: to run it by hand, where it tells more.
std::string branch::by_hand(const child& one) const {
  const auto& host = job_.hosts[one.node - 1];
  if (is_here(host)) return "";
  return "; try `" + joined_words(shell_words(job_.rsh)) + " " + host.name +
         " true` by hand, which must ask nothing";
}

void branch::arrived(const std::shared_ptr<link>& from) {
  const auto found = children_.find(from->node());
  // A caller that proves the key is of the job, but each node may call only once.
  if (found == children_.end() || found->second.connection || found->second.lost) return;
  auto& one = found->second;
  one.connection = from;
  from->tell(
      {.proven = {},
       .heard = [this, &one](link&, const frame& what) { heard(one, what); },
       .closed = [this, &one](link&, const std::string& why) { lose(one, "its daemon: " + why); }});
}

void branch::heard(child& from, const frame& what) {
  if (!from.there) return greet(from, what);
  const auto hosts = job_.hosts.size();
  if (what.node == 0 || what.node > hosts || !is_below(what.node, from.node, job_.radix))
    return lose(from, "its daemon speaks for a host that is not below it");
  tell_.heard(what);
}

void branch::greet(child& from, const frame& what) {
  const auto shown = what.what == word::hello ? decode<line>(what.body) : std::nullopt;
  if (!shown) return lose(from, "its daemon does not begin with its version");
  if (shown->text != self_.version)
    return lose(from, "it runs Atoll " + shown->text + ", but the launcher is Atoll " +
                          self_.version +
                          "; install the same on all hosts, or name it by --atoll-path");
  from.there = true;
  from.connection->send(encode(word::plan, from.node, body_of(job_)));
}

void branch::lose(child& one, const std::string& why) {
  if (std::exchange(one.lost, true)) return;
  if (one.connection) one.connection->drop();
  if (!over_) tell_.lost(one.node, "host " + host_of(one) + ": " + why);
}

void branch::broadcast(std::span<const std::byte> frame) {
  for (auto& [node, one] : children_)
    if (one.there && !one.lost) one.connection->send(frame);
}

void branch::send_to(std::uint32_t node, std::span<const std::byte> frame) {
  for (auto& [below, one] : children_)
    if (one.there && !one.lost && is_below(node, below, job_.radix)) one.connection->send(frame);
}

void branch::tick(link::clock::time_point now) {
  if (gate_) gate_->tick(now);
  const auto start_by = std::chrono::milliseconds(job_.start_timeout_ms);
  for (auto& [node, one] : children_) {
    if (one.connection && !one.lost)
      one.connection->tick(now, std::chrono::milliseconds(job_.link_timeout_ms));
    if (!one.there && !one.lost && now - one.started_at > start_by)
      lose(one,
           "its daemon did not call within the time for starting (--start-timeout); started "
           "by " +
               joined_words(command_for(job_.hosts[node - 1])) + last_words(one) + by_hand(one));
  }
}

bool branch::reap(pid_t pid, int wait_status) {
  for (auto& [node, one] : children_) {
    if (one.shell != pid) continue;
    one.shell = 0;
    if (!one.connection)
      lose(one, joined_words(command_for(job_.hosts[node - 1])) + " " +
                    describe_ending(wait_status) + " before its daemon had called" +
                    last_words(one) + by_hand(one));
    return true;
  }
  return false;
}

bool branch::has_shells() const {
  return std::ranges::any_of(children_, [](const auto& each) { return each.second.shell != 0; });
}

}  // namespace atl::tools
