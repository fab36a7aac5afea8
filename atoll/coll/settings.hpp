// SPDX-License-Identifier: BSD-3-Clause
//
// The settings of the collectives: which algorithm each uses, and what is told about it.
#pragma once

#include <atoll/base/settings.hpp>

namespace atl::setting {

inline constexpr setting_row coll_broadcast{
    .name = "ATOLL_COLL_BROADCAST",
    .kind = setting_kind::text,
    .default_value = "",
    .help =
        "algorithm of broadcast and its parameters (tree:4/65536/depth=8), where it can be used"};

inline constexpr setting_row coll_reduce{
    .name = "ATOLL_COLL_REDUCE",
    .kind = setting_kind::text,
    .default_value = "",
    .help = "algorithm of reduce and its parameters (tree:4/65536/depth=8), where it can be used"};

inline constexpr setting_row coll_allreduce{
    .name = "ATOLL_COLL_ALLREDUCE",
    .kind = setting_kind::text,
    .default_value = "",
    .help =
        "algorithm of allreduce and its parameters (hierarchical/leaders=2), where it can be used"};

inline constexpr setting_row coll_scatter{
    .name = "ATOLL_COLL_SCATTER",
    .kind = setting_kind::text,
    .default_value = "",
    .help = "algorithm of scatter and its parameters (linear/eager=4096), where it can be used"};

inline constexpr setting_row coll_gather{
    .name = "ATOLL_COLL_GATHER",
    .kind = setting_kind::text,
    .default_value = "",
    .help = "algorithm of gather and its parameters (linear/depth=8), where it can be used"};

inline constexpr setting_row coll_allgather{
    .name = "ATOLL_COLL_ALLGATHER",
    .kind = setting_kind::text,
    .default_value = "",
    .help = "algorithm of allgather and its parameters (bruck:2), where it can be used"};

inline constexpr setting_row coll_alltoall{
    .name = "ATOLL_COLL_ALLTOALL",
    .kind = setting_kind::text,
    .default_value = "",
    .help = "algorithm of alltoall and its parameters (pairwise), where it can be used"};

inline constexpr setting_row coll_scan{
    .name = "ATOLL_COLL_SCAN",
    .kind = setting_kind::text,
    .default_value = "",
    .help = "algorithm of scan and its parameters (chain/65536/depth=8), where it can be used"};

inline constexpr setting_row coll_table{
    .name = "ATOLL_COLL_TABLE",
    .kind = setting_kind::text,
    .default_value = "",
    .help = "table of tuned choices: a file, or off; without it the user's or the site's"};

inline constexpr setting_row tune{
    .name = "ATOLL_TUNE",
    .kind = setting_kind::choice,
    .default_value = "off",
    .choices = "off,online",
    .help = "online: the program's own collective calls try which algorithm is fastest"};

inline constexpr setting_row tune_save{
    .name = "ATOLL_TUNE_SAVE",
    .kind = setting_kind::text,
    .default_value = "",
    .help = "file to which rank 0 adds what online tuning has found, when the job ends"};

inline constexpr setting_row coll_explain{
    .name = "ATOLL_COLL_EXPLAIN",
    .kind = setting_kind::flag,
    .default_value = "0",
    .help = "tell, once per kind of collective call, which algorithm was chosen and why"};

}  // namespace atl::setting
