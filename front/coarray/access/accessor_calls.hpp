// SPDX-License-Identifier: BSD-3-Clause
//
// Accessors that are called by the image that has the object. One request has the arguments of the
// statement, and the value of a write; one answer has the value of a read. The first time,
// arguments that the accessor asks for are sent with a second request, and from then on with the
// first one.
//
// They throw lost_image where the image is lost.
#pragma once

#include <front/coarray/access/accessors.hpp>
#include <front/coarray/access/owner_calls.hpp>

namespace atl::coarray {

/// Lets this image answer such calls of others.
void serve_accessors(owner_calls& calls) noexcept;

/// Returns whether the value, if it is a single one, lies in memory that is to be released.
bool read_remote(process_state& us, rank_id rank, const accessor_target& to,
                 const coindexed_object& from);
void write_remote(process_state& us, rank_id rank, const coindexed_object& to,
                  const accessor_value& from);
bool is_present_remote(process_state& us, rank_id rank, const coindexed_object& object,
                       object_form form);

}  // namespace atl::coarray
