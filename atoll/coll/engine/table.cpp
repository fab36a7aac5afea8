// SPDX-License-Identifier: BSD-3-Clause
//
// The table, by collective: a row per algorithm, whose file says how it works. Settings, notes
// and tests show its names and needs.
#include <atoll/coll/engine/table.hpp>

#include <atoll/coll/engine/algorithms.hpp>
#include <atoll/coll/shared/lanes.hpp>
#include <atoll/coll/shared/loop.hpp>
#include <atoll/core/job/runtime.hpp>

#include <algorithm>
#include <array>
#include <bit>

namespace atl::coll {

namespace {

constexpr std::array table{
    algorithm{.kind = collective::broadcast,
              .name = "tree",
              .run = broadcast_tree,
              .radix = 2,
              .cuts = true,
              .depth = depth_of_pieces,
              .help = "k-nomial tree; large data in pieces"},
    algorithm{.kind = collective::broadcast,
              .name = "fork",
              .run = broadcast_fork,
              .radix = 4,
              .cuts = true,
              .is_fork = true,
              .depth = depth_of_pieces,
              .help = "a chain of chains, in pieces"},
    algorithm{.kind = collective::broadcast,
              .name = "chain",
              .run = broadcast_chain,
              .cuts = true,
              .is_chain = true,
              .depth = depth_of_pieces,
              .help = "from each member to the next, in pieces"},
    algorithm{.kind = collective::broadcast,
              .name = "scatter_allgather",
              .run = broadcast_scatter_allgather,
              .depth = depth_of_rings,
              .message = message_share::part,
              .repeats = true,
              .help = "a block to each member, then a ring"},
    algorithm{.kind = collective::broadcast,
              .name = "hierarchical",
              .run = broadcast_hierarchical,
              .needs = needs::several_hosts,
              .has_leaders = true,
              .turns = 1,
              .help = "between hosts, then within each"},
    algorithm{.kind = collective::broadcast,
              .name = "shared",
              .needs = needs::one_host | needs::direct,
              .messages = false,
              .turns = 1,
              .form = &broadcast_shared,
              .help = "through the root's lane"},
    algorithm{.kind = collective::reduce,
              .name = "tree",
              .run = reduce_tree,
              .radix = 2,
              .cuts = true,
              .depth = depth_of_pieces,
              .help = "k-nomial tree; large data in pieces"},
    algorithm{.kind = collective::reduce,
              .name = "fork",
              .run = reduce_fork,
              .radix = 4,
              .cuts = true,
              .is_fork = true,
              .depth = depth_of_pieces,
              .help = "a chain of chains, in pieces"},
    algorithm{.kind = collective::reduce,
              .name = "scatter_gather",
              .run = reduce_scatter_gather,
              .depth = depth_of_blocks,
              .message = message_share::part,
              .repeats = true,
              .help = "each member combines one block"},
    algorithm{.kind = collective::reduce,
              .name = "recursive_halving",
              .run = reduce_recursive_halving,
              .message = message_share::half,
              .repeats = true,
              .help = "log2(size) exchanges of halves, then a tree"},
    algorithm{.kind = collective::reduce,
              .name = "hierarchical",
              .run = reduce_hierarchical,
              .needs = needs::several_hosts | needs::commutative,
              .has_leaders = true,
              .turns = 1,
              .help = "within each host, then between"},
    algorithm{.kind = collective::reduce,
              .name = "shared",
              .needs = needs::one_host | needs::direct,
              .messages = false,
              .turns = 1,
              .form = &reduce_shared,
              .help = "the root reads all lanes"},
    algorithm{.kind = collective::reduce,
              .name = "shared_tree",
              .needs = needs::one_host | needs::direct,
              .radix = 4,
              .messages = false,
              .turns = 1,
              .form = &reduce_shared_tree,
              .help = "the last to come combine the lanes"},
    algorithm{.kind = collective::allreduce,
              .name = "recursive_doubling",
              .run = allreduce_recursive_doubling,
              .help = "log2(size) exchanges of all data"},
    algorithm{.kind = collective::allreduce,
              .name = "tree",
              .run = allreduce_tree,
              .radix = 2,
              .cuts = true,
              .depth = depth_of_pieces,
              .help = "reduction and broadcast by trees"},
    algorithm{.kind = collective::allreduce,
              .name = "scatter_allgather",
              .run = allreduce_scatter_allgather,
              .depth = depth_of_blocks,
              .message = message_share::part,
              .repeats = true,
              .help = "each member combines one block, then a ring"},
    algorithm{.kind = collective::allreduce,
              .name = "recursive_halving",
              .run = allreduce_recursive_halving,
              .message = message_share::half,
              .repeats = true,
              .help = "log2(size) exchanges of halves, and back"},
    algorithm{.kind = collective::allreduce,
              .name = "hierarchical",
              .run = allreduce_hierarchical,
              .needs = needs::several_hosts | needs::commutative,
              .has_leaders = true,
              .turns = 2,
              .help = "within each host, between leaders, back"},
    algorithm{.kind = collective::allreduce,
              .name = "shared",
              .needs = needs::one_host | needs::direct,
              .messages = false,
              .turns = 1,
              .form = &allreduce_shared,
              .help = "each reads all lanes"},
    algorithm{.kind = collective::allreduce,
              .name = "shared_tree",
              .needs = needs::one_host | needs::direct,
              .radix = 4,
              .messages = false,
              .turns = 1,
              .form = &allreduce_shared_tree,
              .help = "the last to come combine the lanes"},
    algorithm{.kind = collective::allreduce,
              .name = "shared_split",
              .needs = needs::one_host | needs::direct,
              .messages = false,
              .turns = 1,
              .form = &allreduce_shared_split,
              .help = "each combines a part of all lanes"},
    algorithm{.kind = collective::scatter,
              .name = "linear",
              .run = scatter_linear,
              .help = "from the root to each member"},
    algorithm{.kind = collective::scatter,
              .name = "tree",
              .run = scatter_tree,
              .radix = 2,
              .message = message_share::several,
              .help = "k-nomial tree"},
    algorithm{.kind = collective::scatter,
              .name = "hierarchical",
              .run = scatter_hierarchical,
              .needs = needs::several_hosts,
              .has_leaders = true,
              .turns = 1,
              .help = "between hosts, then within each"},
    algorithm{.kind = collective::scatter,
              .name = "shared",
              .needs = needs::one_host | needs::direct,
              .messages = false,
              .turns = 1,
              .form = &scatter_shared,
              .help = "through the root's lane"},
    algorithm{.kind = collective::gather,
              .name = "linear",
              .run = gather_linear,
              .depth = depth_of_pieces,
              .help = "from each member to the root"},
    algorithm{.kind = collective::gather,
              .name = "tree",
              .run = gather_tree,
              .radix = 2,
              .message = message_share::several,
              .help = "k-nomial tree"},
    algorithm{.kind = collective::gather,
              .name = "hierarchical",
              .run = gather_hierarchical,
              .needs = needs::several_hosts,
              .has_leaders = true,
              .turns = 1,
              .help = "within each host, then between"},
    algorithm{.kind = collective::gather,
              .name = "shared",
              .needs = needs::one_host | needs::direct,
              .messages = false,
              .turns = 1,
              .form = &gather_shared,
              .help = "the root reads all lanes"},
    algorithm{.kind = collective::allgather,
              .name = "linear",
              .run = allgather_linear,
              .help = "from each member to each"},
    algorithm{.kind = collective::allgather,
              .name = "bruck",
              .run = allgather_bruck,
              .radix = 2,
              .message = message_share::several,
              .help = "distances that grow by the radix"},
    algorithm{.kind = collective::allgather,
              .name = "recursive_doubling",
              .run = allgather_recursive_doubling,
              .message = message_share::several,
              .help = "log2(size) exchanges, straight to each place"},
    algorithm{.kind = collective::allgather,
              .name = "ring",
              .run = allgather_ring,
              .depth = depth_of_rings,
              .repeats = true,
              .help = "around a ring"},
    algorithm{.kind = collective::allgather,
              .name = "hierarchical",
              .run = allgather_hierarchical,
              .needs = needs::several_hosts,
              .has_leaders = true,
              .turns = 2,
              .help = "within each host, between leaders, back"},
    algorithm{.kind = collective::allgather,
              .name = "shared",
              .needs = needs::one_host | needs::direct,
              .messages = false,
              .turns = 1,
              .form = &allgather_shared,
              .help = "each reads all lanes"},
    algorithm{.kind = collective::allgather,
              .name = "shared_counted",
              .needs = needs::one_host | needs::direct,
              .messages = false,
              .turns = 1,
              .form = &allgather_shared_counted,
              .help = "the same, when the last to come says so"},
    algorithm{.kind = collective::allgather,
              .name = "gathered",
              .run = allgather_gathered,
              .needs = needs::one_host | needs::direct,
              .messages = false,
              .turns = 2,
              .help = "the first collects all blocks, the others read them there"},
    algorithm{.kind = collective::alltoall,
              .name = "pairwise",
              .run = alltoall_pairwise,
              .depth = depth_of_pieces,
              .help = "from each member to each"},
    algorithm{.kind = collective::alltoall,
              .name = "bruck",
              .run = alltoall_bruck,
              .radix = 2,
              .message = message_share::several,
              .help = "blocks together, by digits of their distance"},
    algorithm{.kind = collective::alltoall,
              .name = "hierarchical",
              .run = alltoall_hierarchical,
              .needs = needs::several_hosts,
              .has_leaders = true,
              .turns = 2,
              .bytes_max = std::size_t{32} << 10,
              .help = "to leaders, between these, and back"},
    algorithm{.kind = collective::alltoall,
              .name = "shared",
              .needs = needs::one_host | needs::direct,
              .messages = false,
              .turns = 1,
              .form = &alltoall_shared,
              .help = "each reads all lanes"},
    algorithm{.kind = collective::alltoall,
              .name = "shared_counted",
              .needs = needs::one_host | needs::direct,
              .messages = false,
              .turns = 1,
              .form = &alltoall_shared_counted,
              .help = "the same, when the last to come says so"},
    algorithm{.kind = collective::scan,
              .name = "doubling",
              .run = scan_doubling,
              .help = "log2(size) steps of all data"},
    algorithm{.kind = collective::scan,
              .name = "chain",
              .run = scan_chain,
              .cuts = true,
              .is_chain = true,
              .depth = depth_of_pieces,
              .help = "from each member to the next, in pieces"},
    algorithm{.kind = collective::scan,
              .name = "hierarchical",
              .run = scan_hierarchical,
              .needs = needs::several_hosts | needs::consecutive,
              .turns = 2,
              .help = "within each host, between hosts, back"},
    algorithm{.kind = collective::scan,
              .name = "shared",
              .needs = needs::one_host | needs::direct,
              .messages = false,
              .turns = 1,
              .form = &scan_shared,
              .help = "each reads the lanes before it"},
    algorithm{.kind = collective::scan,
              .name = "shared_chain",
              .needs = needs::one_host | needs::direct,
              .messages = false,
              .turns = 1,
              .form = &scan_shared_chain,
              .help = "through the lanes, from each to the next"},
    algorithm{.kind = collective::barrier,
              .name = "dissemination",
              .radix = barrier_radix_usual,
              .messages = false,
              .help = "distances that grow by the radix"},
    algorithm{.kind = collective::fence,
              .name = "dissemination",
              .run = fence_dissemination,
              .help = "the engine's own"},
};

constexpr std::array<std::string_view, static_cast<std::size_t>(collective::count)> names{
    "broadcast", "reduce",   "allreduce", "scatter", "gather",
    "allgather", "alltoall", "scan",      "barrier", "fence"};

}  // namespace

std::span<const algorithm> algorithms() noexcept { return table; }

task start(const algorithm& use, call& c) {
  return use.form != nullptr ? run_shared(c, *use.form) : use.run(c);
}

std::size_t message_bytes(const algorithm& use, const call& call) noexcept {
  if (use.cuts) return std::min(call.bytes, usual_piece_bytes(use, call));
  if (use.message == message_share::part) return call.bytes / call.size;
  if (use.message == message_share::half) return call.bytes / 2;
  return use.message == message_share::whole ? call.bytes : call.bytes * (call.size / 2);
}

std::size_t usual_eager_bytes(const call& call) noexcept {
  return call.one_host ? eager_bytes_on_host : eager_bytes_between_hosts;
}

std::size_t usual_piece_bytes(const algorithm& use, const call& call) noexcept {
  if (call.one_host) return call.whole_team->owner().medium_max();
  if (use.kind == collective::broadcast && call.size == 2)
    return std::clamp(call.bytes, piece_bytes_between_hosts, piece_bytes_max);
  const bool is_long_chain = use.is_chain && call.whole_team->hosts().count() > 2;
  return is_long_chain ? piece_bytes_of_long_chain : piece_bytes_between_hosts;
}

std::string_view name_of(collective kind) noexcept { return names[static_cast<std::size_t>(kind)]; }

const algorithm* find_algorithm(collective kind, std::string_view name) noexcept {
  for (const algorithm& each : table) {
    if (each.kind == kind && each.name == name) return &each;
  }
  return nullptr;
}

std::string_view obstacle(const algorithm& candidate, const call& call) noexcept {
  if ((candidate.needs & needs::one_host) != 0 && !call.one_host)
    return "the team is on several hosts";
  if ((candidate.needs & needs::several_hosts) != 0 && (call.one_host || call.is_part)) {
    return "the team is on one host";
  }
  if ((candidate.needs & needs::consecutive) != 0 && !call.whole_team->hosts().consecutive()) {
    return "the members of a host do not follow each other in the team";
  }
  if (candidate.kind == collective::barrier && barrier_messengers(*call.whole_team) < 3) {
    return "no more than two members tell each other by messages";
  }
  if ((candidate.needs & needs::direct) != 0) {
    const std::string_view reason = obstacle_to_sharing(call);
    if (!reason.empty()) return reason;
  }
  if ((candidate.needs & needs::power_of_two) != 0 && !std::has_single_bit(call.size)) {
    return "the number of members is no power of two";
  }
  if ((candidate.needs & needs::commutative) != 0 && !call.combine.commutative) {
    return "the operation is not commutative";
  }
  if (call.bytes > candidate.bytes_max) return "the data are too large for it";
  return {};
}

}  // namespace atl::coll
