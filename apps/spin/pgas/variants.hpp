// SPDX-License-Identifier: BSD-3-Clause
//
// The variants by name: what each takes from the shared area, and how it is made. The first is what
// runs when none is named.
#pragma once

#include <apps/spin/exchange.hpp>
#include <apps/spin/pgas/shared_area.hpp>

#include <memory>
#include <span>
#include <string_view>

namespace spin {

struct variant {
  std::string_view name;
  std::size_t (*bytes)(const exchange_shape& shape);
  std::unique_ptr<exchange> (*make)(atl::runtime& job, shared_area& area,
                                    const exchange_shape& shape);
};

std::span<const variant> variants() noexcept;
const variant& variant_named(std::string_view name) noexcept;

}  // namespace spin
