// SPDX-License-Identifier: BSD-3-Clause
//
// A vector over all ranks, read by the number of a state, four neighbours at a time: element i is
// on rank i >> local_bits, and all parts have the same offset in their rank's shared memory. The
// memory of a host's ranks is mapped at even distances, so where all ranks are on one host an
// element's address is one sum: each part before it adds the gap to the next. Otherwise a read is a
// get. visit() chooses between the two once for a whole loop. A global pointer has found its rank
// already.
//
// Nothing synchronises here: a reader must know that the elements have been written.
#pragma once

#include <apps/spin/chain.hpp>
#include <apps/spin/local_operator.hpp>
#include <apps/spin/pgas/shared_area.hpp>
#include <atoll/core/rma/rma.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

namespace spin {

/// Four neighbouring states, as many as a rank has at least: they have one owner, and so have their
/// flips of a bit above the lowest two.
struct four_states {
  state_id first;
};
inline four_states operator^(four_states states, state_id bit) noexcept {
  return {states.first ^ bit};
}

/// Their numbers, in registers.
struct four_numbers {
  using pair [[gnu::vector_size(2 * sizeof(double))]] = double;
  pair low{};
  pair high{};

  static four_numbers from(const double* values) noexcept {
    four_numbers loaded;
    std::memcpy(&loaded.low, values, sizeof loaded.low);
    std::memcpy(&loaded.high, values + 2, sizeof loaded.high);
    return loaded;
  }
  void store(double* values) const noexcept {
    std::memcpy(values, &low, sizeof low);
    std::memcpy(values + 2, &high, sizeof high);
  }
  four_numbers& operator+=(const four_numbers& more) noexcept {
    low += more.low;
    high += more.high;
    return *this;
  }
};

/// Points to elements of one rank.
class global_pointer {
 public:
  /// `remote`: the owner's address of the elements; `local`: their address here, or null.
  global_pointer(atl::endpoint& endpoint, atl::rank_id owner, const double* remote,
                 const double* local)
      : endpoint_(endpoint), owner_(owner), remote_(remote), local_(local) {}

  double operator[](std::size_t i) const noexcept {
    if (local_ != nullptr) [[likely]]
      return local_[i];
    return atl::get_value(endpoint_, owner_, remote_ + i);
  }

 private:
  atl::endpoint& endpoint_;
  atl::rank_id owner_;
  const double* remote_;
  const double* local_;
};

/// The address here of a rank's memory; null when it is not mapped, or not to be used so.
inline const double* mapped(atl::endpoint& endpoint, atl::rank_id owner, const double* remote,
                            std::size_t count) noexcept {
  return reinterpret_cast<const double*>(
      endpoint.bound().routes()[owner].direct(remote, count * sizeof(double)));
}

/// A vector whose parts are all mapped here, at even distances.
class even_vector {
 public:
  /// `first`: element 0; `gap`: elements between a part of 2^local_bits and the next.
  even_vector(const double* first, std::size_t gap, unsigned local_bits) noexcept
      : first_(first), gap_(gap), local_bits_(local_bits) {}

  four_numbers operator[](four_states states) const noexcept {
    return four_numbers::from(first_ + states.first + (states.first >> local_bits_) * gap_);
  }

 private:
  const double* first_;
  std::size_t gap_;
  unsigned local_bits_;
};

class global_vector {
 public:
  /// `part`: this rank's 2^local_bits elements, in its shared area.
  global_vector(atl::runtime& job, const shared_area& area, const double* part, unsigned local_bits)
      : job_(job), area_(area), part_(part), local_bits_(local_bits) {
    const std::size_t count = std::size_t{1} << local_bits;
    std::vector<const double*> parts;
    for (atl::rank_id rank = 0; rank < job.size(); ++rank)
      parts.push_back(mapped(job.primordial(), rank, area.peer_address(rank, part), count));
    const std::ptrdiff_t distance = parts.size() > 1 ? elements_between(parts[0], parts[1]) : 0;
    for (std::size_t rank = 0; rank < parts.size(); ++rank) {
      const auto from_first = static_cast<std::ptrdiff_t>(rank) * distance;
      if (parts[rank] == nullptr || elements_between(parts[0], parts[rank]) != from_first) return;
    }
    even_.emplace(parts[0], static_cast<std::size_t>(distance) - count, local_bits);
  }

  /// Calls `read` with a vector that is read by [] in the fastest way that there is.
  template <class Read>
  void visit(Read read) const {
    if (even_)
      read(*even_);
    else
      read(*this);
  }

  four_numbers operator[](four_states states) const noexcept {
    double got[4];
    atl::get(job_.heaps(), got, owner_of(states.first), remote_address(states.first), sizeof got);
    return four_numbers::from(got);
  }

  /// Element i and those after it, to the end of its rank's part.
  global_pointer from(state_id i) const noexcept {
    const double* const remote = remote_address(i);
    const std::size_t count = (std::size_t{1} << local_bits_) - place_of(i);
    const double* const local = mapped(job_.primordial(), owner_of(i), remote, count);
    return {job_.primordial(), owner_of(i), remote, local};
  }

 private:
  static std::ptrdiff_t elements_between(const double* from, const double* to) noexcept {
    const auto bytes =
        reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from);
    return static_cast<std::ptrdiff_t>(bytes) / static_cast<std::ptrdiff_t>(sizeof(double));
  }
  atl::rank_id owner_of(state_id i) const noexcept {
    return static_cast<atl::rank_id>(i >> local_bits_);
  }
  std::size_t place_of(state_id i) const noexcept { return i & ((state_id{1} << local_bits_) - 1); }
  const double* remote_address(state_id i) const noexcept {
    return area_.peer_address(owner_of(i), part_) + place_of(i);
  }

  atl::runtime& job_;
  const shared_area& area_;
  const double* part_;
  unsigned local_bits_;
  std::optional<even_vector> even_;
};

}  // namespace spin
