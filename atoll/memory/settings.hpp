// SPDX-License-Identifier: BSD-3-Clause
//
// The settings of memory: how large heaps may be, and how memory outside of them is copied.
#pragma once

#include <atoll/base/settings.hpp>

namespace atl::setting {

inline constexpr setting_row segment_limit{
    .name = "ATOLL_SEGMENT_LIMIT",
    .kind = setting_kind::bytes,
    .default_value = "0",
    .max = std::uint64_t{1} << 46,
    .help = "most bytes of shared heap per rank; 0 derives it from the machine's memory"};

inline constexpr setting_row symmetric_limit{
    .name = "ATOLL_SYMMETRIC_LIMIT",
    .kind = setting_kind::bytes,
    .default_value = "0",
    .max = std::uint64_t{1} << 46,
    .help = "most bytes of symmetric heap per rank; 0: as many as of shared heap"};

inline constexpr setting_row memory_limit{
    .name = "ATOLL_MEMORY_LIMIT",
    .kind = setting_kind::bytes,
    .default_value = "0",
    .max = std::uint64_t{1} << 46,
    .help = "most bytes of shared heap per host; 0 derives it from the machine's memory"};

inline constexpr setting_row kernel_copy{
    .name = "ATOLL_KERNEL_COPY",
    .kind = setting_kind::choice,
    .default_value = "auto",
    .choices = "auto,never,always",
    .help = "a neighbour's memory outside of the heap: process_vm_writev, or active messages"};

}  // namespace atl::setting
