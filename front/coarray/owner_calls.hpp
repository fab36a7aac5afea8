// SPDX-License-Identifier: BSD-3-Clause
//
// Asking the image that has the data: a message carries a request to it, a function of the front
// runs there within its progress, and one message carries the answer back. So whatever takes
// several looks at the memory of an image costs one round trip where it is not mapped.
//
// A request or an answer that does not fit into one message is refused, and its sender goes another
// way. An image has one request on the way at a time, as the front has one thread.
#pragma once

#include <atoll/base/rank.hpp>
#include <atoll/core/am/am.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace atl::coarray {

struct process;

/// Runs at the owner, inside a handler: it must not wait. Returns the bytes of its answer; 0:
/// refused.
using owner_function = std::size_t (*)(process& us, std::span<const std::byte> request,
                                       std::span<std::byte> answer);

enum class owner_task : std::uint32_t { get_chain, send_chain, find_chain, count };

class owner_calls {
 public:
  /// Before the first synchronisation of the front, so that no request comes too early.
  explicit owner_calls(process& owner);
  owner_calls(const owner_calls&) = delete;
  owner_calls& operator=(const owner_calls&) = delete;

  void serve(owner_task task, owner_function function) noexcept {
    functions_[static_cast<std::size_t>(task)] = function;
  }

  /// The most bytes of a request.
  std::size_t most() const noexcept;

  /// The answer, until the next call; empty where it was refused or the image is lost.
  std::span<const std::byte> call(rank_id owner, owner_task task,
                                  std::span<const std::byte> request) noexcept;

 private:
  static void on_request(void* context, am_token& token, const std::uint32_t* args, unsigned,
                         void* payload, std::size_t bytes);
  static void on_answer(void* context, am_token&, const std::uint32_t*, unsigned, void* payload,
                        std::size_t bytes);

  process& us_;
  owner_function functions_[static_cast<std::size_t>(owner_task::count)] = {};
  std::vector<std::byte> answer_;
  bool is_answered_ = false;
};

}  // namespace atl::coarray
