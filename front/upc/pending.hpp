// SPDX-License-Identifier: BSD-3-Clause
//
// Puts and gets that go on after their call and count in a group of UPC's own. The implicit
// operations of the core (put_nbi, get_nbi) are one account of the calling thread, which GASNet-EX
// uses as well: an access region that a client has open there would gather UPC's transfers, and
// UPC's fences would not wait for them.
//
// Threads: any that may call the core.
#pragma once

#include <atoll/core/progress/operation_group.hpp>
#include <atoll/core/rma/rma.hpp>
#include <atoll/core/segment/segment.hpp>

#include <cstddef>

namespace atl::upc {

/// The parts that are out of line, for memory that is not mapped here.
void put_remote(segment& memory, rank_id target, void* to, const void* from, std::size_t bytes,
                operation_group& group, bool keeps_source) noexcept;
void get_remote(segment& memory, void* to, rank_id target, const void* from, std::size_t bytes,
                operation_group& group) noexcept;

/// Puts `bytes` from `from` to `to` at `target`: at once where that is mapped here, else as an
/// operation of `group`. With `keeps_source` the source does not change before the group is
/// complete, else it may change when the call returns.
inline void put_in(operation_group& group, segment& memory, rank_id target, void* to,
                   const void* from, std::size_t bytes, bool keeps_source) noexcept {
  if (put_mapped(memory, target, to, from, bytes)) [[likely]] {
    fence_stores();
    return;
  }
  put_remote(memory, target, to, from, bytes, group, keeps_source);
}

/// The same for a get; the bytes are in `to` when the group is complete.
inline void get_in(operation_group& group, segment& memory, void* to, rank_id target,
                   const void* from, std::size_t bytes) noexcept {
  if (!get_mapped(memory, to, target, from, bytes)) [[unlikely]]
    get_remote(memory, to, target, from, bytes, group);
}

}  // namespace atl::upc
