// SPDX-License-Identifier: BSD-3-Clause
//
// The settings by which a process finds its place in a job. The launcher sets most of them.
#pragma once

#include <atoll/base/job_limits.hpp>
#include <atoll/base/settings.hpp>

namespace atl::setting {

inline constexpr setting_row rank{.name = "ATOLL_RANK",
                                  .kind = setting_kind::number,
                                  .default_value = "",
                                  .max = settable_ranks_max - 1,
                                  .help = "this process's rank; set by the launcher",
                                  .set_by_launcher = true};

inline constexpr setting_row size{.name = "ATOLL_SIZE",
                                  .kind = setting_kind::number,
                                  .default_value = "",
                                  .min = 1,
                                  .max = settable_ranks_max,
                                  .help = "the number of ranks of the job; set by the launcher",
                                  .set_by_launcher = true};

inline constexpr setting_row job{
    .name = "ATOLL_JOB",
    .kind = setting_kind::text,
    .default_value = "",
    .help = "how to reach the launcher of the job; set by the launcher",
    .set_by_launcher = true};

inline constexpr setting_row member{
    .name = "ATOLL_MEMBER",
    .kind = setting_kind::text,
    .default_value = "",
    .help = "which process joined as the rank; set by that process for what it starts",
    .set_by_launcher = true};

inline constexpr setting_row images{
    .name = "ATOLL_IMAGES",
    .kind = setting_kind::number,
    .default_value = "",
    .min = 1,
    .max = settable_ranks_max,
    .unit = "images",
    .help = "images of a Fortran program with coarrays that is started by itself, as ./a.out"};

inline constexpr setting_row interface{
    .name = "ATOLL_INTERFACE",
    .kind = setting_kind::text,
    .default_value = "",
    .help = "interface (eth0) to the job's other hosts, preferred by socket networks"};

}  // namespace atl::setting
