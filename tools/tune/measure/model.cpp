// SPDX-License-Identifier: BSD-3-Clause
//
// The model's figures come from broadcasts by messages in a team of two: when the roots take turns,
// each broadcast waits for the one before; from one root they overlap. A row per algorithm says how
// many messages its longest chain has, how many messages its busiest member sends, and how many
// times the bytes of a call.
#include <tools/tune/measure/model.hpp>

#include <atoll/coll/team_creation.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace atl::tune {

namespace {

using coll::collective;
using clock = std::chrono::steady_clock;

constexpr std::size_t large = std::size_t{256} << 10;
constexpr unsigned exchanges = 32;
constexpr unsigned flood = 256;  // messages of which the sender alone is timed
constexpr unsigned samples = 5;
constexpr std::chrono::milliseconds enough(300);  // after which no sample begins

/// The work of an algorithm, in units of messages and of the bytes of the call.
struct effort {
  double depth = 0;     // messages of the longest chain
  double messages = 0;  // that the busiest member sends
  double volume = 0;    // times the bytes of the call that it sends
};

double steps_of(double members, double radix) {
  return std::ceil(std::log(members) / std::log(radix) - 1e-9);
}

effort tree_effort(double members, double radix) {
  const double steps = steps_of(members, radix);
  return {.depth = steps, .messages = steps * (radix - 1), .volume = steps * (radix - 1)};
}

effort twice(const effort& each) {
  return {.depth = 2 * each.depth, .messages = 2 * each.messages, .volume = 2 * each.volume};
}

// The effort of trees whose messages are blocks of several members, and of algorithms that send one
// block from each member to each.
effort block_tree_effort(double members, double radix) {
  effort each = tree_effort(members, radix);
  each.volume = members - 1;
  return each;
}

effort direct_effort(double members) {
  return {.depth = 1, .messages = members - 1, .volume = members - 1};
}

effort ring_effort(double members, double volume) {
  return {.depth = members - 1, .messages = members - 1, .volume = volume};
}

effort bruck_alltoall_effort(double members, double radix) {
  effort each = tree_effort(members, radix);
  each.volume = steps_of(members, radix) * members * (radix - 1) / radix;
  return each;
}

effort fork_effort(double members, double width) {
  const double row = std::min(members, width);
  return {.depth = std::ceil(members / width) + row - 2, .messages = 2, .volume = 2};
}

effort halving_effort(double members) {
  const double steps = steps_of(members, 2);
  return {.depth = 2 * steps, .messages = 2 * steps, .volume = 2 * (1 - 1 / members)};
}

bool has_root_and_whole_data(collective kind) {
  return kind == collective::broadcast || kind == collective::reduce;
}

// The last line is for algorithms that the model does not cover.
effort effort_of(collective kind, std::string_view name, double n, double radix) {
  if (name == "tree" && has_root_and_whole_data(kind)) return tree_effort(n, radix);
  if (name == "tree" && kind == collective::allreduce) return twice(tree_effort(n, radix));
  if (name == "tree") return block_tree_effort(n, radix);
  if (name == "linear" || name == "pairwise") return direct_effort(n);
  if (name == "chain") return {.depth = n - 1, .messages = 1, .volume = 1};
  if (name == "fork") return fork_effort(n, radix);
  if (name == "ring") return ring_effort(n, n - 1);
  if (name == "scatter_gather") return {.depth = 2, .messages = n, .volume = 1};
  if (name == "scatter_allgather") return {.depth = n, .messages = 2 * n, .volume = 2};
  if (name == "recursive_halving") return halving_effort(n);
  if (name == "recursive_doubling" && kind == collective::allgather) return block_tree_effort(n, 2);
  if (name == "recursive_doubling" || name == "doubling") return tree_effort(n, 2);
  if (name == "bruck" && kind == collective::allgather) return block_tree_effort(n, radix);
  if (name == "bruck") return bruck_alltoall_effort(n, radix);
  return {};
}

/// Broadcasts by messages between two ranks.
class pair_of_ranks {
 public:
  explicit pair_of_ranks(trials& measured)
      : trials_(measured),
        buffer_(large),
        tree_(coll::find_algorithm(collective::broadcast, "tree")) {
    team& world = trials_.job().world();
    const team_hosts& hosts = world.hosts();
    const rank_id partner = hosts.one_host() ? 1 : hosts.leader(1);
    const bool takes_part = world.rank() == 0 || world.rank() == partner;
    pair_ = coll::split_team(world, takes_part ? std::optional<int>(0) : std::nullopt, 0);
  }
  pair_of_ranks(const pair_of_ranks&) = delete;
  pair_of_ranks& operator=(const pair_of_ranks&) = delete;
  ~pair_of_ranks() {
    if (pair_) coll::destroy_team(std::move(pair_));
  }

  /// Broadcasts each after the one before, overlapped ones until all have arrived, and those until
  /// all are sent.
  enum class pattern : std::uint8_t { in_turn, arrival, departure };

  /// Nanoseconds per broadcast on the two, the least of some samples, the same on all ranks.
  double least_ns(std::size_t bytes, pattern form) {
    const auto begin = clock::now();
    double least = 0;
    bool goes_on = true;
    for (unsigned i = 0; i < samples && goes_on; ++i) {
      trials_.job().world().barrier();
      const double each = pair_ ? once_ns(bytes, form) : 0;
      least = i == 0 ? each : std::min(least, each);
      goes_on = trials_.agree(clock::now() - begin < enough);
    }
    return trials_.agree(least);
  }

 private:
  double once_ns(std::size_t bytes, pattern form) {
    const unsigned count = form == pattern::departure ? flood : exchanges;
    const auto begin = clock::now();
    for (unsigned i = 0; i < count; ++i) {
      const rank_id root = form == pattern::in_turn ? i % 2 : 0;
      coll::broadcast(*pair_, root, buffer_.data(), buffer_.data(), bytes, {.use = tree_});
    }
    const auto sent = clock::now();
    if (form != pattern::in_turn) pair_->barrier();
    const auto end = form == pattern::departure ? sent : clock::now();
    return std::chrono::duration<double, std::nano>(end - begin).count() / count;
  }

  trials& trials_;
  std::vector<std::byte> buffer_;
  const coll::algorithm* tree_;
  std::unique_ptr<team> pair_;
};

}  // namespace

model::model(trials& measured, double overhead_ns, double latency_ns, double byte_ns)
    : trials_(measured),
      members_(measured.job().size()),
      overhead_ns_(overhead_ns),
      latency_ns_(latency_ns),
      byte_ns_(byte_ns) {}

model::model(trials& measured) : model(measured, 0, 0, 0) {
  if (members_ < 2) return;
  pair_of_ranks pair(measured);
  using pattern = pair_of_ranks::pattern;
  pair.least_ns(8, pattern::in_turn);  // the first ones make connections
  latency_ns_ = pair.least_ns(8, pattern::in_turn);
  overhead_ns_ = std::min(pair.least_ns(8, pattern::departure), latency_ns_);
  byte_ns_ = pair.least_ns(large, pattern::arrival) / static_cast<double>(large);
}

double model::predict_ns(const point& measured, const coll::choice& tried) const {
  const double radix = std::max(tried.radix, 2u);
  const effort each = effort_of(measured.kind, tried.use->name, members_, radix);
  if (each.depth == 0) return 0;
  const double work_ns =
      each.messages * overhead_ns_ + each.volume * byte_ns_ * static_cast<double>(measured.bytes);
  double total_ns = each.depth * latency_ns_ + work_ns;
  // Above the eager limit a member first requests the last message for which it waits.
  const trials::message_sizes sizes = trials_.sizes_of(measured, tried);
  if (sizes.message > sizes.eager) total_ns += latency_ns_;
  if (tried.use->cuts) total_ns += pieces_ns(measured, tried, each.depth, work_ns);
  return total_ns;
}

// The time that pieces add: for the first one to pass down a chain, for the messages of the others,
// and for waiting where the pieces under way do not fill the network.
double model::pieces_ns(const point& measured, const coll::choice& tried, double steps,
                        double work_ns) const {
  const trials::message_sizes sizes = trials_.sizes_of(measured, tried);
  const std::size_t piece = std::min(sizes.piece, measured.bytes);
  const double count = std::ceil(static_cast<double>(measured.bytes) / static_cast<double>(piece));
  const double piece_ns = static_cast<double>(piece) * byte_ns_;
  const double depth = tried.depth != 0 ? tried.depth : tried.use->depth;
  const double round_trip_ns = 2 * latency_ns_ + piece_ns;
  const double idle_ns = std::max(round_trip_ns / depth - work_ns / count, 0.0);
  const bool passes_on = tried.use->is_chain || tried.use->is_fork;
  const double way_ns = passes_on ? (steps - 1) * piece_ns : 0;
  return std::max(way_ns, 0.0) + (count - 1) * (overhead_ns_ + idle_ns);
}

}  // namespace atl::tune
