// SPDX-License-Identifier: BSD-3-Clause
//
// The functions of a segment for the other folders of core and for fronts, beside its public
// interface: the parts of other ranks one by one, by which way a part is reached, transfers that
// count in the caller's record, and checks that end the job with a message. A segment keeps them
// private, so programs see none of them, and this header is not installed. The functions are
// described in segment.hpp.
#pragma once

#include <atoll/core/segment/segment.hpp>

#include <cstdint>

namespace atl {

/// The direction of a transfer, for code that serves both.
enum class direction : std::uint8_t { put, get };

struct segment_access {
  // --- parts ---------------------------------------------------------------------------------
  static published_part publish(const segment& memory) noexcept { return memory.publish(); }
  static void learn(segment& memory, rank_id rank, const published_part& published) noexcept {
    memory.learn(rank, published);
  }
  static void share_alike(segment& memory, segment_part own) { memory.share_alike(own); }
  static void open_alike(segment& memory, rank_id rank) noexcept { memory.open_alike(rank); }
  static void close(segment& memory, rank_id lost) noexcept { memory.close(lost); }

  // --- ways ----------------------------------------------------------------------------------
  static bool is_on_device(const segment& memory, rank_id target) noexcept {
    return memory.is_on_device(target);
  }
  static device_part& device_part_of(segment& memory, rank_id target) noexcept {
    return memory.device_part_of(target);
  }
  static bool network_reaches(const segment& memory, rank_id target) noexcept {
    return memory.network_reaches(target);
  }
  static bool goes_by_kernel(const segment& memory, rank_id peer, std::size_t bytes,
                             std::size_t pieces, bool alone) noexcept {
    return memory.goes_by_kernel(peer, bytes, pieces, alone);
  }
  static bool puts_payload(const segment& memory, rank_id target, std::size_t bytes) noexcept {
    return memory.puts_payload(target, bytes);
  }

  // --- transfers -----------------------------------------------------------------------------
  static bool start_put(segment& memory, rank_id target, void* to, const void* from,
                        std::size_t bytes, operation& record, transfer_options options) noexcept {
    return memory.start_put(target, to, from, bytes, record, options);
  }
  static bool start_get(segment& memory, void* to, rank_id target, const void* from,
                        std::size_t bytes, operation& record, transfer_options options) noexcept {
    return memory.start_get(to, target, from, bytes, record, options);
  }
  static void start_registered(segment& memory, bool is_put, const transport::transfer& request,
                               operation& record) noexcept {
    memory.start_registered(is_put, request, record);
  }
  static bool start_atomic(segment& memory, const transport::atomic_transfer& transfer,
                           operation& record, bool immediate) noexcept {
    return memory.start_atomic(transfer, record, immediate);
  }
  static bool put_by_kernel(segment& memory, rank_id target, std::uintptr_t address,
                            const void* from, std::size_t bytes) noexcept {
    return memory.put_by_kernel(target, address, from, bytes);
  }
  static void start_payload(segment& memory, const transport::message& message,
                            operation& record) noexcept {
    memory.start_payload(message, record);
  }

  // --- checks --------------------------------------------------------------------------------
  static void check_rank(const segment& memory, const char* action, rank_id target) noexcept {
    memory.check_rank(action, target);
  }
  static void check_range(const segment& memory, const char* action, rank_id target,
                          const void* address, std::size_t bytes) noexcept {
    memory.check_range(action, target, address, bytes);
  }
  static void check_host_memory(const segment& memory, const char* action,
                                rank_id target) noexcept {
    memory.check_host_memory(action, target);
  }
  static void check_kernel_copy(const segment& memory, rank_id peer) noexcept {
    memory.check_kernel_copy(peer);
  }
};

}  // namespace atl
