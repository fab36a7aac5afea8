// SPDX-License-Identifier: BSD-3-Clause
//
// Gathers the declarations of fronts, and numbers them.
#include <atoll/core/job/front_table.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/hash.hpp>
#include <atoll/base/text.hpp>

#include <algorithm>

// The ends of the section of declarations, set by the linker; null where there are none.
// NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)
extern "C" {
[[gnu::weak,
  gnu::visibility("hidden")]] extern const atl::front_declaration* const __start_atoll_fronts[];
[[gnu::weak,
  gnu::visibility("hidden")]] extern const atl::front_declaration* const __stop_atoll_fronts[];
}
// NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)

namespace atl {
namespace {

/// The linker may leave gaps between declarations, which are null.
std::vector<const front_declaration*> collect_fronts() {
  std::vector<const front_declaration*> fronts;
  for (const front_declaration* const* each = __start_atoll_fronts; each < __stop_atoll_fronts;
       ++each) {
    if (*each != nullptr) fronts.push_back(*each);
  }
  std::ranges::sort(fronts, {}, &front_declaration::name);
  return fronts;
}

}  // namespace

std::span<const front_declaration* const> all_fronts() noexcept {
  static const std::vector<const front_declaration*> fronts = collect_fronts();
  return fronts;
}

front_table::front_table(std::span<const front_declaration* const> fronts) {
  for (const front_declaration* const each : fronts) rows_.push_back({each, {}});
  std::ranges::sort(rows_, {}, [](const row& each) { return each.front->name; });
  stable_hash numbers;
  std::size_t endpoint = first_endpoint;
  for (std::size_t number = 0; number < rows_.size(); ++number) {
    const front_declaration& front = *rows_[number].front;
    if (number != 0 && rows_[number - 1].front->name == front.name) {
      throw error(text("front '", front.name, "'"), "is declared twice",
                  "declare each front in one source file, under a name of its own");
    }
    rows_[number].at = {number, endpoint};
    endpoint += front.endpoints;
    numbers.add(front.name);
    numbers.add(text(" ", front.endpoints, ";"));
  }
  if (rows_.size() > fronts_max || endpoint > end_of_endpoints) {
    throw error(text(rows_.size(), " fronts with ", endpoint - first_endpoint, " endpoints"),
                text("at most ", fronts_max, " fronts with ", end_of_endpoints - first_endpoint,
                     " endpoints have room"),
                "raise fronts_max, or have a front declare fewer endpoints");
  }
  digest_ = numbers.value();
}

front_table::place front_table::place_of(const front_declaration& front) const {
  const auto found = std::ranges::find(rows_, &front, &row::front);
  if (found != rows_.end()) return found->at;
  throw error(text("front '", front.name, "'"), "is not declared in this program or library",
              "add ATOLL_DECLARE_FRONT beside its declaration");
}

}  // namespace atl
