// SPDX-License-Identifier: BSD-3-Clause
//
// The settings by which ways to other ranks are chosen, and those of the ways built in.
#pragma once

#include <atoll/base/settings.hpp>

namespace atl::setting {

inline constexpr setting_row network{
    .name = "ATOLL_NETWORK",
    .kind = setting_kind::choice,
    .default_value = "auto",
    .choices = "auto,shm,ofi",
    .help = "messages to other neighbourhoods: through memory where there is some, or a network"};

inline constexpr setting_row module_path{
    .name = "ATOLL_MODULE_PATH",
    .kind = setting_kind::text,
    .default_value = "",
    .help = "folder where modules (libatoll_*.so) are looked for first; else beside libatoll.so"};

inline constexpr setting_row rma_path{
    .name = "ATOLL_RMA_PATH",
    .kind = setting_kind::choice,
    .default_value = "direct",
    .choices = "direct,am",
    .help = "puts and gets within a host: loads and stores, or (am, for tests) active messages"};

inline constexpr setting_row ring_cells{
    .name = "ATOLL_RING_CELLS",
    .kind = setting_kind::number,
    .default_value = "512",
    .min = 64,
    .max = 65536,
    .unit = "cells",
    .help = "cache-line cells in a rank's ring of incoming active messages",
    .power_of_two = true};

}  // namespace atl::setting
