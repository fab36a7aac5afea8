// SPDX-License-Identifier: BSD-3-Clause
//
// One-sided transfers between any local memory and the segment of any rank (segment.hpp), addressed
// as the owner addresses it. To a rank whose memory is mapped here a put is a store and a get is a
// load: the test of locality (route.hpp) and the copy; no queue, no call, no counter, complete on
// return. All other transfers go to the out-of-line functions; all transfers do so where
// ATOLL_COUNTERS asks for counts. Forms, as in GASNet-EX:
//
//   put / get               blocking: complete at both ends on return
//   put_nb / get_nb         explicit: an event, empty when already complete
//   put_nbi / get_nbi       implicit: completed by runtime::wait_implicit or by an access region
//   put_value / get_value   a value in registers
//
// The source of a put may be reused when any of these returns, unless the call says
// `keeps_source`: then it may be reused when the put is complete, and a network sends the data
// from where it lies (otherwise it copies the data first, or the call waits for a large put).
// Errors: a range outside of the target's part of the segment, a bad rank, or a rank that has no
// part, ends the job with a message that names it. Where the option `device` says that the local
// end is memory of a device, or the target's part is, a device copies (device_transfers.hpp).
// Threads: any, in mode `any`; the implicit forms belong to the calling thread.
#pragma once

#include <atoll/core/am/endpoint.hpp>
#include <atoll/core/segment/segment.hpp>

#include <cstring>
#include <type_traits>

namespace atl {

/// Out-of-line halves, for transfers that inline code does not do.
operation_status put_out_of_line(segment& memory, rank_id target, void* to, const void* from,
                                 std::size_t bytes) noexcept;
operation_status get_out_of_line(segment& memory, void* to, rank_id target, const void* from,
                                 std::size_t bytes) noexcept;
bool put_nb_out_of_line(segment& memory, rank_id target, void* to, const void* from,
                        std::size_t bytes, transfer_options options, event& done) noexcept;
bool get_nb_out_of_line(segment& memory, void* to, rank_id target, const void* from,
                        std::size_t bytes, transfer_options options, event& done) noexcept;
bool put_nbi_out_of_line(segment& memory, rank_id target, void* to, const void* from,
                         std::size_t bytes, transfer_options options) noexcept;
bool get_nbi_out_of_line(segment& memory, void* to, rank_id target, const void* from,
                         std::size_t bytes, transfer_options options) noexcept;

/// A complete direct put; false when the target's memory is not mapped here at its own addresses,
/// or the range is out of bounds. The functions out of line put directly where it is mapped
/// elsewhere.
inline bool put_direct(segment& memory, rank_id target, void* to, const void* from,
                       std::size_t bytes) noexcept {
  if (target >= memory.inline_ranks()) [[unlikely]]
    return false;
  std::byte* const mapped = memory.routes()[target].same_address(to, bytes);
  if (mapped == nullptr) [[unlikely]]
    return false;
  copy_bytes(mapped, from, bytes);
  return true;
}

inline bool get_direct(segment& memory, void* to, rank_id target, const void* from,
                       std::size_t bytes) noexcept {
  if (target >= memory.inline_ranks()) [[unlikely]]
    return false;
  const std::byte* const mapped = memory.routes()[target].same_address(from, bytes);
  if (mapped == nullptr) [[unlikely]]
    return false;
  copy_bytes(to, mapped, bytes);
  fence_loads();
  return true;
}

/// The same at any address where the memory is mapped here, up to its last byte, and also where
/// transfers are counted: for callers that try nothing else after it. The functions out of line
/// take the last bytes of a part, and do the counting.
bool put_mapped_out_of_line(segment& memory, rank_id target, void* to, const void* from,
                            std::size_t bytes) noexcept;
bool get_mapped_out_of_line(segment& memory, void* to, rank_id target, const void* from,
                            std::size_t bytes) noexcept;

inline bool put_mapped(segment& memory, rank_id target, void* to, const void* from,
                       std::size_t bytes) noexcept {
  if (target < memory.inline_ranks()) [[likely]] {
    std::byte* const mapped = memory.routes()[target].direct_inline(to, bytes);
    if (mapped != nullptr) [[likely]] {
      copy_bytes(mapped, from, bytes);
      return true;
    }
  }
  return put_mapped_out_of_line(memory, target, to, from, bytes);
}

inline bool get_mapped(segment& memory, void* to, rank_id target, const void* from,
                       std::size_t bytes) noexcept {
  if (target < memory.inline_ranks()) [[likely]] {
    const std::byte* const mapped = memory.routes()[target].direct_inline(from, bytes);
    if (mapped != nullptr) [[likely]] {
      copy_bytes(to, mapped, bytes);
      fence_loads();
      return true;
    }
  }
  return get_mapped_out_of_line(memory, to, target, from, bytes);
}

/// Blocking put of `bytes` from `from` to `to` at `target`; visible there when it returns. The
/// status is done, or peer_lost where the program watches for that (runtime::on_peer_lost).
inline operation_status put(segment& memory, rank_id target, void* to, const void* from,
                            std::size_t bytes) noexcept {
  operation_status status = operation_status::done;
  if (!put_direct(memory, target, to, from, bytes)) [[unlikely]] {
    status = put_out_of_line(memory, target, to, from, bytes);
  }
  fence_stores();  // a later store of this thread (a flag) is not seen before the data
  return status;
}

/// Blocking get of `bytes` at `from` of `target` into `to`. The status as above.
inline operation_status get(segment& memory, void* to, rank_id target, const void* from,
                            std::size_t bytes) noexcept {
  if (!get_direct(memory, to, target, from, bytes)) [[unlikely]] {
    return get_out_of_line(memory, to, target, from, bytes);
  }
  return operation_status::done;
}

/// Explicit-event put; `done` becomes empty or holds the operation. False: `immediate` was asked
/// for and there was no room; nothing happened.
inline bool put_nb(segment& memory, rank_id target, void* to, const void* from, std::size_t bytes,
                   event& done, transfer_options options = {}) noexcept {
  if (options.device == nullptr && put_direct(memory, target, to, from, bytes)) [[likely]] {
    fence_stores();  // complete, so a later store is seen after it
    done = event();
    return true;
  }
  return put_nb_out_of_line(memory, target, to, from, bytes, options, done);
}

/// Explicit-event get; false as above.
inline bool get_nb(segment& memory, void* to, rank_id target, const void* from, std::size_t bytes,
                   event& done, transfer_options options = {}) noexcept {
  if (options.device == nullptr && get_direct(memory, to, target, from, bytes)) [[likely]] {
    done = event();
    return true;
  }
  return get_nb_out_of_line(memory, to, target, from, bytes, options, done);
}

/// Implicit put; false as above.
inline bool put_nbi(segment& memory, rank_id target, void* to, const void* from, std::size_t bytes,
                    transfer_options options = {}) noexcept {
  if (options.device == nullptr && put_direct(memory, target, to, from, bytes)) [[likely]] {
    fence_stores();
    return true;
  }
  return put_nbi_out_of_line(memory, target, to, from, bytes, options);
}

/// Implicit get; false as above.
inline bool get_nbi(segment& memory, void* to, rank_id target, const void* from, std::size_t bytes,
                    transfer_options options = {}) noexcept {
  if (options.device == nullptr && get_direct(memory, to, target, from, bytes)) [[likely]]
    return true;
  return get_nbi_out_of_line(memory, to, target, from, bytes, options);
}

/// Blocking put of one value.
template <class Value>
  requires std::is_trivially_copyable_v<Value>
operation_status put_value(segment& memory, rank_id target, Value* to,
                           const Value& value) noexcept {
  return put(memory, target, to, &value, sizeof value);
}

/// Blocking get of one value; a value-initialized one when `target` is lost. get() tells which.
template <class Value>
  requires std::is_trivially_copyable_v<Value> && std::is_default_constructible_v<Value>
Value get_value(segment& memory, rank_id target, const Value* from) noexcept {
  Value value;
  if (get(memory, &value, target, from, sizeof value) != operation_status::done) [[unlikely]]
    return Value{};
  return value;
}

}  // namespace atl
