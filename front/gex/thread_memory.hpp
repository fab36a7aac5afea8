// SPDX-License-Identifier: BSD-3-Clause
//
// The state that a thread of a client keeps from one call to another: the message that it has
// prepared, the peer completion that it has armed, and the free cells for values under way. It is
// made when one of them is first used.
#pragma once

#include <gasnetex_event.h>
#include <gasnetex_types.h>
#include <atoll/base/threads/thread_end.hpp>
#include <atoll/core/am/endpoint.hpp>
#include <atoll/core/strided/strided.hpp>

#include <cstdint>
#include <new>
#include <utility>

/// A value of GASNet-1 that is under way.
struct atoll_gex_pending_value {
  gex_RMA_Value_t value = 0;
  gex_Event_t event = GEX_EVENT_INVALID;
  atoll_gex_pending_value* next = nullptr;
};

namespace atl::gex {

/// The request of a Prepare call, and what it got.
struct prepared_message : atoll_gex_srcdesc {
  am_category category = am_category::medium;
  bool is_reply = false;
  bool own_buffer = false;  // the payload is in `staging`
  gex_Rank_t target = 0;    // by job rank
  std::uint8_t crossing = 0;
  atl::endpoint* endpoint = nullptr;
  gex_Token_t token = nullptr;
  void* dest_addr = nullptr;  // Long: as given to Prepare; null: only Commit gives it
  gex_Event_t* lc_opt = nullptr;
  unsigned nargs = 0;
  atl::transport::staging staging;
};

/// Free cells for values that will be under way.
class cell_stock {
 public:
  cell_stock() = default;
  cell_stock(const cell_stock&) = delete;
  cell_stock& operator=(const cell_stock&) = delete;
  ~cell_stock() {
    while (first_ != nullptr) delete std::exchange(first_, first_->next);
  }

  /// Null when memory is exhausted.
  atoll_gex_pending_value* take() noexcept {
    if (first_ == nullptr) return new (std::nothrow) atoll_gex_pending_value;
    return std::exchange(first_, first_->next);
  }
  void give(atoll_gex_pending_value* cell) noexcept {
    cell->next = first_;
    first_ = cell;
  }

 private:
  atoll_gex_pending_value* first_ = nullptr;
};

struct thread_memory {
  prepared_message prepared{};  // valid while held.prepared is 1
  atl::put_notice armed;        // the peer completion of the next put; handler 0: none
  cell_stock cells;
};

/// Null until this thread's is made. `initial-exec`: one load finds it, without a call.
extern constinit thread_local thread_memory* my_memory [[gnu::tls_model("initial-exec")]];

inline thread_memory& this_thread() noexcept {
  return my_memory != nullptr ? *my_memory : make_for_thread(my_memory);
}

}  // namespace atl::gex
