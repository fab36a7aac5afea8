// SPDX-License-Identifier: BSD-3-Clause
//
// A team that ends when its owner does; all its members end it together.
#pragma once

#include <atoll/coll/team_creation.hpp>

#include <memory>

namespace trial {

struct team_ender {
  void operator()(atl::team* gone) const {
    atl::coll::destroy_team(std::unique_ptr<atl::team>(gone));
  }
};
using own_team = std::unique_ptr<atl::team, team_ender>;

/// The team of the callers with this colour, in the order of their keys; collective over `parent`.
inline own_team split(atl::team& parent, unsigned color, unsigned key) {
  auto made = atl::coll::split_team(parent, static_cast<int>(color), static_cast<int>(key));
  return own_team(made.release());
}

}  // namespace trial
