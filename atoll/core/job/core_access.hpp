// SPDX-License-Identifier: BSD-3-Clause
//
// The parts of a runtime that only the other folders of core may take, and collectives for their
// messages: the pieces of operations under way, the routes of messages, the table of segments, the
// slow ways of transfers. A runtime keeps these private, so programs and fronts see none of them,
// and this header is not installed.
#pragma once

#include <atoll/core/job/runtime.hpp>
#include <atoll/core/job/runtime_parts.hpp>

namespace atl {

struct core_access {
  static piece_table& pieces(runtime& owner) noexcept { return owner.parts_->pieces_; }
  static barrier_table& barriers(runtime& owner) noexcept { return *owner.parts_->barriers_; }
  static reference_transfers& reference(runtime& owner) noexcept {
    return *owner.parts_->reference_;
  }
  static segment_table& segments(runtime& owner) noexcept { return owner.parts_->segments_; }
  /// The endpoint of any index, as a message names it; made when it is first asked for.
  static endpoint& endpoint_at(runtime& owner, std::size_t index) {
    return owner.parts_->find_endpoint(index);
  }
  static rank_memory& memory(runtime& owner) noexcept { return *owner.parts_->memory_; }
  static memory::kernel_copy& kernel_copy(runtime& owner) noexcept {
    return owner.parts_->memory_->kernel_copy();
  }
  static transport::transport& via(runtime& owner, rank_id target) noexcept {
    return owner.parts_->router_->to(target);
  }
  static const transport::capabilities& description_of(const runtime& owner,
                                                       rank_id target) noexcept {
    return owner.parts_->router_->description_of(target);
  }
  /// The transports to ranks of other hosts, best first; none when all ranks share memory.
  static std::span<transport::transport* const> networks(const runtime& owner) noexcept {
    return owner.parts_->router_->networks();
  }
  /// The first of them, or null.
  static transport::transport* first_network(const runtime& owner) noexcept {
    return networks(owner).empty() ? nullptr : networks(owner).front();
  }
  static const router& routes(const runtime& owner) noexcept { return *owner.parts_->router_; }
  static bool goes_by_network(const runtime& owner, rank_id target) noexcept {
    return owner.parts_->router_->is_network(owner.parts_->router_->to(target));
  }
  /// Runs the handler of a message that has been put together here.
  static void deliver(runtime& owner, const transport::arrival& message) noexcept {
    owner.parts_->deliver(message);
  }
};

}  // namespace atl
