// SPDX-License-Identifier: BSD-3-Clause
//
// An array over all ranks in equal parts, the last ones perhaps shorter or empty. Each rank knows
// where every part lies. Construction and destruction are collective.
#pragma once

#include <apps/trial/ranges.hpp>
#include <atoll/base/rounding.hpp>
#include <upcxx/upcxx.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace hpcc {

template <class Element>
class parts {
 public:
  /// `count` groups of `width` elements that stay together. Throws `upcxx::bad_shared_alloc` on all
  /// ranks when one has too little memory.
  explicit parts(std::size_t count, std::size_t width = 1)
      : count_(count), width_(width), each_(atl::pieces_of(count, ranks())), starts_(ranks()) {
    const auto own = upcxx::new_array<Element>(each_ * width, std::nothrow);
    for (std::size_t rank = 0; rank < ranks(); ++rank) {
      starts_[rank] = upcxx::broadcast(own, static_cast<upcxx::intrank_t>(rank)).wait();
    }
    if (std::ranges::count(starts_, nullptr) != 0) throw upcxx::bad_shared_alloc(each_ * width);
  }
  parts(const parts&) = delete;
  parts& operator=(const parts&) = delete;
  ~parts() {
    upcxx::barrier();
    upcxx::delete_array(starts_[rank()]);
  }

  static std::size_t rank() { return static_cast<std::size_t>(upcxx::rank_me()); }
  static std::size_t ranks() { return static_cast<std::size_t>(upcxx::rank_n()); }

  /// The groups of a rank.
  trial::range of_rank(std::size_t rank) const {
    const std::size_t first = std::min(rank * each_, count_);
    return {first, std::min(first + each_, count_) - first};
  }
  trial::range own() const { return of_rank(rank()); }
  Element* begin() const { return starts_[rank()].local(); }
  Element* end() const { return begin() + own().count * width_; }

  /// Pointers to any element, and to the first one of a rank's part.
  upcxx::global_ptr<Element> pointer_to(std::size_t i) const {
    return start_of(i / each_) + i % each_;
  }
  upcxx::global_ptr<Element> start_of(std::size_t rank) const { return starts_[rank]; }

 private:
  std::size_t count_, width_, each_;
  std::vector<upcxx::global_ptr<Element>> starts_;
};

}  // namespace hpcc
