// SPDX-License-Identifier: BSD-3-Clause
//
// The recommendations, in order: the first that fits a call, and whose algorithm can be used for
// it, counts. The last one of each collective always fits and can always be used.
#include <atoll/coll/engine/recommended.hpp>

#include <atoll/base/assert.hpp>
#include <atoll/base/rounding.hpp>
#include <atoll/coll/engine/engine.hpp>
#include <atoll/core/job/runtime.hpp>

#include <array>
#include <bit>
#include <vector>

namespace atl::coll {

namespace {

constexpr std::size_t any_bytes = ~std::size_t{0};
constexpr rank_id any_size = ~rank_id{0};

enum class cores : std::uint8_t { either, one_each, shared };

struct rule {
  collective kind;
  std::string_view name;
  std::size_t bytes_min = 1;
  std::size_t bytes_max = any_bytes;
  rank_id size_min = 1;
  rank_id size_max = any_size;
  unsigned radix = 0;
  cores core_use = cores::either;
  bool powers_of_two = false;       // of members only
  rank_id hosts_max = any_size;     // of a whole team, where members of a host follow each other
  rank_id per_host_min = 1;         // members of a host in the mean
  std::size_t led_max = any_bytes;  // bytes of the blocks of a host's members for all
};

// Where each host has one member, `hierarchical` is another algorithm after a copy of the data.
// Two members exchange whole data up to 256 KiB: one step instead of two. Among three or
// four, fewer messages count: a chain in a scan, a tree in a reduction whose data would otherwise
// be cut into as many parts, and among four doubling in an allgather.
//
// A scan of few members on two hosts goes along a chain, which crosses from host to host once and
// lets calls follow each other; on more hosts fewer crossings count. Halving folds members of other
// counts than powers of two, for which all data travel once more.
//
// Large data go by messages instead of lanes in two cases. In an all-to-all of two members that
// have a core each, a message is one copy by the kernel; of less than 2 MiB that is slower where
// the cores share a cache, by more than it is faster where they do not. In a scatter or all-to-all
// of members that share cores, the buffers of messages are small and stay in the caches, while the
// many slots of a lane do not. Smaller data go by lanes there, because with messages these members
// would wait for each other's turns on the cores too often. A scan of members that share cores, or
// of two, is `shared_chain`, where each member wakes only the next one.
constexpr std::array rules{
    rule{.kind = collective::broadcast, .name = "shared"},
    rule{.kind = collective::broadcast,
         .name = "hierarchical",
         .bytes_max = 256 << 10,
         .per_host_min = 2},
    rule{.kind = collective::broadcast, .name = "tree", .size_max = 2},
    rule{.kind = collective::broadcast,
         .name = "tree",
         .bytes_max = 4 << 10,
         .size_max = 8,
         .radix = 4},
    rule{.kind = collective::broadcast, .name = "tree", .bytes_max = 256 << 10},
    rule{.kind = collective::broadcast, .name = "scatter_allgather", .size_min = 5},
    rule{.kind = collective::broadcast, .name = "chain"},

    rule{.kind = collective::reduce, .name = "shared", .size_max = 8, .core_use = cores::one_each},
    rule{.kind = collective::reduce, .name = "shared", .size_max = 6},
    rule{.kind = collective::reduce, .name = "shared", .bytes_max = 128, .size_max = 8},
    rule{.kind = collective::reduce, .name = "shared_tree"},
    rule{.kind = collective::reduce,
         .name = "hierarchical",
         .bytes_max = 1 << 20,
         .per_host_min = 2},
    rule{.kind = collective::reduce, .name = "tree", .size_max = 2},
    rule{.kind = collective::reduce, .name = "tree", .bytes_max = 256 << 10, .size_max = 4},
    rule{.kind = collective::reduce, .name = "tree", .bytes_max = 32 << 10},
    rule{.kind = collective::reduce, .name = "recursive_halving", .powers_of_two = true},
    rule{.kind = collective::reduce, .name = "scatter_gather"},

    rule{.kind = collective::allreduce,
         .name = "shared",
         .size_max = 2,
         .core_use = cores::one_each},
    rule{.kind = collective::allreduce,
         .name = "shared",
         .bytes_max = 4 << 10,
         .size_max = 8,
         .core_use = cores::one_each},
    rule{.kind = collective::allreduce,
         .name = "shared_split",
         .size_max = 64,
         .core_use = cores::one_each},
    rule{.kind = collective::allreduce,
         .name = "shared_tree",
         .bytes_min = 32 << 10,
         .size_max = 4,
         .radix = 2},
    rule{.kind = collective::allreduce, .name = "shared_tree"},
    rule{.kind = collective::allreduce,
         .name = "hierarchical",
         .bytes_max = 1 << 20,
         .per_host_min = 2},
    rule{.kind = collective::allreduce,
         .name = "tree",
         .bytes_max = 4 << 10,
         .size_min = 3,
         .core_use = cores::shared},
    rule{.kind = collective::allreduce,
         .name = "recursive_doubling",
         .bytes_max = 256 << 10,
         .size_max = 2},
    rule{.kind = collective::allreduce, .name = "recursive_doubling", .bytes_max = 16 << 10},
    rule{.kind = collective::allreduce, .name = "recursive_halving", .powers_of_two = true},
    rule{.kind = collective::allreduce, .name = "scatter_allgather"},

    rule{.kind = collective::scatter,
         .name = "linear",
         .bytes_min = 64 << 10,
         .size_max = 4,
         .core_use = cores::shared},
    rule{.kind = collective::scatter,
         .name = "linear",
         .bytes_min = 256 << 10,
         .core_use = cores::shared},
    rule{.kind = collective::scatter, .name = "shared"},
    rule{.kind = collective::scatter,
         .name = "hierarchical",
         .bytes_max = 1 << 10,
         .per_host_min = 2},
    rule{.kind = collective::scatter, .name = "tree", .bytes_max = 256, .size_min = 9},
    rule{.kind = collective::scatter, .name = "linear"},

    rule{.kind = collective::gather, .name = "shared"},
    rule{.kind = collective::gather,
         .name = "hierarchical",
         .bytes_max = 1 << 10,
         .per_host_min = 2},
    rule{.kind = collective::gather, .name = "tree", .bytes_max = 256, .size_min = 9},
    rule{.kind = collective::gather, .name = "linear"},

    rule{.kind = collective::allgather,
         .name = "shared",
         .size_max = 16,
         .core_use = cores::one_each},
    rule{.kind = collective::allgather, .name = "gathered", .bytes_max = 1 << 10, .size_min = 33},
    rule{.kind = collective::allgather, .name = "shared_counted"},
    rule{.kind = collective::allgather,
         .name = "hierarchical",
         .bytes_max = 1 << 10,
         .per_host_min = 2},
    rule{.kind = collective::allgather,
         .name = "recursive_doubling",
         .bytes_max = 16 << 10,
         .size_min = 3,
         .size_max = 4,
         .powers_of_two = true},
    rule{.kind = collective::allgather, .name = "linear", .size_max = 4},
    rule{.kind = collective::allgather, .name = "bruck", .bytes_max = 1 << 10},
    rule{.kind = collective::allgather, .name = "ring"},

    rule{.kind = collective::alltoall,
         .name = "pairwise",
         .bytes_min = 2 << 20,
         .size_max = 2,
         .core_use = cores::one_each},
    rule{.kind = collective::alltoall,
         .name = "pairwise",
         .bytes_min = 128 << 10,
         .size_max = 4,
         .core_use = cores::shared},
    rule{.kind = collective::alltoall,
         .name = "pairwise",
         .bytes_min = 256 << 10,
         .core_use = cores::shared},
    rule{.kind = collective::alltoall,
         .name = "shared",
         .size_max = 16,
         .core_use = cores::one_each},
    rule{.kind = collective::alltoall, .name = "shared_counted"},
    rule{.kind = collective::alltoall,
         .name = "hierarchical",
         .bytes_max = 1 << 10,
         .per_host_min = 2,
         .led_max = 4 << 20},
    rule{
        .kind = collective::alltoall, .name = "bruck", .bytes_max = 256, .size_min = 9, .radix = 4},
    rule{.kind = collective::alltoall, .name = "pairwise"},

    rule{.kind = collective::scan,
         .name = "shared",
         .bytes_max = 512,
         .size_min = 3,
         .size_max = 8,
         .core_use = cores::one_each},
    rule{.kind = collective::scan, .name = "shared_chain"},
    rule{.kind = collective::scan, .name = "chain", .size_max = 8, .hosts_max = 2},
    rule{
        .kind = collective::scan, .name = "hierarchical", .bytes_max = 16 << 10, .per_host_min = 2},
    rule{.kind = collective::scan, .name = "chain", .bytes_min = 4 << 10, .size_max = 4},
    rule{.kind = collective::scan, .name = "doubling", .bytes_max = 16 << 10},
    rule{.kind = collective::scan, .name = "chain"},

    rule{.kind = collective::barrier, .name = "dissemination"},
};

bool fits_hosts(const rule& each, const call& call) noexcept {
  const team_hosts& hosts = call.whole_team->hosts();
  if (each.hosts_max != any_size) {
    const bool is_whole = !call.one_host && !call.is_part;
    if (!is_whole || hosts.count() > each.hosts_max || !hosts.consecutive()) return false;
  }
  const std::size_t per_host = pieces_of(call.size, hosts.count());
  return per_host >= each.per_host_min && call.bytes <= each.led_max / call.size / per_host;
}

bool fits(const rule& each, const call& call, bool oversubscribed) noexcept {
  if (call.bytes < each.bytes_min || call.bytes > each.bytes_max) return false;
  if (call.size < each.size_min || call.size > each.size_max) return false;
  if (each.powers_of_two && !std::has_single_bit(call.size)) return false;
  if (each.core_use != cores::either && (each.core_use == cores::shared) != oversubscribed) {
    return false;
  }
  return fits_hosts(each, call);
}

// The algorithms of the rules, in their order; found by name once.
const std::array<const algorithm*, rules.size()>& algorithms_of_rules() noexcept {
  static const auto found = [] {
    std::array<const algorithm*, rules.size()> list;
    for (std::size_t i = 0; i < rules.size(); ++i) {
      list[i] = find_algorithm(rules[i].kind, rules[i].name);
      ATOLL_ASSERT(list[i] != nullptr, "a recommendation of an unknown algorithm", rules[i].name);
    }
    return list;
  }();
  return found;
}

}  // namespace

choice recommended(const call& call) noexcept {
  const auto& candidates = algorithms_of_rules();
  // Hosts may differ in this, and then their members would choose differently.
  const bool oversubscribed = call.one_host && call.whole_team->owner().is_oversubscribed();
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const rule& each = rules[i];
    if (each.kind != call.kind || !fits(each, call, oversubscribed)) continue;
    if (!obstacle(*candidates[i], call).empty()) continue;
    return {.use = candidates[i], .radix = each.radix != 0 ? each.radix : candidates[i]->radix};
  }
  ATOLL_ASSERT(false, "no algorithm for a collective", name_of(call.kind), call.bytes, call.size);
  return {};
}

}  // namespace atl::coll
