// SPDX-License-Identifier: BSD-3-Clause
//
// Coarrays: the object that a token of the compiler stands for, and how it is made and given back.
// Data of a coarray lies in the symmetric heap, at one offset on all images of the team. Data of an
// allocatable component lies in the shared heap, which each image has for itself; others find it by
// the descriptor in the object that holds the component.
//
// Locks, events and critical sections are 64-bit words, an array of them per coarray; events have a
// second array behind the first, in cache lines of its own.
#pragma once

#include <front/coarray/data/gfortran.hpp>
#include <front/coarray/process_state.hpp>
#include <front/coarray/status.hpp>

#include <cstddef>
#include <cstdint>

namespace atl::coarray {

/// Kinds of registrations, as the compiler numbers them.
enum class registration : int {
  static_data,
  allocatable,
  static_locks,
  allocatable_locks,
  critical,
  static_events,
  allocatable_events,
  component_only_token,
  component_only_data,
  associated  // another name of a coarray, by CHANGE TEAM of gfortran 16
};
enum class deregistration : int { everything, only_data };

struct coarray {
  std::byte* memory = nullptr;  // of this image; null: not allocated
  std::size_t bytes = 0;
  gfortran::array_descriptor* described_by = nullptr;
  image_team* team = nullptr;  // null for a component
  /// Called by END TEAM; gives the data back and ends the object. Null for coarrays of libcaf.
  void (*end)(coarray&) noexcept = nullptr;
  // For accessors (accessors.hpp), as the compiler registered it.
  bool may_hold_pointers = false;
  bool is_static_array = false;  // of more than one element
  std::int8_t rank = 0;          // of an allocatable one
  bool is_text = false;          // a component of type character(:), no array
  std::size_t to_taken = 0;      // of events: from an event to its word of posts taken
  coarray** held_at = nullptr;   // of a component: the compiler's variable for the token
};
// Programs read this by code of libcaf_atoll.a. Where it changes, raise the count of state_layout.
static_assert(sizeof(coarray) == 64);

/// Bytes of a lock, an event or a critical section.
inline constexpr std::size_t word_bytes = sizeof(std::uint64_t);

/// A place in an image's part of a coarray; image 0 is this one.
remote_place place_of(const char* call, const coarray& object, std::size_t offset_bytes,
                      int image) noexcept;

/// Memory for a coarray of the current team, filled with zeros; null where that is impossible.
/// Tells the outcome, as of `call`, null for ALLOCATE; collective.
std::byte* allocate_data(process_state& us, std::size_t bytes, const status_variables& status,
                         const char* call = nullptr) noexcept;

/// Whether this SYNC ALL goes on without images that have failed, because the compiler has put it
/// behind an ALLOCATE with STAT=, where it passes no STAT=. To be called once in each SYNC ALL.
bool does_sync_all_tolerate_losses() noexcept;

/// Gives the data of a coarray back to its team; collective, behind a barrier. A team that has lost
/// a member cannot agree on that, so there the memory stays allocated.
void give_back(process_state& us, coarray& gone) noexcept;

/// Allocates a coarray or a component: sets the token, and the data address of the descriptor.
/// Collective, except for components. `size` counts words for locks and events, else bytes.
void register_coarray(std::size_t size, registration kind, coarray** token,
                      gfortran::array_descriptor* described_by,
                      const status_variables& status) noexcept;

/// Gives back the data and, except for `only_data`, the token. Collective, except for components.
void deregister_coarray(coarray** token, deregistration kind,
                        const status_variables& status) noexcept;

/// Ends the allocation of all coarrays that were allocated in a team, the last one first. All
/// members call it.
void deallocate_all(process_state& us, image_team& team) noexcept;

/// free() and realloc() of the program, for memory of a component, or memory that is shared for
/// another reason; false for any other memory.
bool free_component_data(void* data) noexcept;
/// malloc() of the program, in shared memory; null where there is none yet, or it is full.
void* allocate_shared_data(std::size_t bytes) noexcept;
bool resize_component_data(void** data, std::size_t bytes) noexcept;

}  // namespace atl::coarray
