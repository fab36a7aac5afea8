// SPDX-License-Identifier: BSD-3-Clause
//
// The ways that are compared, as classes with the same functions: insert() of a range of keys,
// settle() when all ranks have inserted, find() of a range of keys. `alone` is the map of one
// process, with which the others are compared.
#pragma once

#include <apps/kv/options.hpp>
#include <apps/kv/published.hpp>

#include <cstddef>
#include <optional>
#include <unordered_map>

namespace kv {

class alone {
 public:
  explicit alone(const options& chosen);
  void insert(key_range keys);
  void settle() {}
  void find(key_range keys, tally& seen) const;
  std::size_t local_size() const { return map_.size(); }

 private:
  key_stream stream_;
  std::unordered_map<generated_key, generated_value> map_;
};

/// A message for each operation, a window of them under way.
class one_by_one {
 public:
  explicit one_by_one(const options& chosen);
  void insert(key_range keys);
  void settle() {}
  void find(key_range keys, tally& seen) const;
  std::size_t local_size() const { return table_.local_map().size(); }

 private:
  key_stream stream_;
  std::size_t limit_;
  generated_table table_;
};

/// A message for a batch of operations.
class in_batches {
 public:
  explicit in_batches(const options& chosen);
  void insert(key_range keys);
  void settle() {}
  void find(key_range keys, tally& seen) const;
  std::size_t local_size() const { return table_.local_map().size(); }

 private:
  friend class one_sided;
  key_stream stream_;
  std::size_t limit_;
  std::size_t batch_;
  generated_table table_;
};

/// Batches to insert; then all ranks read each other's memory.
class one_sided {
 public:
  explicit one_sided(const options& chosen);
  void insert(key_range keys) { filled_.insert(keys); }
  void settle();
  void find(key_range keys, tally& seen) const;
  std::size_t local_size() const { return filled_.local_size(); }

 private:
  in_batches filled_;
  std::optional<published> published_;
};

}  // namespace kv
