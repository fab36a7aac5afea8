// SPDX-License-Identifier: BSD-3-Clause
//
// The memory of this app that other ranks write: one block of the rank's heap, cut into arrays.
// Every rank cuts its own in the same order, so an array lies at the same distance from the start
// of the heap on every rank, and peer_address() gives the peer's address of it. The runtime's put
// and get take the owner's addresses.
//
// Set-up code, one thread. Peers may write only after a barrier that follows the last take().
#pragma once

#include <atoll/base/assert.hpp>
#include <atoll/base/text.hpp>
#include <atoll/core/job/runtime.hpp>

#include <cstddef>
#include <cstring>

namespace spin {

class shared_area {
 public:
  static constexpr std::size_t alignment = 64;

  /// Bytes that an array of `count` elements of `size` bytes takes.
  static constexpr std::size_t bytes_of(std::size_t count, std::size_t size) noexcept {
    return (count * size + alignment - 1) / alignment * alignment;
  }

  /// Takes `bytes` from the heap of this rank; ends the job when there is not enough memory.
  shared_area(atl::runtime& job, std::size_t bytes) : job_(job), bytes_(bytes) {
    base_ = static_cast<std::byte*>(job.heap().allocate(bytes, huge_page));
    if (base_ == nullptr) {
      job.fail("spin", "the heap has no " + atl::bytes_text(bytes) + " left",
               "use more hosts or fewer sites, or raise ATOLL_SEGMENT_LIMIT");
    }
  }
  shared_area(const shared_area&) = delete;
  shared_area& operator=(const shared_area&) = delete;
  ~shared_area() { job_.heap().free(base_); }

  /// The next `count` elements, set to zero; all arrays together fit into the constructor's
  /// `bytes`.
  template <class Element>
  Element* take(std::size_t count) {
    std::byte* const start = base_ + used_;
    used_ += bytes_of(count, sizeof(Element));
    ATOLL_ASSERT(used_ <= bytes_, "more arrays than were planned", used_, bytes_);
    std::memset(start, 0, count * sizeof(Element));
    return reinterpret_cast<Element*>(start);
  }

  /// The place in rank `peer`'s area that corresponds to `local` in this rank's, as an address
  /// that `peer` uses.
  template <class Element>
  Element* peer_address(atl::rank_id peer, Element* local) const noexcept {
    const atl::route* const paths = job_.heaps().routes();
    const auto distance = reinterpret_cast<std::uintptr_t>(local) - paths[job_.rank()].remote();
    return reinterpret_cast<Element*>(paths[peer].remote() + distance);
  }

 private:
  static constexpr std::size_t huge_page = std::size_t{2} << 20;

  atl::runtime& job_;
  std::byte* base_ = nullptr;
  std::size_t bytes_;
  std::size_t used_ = 0;
};

}  // namespace spin
