// SPDX-License-Identifier: BSD-3-Clause
//
// The frame of collective functions (UPC required library specification 1.3, 7.3.3): a barrier
// before and after where the flags ask for all threads. Between the two, operations of the core
// touch a thread's data only once it has called, and return when its own part is complete: that
// satisfies MYSYNC, and is stricter than NOSYNC.
#pragma once

#include <upc_types.h>

#include <front/upc/process_state.hpp>

namespace atl::upc {

class collective_frame {
 public:
  /// Waits for all threads where the flags ask for it.
  collective_frame(const char* call, upc_flag_t flags)
      : call_(call),
        flags_(flags),
        us_(running(call)),
        time_(us_.counted.get(), statistic::collectives, statistic::collective_ns) {
    if (us_.barrier_is_open) [[unlikely]]
      refuse_within_barrier();
    if (atoll_upc_unordered != 0) atoll_upc_complete();
    if ((flags & (UPC_IN_NOSYNC | UPC_IN_MYSYNC)) == 0) us_.world->barrier();
  }
  collective_frame(const collective_frame&) = delete;
  collective_frame& operator=(const collective_frame&) = delete;
  ~collective_frame() {
    if (atoll_upc_unordered != 0) atoll_upc_complete();
    if ((flags_ & (UPC_OUT_NOSYNC | UPC_OUT_MYSYNC)) == 0) us_.world->barrier();
  }

  process_state& us() const noexcept { return us_; }

  /// Ends the job unless the pointer has affinity to thread 0.
  void need_thread_0(const char* name, atoll_upc_pointer p) const;
  /// The address here of this thread's block.
  std::byte* own_block(atoll_upc_pointer p) const noexcept { return us_.own_address(p.offset); }

 private:
  [[noreturn]] void refuse_within_barrier() const;

  const char* call_;
  upc_flag_t flags_;
  process_state& us_;
  timed_event time_;
};

}  // namespace atl::upc
