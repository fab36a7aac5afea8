// SPDX-License-Identifier: BSD-3-Clause
//
// A hash table over all ranks of a team. Each rank owns the keys that hash to it and keeps them in
// an ordinary map; other ranks send the owner a function to run there. So an operation is one round
// trip, the map needs no lock, and a rank finds a key after it has waited for its insertion.
// Nothing here waits: every operation returns a future, and the caller decides how many are under
// way.
//
// The *_at forms send many entries or keys of one owner in one message.
#pragma once

#include <upcxx/upcxx.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace kv {

/// Ways to treat the value of a key when another one comes: replace it, or add the new one.
struct replace {
  template <class Value>
  void operator()(Value& old, Value fresh) const {
    old = std::move(fresh);
  }
};
struct add_up {
  template <class Value>
  void operator()(Value& old, Value fresh) const {
    old += fresh;
  }
};

/// The rank of a key. Hashes of numbers are often the numbers, so their bits are mixed first.
inline upcxx::intrank_t rank_of(std::size_t hash, upcxx::intrank_t ranks) noexcept {
  const std::uint64_t mixed = (std::uint64_t{hash} * 0x9e3779b97f4a7c15ULL) >> 32;
  return static_cast<upcxx::intrank_t>((mixed * static_cast<std::uint64_t>(ranks)) >> 32);
}

template <class Key, class Value, class Merge = replace>
class table {
 public:
  using entry = std::pair<Key, Value>;
  using map = std::unordered_map<Key, Value>;

  /// Collective; does not wait. The team must outlive the table, and no member may use the table
  /// any more when the first one destroys it.
  explicit table(const upcxx::team& members = upcxx::world()) : part_(map(), members) {}

  upcxx::intrank_t owner(const Key& key) const {
    return rank_of(std::hash<Key>()(key), part_.team().rank_n());
  }

  upcxx::future<> insert(const Key& key, const Value& value) {
    return upcxx::rpc(
        part_.team(), owner(key),
        [](part& local, Key k, Value v) { put(*local, std::move(k), std::move(v)); }, part_, key,
        value);
  }
  upcxx::future<> insert_at(upcxx::intrank_t rank, const std::vector<entry>& entries) {
    return upcxx::rpc(
        part_.team(), rank,
        [](part& local, upcxx::view<entry> arrived) { put_all(*local, arrived); }, part_,
        upcxx::make_view(entries));
  }

  upcxx::future<std::optional<Value>> find(const Key& key) const {
    return upcxx::rpc(
        part_.team(), owner(key), [](const part& local, const Key& k) { return get(*local, k); },
        part_, key);
  }
  /// The values in the order of the keys.
  upcxx::future<std::vector<std::optional<Value>>> find_at(upcxx::intrank_t rank,
                                                           const std::vector<Key>& keys) const {
    return upcxx::rpc(
        part_.team(), rank,
        [](const part& local, upcxx::view<Key> arrived) {
          std::vector<std::optional<Value>> found;
          found.reserve(arrived.size());
          for (const Key& each : arrived) found.push_back(get(*local, each));
          return found;
        },
        part_, upcxx::make_view(keys));
  }

  /// This rank's entries.
  const map& local_map() const { return *part_; }
  const upcxx::team& team() const { return part_.team(); }

 private:
  using part = upcxx::dist_object<map>;

  static void put(map& into, Key key, Value value) {
    const auto [position, is_new] = into.try_emplace(std::move(key), std::move(value));
    if (!is_new) Merge()(position->second, std::move(value));
  }
  /// Looks all keys up first, so that the processor fetches the map's memory for several of them at
  /// a time; an insertion must end before the next one begins.
  static void put_all(map& into, const upcxx::view<entry>& arrived) {
    std::vector<entry> entries;
    entries.reserve(arrived.size());
    for (entry each : arrived) entries.push_back(std::move(each));
    std::vector<Value*> present;  // stays where it is while the map grows
    present.reserve(entries.size());
    for (const entry& each : entries) {
      const auto found = into.find(each.first);
      present.push_back(found == into.end() ? nullptr : &found->second);
    }
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (present[i] != nullptr)
        Merge()(*present[i], std::move(entries[i].second));
      else
        put(into, std::move(entries[i].first), std::move(entries[i].second));
    }
  }
  static std::optional<Value> get(const map& from, const Key& key) {
    const auto found = from.find(key);
    if (found == from.end()) return std::nullopt;
    return found->second;
  }

  part part_;
};

}  // namespace kv
