// SPDX-License-Identifier: BSD-3-Clause
//
// A case of Atoll's alone: the round trip of a short active message of its core, which rpc is
// compared with. Weak, since a program that is linked with another UPC++ does without it.
#pragma once

#include <cstdint>

/// Short active messages there and back, each waited for; called on both ranks.
[[gnu::weak]] void core_round_trips(std::uint64_t count);
