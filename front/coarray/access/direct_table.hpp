// SPDX-License-Identifier: BSD-3-Clause
//
// The table that inline code of programs reads (include/atoll_coarray/table.h). It follows the
// current team. If the distances between its members are not regular, or transfers are counted, it
// is empty, and inline code calls the library.
#pragma once

namespace atl::coarray {

struct process_state;

/// Describes the current team; for null, no team.
void fill_direct_table(const process_state* us) noexcept;

}  // namespace atl::coarray
