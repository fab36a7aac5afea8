// SPDX-License-Identifier: BSD-3-Clause
//
// The provider's own atomics: which ones exist, and starting one. Each operation has a place of its
// own for the number's operand, the compared value and the old value. The places are registered
// once, and the provider works on them until the operation has completed. Used under the context's
// lock.
//
// Operations that the provider does not name are built from others: a difference is the sum with
// the negated operand, and increment and decrement are sums, too. Messages do compare-and-swap of
// floating numbers: ours compares values and takes a NaN for equal to itself, while the provider's
// may not.
#pragma once

#include <atoll/base/atomic_ops.hpp>
#include <atoll/transport/message.hpp>
#include <atoll/transport/ofi/memory.hpp>

#include <rdma/fi_atomic.h>

#include <array>
#include <cstdint>
#include <span>

namespace atl::transport::ofi {

/// The types that have atomics, in the order of data_type.
inline constexpr std::size_t atomic_types = 6;

constexpr std::size_t atomic_index(data_type type) noexcept {
  return static_cast<std::size_t>(type) - static_cast<std::size_t>(data_type::i32);
}

using atomic_sets = std::array<atomic_ops, atomic_types>;

/// The operations that this endpoint can do, for each type.
atomic_sets atomics_of(fabric& net) noexcept;

/// Names the number for the provider, and the place that serves the operation on this side.
struct atomic_route {
  fi_addr_t address;
  std::uint64_t remote;
  std::uint64_t key;
  std::uint32_t place;
  void* note;  // what its completion names
};

class atomic_words {
 public:
  /// Places for `count` operations under way; 0 where the provider has no atomics.
  explicit atomic_words(std::uint32_t count) : memory_((count == 0 ? 1 : count) * sizeof(words)) {}

  std::span<std::byte> memory() const noexcept { return {memory_.data(), memory_.size()}; }

  /// Starts an operation, whose place is in use until it completes. Returns libfabric's code.
  ssize_t start(fabric& net, const local_memory& local, const atomic_transfer& request,
                const atomic_route& route) noexcept;

  /// The number's old value, after the operation has completed.
  const void* result(std::uint32_t index) const noexcept { return &words_at(index).result; }

 private:
  struct words {
    std::uint64_t operand;
    std::uint64_t compared;
    std::uint64_t result;
    fi_ioc from;  // the provider may look at these two until the end
    fi_rma_ioc to;
  };

  words& words_at(std::uint32_t index) const noexcept {
    return reinterpret_cast<words*>(memory_.data())[index];
  }

  mapping memory_;
};

}  // namespace atl::transport::ofi
