// SPDX-License-Identifier: BSD-3-Clause
//
// The fronts that a program or library contains, and the numbers that are theirs in every runtime:
// of each front itself, and of its endpoints. A front declares its name and how many endpoints it
// needs; the linker gathers the declarations, and this table gives out the numbers in the order of
// the names. So no front chooses a number, and the numbers depend on nothing that happens at run
// time: neither on the order in which a rank starts its fronts, nor on whether it starts them all.
// They are the same on all ranks whose libraries contain the same fronts. Ranks compare digest()
// when the runtime starts.
//
// Threads: constant after construction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace atl {

/// A front, or another user of runtimes inside of the library. Its name identifies it. Has static
/// storage.
struct front_declaration {
  std::string_view name;
  std::size_t endpoints = 0;  // that it needs: consecutive ones
};

/// Adds a front to the table of the library; at namespace scope, in one source file.
#define ATOLL_DECLARE_FRONT(declared)                                                             \
  [[gnu::used,                                                                                    \
    gnu::section(                                                                                 \
        "atoll_fronts")]] static constexpr const ::atl::front_declaration* const declared##_row = \
      &(declared)

/// All fronts that are declared in this program or library, by name.
std::span<const front_declaration* const> all_fronts() noexcept;

class front_table {
 public:
  /// The most fronts; and the indices of endpoints that are given out: [first, end).
  static constexpr std::size_t fronts_max = 16;
  static constexpr std::size_t first_endpoint = 32;
  static constexpr std::size_t end_of_endpoints = 127;

  /// A front's number, and the index of the first of its endpoints.
  struct place {
    std::size_t number;
    std::size_t first_endpoint;
  };

  /// Throws `atl::error` when two fronts have one name, or all together need too much.
  explicit front_table(std::span<const front_declaration* const> fronts = all_fronts());

  /// Throws `atl::error` for a front that is not in the table.
  place place_of(const front_declaration& front) const;

  /// A hash of all names and numbers.
  std::uint64_t digest() const noexcept { return digest_; }

 private:
  struct row {
    const front_declaration* front;
    place at;
  };

  std::vector<row> rows_;  // by name
  std::uint64_t digest_ = 0;
};

}  // namespace atl
