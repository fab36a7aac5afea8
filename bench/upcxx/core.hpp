// SPDX-License-Identifier: BSD-3-Clause
//
// A case that only Atoll has: the round trip of a short active message of its core, with which rpc
// is compared. It is weak, since a program linked with another UPC++ does not have it.
#pragma once

#include <cstdint>

/// Short active messages there and back, each waited for; called on both ranks.
[[gnu::weak]] void core_round_trips(std::uint64_t count);
