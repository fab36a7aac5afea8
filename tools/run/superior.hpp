// SPDX-License-Identifier: BSD-3-Clause
//
// The superior, which the warden of one host obeys when its job spans several hosts. The warden
// starts, watches and ends the ranks of its host as always, but it tells the superior everything
// that concerns all hosts - collectives, the judgement of the first failure, the output - and the
// superior decides. A job on one host has none. Everything happens on the warden's thread and loop.
#pragma once

#include <atoll/base/descriptor.hpp>
#include <tools/run/event_loop.hpp>
#include <tools/run/launch.hpp>
#include <tools/run/meeting.hpp>

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

namespace atl::tools {

/// A failure as the job reports it.
struct failure {
  int code = 1;
  int signal = 0;             // not 0: the launcher ends by this signal
  rank_id left = 0;           // ranks of this host that have not ended
  bool others_speak = false;  // before they are ended
  std::string why;
};

class superior {
 public:
  /// The orders that it may give, from within the loop.
  struct orders {
    std::function<void(const signal_order&)> signal;
    std::function<void(const bootstrap::wire::bytes& answer)> pass;  // the frame for every member
    std::function<void(std::chrono::milliseconds grace)> end;
    std::function<void()> report;  // tell what each rank is doing
    std::function<void()> gone;    // it has died: then so has the job; does not return
  };

  superior() = default;
  superior(const superior&) = delete;
  superior& operator=(const superior&) = delete;
  virtual ~superior() = default;

  /// Begins to listen; once, before anything else.
  virtual void attach(event_loop& loop, orders take) = 0;

  /// Events of a rank, by its number in the job.
  virtual void joined(rank_id rank, const meeting::record& state, std::string_view version) = 0;
  virtual void entered(rank_id rank, const meeting::record& state) = 0;
  virtual void left(rank_id rank) = 0;
  virtual void ended(rank_id rank) = 0;
  virtual void asked_to_end(rank_id rank) = 0;

  /// The first failure on this host; its other ranks are being ended.
  virtual void failed(const failure& first) = 0;

  virtual void tell(const std::string& line) = 0;

  /// The end of a pipe for a rank's stream (1 or 2), and for rank 0 the one to read from.
  virtual descriptor open_output(rank_id rank, int stream) = 0;
  virtual descriptor open_input() = 0;

  /// All ranks are gone: passes on what is left of their output and says so.
  virtual void finish() = 0;
};

}  // namespace atl::tools
