// SPDX-License-Identifier: BSD-3-Clause
//
// Looking up, adding and letting go. Listed entries lie in the order of where they begin, and
// beside each the farthest end of those up to it. The search for a buffer's entry goes backwards
// from the last one that begins before the buffer, and stops where no earlier one reaches it.
#include <atoll/memory/registration_cache.hpp>

#include <algorithm>
#include <new>

namespace atl::memory {

registration_cache::registration_cache(registrar& owner, const cache_limits& most)
    : registrar_(owner), most_(most), entries_(most.bytes == 0 ? 0 : most.entries) {
  order_.reserve(entries_.size());
  farthest_ends_.reserve(entries_.size());
}

registration_cache::~registration_cache() {
  watch_.reset();
  for (entry& each : entries_) {
    if (each.registration_ != nullptr) registrar_.remove(each.registration_);
  }
}

std::string_view registration_cache::refusal() const noexcept {
  return watch_ == nullptr ? std::string_view() : watch_->refusal();
}

/// Runs on the watching thread.
void registration_cache::reclaimed(const address_range& gone) noexcept {
  bool found = false;
  for (entry& each : entries_) {
    // Acquire: pairs with the releases in fill(), so that what is being filled is seen.
    const address_range range{each.begin_.load(std::memory_order_acquire),
                              each.end_.load(std::memory_order_acquire)};
    if (!range.overlaps(gone)) continue;
    each.stale_.store(true, std::memory_order_relaxed);
    found = true;
  }
  // Release: pairs with tidy(), which sees the marks.
  if (found) reclaims_.fetch_add(1, std::memory_order_release);
}

// --- looking up ----------------------------------------------------------------------------------

registration_cache::entry* registration_cache::take(const void* address,
                                                    std::size_t bytes) noexcept {
  const address_range pages = pages_of(range_of(address, bytes));
  if (pages.bytes() > most_.bytes || !watching() || !watch_->settled()) return nullptr;
  tidy();
  entry* found = find(pages);
  if (found == nullptr) found = add(pages);
  if (found == nullptr) return nullptr;
  ++found->users_;
  found->used_at_ = ++clock_;
  return found;
}

void registration_cache::give_back(entry* used) noexcept {
  if (--used->users_ == 0 && !used->listed_) close(*used);
}

/// Starts the watch, once.
bool registration_cache::watching() noexcept {
  if (watch_ == nullptr) {
    reclaim_watch::listener& listener = *this;
    watch_ = std::make_unique<reclaim_watch>(listener);
  }
  return watch_->refusal().empty();
}

registration_cache::entry* registration_cache::find(const address_range& pages) noexcept {
  const auto starts_after = [](std::uintptr_t begin, const entry* each) {
    return begin < each->range().begin;
  };
  const auto upper = std::upper_bound(order_.begin(), order_.end(), pages.begin, starts_after);
  for (auto i = static_cast<std::size_t>(upper - order_.begin()); i-- > 0;) {
    if (farthest_ends_[i] < pages.end) return nullptr;
    if (order_[i]->range().end >= pages.end) return order_[i];
  }
  return nullptr;
}

// --- adding --------------------------------------------------------------------------------------

registration_cache::entry* registration_cache::add(const address_range& pages) noexcept {
  if (known_as_refused(pages) || !make_room(pages.bytes())) return nullptr;
  entry* const fresh = free_entry();
  if (fresh == nullptr || !fill(*fresh, pages)) return nullptr;
  drop_covered(pages);
  list(*fresh);
  return fresh;
}

/// Announces the pages to the watching thread first, then watches, then registers them, so that
/// pages that are given back after their registration are reported and marked.
bool registration_cache::fill(entry& fresh, const address_range& pages) noexcept {
  fresh.stale_.store(false, std::memory_order_relaxed);
  fresh.begin_.store(pages.begin, std::memory_order_release);  // pair with reclaimed()
  fresh.end_.store(pages.end, std::memory_order_release);
  if (watch_->watch(pages)) {
    do {
      fresh.registration_ = registrar_.add(pages);
    } while (fresh.registration_ == nullptr && registrar_.lacked_room() && evict_one());
  }
  if (fresh.registration_ == nullptr) {
    refused_[next_refused_++ % refused_most] = pages;
    // Empty, so it overlaps with nothing; pairs with reclaimed().
    fresh.end_.store(0, std::memory_order_release);
    return false;
  }
  bytes_ += pages.bytes();
  return true;
}

/// Reading the mappings takes time, so a refused range is tried again only now and then.
bool registration_cache::known_as_refused(const address_range& pages) noexcept {
  if (++refused_round_ % refused_rounds == 0) refused_ = {};
  return std::any_of(refused_.begin(), refused_.end(),
                     [&](const address_range& each) { return each.holds(pages); });
}

registration_cache::entry* registration_cache::free_entry() noexcept {
  const auto is_free = [](const entry& each) { return each.registration_ == nullptr; };
  const auto found = std::find_if(entries_.begin(), entries_.end(), is_free);
  return found == entries_.end() ? nullptr : &*found;
}

bool registration_cache::make_room(std::size_t bytes) noexcept {
  while (bytes_ + bytes > most_.bytes || free_entry() == nullptr) {
    if (!evict_one()) return false;
  }
  return true;
}

/// Removes the registration that was unused for longest; false when all are in use.
bool registration_cache::evict_one() noexcept {
  std::size_t oldest = order_.size();
  for (std::size_t i = 0; i < order_.size(); ++i) {
    if (order_[i]->users_ != 0) continue;
    if (oldest == order_.size() || order_[i]->used_at_ < order_[oldest]->used_at_) oldest = i;
  }
  if (oldest == order_.size()) return false;
  unlist(oldest);
  return true;
}

// --- the list ------------------------------------------------------------------------------------

void registration_cache::list(entry& fresh) noexcept {
  const auto begins_before = [](const entry* each, std::uintptr_t begin) {
    return each->range().begin < begin;
  };
  const auto place =
      std::lower_bound(order_.begin(), order_.end(), fresh.range().begin, begins_before);
  const auto index = static_cast<std::size_t>(place - order_.begin());
  order_.insert(place, &fresh);  // within its capacity
  farthest_ends_.push_back(0);
  measure_farthest_ends(index);
  fresh.listed_ = true;
}

/// Closes an entry that is not in use; any other is closed when it is given back.
void registration_cache::unlist(std::size_t place) noexcept {
  entry& gone = *order_[place];
  order_.erase(order_.begin() + static_cast<std::ptrdiff_t>(place));
  farthest_ends_.pop_back();
  measure_farthest_ends(place);
  gone.listed_ = false;
  if (gone.users_ == 0) close(gone);
}

void registration_cache::measure_farthest_ends(std::size_t from) noexcept {
  for (std::size_t i = from; i < order_.size(); ++i) {
    farthest_ends_[i] = std::max(i == 0 ? 0 : farthest_ends_[i - 1], order_[i]->range().end);
  }
}

void registration_cache::close(entry& unused) noexcept {
  registrar_.remove(unused.registration_);
  unused.registration_ = nullptr;
  bytes_ -= unused.range().bytes();
  unused.end_.store(0, std::memory_order_release);  // overlaps with nothing; pairs with reclaimed()
}

void registration_cache::drop_stale() noexcept {
  // Read before the marks: a mark that comes meanwhile is looked for again.
  reclaims_seen_ = reclaims_.load(std::memory_order_acquire);
  for (std::size_t i = order_.size(); i-- > 0;) {
    if (order_[i]->stale_.load(std::memory_order_relaxed)) unlist(i);
  }
}

void registration_cache::drop_covered(const address_range& pages) noexcept {
  for (std::size_t i = order_.size(); i-- > 0;) {
    if (pages.holds(order_[i]->range())) unlist(i);
  }
}

}  // namespace atl::memory
