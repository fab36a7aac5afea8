// SPDX-License-Identifier: BSD-3-Clause
//
// The table of profiles.
#include <tests/conformance/strict/profiles.hpp>

#include <rdma/fi_domain.h>

#include <algorithm>
#include <array>

namespace strict {

namespace {

constexpr int basic = FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
constexpr std::size_t large = std::size_t{1} << 30;

constexpr std::array<profile, 6> profiles{{
    {.name = "verbs",
     .registration = basic | FI_MR_LOCAL,
     .inject_max = 64,
     .key_bytes = 4,
     .message_max = large,
     .sleeps = true,
     .many_per_receive = true,
     .orders_messages = true,
     .progresses_itself = true},
    {.name = "cxi",
     .registration = FI_MR_ENDPOINT | FI_MR_ALLOCATED | FI_MR_PROV_KEY,
     .inject_max = 192,
     .message_max = large,
     .sleeps = true,
     .many_per_receive = true,
     .orders_messages = true},
    {.name = "psm3",
     .mode = FI_CONTEXT,
     .inject_max = 64,
     .message_max = large,
     .sleeps = true,
     .many_per_receive = true,
     .orders_messages = true,
     .progresses_itself = true},
    {.name = "efa",
     .registration = basic,
     .inject_max = 4096,
     .key_bytes = 4,
     .message_max = large,
     .many_per_receive = true,
     .orders_messages = true},
    {.name = "opx",
     .registration = basic,
     .mode = FI_ASYNC_IOV,
     .inject_max = 16,
     .key_bytes = 2,
     .message_max = large,
     .many_per_receive = true},
    // No provider has all of these demands.
    {.name = "worst",
     .registration = basic | FI_MR_LOCAL | FI_MR_ENDPOINT,
     .mode = FI_CONTEXT2 | FI_ASYNC_IOV,
     .key_bytes = 2,
     .message_max = 100'000},
}};

}  // namespace

const profile* find_profile(std::string_view name) noexcept {
  const auto* const found = std::ranges::find(profiles, name, &profile::name);
  return found == profiles.end() ? nullptr : found;
}

}  // namespace strict
