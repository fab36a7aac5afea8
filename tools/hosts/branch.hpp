// SPDX-License-Identifier: BSD-3-Clause
//
// The daemons that one part of the tree starts: a remote shell for each, the gate that they call,
// and a link to each once it has proven itself. The head owns one branch; a daemon that has hosts
// to start owns one too. Frames go down to a node or to all, and come up from any node below.
//
// A daemon is lost when its remote shell ends before it has called, when it does not call in time,
// when its link breaks or falls silent, or when it is of another version. All of its subtree is
// lost with it, because nobody else has a link to that.
#pragma once

#include <tools/hosts/gate.hpp>

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
    std::function<void(const words::frame&)> heard;
    std::function<void(std::uint32_t node, const std::string& why)> lost;
  };

  /// The owner of the branch, and the version that daemons must show.
  struct owner {
    std::uint32_t node = 0;
    std::string version;
    rlimit core_file{};  // of what it starts
  };

  branch(event_loop& loop, const secret& key, const words::plan& job, owner self, events tell);
  ~branch();

  /// Starts a remote shell for every child. Throws `launch_refusal` or `atl::error`.
  void start();

  void broadcast(std::span<const std::byte> frame);
  void send_to(std::uint32_t node, std::span<const std::byte> frame);

  /// Deadlines and pings; call it about every second.
  void tick(link::clock::time_point now);

  /// A child process has ended; says whether it was one of this branch.
  bool reap(pid_t pid, int wait_status);

  /// From now on nobody is missed.
  void over() { over_ = true; }
  bool has_shells() const;

 private:
  struct child {
    std::uint32_t node = 0;
    pid_t shell = 0;  // 0: ended
    int shell_status = 0;
    descriptor said;  // standard output and error of the remote shell
    event_loop::token said_token = 0;
    std::string words;  // the last of it
    std::shared_ptr<link> connection;
    bool there = false;  // it has shown its version
    bool lost = false;
    link::clock::time_point started_at;
  };

  void start_child(child& one);
  bool is_here(const words::host& host) const;
  std::vector<std::string> command_for(const words::host& host) const;
  void listen_to(child& one);
  void read_words(child& one);
  std::string last_words(child& one);
  std::string by_hand(const child& one) const;
  void arrived(const std::shared_ptr<link>& from);
  void heard(child& from, const words::frame& what);
  void greet(child& from, const words::frame& what);
  void lose(child& one, const std::string& why);
  std::string host_of(const child& one) const { return job_.hosts[one.node - 1].name; }

  event_loop& loop_;
  const secret& key_;
  const words::plan& job_;
  owner self_;
  events tell_;
  std::unique_ptr<gate> gate_;
  std::map<std::uint32_t, child> children_;  // by node
  bool over_ = false;
};

}  // namespace atl::tools
