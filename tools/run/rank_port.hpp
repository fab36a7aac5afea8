// SPDX-License-Identifier: BSD-3-Clause
//
// The two directions between the supervisor, which decides about a job, and its ranks. Orders go
// down through a port: to processes that this one has started (local_ranks), or to daemons on other
// hosts (remote_ranks). Events of the ranks come up: to the supervisor itself, or to the link of a
// host, which sends them on to the supervisor (upstream_link). So the supervisor is the same for
// one host and for many.
//
// Everything happens on one thread and one event loop. Ranks are named by their numbers in the job.
#pragma once

#include <atoll/base/rank.hpp>
#include <atoll/base/system/descriptor.hpp>
#include <atoll/bootstrap/stopped_ranks.hpp>
#include <atoll/bootstrap/wire.hpp>
#include <tools/run/launch.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace atl::tools {

/// Something that has happened to one rank.
struct rank_event {
  enum class kind : std::uint8_t {
    joined = 1,
    entered,
    left,
    stopped,
    asked_to_end,
    ended,
    outlives,  // it wants to go on when another one fails
    depends,   // it takes that back
  };
  kind type{};
  rank_id rank = 0;
  /// joined: its process; entered: the collective; stopped: the exit code; ended: the exit code
  /// after an orderly end, else 0.
  std::uint32_t number = 0;
  std::string version;          // joined: of its library
  bootstrap::wire::bytes blob;  // entered an exchange
};

/// A reason to end the job.
struct failure {
  int code = 1;
  int interrupted_by = 0;     // the user's signal that has ended a rank
  bool others_speak = false;  // before they are ended
  rank_id also_ended = 0;  // ranks that have ended, or never began, and are not told as ended yet
  std::string reason;
  rank_id rank = no_rank;  // a member of the job that has failed; others may go on without it
  int rank_code = 0;       // and the exit code of the job if they do
};

class rank_events {
 public:
  rank_events() = default;
  rank_events(const rank_events&) = delete;
  rank_events& operator=(const rank_events&) = delete;
  virtual ~rank_events() = default;

  virtual void happened(rank_event event) = 0;

  /// The first failure ends the job, and all others are ignored. Where all other ranks want to go
  /// on, the failure of one does not end it.
  virtual void failed(const failure& found) = 0;

  /// A line for the user.
  virtual void report_line(const std::string& line) = 0;
};

class rank_port {
 public:
  using clock = std::chrono::steady_clock;
  static constexpr auto never = clock::time_point::max();

  rank_port() = default;
  rank_port(const rank_port&) = delete;
  rank_port& operator=(const rank_port&) = delete;
  virtual ~rank_port() = default;

  /// Starts the ranks. Throws `launch_refusal` or `atl::error` when nothing could be begun.
  virtual void start() = 0;

  /// Looks at processes that have ended; call it before reading any socket.
  virtual void reap() {}

  /// Does what is due; to be called not later than at `next_deadline`.
  virtual void tick(clock::time_point now) = 0;
  virtual clock::time_point next_deadline() const = 0;

  /// No process of the job is left.
  virtual bool is_done() const = 0;

  /// Lets all ranks go on with this frame: their collective is complete.
  virtual void pass(const bootstrap::wire::bytes& answer) = 0;

  /// Tells all ranks that this one has stopped or failed, or has joined again.
  virtual void note_fate(rank_id rank, bootstrap::rank_fate fate) = 0;

  virtual void signal(const signal_order& order) = 0;

  /// Ends all ranks: those that have not ended when the grace is over are killed.
  virtual void end(std::chrono::milliseconds grace) = 0;

  /// Tells what each rank is doing.
  virtual void report() = 0;

  /// The job is over: completes the output for the user.
  virtual void finish() {}

  /// The user's process has died; this one is about to.
  virtual void abandon() {}

  /// "rank 3 (./app, pid 12)", for messages.
  virtual std::string name_of(rank_id rank) const = 0;
};

/// Where the standard streams of ranks lead. An empty descriptor: to those of this process.
struct rank_streams {
  std::function<descriptor(rank_id rank, int stream)> open_output;  // stream 1 or 2
  std::function<descriptor()> open_input;                           // of rank 0
};

}  // namespace atl::tools
