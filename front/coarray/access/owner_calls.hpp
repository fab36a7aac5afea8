// SPDX-License-Identifier: BSD-3-Clause
//
// Calls of the image that has the data. A message carries a request to it, a function of the front
// runs there within its progress, and one message carries the answer back. So an access that needs
// several reads of the memory of an image costs one round trip where that is not mapped.
//
// A request or an answer that does not fit into one message is refused, and its sender does the
// access in another way; or with call_any() it lies in a room in the heap of the owner, which its
// sender fills or reads. An image has one request under way at a time, as the front has one thread.
#pragma once

#include <atoll/base/rank.hpp>
#include <atoll/core/am/am.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace atl::coarray {

struct process_state;

/// Runs at the owner, inside a handler: it must not wait. Returns the size of its answer in bytes;
/// 0: refused.
using owner_function = std::size_t (*)(process_state& us, std::span<const std::byte> request,
                                       std::span<std::byte> answer);

/// The same for requests and answers of any size.
using owner_any_function = std::vector<std::byte> (*)(process_state& us,
                                                      std::span<const std::byte> request);

enum class owner_task : std::uint32_t {
  get_chain,
  send_chain,
  find_chain,
  run_accessor,
  make_room,
  free_room,
  count
};

class owner_calls {
 public:
  /// To be made before the first synchronisation of the front, so that no request comes too early.
  owner_calls(process_state& owner, endpoint& own);
  owner_calls(const owner_calls&) = delete;
  owner_calls& operator=(const owner_calls&) = delete;

  void serve(owner_task task, owner_function function) noexcept {
    functions_[static_cast<std::size_t>(task)] = function;
  }

  void serve_any(owner_task task, owner_any_function function) noexcept {
    any_functions_[static_cast<std::size_t>(task)] = function;
  }

  /// The most bytes of a request.
  std::size_t most() const noexcept;

  /// The answer, until the next call; empty where it was refused or the image is lost.
  std::span<const std::byte> call(rank_id owner, owner_task task,
                                  std::span<const std::byte> request) noexcept;

  /// Calls a function of serve_any(). Empty where the image is lost. Ends the job where the owner
  /// has no room.
  std::vector<std::byte> call_any(rank_id owner, owner_task task,
                                  std::span<const std::byte> request);

 private:
  std::size_t answer_any(owner_any_function function, std::span<const std::byte> request,
                         std::span<std::byte> answer);
  static void on_request(void* context, am_token& token, const std::uint32_t* args, unsigned,
                         void* payload, std::size_t bytes);
  static void on_answer(void* context, am_token&, const std::uint32_t*, unsigned, void* payload,
                        std::size_t bytes);

  process_state& us_;
  endpoint& own_;
  owner_function functions_[static_cast<std::size_t>(owner_task::count)] = {};
  owner_any_function any_functions_[static_cast<std::size_t>(owner_task::count)] = {};
  std::vector<std::byte> answer_;
  bool is_answered_ = false;
};

}  // namespace atl::coarray
