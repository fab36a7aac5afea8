// SPDX-License-Identifier: BSD-3-Clause
//
// Accessors that the image calls which has the object: one request with the arguments of the
// statement, and the value of a write, and one answer, with the value of a read. Arguments that the
// accessor asks for are sent with a second request the first time, and with the first one from then
// on.
//
// They throw lost_image where the image is lost.
#pragma once

#include <front/coarray/accessors.hpp>
#include <front/coarray/owner_calls.hpp>

namespace atl::coarray {

/// Has this image answer such calls of others.
void serve_accessors(owner_calls& calls) noexcept;

/// Returns whether one value lies in memory that is to be released.
bool read_there(process_state& us, rank_id rank, const accessor_target& to, const accessed& from);
void write_there(process_state& us, rank_id rank, const accessed& to, const accessor_value& from);
bool is_present_there(process_state& us, rank_id rank, const accessed& object, object_form form);

}  // namespace atl::coarray
