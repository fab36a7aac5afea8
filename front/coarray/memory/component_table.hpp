// SPDX-License-Identifier: BSD-3-Clause
//
// The tokens of components, and the token that has the memory at an address. The compiler gives a
// component back by free() like any other memory, and every free() of the program looks here.
//
// A token lasts as long as the memory of its component. Objects that were copied may hold a token
// that has ended, so the memory of such a token is kept for the token of the next component.
//
// Threads: any, since any thread of the program may free memory.
#pragma once

#include <mutex>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace atl::coarray {

struct coarray;

class component_table {
 public:
  void add(coarray* token) {
    const std::lock_guard locked(mutex_);
    tokens_.insert(token);
  }
  /// Whether it is, or was, the token of a component.
  bool contains(const coarray* token) const noexcept {
    const std::lock_guard locked(mutex_);
    return tokens_.contains(token);
  }

  /// Keeps a token that has ended for another component.
  void add_spare(coarray* token) {
    const std::lock_guard locked(mutex_);
    spare_.push_back(token);
  }
  /// A token that has ended, for the next component; null where there is none.
  coarray* take_spare() noexcept {
    const std::lock_guard locked(mutex_);
    if (spare_.empty()) return nullptr;
    coarray* const token = spare_.back();
    spare_.pop_back();
    return token;
  }

  /// Notes that the token has the memory from now on.
  void add_data(const void* data, coarray* token) {
    const std::lock_guard locked(mutex_);
    owners_[data] = token;
  }
  /// Notes that no token has the memory any more; returns the token that had it, or null.
  coarray* remove_data(const void* data) noexcept {
    const std::lock_guard locked(mutex_);
    const auto found = owners_.find(data);
    if (found == owners_.end()) return nullptr;
    coarray* const owner = found->second;
    owners_.erase(found);
    return owner;
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_set<const coarray*> tokens_;
  std::vector<coarray*> spare_;
  std::unordered_map<const void*, coarray*> owners_;
};

}  // namespace atl::coarray
