// SPDX-License-Identifier: BSD-3-Clause
//
// PRIF: SYNC statements, locks, critical sections, events and notifications. Locks and events are
// words of 8 bytes that lie anywhere in a coarray; a critical section is a lock of the first image
// of the team that allocated it. Variables of this image are named by their address.
#include <front/coarray/prif/outcome.hpp>
#include <front/coarray/prif/peer.hpp>
#include <front/coarray/statements/events.hpp>
#include <front/coarray/statements/locks.hpp>
#include <front/coarray/statements/synchronization.hpp>

#include <vector>

namespace atl::coarray::prif {
namespace {

void lock_at(const remote_place& place, bool* acquired, const status_variables& status) noexcept {
  int is_acquired = 0;
  lock(place, acquired != nullptr ? &is_acquired : nullptr, status);
  if (acquired != nullptr) *acquired = is_acquired != 0;
}

void wait_for(void* own, const std::int64_t* until_count, const status_variables& status) noexcept {
  wait_for_event(static_cast<std::byte*>(own), 0, until_count != nullptr ? *until_count : 1,
                 status);
}

remote_place section_of(const handle& critical) noexcept {
  const rank_id first = critical.whole->object.team->core->job_rank(0);
  return {first, running().remote_address(first, critical.data)};
}

}  // namespace

extern "C" {

// --- SYNC statements

void atoll_prif_sync_all(int* stat, const c_descriptor* message, c_descriptor* allocated_message) {
  if (stat == nullptr) return sync_all();
  outcome status(stat, message, allocated_message);
  sync_all(status.variables());
}

void atoll_prif_sync_memory(int* stat, const c_descriptor* message,
                            c_descriptor* allocated_message) {
  outcome status(stat, message, allocated_message);
  sync_memory(status.variables());
}

void atoll_prif_sync_team(team_variable const* team, int* stat, const c_descriptor* message,
                          c_descriptor* allocated_message) {
  outcome status(stat, message, allocated_message);
  sync_team(*team, status.variables());
}

void atoll_prif_sync_images(const c_descriptor* images, int* stat, const c_descriptor* message,
                            c_descriptor* allocated_message) {
  outcome status(stat, message, allocated_message);
  if (images == nullptr) return sync_images(-1, nullptr, status.variables());
  std::vector<int> named;
  const std::size_t count = images->rank == 0 ? 1 : images->extent(0);
  for (std::size_t i = 0; i < count; ++i)
    named.push_back(images->rank == 0 ? *reinterpret_cast<const int*>(images->base)
                                      : element_at<const int>(*images, i));
  sync_images(static_cast<int>(count), named.data(), status.variables());
}

// --- locks

void atoll_prif_lock(const int* image, handle* const* coarray, const std::size_t* offset,
                     bool* acquired, int* stat, const c_descriptor* message,
                     c_descriptor* allocated_message) {
  outcome status(stat, message, allocated_message);
  lock_at(place_in("prif_lock", *image, **coarray, *offset), acquired, status.variables());
}

void atoll_prif_lock_indirect(const int* image, const std::intptr_t* address, bool* acquired,
                              int* stat, const c_descriptor* message,
                              c_descriptor* allocated_message) {
  outcome status(stat, message, allocated_message);
  lock_at(place_at("prif_lock_indirect", *image, *address), acquired, status.variables());
}

void atoll_prif_unlock(const int* image, handle* const* coarray, const std::size_t* offset,
                       int* stat, const c_descriptor* message, c_descriptor* allocated_message) {
  outcome status(stat, message, allocated_message);
  unlock(place_in("prif_unlock", *image, **coarray, *offset), status.variables());
}

void atoll_prif_unlock_indirect(const int* image, const std::intptr_t* address, int* stat,
                                const c_descriptor* message, c_descriptor* allocated_message) {
  outcome status(stat, message, allocated_message);
  unlock(place_at("prif_unlock_indirect", *image, *address), status.variables());
}

// --- critical sections

void atoll_prif_critical(handle* const* critical, int* stat, const c_descriptor* message,
                         c_descriptor* allocated_message) {
  outcome status(stat, message, allocated_message);
  lock(section_of(**critical), nullptr, status.variables());
}

void atoll_prif_end_critical(handle* const* critical) { unlock(section_of(**critical), {}); }

// --- events and notifications

void atoll_prif_event_post(const int* image, handle* const* coarray, const std::size_t* offset,
                           int* stat, const c_descriptor* message,
                           c_descriptor* allocated_message) {
  outcome status(stat, message, allocated_message);
  post_event(place_in("prif_event_post", *image, **coarray, *offset), status.variables());
}

void atoll_prif_event_post_indirect(const int* image, const std::intptr_t* address, int* stat,
                                    const c_descriptor* message, c_descriptor* allocated_message) {
  outcome status(stat, message, allocated_message);
  post_event(place_at("prif_event_post_indirect", *image, *address), status.variables());
}

void atoll_prif_event_wait(void* const* event, const std::int64_t* until_count, int* stat,
                           const c_descriptor* message, c_descriptor* allocated_message) {
  outcome status(stat, message, allocated_message);
  wait_for(*event, until_count, status.variables());
}

void atoll_prif_event_query(void* const* event, std::int64_t* count, int* stat) {
  *count = query_event({running().runtime.rank(), static_cast<std::byte*>(*event)}, 0,
                       {.stat = stat, .codes = &stat_codes});
}

void atoll_prif_notify_wait(void* const* notify, const std::int64_t* until_count, int* stat,
                            const c_descriptor* message, c_descriptor* allocated_message) {
  outcome status(stat, message, allocated_message);
  wait_for(*notify, until_count, status.variables());
}

}  // extern "C"

}  // namespace atl::coarray::prif
