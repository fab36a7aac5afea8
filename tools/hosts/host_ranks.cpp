// SPDX-License-Identifier: BSD-3-Clause
//
// The two ends of a fork: what the daemon keeps, and what the child does until it starts its ranks.
// Frames are read whole and not a byte more, because the child's own link reads what follows.
#include <atoll/base/error.hpp>
#include <atoll/bootstrap/fields.hpp>
#include <atoll/bootstrap/rank_sockets.hpp>
#include <tools/hosts/host_ranks.hpp>
#include <tools/hosts/upstream_link.hpp>
#include <tools/run/local_ranks.hpp>
#include <tools/run/process_tree.hpp>
#include <tools/run/program.hpp>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

namespace atl::tools {

using namespace protocol;

namespace {

/// The next frame, which must be of this kind; nothing when the daemon has gone.
template <class Message>
std::optional<Message> receive(const descriptor& from, kind expected, std::uint32_t& node) {
  bytes raw(bootstrap::frames::header_bytes);
  if (!bootstrap::read_fully(from, raw)) return std::nullopt;
  const std::size_t body_bytes = bootstrap::field_cursor(raw).take<std::uint32_t>();
  if (body_bytes > down_bytes_max) return std::nullopt;
  raw.resize(bootstrap::frames::header_bytes + body_bytes);
  if (!bootstrap::read_fully(from, std::span(raw).subspan(bootstrap::frames::header_bytes)))
    return std::nullopt;
  stream frames(down_bytes_max);
  frames.append(raw);
  frame found;
  if (frames.next(found) != stream::result::frame || found.kind != expected) return std::nullopt;
  node = found.node;
  return decode<Message>(found.body);
}

launch prepare_part(const plan& job, std::uint32_t node, const std::string& interface) {
  for (const auto& variable : job.set_variables) {
    const auto equals = variable.find('=');
    setenv(variable.substr(0, equals).c_str(), variable.c_str() + equals + 1, 1);
  }
  if (!interface.empty()) setenv("ATOLL_INTERFACE", interface.c_str(), 0);
  if (chdir(job.directory.c_str()) != 0)
    throw launch_refusal{125, "working directory " + job.directory + ": " + std::strerror(errno)};
  const auto& own_host = job.hosts[node - 1];
  run_options options;
  options.size = own_host.count;
  options.command = job.command;
  options.unset_variables = job.unset_variables;
  options.bind = job.bind;
  options.wrap = job.wrap;
  options.wrap_ranks = job.wrap_ranks;
  options.same_addresses = job.same_addresses != 0;
  options.verbose = job.verbose;
  placement place{
      .first = own_host.first, .job_size = job.size, .host_firsts = {}, .host = own_host.name};
  for (const auto& each : job.hosts) place.host_firsts.push_back(each.first);
  auto made = prepare(std::move(options), std::move(place));
  sigemptyset(&made.signal_mask);
  return made;
}

/// Tells why the job cannot begin on this host.
[[noreturn]] void refuse(const descriptor& uplink, const plan& job, std::uint32_t node, int code,
                         const std::string& reason) {
  const auto& own_host = job.hosts[node - 1];
  const protocol::failed last{.code = static_cast<std::uint8_t>(code),
                              .also_ended = own_host.count,
                              .reason = "host " + own_host.name + ": " + reason};
  const bool is_sent =
      bootstrap::write_fully(uplink, encode(kind::failed, node, body_of(last))) &&
      bootstrap::write_fully(uplink, encode(kind::finished, node, body_of(nodes{{node}})));
  _exit(is_sent ? 0 : 1);
}

/// The plan's part of this host, made ready.
launch prepare_or_refuse(const descriptor& uplink, const plan& job, std::uint32_t node,
                         const std::string& interface) {
  try {
    auto made = prepare_part(job, node, interface);
    if (!made.warning.empty())
      bootstrap::write_fully(
          uplink, encode(kind::report_line, node,
                         body_of(output_line{"warning: host " + job.hosts[node - 1].name + ": " +
                                             made.warning})));
    return made;
  } catch (const launch_refusal& reason) {
    refuse(uplink, job, node, reason.code, reason.message);
  } catch (const error& reason) {
    refuse(uplink, job, node, 125, reason.what());
  }
}

[[noreturn]] void be_host_ranks(descriptor uplink) {
  prctl(PR_SET_NAME, host_ranks_name);
  const descriptor nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (nothing) dup2(nothing.get(), 0);  // the daemon's input is not for it
  std::uint32_t node = 0;
  const auto interface = receive<output_line>(uplink, kind::hello, node);
  const auto job = interface ? receive<plan>(uplink, kind::plan, node) : std::nullopt;
  if (!job || node == 0 || node > job->hosts.size()) _exit(1);
  const auto ready = prepare_or_refuse(uplink, *job, node, interface->text);
  try {
    become_subreaper();
    std::signal(SIGPIPE, SIG_IGN);
    event_loop loop;
    upstream_link upstream(loop, std::move(uplink), node, ready.options.size);
    local_ranks ranks(loop, ready, upstream, upstream.streams());
    upstream.run(ranks);
  } catch (const error& refused) {
    say(refused.what());
    kill_descendants();
    _exit(125);
  }
  _exit(0);
}

}  // namespace

host_ranks::host_ranks() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw error("launcher", "socketpair failed: " + errno_text(errno),
                "raise the limit of open files (ulimit -n)");
  link_ = descriptor(ends[0]);
  descriptor child_end(ends[1]);
  pid_ = fork();
  if (pid_ < 0)
    throw error("launcher", "fork failed: " + errno_text(errno),
                "the limit of processes is reached (ulimit -u, or the control group's)");
  if (pid_ == 0) {
    link_.reset();
    be_host_ranks(std::move(child_end));
  }
}

void host_ranks::has_ended(int wait_status) {
  ended_ = true;
  wait_status_ = wait_status;
}

int host_ranks::end() {
  if (ended_) return wait_status_;
  int status = 0;
  pid_t found = waitpid(pid_, &status, WNOHANG);
  if (found == 0) {  // it runs and was not waited for, so its number is still its own
    kill(pid_, SIGKILL);
    found = waitpid(pid_, &status, 0);
  }
  has_ended(found == pid_ ? status : 0);
  return wait_status_;
}

}  // namespace atl::tools
