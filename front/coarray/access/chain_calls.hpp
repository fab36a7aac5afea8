// SPDX-License-Identifier: BSD-3-Clause
//
// Chains of components in the memory of an image that is not mapped. The whole chain travels to the
// image, which walks it by loads, and gathers or scatters the data. That is one round trip, where a
// walk from here has one for each descriptor on the way. Data that do not fit into one message are
// left to that walk.
#pragma once

#include <front/coarray/access/reference.hpp>
#include <front/coarray/data/section.hpp>
#include <front/coarray/process_state.hpp>

namespace atl::coarray {

/// Lets this image answer such calls of others.
void serve_chains(owner_calls& calls) noexcept;

/// Whether loads and stores do not reach the heaps of an image.
bool is_reached_by_messages(const process_state& us, rank_id rank) noexcept;

/// The data at the end of a chain, as a section of memory here that is valid until the next call;
/// false where a walk from here must do it, also because a part is not allocated.
bool get_chain(process_state& us, rank_id rank, const referenced& from, section& data);

/// Assigns a section of this image to what is at the end of a chain; false as above.
bool send_chain(process_state& us, rank_id rank, const referenced& to, const section& data);

/// Sets whether all parts of a chain are allocated; returns false where that was not found out.
bool find_chain(process_state& us, rank_id rank, const coarray& object,
                const gfortran::reference* chain, bool& is_allocated);

}  // namespace atl::coarray
