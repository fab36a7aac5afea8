// SPDX-License-Identifier: BSD-3-Clause
//
// The rows, in the order in which settings write the parameters.
#include <atoll/coll/engine/parameters.hpp>

#include <array>

namespace atl::coll {

namespace {

constexpr std::array rows{
    parameter{.name = "radix",
              .form = ":radix",
              .least = 2,
              .most = radix_max,
              .exists = [](const algorithm& use) noexcept { return use.radix != 0; },
              .value = [](const choice& made) noexcept { return std::uint64_t{made.radix}; }},
    parameter{.name = "piece",
              .form = "/bytes",
              .least = piece_bytes_min,
              .most = piece_bytes_max,
              .exists = [](const algorithm& use) noexcept { return use.cuts; },
              .value = [](const choice& made) noexcept { return std::uint64_t{made.piece_bytes}; }},
    parameter{.name = "depth",
              .form = "/depth=pieces",
              .least = 1,
              .most = depth_max,
              .exists = [](const algorithm& use) noexcept { return use.depth != 0; },
              .value = [](const choice& made) noexcept { return std::uint64_t{made.depth}; }},
    parameter{.name = "eager limit",
              .form = "/eager=bytes",
              .least = 1,
              .most = eager_bytes_max,
              .exists = [](const algorithm& use) noexcept { return use.messages; },
              .value = [](const choice& made) noexcept { return std::uint64_t{made.eager_bytes}; }},
    parameter{.name = "number of leaders",
              .form = "/leaders=members",
              .least = 1,
              .most = leaders_max,
              .exists = [](const algorithm& use) noexcept { return use.has_leaders; },
              .value = [](const choice& made) noexcept { return std::uint64_t{made.leaders}; }},
    parameter{.name = "mover of large messages",
              .form = "/by=side",
              .least = static_cast<std::uint64_t>(moved_by::put),
              .most = static_cast<std::uint64_t>(moved_by::get),
              .words = "put or get",
              .exists = [](const algorithm& use) noexcept { return use.messages; },
              .value = [](const choice& made) noexcept { return std::uint64_t(made.mover); }},
};

}  // namespace

std::span<const parameter> parameters() noexcept { return rows; }

const parameter* wrong_parameter(const choice& made) noexcept {
  for (const parameter& each : rows) {
    const std::uint64_t value = each.value(made);
    if (value == 0) continue;
    if (!each.exists(*made.use) || value < each.least || value > each.most) return &each;
  }
  return nullptr;
}

}  // namespace atl::coll
