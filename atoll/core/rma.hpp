// SPDX-License-Identifier: BSD-3-Clause
//
// One-sided transfers between any local memory and the bound segment of any rank, addressed as the
// owner addresses it. To a rank whose memory is mapped here a put is a store and a get is a load:
// the test of locality (route.hpp) and the copy; no queue, no call, no counter, complete on return.
// All else goes to the out-of-line functions, and all of it does where ATOLL_COUNTERS asks for
// counts. Forms, as in GASNet-EX:
//
//   put / get               blocking: complete at both ends on return
//   put_nb / get_nb         explicit: an event, empty when already complete
//   put_nbi / get_nbi       implicit: completed by runtime::wait_implicit or by an access region
//   put_value / get_value   a value in registers
//
// Source memory of a put may be reused when any of these returns, unless it says `keeps_source`:
// then not before the put is complete, and what goes over a network is sent from where it lies
// (else it is copied first, and a large one waited for). Errors: a range outside of the target's
// segment, a bad rank or an unbound segment end the job with a message that names them. Threads:
// any, in mode `any`; the implicit forms belong to the calling thread.
#pragma once

#include <atoll/core/endpoint.hpp>
#include <atoll/core/segment.hpp>

#include <cstring>
#include <type_traits>

namespace atl {

/// Out-of-line halves, for transfers that inline code does not do.
void put_out_of_line(segment& at, rank_id target, void* to, const void* from,
                     std::size_t bytes) noexcept;
void get_out_of_line(segment& at, void* to, rank_id target, const void* from,
                     std::size_t bytes) noexcept;
bool put_nb_out_of_line(segment& at, rank_id target, void* to, const void* from, std::size_t bytes,
                        transfer_options how, event& done) noexcept;
bool get_nb_out_of_line(segment& at, void* to, rank_id target, const void* from, std::size_t bytes,
                        transfer_options how, event& done) noexcept;
bool put_nbi_out_of_line(segment& at, rank_id target, void* to, const void* from, std::size_t bytes,
                         transfer_options how) noexcept;
bool get_nbi_out_of_line(segment& at, void* to, rank_id target, const void* from, std::size_t bytes,
                         transfer_options how) noexcept;

/// The whole of a direct put: false when the target's memory is not mapped here (or out of bounds).
inline bool put_direct(segment& at, rank_id target, void* to, const void* from,
                       std::size_t bytes) noexcept {
  if (target >= at.inline_ranks()) [[unlikely]]
    return false;
  std::byte* const there = at.routes()[target].direct(to, bytes);
  if (there == nullptr) [[unlikely]]
    return false;
  copy_bytes(there, from, bytes);
  return true;
}

inline bool get_direct(segment& at, void* to, rank_id target, const void* from,
                       std::size_t bytes) noexcept {
  if (target >= at.inline_ranks()) [[unlikely]]
    return false;
  const std::byte* const there = at.routes()[target].direct(from, bytes);
  if (there == nullptr) [[unlikely]]
    return false;
  copy_bytes(to, there, bytes);
  fence_loads();
  return true;
}

/// Blocking put of `bytes` from `from` to `to` at `target`; visible there when it returns.
inline void put(segment& at, rank_id target, void* to, const void* from,
                std::size_t bytes) noexcept {
  if (!put_direct(at, target, to, from, bytes)) [[unlikely]] {
    put_out_of_line(at, target, to, from, bytes);
  }
  fence_stores();  // a later store of this thread (a flag) is not seen before the data
}

/// Blocking get of `bytes` at `from` of `target` into `to`.
inline void get(segment& at, void* to, rank_id target, const void* from,
                std::size_t bytes) noexcept {
  if (!get_direct(at, to, target, from, bytes)) [[unlikely]] {
    get_out_of_line(at, to, target, from, bytes);
  }
}

/// Explicit-event put; `done` becomes empty or holds the operation. False: `immediate` was asked
/// for and there was no room; nothing happened.
inline bool put_nb(segment& at, rank_id target, void* to, const void* from, std::size_t bytes,
                   event& done, transfer_options how = {}) noexcept {
  if (put_direct(at, target, to, from, bytes)) [[likely]] {
    fence_stores();  // complete, so what follows is seen after it
    done = event();
    return true;
  }
  return put_nb_out_of_line(at, target, to, from, bytes, how, done);
}

inline bool get_nb(segment& at, void* to, rank_id target, const void* from, std::size_t bytes,
                   event& done, transfer_options how = {}) noexcept {
  if (get_direct(at, to, target, from, bytes)) [[likely]] {
    done = event();
    return true;
  }
  return get_nb_out_of_line(at, to, target, from, bytes, how, done);
}

/// Implicit put; false as above.
inline bool put_nbi(segment& at, rank_id target, void* to, const void* from, std::size_t bytes,
                    transfer_options how = {}) noexcept {
  if (put_direct(at, target, to, from, bytes)) [[likely]] {
    fence_stores();
    return true;
  }
  return put_nbi_out_of_line(at, target, to, from, bytes, how);
}

inline bool get_nbi(segment& at, void* to, rank_id target, const void* from, std::size_t bytes,
                    transfer_options how = {}) noexcept {
  if (get_direct(at, to, target, from, bytes)) [[likely]]
    return true;
  return get_nbi_out_of_line(at, to, target, from, bytes, how);
}

/// Blocking put of one value.
template <class Value>
  requires std::is_trivially_copyable_v<Value>
void put_value(segment& at, rank_id target, Value* to, const Value& value) noexcept {
  put(at, target, to, &value, sizeof value);
}

/// Blocking get of one value.
template <class Value>
  requires std::is_trivially_copyable_v<Value>
Value get_value(segment& at, rank_id target, const Value* from) noexcept {
  Value value;
  get(at, &value, target, from, sizeof value);
  return value;
}

}  // namespace atl
