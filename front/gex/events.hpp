// SPDX-License-Identifier: BSD-3-Clause
//
// An event of the API is a record of the core under another name; null is complete in both. The
// owner of the handle owns the record: a handle is made by releasing an event, and ends by becoming
// an event that is waited for, or by giving the record back.
#pragma once

#include <gasnet_fwd.h>
#include <atoll/core/progress/event.hpp>

namespace atl::gex {

/// The handle of an event, which stops holding its record: the handle's owner does.
inline gex_Event_t handle_of(event& done) noexcept {
  return reinterpret_cast<gex_Event_t>(done.release());
}

inline event event_of(gex_Event_t handle) noexcept {
  return event(reinterpret_cast<operation*>(handle));
}

}  // namespace atl::gex
