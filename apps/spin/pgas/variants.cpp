// SPDX-License-Identifier: BSD-3-Clause
//
// One line per variant; nothing registers itself. The fastest is the first.
#include <apps/spin/pgas/direct.hpp>
#include <apps/spin/pgas/elegant.hpp>
#include <apps/spin/pgas/fence.hpp>
#include <apps/spin/pgas/inelegant.hpp>
#include <apps/spin/pgas/sentinel.hpp>
#include <apps/spin/pgas/variants.hpp>

namespace spin {
namespace {

template <class Variant>
std::unique_ptr<exchange> make(atl::runtime& job, shared_area& area, const exchange_shape& shape) {
  return std::make_unique<Variant>(job, area, shape);
}

constexpr variant entries[] = {
    {"direct", direct::bytes, make<direct>},
    {"elegant", elegant::bytes, make<elegant>},
    {"hoisted", hoisted::bytes, make<hoisted>},
    {"inelegant1", inelegant1::bytes, make<inelegant1>},
    {"inelegant2", inelegant2::bytes, make<inelegant2>},
    {"inelegant3", inelegant3::bytes, make<inelegant3>},
    {"fence", fence::bytes, make<fence>},
    {"fence_each", fence_each::bytes, make<fence_each>},
    {"fence_nbi", fence_nbi::bytes, make<fence_nbi>},
    {"fence_each_nbi", fence_each_nbi::bytes, make<fence_each_nbi>},
    {"sentinel", sentinel::bytes, make<sentinel>},
};

}  // namespace

std::span<const variant> variants() noexcept { return entries; }

const variant& variant_named(std::string_view name) noexcept {
  for (const variant& each : entries)
    if (each.name == name) return each;
  return entries[0];
}

}  // namespace spin
