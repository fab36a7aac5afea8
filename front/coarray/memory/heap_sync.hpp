// SPDX-License-Identifier: BSD-3-Clause
//
// The synchronization at which the members of a team allocate a coarray together, or give one back.
// Where all are on one host, each stores its request in its words before it synchronizes, and reads
// the requests of the others afterwards. So one synchronization serves both purposes. An image that
// fails after the synchronization has given its request before, and all others read it alike.
//
// Between hosts, and where the members hold different places or one has no room, the heap agrees
// afterwards by its own reductions.
#pragma once

#include <front/coarray/process_state.hpp>
#include <front/coarray/statements/synchronization.hpp>
#include <front/coarray/status.hpp>

namespace atl::coarray {

/// The place of a block that this image has or holds; null stands for none.
heap_request request_for(const process_state& us, const std::byte* memory, std::size_t bytes,
                         bool is_release) noexcept;

struct heap_sync {
  sync_result synced;
  bool is_agreed;  // all have made this request, and with a place
};

/// Called by all members of the team, each with its request; the job ends where another member is
/// at another statement.
heap_sync sync_with_request(process_state& us, image_team& team, heap_request own, const char* call,
                            const status_variables& status) noexcept;

}  // namespace atl::coarray
