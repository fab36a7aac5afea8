// SPDX-License-Identifier: BSD-3-Clause
//
// A read-only copy of a table in shared memory, for look-ups without the owner, which may compute
// or sleep. Each rank lays its entries out as an open-addressing hash table of equal slots (value,
// key, whether it is taken) at most half full; a look-up gets slots by rget, from where the key
// belongs on, until it finds the key or a free slot.
#pragma once

#include <apps/kv/keys.hpp>
#include <apps/kv/table.hpp>
#include <upcxx/upcxx.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace kv {

using generated_table = table<generated_key, generated_value>;

class published {
 public:
  /// Collective over the table's team, with a barrier. All values are `value_bytes` long. Throws
  /// `atl::error`, on all ranks, when the shared memory of one does not suffice.
  published(const generated_table& from, std::size_t value_bytes);
  published(const published&) = delete;
  published& operator=(const published&) = delete;
  /// Has a barrier, after which no rank reads.
  ~published();

  upcxx::future<std::optional<generated_value>> find(generated_key wanted) const;

 private:
  /// The part of a slot after the value.
  struct tag {
    generated_key key;
    std::uint64_t taken;
  };
  /// A rank's slots; their number is a power of two.
  struct slots {
    upcxx::global_ptr<char> first;
    std::uint64_t count;
  };

  void fill(const generated_table& from);
  void share(const upcxx::team& among);
  std::size_t place_of(const slots& in, std::uint64_t number) const noexcept {
    return (number & (in.count - 1)) * slot_bytes_;
  }

  std::size_t value_bytes_;
  std::size_t slot_bytes_;
  const upcxx::team& team_;
  slots local_;
  std::vector<slots> slots_;
};

}  // namespace kv
