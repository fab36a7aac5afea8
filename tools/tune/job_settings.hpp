// SPDX-License-Identifier: BSD-3-Clause
//
// The settings that change what a collective takes: a path of messages, a way to wait, an algorithm
// that is forced. A table says nothing of them, so what was measured with one would be used by jobs
// without it. `atoll tune` refuses them, and a job that measures without the command records them.
#pragma once

#include <atoll/base/settings.hpp>

#include <string>
#include <vector>

namespace atl::tune {

/// "ATOLL_RMA_PATH=am" for each of them that is not at its default. All settings count but those
/// that are known to change no time, and those by which a network is chosen, which records name.
std::vector<std::string> settings_that_change_times(const settings& current);

}  // namespace atl::tune
