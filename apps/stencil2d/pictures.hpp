// SPDX-License-Identifier: BSD-3-Clause
//
// Pictures of the field while heat spreads: a separate run of the variant *elegant*, which is not
// timed, and in which rank 0 gets the blocks of all others.
#pragma once

#include <apps/stencil2d/options.hpp>
#include <atoll/core/team/team.hpp>

namespace stencil2d {

/// Throws `atl::error` on all ranks when pictures are asked for and cannot be drawn: no libpng, a
/// folder that cannot be written. Makes the folder. Collective.
void check_pictures(const options& chosen, atl::team& world, bool first);

/// Draws frame-NNNNN.png, by steps, and heat.png, four of them beside each other. Collective;
/// throws `atl::error` on rank 0 when a file cannot be written.
void draw(const options& chosen, atl::team& world, bool first);

}  // namespace stencil2d
