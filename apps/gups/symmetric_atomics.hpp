// SPDX-License-Identifier: BSD-3-Clause
//
// OpenSHMEM: a non-fetching atomic for each update, and a quiet for each block of them. On one host
// an atomic is one locked instruction, so the lines of the next updates are prefetched, as in
// atomics.hpp.
#pragma once

#include <apps/gups/table.hpp>

#include <shmem.h>

#include <span>
#include <vector>

namespace gups {

class symmetric_atomics {
 public:
  static constexpr const char* name = "shmem_atomics";
  static constexpr memory placement = memory::symmetric;

  symmetric_atomics(const table& global_table, std::size_t /*block_size*/) : table_(global_table) {
    for (int pe = 0; pe < shmem_n_pes(); ++pe) {
      mapped_.push_back(static_cast<word*>(shmem_ptr(table_.local_part().at_owner, pe)));
    }
  }

  /// Does these updates.
  void update(std::span<const word> updates) {
    word* const first = table_.local_part().at_owner;
    const auto ask = [&](word update) {
      const word index = table_.target(update);
      const int owner = table_.owner(index);
      const word* const words = mapped_[static_cast<std::size_t>(owner)];
      if (words != nullptr) __builtin_prefetch(words + table_.place_in_part(index, owner), 1);
    };
    const auto change = [&](word update) {
      const word index = table_.target(update);
      const int owner = table_.owner(index);
      shmem_uint64_atomic_xor(first + table_.place_in_part(index, owner), update, owner);
    };
    change_in_turn(updates, ask, change);
    shmem_quiet();
  }

 private:
  const table& table_;
  std::vector<const word*> mapped_;  // where the words of each rank are mapped here; null: nowhere
};

}  // namespace gups
