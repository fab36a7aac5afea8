// SPDX-License-Identifier: BSD-3-Clause
//
// The message barriers of one runtime, by the key that all ranks of a barrier share. A peer may
// have made its team, and be in the team's first barrier, before this rank has made its own; such
// messages (at most two epochs of rounds per barrier) are kept until it has.
//
// Threads: any; one lock, held for a look-up. A barrier is removed when no message can be under
// way to it any more.
#pragma once

#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace atl {

class message_barrier;
class runtime;

class barrier_table {
 public:
  /// Registers the handler in the runtime's own endpoint.
  explicit barrier_table(runtime& owner);

  void add(std::uint64_t key, message_barrier& added);
  void remove(std::uint64_t key) noexcept;

 private:
  struct message {
    std::uint32_t epoch, round;
    std::uint64_t tag;
  };

  void receive(std::uint64_t key, const message& in);

  std::mutex guard_;
  std::unordered_map<std::uint64_t, message_barrier*> made_;
  std::unordered_map<std::uint64_t, std::vector<message>> early_;
};

}  // namespace atl
