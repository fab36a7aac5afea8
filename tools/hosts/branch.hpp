// SPDX-License-Identifier: BSD-3-Clause
//
// The daemons that one part of the tree starts: a remote shell for each, the listener that they
// call, and a link to each once it has proven itself. The supervisor owns one branch; a daemon that
// has hosts to start owns one too. Frames go down to a node or to all, and come up from any node
// below.
//
// A daemon is lost when its remote shell ends before it has called, when it does not call in time,
// when its link breaks or falls silent, or when it is of another version. All of its subtree is
// lost with it, because nobody else has a link to that.
#pragma once

#include <tools/hosts/daemon_listener.hpp>

#include <sys/resource.h>
#include <sys/types.h>

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace atl::tools {

class branch {
 public:
  struct events {
    std::function<void(const protocol::frame&)> received;
    std::function<void(std::uint32_t node, const std::string& reason)> lost;
  };

  /// The owner of the branch, and the version that daemons must show.
  struct owner {
    std::uint32_t node = 0;
    std::string version;
    rlimit core_file{};  // of what it starts
  };

  branch(event_loop& loop, const secret& key, const protocol::plan& job, owner self,
         events handlers);
  ~branch();

  /// Starts a remote shell for every child. Throws `launch_refusal` or `atl::error`.
  void start();

  void broadcast(std::span<const std::byte> frame);
  void send_to(std::uint32_t node, std::span<const std::byte> frame);

  /// Deadlines and pings; call it about every second.
  void tick(link::clock::time_point now);

  /// A child process has ended; says whether it was one of this branch.
  bool reap(pid_t pid, int wait_status);

  /// From now on daemons may leave without being lost.
  void expect_end() { end_expected_ = true; }
  bool has_shells() const;

 private:
  struct child {
    std::uint32_t node = 0;
    pid_t shell = 0;    // 0: ended
    descriptor output;  // standard output and error of the remote shell
    event_loop::token output_token = 0;
    std::string output_tail;  // the last of it
    std::shared_ptr<link> connection;
    bool greeted = false;  // it has shown its version
    bool lost = false;
    link::clock::time_point started_at;
  };

  void start_child(child& daemon);
  bool is_local(const protocol::host& host) const;
  std::vector<std::string> command_for(const protocol::host& host) const;
  void watch_output(child& daemon);
  void read_output(child& daemon);
  std::string last_output(child& daemon);
  std::string by_hand(const child& daemon) const;
  void arrived(const std::shared_ptr<link>& from);
  void receive(child& from, const protocol::frame& message);
  void greet(child& from, const protocol::frame& message);
  void lose(child& daemon, const std::string& reason);
  std::string host_of(const child& daemon) const { return job_.hosts[daemon.node - 1].name; }

  event_loop& loop_;
  const secret& key_;
  const protocol::plan& job_;
  owner self_;
  events events_;
  std::unique_ptr<daemon_listener> listener_;
  std::map<std::uint32_t, child> children_;  // by node
  bool end_expected_ = false;
};

}  // namespace atl::tools
