// SPDX-License-Identifier: BSD-3-Clause
//
// The memory of a crew that other ranks read and write: one block of the heap of each rank, cut
// into arrays. Every rank cuts its own in the same order, so an array lies at the same distance
// from the start on every rank, and `at` gives a peer's address of it. Put and get take addresses
// as their owner sees them; `here` gives the address by which this rank reaches the same by loads
// and stores, where it can.
//
// Collective set-up and ending, one thread. Peers may write only after a barrier that follows the
// last take(). Members of the team are the first ranks of the job, so their numbers are the job's.
#pragma once

#include <atoll/base/assert.hpp>
#include <atoll/base/text.hpp>
#include <atoll/coll/collectives.hpp>
#include <atoll/core/runtime.hpp>

#include <cstddef>
#include <cstring>
#include <vector>

namespace stencil2d {

class arena {
 public:
  static constexpr std::size_t alignment = 64;

  /// Bytes that an array of `count` elements of `size` bytes takes.
  static constexpr std::size_t bytes_of(std::size_t count, std::size_t size) noexcept {
    return (count * size + alignment - 1) / alignment * alignment;
  }

  /// Takes `bytes`, zeroed, from the heap of each member; ends the job when they are not there.
  arena(atl::team& on, std::size_t bytes) : on_(on), bytes_(bytes), bases_(on.size()) {
    base_ = static_cast<std::byte*>(job().heap().allocate(bytes, huge_page));
    if (base_ == nullptr) {
      job().fail("stencil2d", "the heap has no " + atl::bytes_text(bytes) + " left",
                 "use smaller blocks, or raise ATOLL_SEGMENT_LIMIT");
    }
    std::memset(base_, 0, bytes);
    const auto mine = reinterpret_cast<std::uintptr_t>(base_);
    atl::coll::allgather(on, bases_.data(), &mine, sizeof mine);
  }
  arena(const arena&) = delete;
  arena& operator=(const arena&) = delete;
  ~arena() {
    on_.barrier();  // nobody reaches into it any more
    job().heap().free(base_);
  }

  atl::runtime& job() const noexcept { return on_.owner(); }
  atl::team& team() const noexcept { return on_; }

  /// The next `count` elements. At most what the constructor was given.
  template <class Element>
  Element* take(std::size_t count) {
    std::byte* const here = base_ + used_;
    used_ += bytes_of(count, sizeof(Element));
    ATOLL_ASSERT(used_ <= bytes_, "more arrays than were planned", used_, bytes_);
    return reinterpret_cast<Element*>(here);
  }

  /// The address, as rank `peer` sees it, of what is `mine` here.
  template <class Element>
  Element* at(atl::rank_id peer, Element* mine) const noexcept {
    const auto distance = reinterpret_cast<std::uintptr_t>(mine) - bases_[on_.rank()];
    return reinterpret_cast<Element*>(bases_[peer] + distance);
  }

  /// Where this rank sees what rank `peer` has at `theirs`; null when it is not mapped here.
  template <class Element>
  Element* here(atl::rank_id peer, Element* theirs) const noexcept {
    return reinterpret_cast<Element*>(job().heaps().routes()[peer].direct(theirs, sizeof(Element)));
  }

 private:
  static constexpr std::size_t huge_page = std::size_t{2} << 20;

  atl::team& on_;
  std::byte* base_ = nullptr;
  std::size_t bytes_;
  std::size_t used_ = 0;
  std::vector<std::uintptr_t> bases_;  // by rank, as each sees its own
};

}  // namespace stencil2d
