// SPDX-License-Identifier: BSD-3-Clause
//
// The launcher's end of the rank protocol: a listening socket, one connection per rank that has
// joined, and the translation between frames and the rendezvous. A connection is a stranger until
// its hello has shown the job's key from a process of the same user; until then it may send one
// hello and nothing else, within a few seconds. Sockets are non-blocking: bytes that cannot be
// sent at once are queued per connection. The answer to an exchange is one file for all ranks of
// this host (blob_table.hpp), whose descriptor each of them gets.
//
// Connections cannot keep the launcher from its other work: they are accepted a few at a time, and
// when this process has no descriptor left the listener rests for a moment.
#pragma once

#include <atoll/base/system/descriptor.hpp>
#include <atoll/bootstrap/stopped_ranks.hpp>
#include <tools/run/event_loop.hpp>
#include <tools/run/launch.hpp>
#include <tools/run/rendezvous.hpp>

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace atl::tools {

class rank_listener {
 public:
  using clock = std::chrono::steady_clock;

  /// The listener's messages and questions to its owner, by the ranks' numbers on this host.
  /// None of them may destroy the listener.
  struct events {
    std::function<void(rank_id)> joined;
    std::function<void(rank_id, rendezvous::collective, bootstrap::wire::bytes blob)> entered;
    std::function<void(rank_id)> left;
    std::function<void(rank_id, int code)> stopped;  // called before `entered` of the stop
    std::function<void(rank_id)> outlives;
    std::function<void(rank_id)> depends;
    std::function<void(rank_id, const bootstrap::wire::end_job&)> end_job;
    std::function<void(rank_id)> lost;  // a member's connection closed without goodbye
    std::function<void(rank_id, std::string)> wrong;  // a member broke the protocol
    std::function<pid_t(rank_id)> process_of;         // the process that was started as this rank
  };

  /// Opens the job's socket. Throws `atl::error`.
  rank_listener(event_loop& loop, rendezvous& ranks, const launch& job, events handlers);
  ~rank_listener();

  /// Reads what a rank's connection still holds: call before judging that its process has ended.
  void drain(rank_id rank);

  /// Reads what the connections of all ranks still hold. Call it before judging a failure, because
  /// others may have said before it that they go on without the rank.
  void drain_all();

  /// Closes connections that have not said hello in time, and listens again after a rest. Call it
  /// not later than at `next_tick`.
  void tick(clock::time_point now);
  clock::time_point next_tick() const;

  /// Gives connections without a hello their whole time again, since the job was paused meanwhile.
  void renew_time(clock::time_point now);

  /// Lets all ranks here go on with this answer: the collective of the job is complete.
  void pass(const bootstrap::wire::bytes& frame);

  /// Tells the ranks here that a rank of the job, by its number there, has stopped or failed, or
  /// has joined again.
  void note_fate(rank_id rank, bootstrap::rank_fate fate) { stopped_.note(rank, fate); }

 private:
  /// A frame for all ranks, and the file that goes with it, if any.
  struct answer {
    bootstrap::wire::bytes frame;
    descriptor file;
  };
  using shared_answer = std::shared_ptr<const answer>;

  struct connection {
    descriptor socket;
    event_loop::token token = 0;
    event_loop::token life_token = 0;  // of the pidfd
    bootstrap::wire::message_reader reader{bootstrap::wire::rank_body_bytes_max};
    std::deque<shared_answer> queue;
    std::size_t sent = 0;  // of the front frame
    rank_id rank = no_rank;
    pid_t pid = 0;
    descriptor life;  // pidfd of the member: its end shows even if a child keeps the socket open
    bool closing = false;
    clock::time_point opened_at = clock::now();
  };

  static shared_answer answer_of(const bootstrap::wire::bytes& frame);
  void accept_some();
  void pause_accepting();
  void forget_known_strangers();
  bool is_full() const;
  void readable(const std::shared_ptr<connection>& from);
  bool handle_frames(const std::shared_ptr<connection>& from);
  bool handle(const std::shared_ptr<connection>& from, bootstrap::wire::kind kind,
              std::span<const std::byte> body);
  bool enter(rank_id rank, rendezvous::collective which, std::span<const std::byte> blob);
  bool stop(rank_id rank, int code);
  bool greet(const std::shared_ptr<connection>& from, std::span<const std::byte> body);
  bool admit(const std::shared_ptr<connection>& from, rank_id rank, const std::string& version);
  void refuse(const std::shared_ptr<connection>& to, const rendezvous::refusal& reason);
  void watch_life(const std::shared_ptr<connection>& member);
  void send(const std::shared_ptr<connection>& to, shared_answer sent);
  void flush(const std::shared_ptr<connection>& to);
  void close(std::shared_ptr<connection> ended);  // a copy: what refers to it may go first
  descriptor& memory_of_round(std::uint32_t round);
  void forget_memories();

  event_loop& loop_;
  rendezvous& ranks_;
  const launch& job_;
  events events_;
  descriptor listener_;
  event_loop::token listener_token_ = 0;
  clock::time_point rests_until_ = clock::time_point::max();  // max: the listener does not rest
  std::map<int, std::shared_ptr<connection>> connections_;
  std::deque<std::weak_ptr<connection>> strangers_;   // in the order of their arrival
  std::vector<std::shared_ptr<connection>> members_;  // by rank
  std::map<std::uint32_t, descriptor> memories_;      // by round
  bootstrap::stopped_ranks stopped_;                  // of the whole job
};

}  // namespace atl::tools
