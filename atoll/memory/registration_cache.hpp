// SPDX-License-Identifier: BSD-3-Clause
//
// Registrations that are kept: a network (or an accelerator) that must know memory before it
// touches it is told once, not at every transfer from the same buffer. A registration that is kept
// holds for the pages that were there when it was made, so reclaim_watch.hpp tells when the program
// gives them back; memory that cannot be watched is not kept, and the caller registers it for one
// use.
//
// A buffer may use a registration made for it or for a larger buffer. Registrations may overlap;
// one that a newer one covers is removed. When there are too many, or they hold too many bytes,
// those unused for longest are removed first. Those in use stay until they are given back; stale
// ones are removed then.
//
// Threads: the caller's lock is held around every call. Only reclaimed() runs beside them, on the
// watching thread; it sets marks and touches nothing else. A hit allocates nothing; the watch (a
// thread) starts with the first buffer.
#pragma once

#include <atoll/memory/mappings.hpp>
#include <atoll/memory/reclaim_watch.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace atl::memory {

/// Makes and removes registrations.
class registrar {
 public:
  /// Registers these pages; null when that is refused for now.
  virtual void* add(const address_range& pages) noexcept = 0;
  virtual void remove(void* registration) noexcept = 0;
  /// Whether the last refusal may pass when other registrations are removed.
  virtual bool lacked_room() const noexcept { return true; }

 protected:
  ~registrar() = default;
};

struct cache_limits {
  std::size_t bytes = 0;  // 0: nothing is kept
  std::size_t entries = 0;
};

class registration_cache final : reclaim_watch::listener {
 public:
  /// A registration that the cache keeps.
  class entry {
   public:
    void* registration() const noexcept { return registration_; }

   private:
    friend registration_cache;
    // Read by the watching thread while they change: then they overlap with something or not, and
    // either is right, since the registration is made afterwards.
    std::atomic<std::uintptr_t> begin_ = 0;
    std::atomic<std::uintptr_t> end_ = 0;
    std::atomic<bool> stale_ = false;
    bool listed_ = false;  // found by look-ups
    std::uint32_t users_ = 0;
    std::uint64_t used_at_ = 0;
    void* registration_ = nullptr;

    address_range range() const noexcept {
      return {begin_.load(std::memory_order_relaxed), end_.load(std::memory_order_relaxed)};
    }
  };

  registration_cache(registrar& owner, const cache_limits& most);
  ~registration_cache();

  /// A registration of the buffer, to be given back; null when none can be kept.
  entry* take(const void* address, std::size_t bytes) noexcept;
  void give_back(entry* used) noexcept;

  /// Removes registrations of memory that the program has given back; to be called when there is
  /// time. Cheap when there are none.
  void tidy() noexcept {
    // Acquire: pairs with reclaimed().
    if (reclaims_.load(std::memory_order_acquire) != reclaims_seen_) drop_stale();
  }

  /// The reason why nothing is kept, where the system does not allow a watch; empty before that
  /// is known.
  std::string_view refusal() const noexcept;

  std::size_t kept_bytes() const noexcept { return bytes_; }
  std::size_t kept() const noexcept { return order_.size(); }

 private:
  static constexpr std::size_t refused_most = 8;
  static constexpr std::uint32_t refused_rounds = 1024;

  void reclaimed(const address_range& gone) noexcept override;
  bool watching() noexcept;
  entry* find(const address_range& pages) noexcept;
  entry* add(const address_range& pages) noexcept;
  bool fill(entry& fresh, const address_range& pages) noexcept;
  entry* free_entry() noexcept;
  bool make_room(std::size_t bytes) noexcept;
  bool evict_one() noexcept;
  void list(entry& fresh) noexcept;
  void unlist(std::size_t place) noexcept;
  void close(entry& unused) noexcept;
  void drop_stale() noexcept;
  void drop_covered(const address_range& pages) noexcept;
  void measure_farthest_ends(std::size_t from) noexcept;
  bool known_as_refused(const address_range& pages) noexcept;

  registrar& registrar_;
  cache_limits most_;
  std::vector<entry> entries_;
  std::vector<entry*> order_;                  // the listed ones, by where they begin
  std::vector<std::uintptr_t> farthest_ends_;  // the farthest end up to each of these
  std::size_t bytes_ = 0;                      // of all registrations
  std::uint64_t clock_ = 0;                    // counts uses
  std::atomic<std::uint64_t> reclaims_ = 0;
  std::uint64_t reclaims_seen_ = 0;
  std::array<address_range, refused_most> refused_{};  // what could not be watched lately
  std::size_t next_refused_ = 0;
  std::uint32_t refused_round_ = 0;
  std::unique_ptr<reclaim_watch> watch_;  // ends first
};

}  // namespace atl::memory
