// SPDX-License-Identifier: BSD-3-Clause
//
// The recommendations, in order: the first that fits a call, and whose algorithm can be used for
// it, counts. Of each collective the last one fits and can be used always.
#include <atoll/coll/recommended.hpp>

#include <atoll/base/assert.hpp>
#include <atoll/coll/engine.hpp>
#include <atoll/core/runtime.hpp>

#include <array>
#include <vector>

namespace atl::coll {

namespace {

constexpr std::size_t any_bytes = ~std::size_t{0};
constexpr rank_id any_size = ~rank_id{0};

enum class cores : std::uint8_t { any, one_each, shared };

struct rule {
  collective what;
  std::string_view name;
  std::size_t bytes_max = any_bytes;
  rank_id size_min = 1;
  rank_id size_max = any_size;
  unsigned radix = 0;
  cores where = cores::any;
};

constexpr std::array rules{
    rule{.what = collective::broadcast, .name = "shared"},
    rule{.what = collective::broadcast, .name = "hierarchical", .bytes_max = 256 << 10},
    rule{.what = collective::broadcast, .name = "tree", .size_max = 2},
    rule{.what = collective::broadcast,
         .name = "tree",
         .bytes_max = 4 << 10,
         .size_max = 8,
         .radix = 4},
    rule{.what = collective::broadcast, .name = "tree", .bytes_max = 256 << 10},
    rule{.what = collective::broadcast, .name = "scatter_allgather", .size_min = 5},
    rule{.what = collective::broadcast, .name = "chain"},

    rule{.what = collective::reduce, .name = "shared", .size_max = 8, .where = cores::one_each},
    rule{.what = collective::reduce, .name = "shared_tree"},
    rule{.what = collective::reduce, .name = "hierarchical", .bytes_max = 256 << 10},
    rule{.what = collective::reduce, .name = "tree", .bytes_max = 32 << 10},
    rule{.what = collective::reduce, .name = "scatter_gather"},

    rule{.what = collective::allreduce,
         .name = "shared",
         .bytes_max = 4 << 10,
         .size_max = 8,
         .where = cores::one_each},
    rule{.what = collective::allreduce,
         .name = "shared_split",
         .size_max = 64,
         .where = cores::one_each},
    rule{.what = collective::allreduce, .name = "shared_tree"},
    rule{.what = collective::allreduce, .name = "hierarchical", .bytes_max = 256 << 10},
    rule{.what = collective::allreduce,
         .name = "tree",
         .bytes_max = 4 << 10,
         .size_min = 3,
         .where = cores::shared},
    rule{.what = collective::allreduce, .name = "recursive_doubling", .bytes_max = 16 << 10},
    rule{.what = collective::allreduce, .name = "scatter_allgather"},

    rule{.what = collective::scatter, .name = "shared"},
    rule{.what = collective::scatter, .name = "hierarchical", .bytes_max = 1 << 10},
    rule{.what = collective::scatter, .name = "tree", .bytes_max = 256, .size_min = 9},
    rule{.what = collective::scatter, .name = "linear"},

    rule{.what = collective::gather, .name = "shared"},
    rule{.what = collective::gather, .name = "hierarchical", .bytes_max = 1 << 10},
    rule{.what = collective::gather, .name = "tree", .bytes_max = 256, .size_min = 9},
    rule{.what = collective::gather, .name = "linear"},

    rule{.what = collective::allgather, .name = "shared", .size_max = 16, .where = cores::one_each},
    rule{.what = collective::allgather, .name = "shared_counted"},
    rule{.what = collective::allgather, .name = "hierarchical", .bytes_max = 1 << 10},
    rule{.what = collective::allgather, .name = "linear", .size_max = 4},
    rule{.what = collective::allgather, .name = "bruck", .bytes_max = 1 << 10},
    rule{.what = collective::allgather, .name = "ring"},

    rule{.what = collective::alltoall, .name = "shared", .size_max = 16, .where = cores::one_each},
    rule{.what = collective::alltoall, .name = "shared_counted"},
    rule{
        .what = collective::alltoall, .name = "bruck", .bytes_max = 256, .size_min = 9, .radix = 4},
    rule{.what = collective::alltoall, .name = "pairwise"},

    rule{.what = collective::scan, .name = "shared", .bytes_max = 512, .size_max = 8},
    rule{.what = collective::scan, .name = "shared_chain"},
    rule{.what = collective::scan, .name = "doubling", .bytes_max = 16 << 10},
    rule{.what = collective::scan, .name = "chain"},
};

bool fits(const rule& each, const call& at, bool crowded) noexcept {
  if (at.bytes > each.bytes_max || at.size < each.size_min || at.size > each.size_max) return false;
  return each.where == cores::any || (each.where == cores::shared) == crowded;
}

// The algorithms of the rules, in their order; found by name once.
const std::array<const algorithm*, rules.size()>& algorithms_of_rules() noexcept {
  static const auto found = [] {
    std::array<const algorithm*, rules.size()> all;
    for (std::size_t i = 0; i < rules.size(); ++i) {
      all[i] = find_algorithm(rules[i].what, rules[i].name);
      ATOLL_ASSERT(all[i] != nullptr, "a recommendation of an unknown algorithm", rules[i].name);
    }
    return all;
  }();
  return found;
}

}  // namespace

choice recommended(const call& at) noexcept {
  const auto& those = algorithms_of_rules();
  // Hosts may differ in this, and then their members would choose differently.
  const bool crowded = at.one_host && at.on->owner().crowded();
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const rule& each = rules[i];
    if (each.what != at.what || !fits(each, at, crowded)) continue;
    if (!obstacle(*those[i], at).empty()) continue;
    return {.use = those[i], .radix = each.radix != 0 ? each.radix : those[i]->radix};
  }
  ATOLL_ASSERT(false, "no algorithm for a collective", name_of(at.what), at.bytes, at.size);
  return {};
}

}  // namespace atl::coll
