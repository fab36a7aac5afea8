// SPDX-License-Identifier: BSD-3-Clause
//
// The place that a PRIF procedure names: an image, numbered in the initial team, with a coarray and
// a distance from its data's beginning, or with an address of that image.
#pragma once

#include <front/coarray/prif/coarray_handle.hpp>

#include <cstddef>
#include <cstdint>

namespace atl::coarray::prif {

inline rank_id initial_rank(const char* call, int image) noexcept {
  const process_state& us = running();
  return rank_of(us, *us.initial, call, image);
}

inline remote_place place_in(const char* call, int image, const handle& coarray,
                             std::size_t offset) noexcept {
  const rank_id rank = initial_rank(call, image);
  return {rank, running().remote_address(rank, coarray.data) + offset};
}

inline remote_place place_at(const char* call, int image, std::intptr_t address) noexcept {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the address is that of another process
  return {initial_rank(call, image), reinterpret_cast<std::byte*>(address)};
}

/// A prif_team_type of the program; null where the argument is absent.
using team_variable = image_team*;
inline const image_team& team_or_current(team_variable const* team) noexcept {
  return team != nullptr && *team != nullptr ? **team : *running().current;
}

}  // namespace atl::coarray::prif
