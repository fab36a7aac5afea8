// SPDX-License-Identifier: BSD-3-Clause
//
// The promises of the collectives, tested for every algorithm of the table, forced one by one: at
// many counts of ranks, on one host and several (neighbourhoods of a few ranks), sizes around the
// limits of messages, all roots, in place and not, with an operation that does not commute.
#include <atoll/base/text.hpp>
#include <atoll/base/threads/race_annotations.hpp>
#include <atoll/coll/collectives.hpp>
#include <atoll/coll/engine/engine.hpp>
#include <atoll/coll/engine/parameters.hpp>
#include <atoll/coll/team_creation.hpp>
#include <atoll/coll/tuned/candidates.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/job/runtime.hpp>
#include <tests/support/thread_job.hpp>

#include <gtest/gtest.h>

#include <array>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace atl::coll {
namespace {

/// One way to run every test below: the number of ranks, and how many of them are on a host.
struct shape {
  rank_id ranks;
  rank_id width;
  const char* rma_path = "direct";
};

std::string name_of_shape(const testing::TestParamInfo<shape>& info) {
  return text("n", info.param.ranks, "_hosts_of_", info.param.width, "_", info.param.rma_path);
}

/// x -> a x + b, modulo 2^32: composed in order, it does not commute.
struct affine {
  std::uint32_t a, b;
};

const int context_of_compose = 1;

void compose(const void* first, void* second_and_out, std::size_t count, const void* context) {
  EXPECT_EQ(context, &context_of_compose);
  const auto* f = static_cast<const affine*>(first);
  auto* g = static_cast<affine*>(second_and_out);
  for (std::size_t i = 0; i < count; ++i) g[i] = {f[i].a * g[i].a, f[i].a * g[i].b + f[i].b};
}

affine element(rank_id member, std::size_t i) {
  const auto index = static_cast<std::uint32_t>(i);
  return {2 * (member * 77 + index % 1009) + 3, member * 131 + index};
}

/// The combination of the elements at `i` of the members from `first` to before `last`.
affine combined(rank_id first, rank_id last, std::size_t i) {
  affine result = element(first, i);
  for (rank_id member = first + 1; member < last; ++member) {
    affine next = element(member, i);
    compose(&result, &next, 1, &context_of_compose);
    result = next;
  }
  return result;
}

std::byte content(rank_id from, rank_id to, std::size_t i) {
  return static_cast<std::byte>(i * 31 + i / 255 + from * 7 + to * 59 + 1);
}

constexpr std::byte untouched{0xee};

/// A buffer followed by a byte that no member may touch.
struct guarded {
  explicit guarded(std::size_t size) : bytes(size + 1, untouched) {}
  std::byte* data() { return bytes.data(); }
  std::size_t size() const { return bytes.size() - 1; }
  void expect_whole() const { EXPECT_EQ(bytes.back(), untouched); }
  std::vector<std::byte> bytes;
};

/// Fills and checks blocks with bytes that depend on sender and receiver.
void fill(std::byte* block, std::size_t bytes, rank_id from, rank_id to) {
  for (std::size_t i = 0; i < bytes; ++i) block[i] = content(from, to, i);
}
void expect_block(const std::byte* block, std::size_t bytes, rank_id from, rank_id to) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < bytes; ++i) wrong += block[i] != content(from, to, i);
  EXPECT_EQ(wrong, 0u) << "of " << bytes << " bytes, from " << from << " to " << to;
}

void fill_elements(std::byte* to, rank_id member, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const affine value = element(member, i);
    std::memcpy(to + i * sizeof value, &value, sizeof value);
  }
}
void expect_elements(const std::byte* data, rank_id first, rank_id last, std::size_t count) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const affine wanted = combined(first, last, i);
    wrong += std::memcmp(data + i * sizeof wanted, &wanted, sizeof wanted) != 0;
  }
  EXPECT_EQ(wrong, 0u) << "of " << count << " elements of " << first << " to " << last;
}

/// One forced call.
struct trial {
  team& members;
  choice options;
  rank_id root = 0;
  std::size_t bytes = 0;  // of a block; a multiple of the size of an element for reductions
  bool in_place = false;
  bool exclusive = false;

  reduction combiner() const {
    return {.element_bytes = sizeof(affine),
            .combine = compose,
            .context = &context_of_compose,
            .commutative = false};
  }
  std::size_t count() const { return bytes / sizeof(affine); }
  bool is_root() const { return members.rank() == root; }
};

void try_broadcast(const trial& t) {
  guarded to(t.bytes);
  guarded from(t.bytes);
  std::byte* const source = t.in_place ? to.data() : from.data();
  if (t.is_root()) fill(source, t.bytes, t.root, 0);
  broadcast(t.members, t.root, to.data(), t.is_root() ? source : nullptr, t.bytes, t.options);
  expect_block(to.data(), t.bytes, t.root, 0);
  to.expect_whole();
}

void try_scatter(const trial& t) {
  guarded from(t.is_root() ? t.bytes * t.members.size() : 0);
  guarded to(t.bytes);
  for (rank_id member = 0; t.is_root() && member < t.members.size(); ++member) {
    fill(from.data() + member * t.bytes, t.bytes, t.root, member);
  }
  std::byte* const target = t.in_place && t.is_root() ? from.data() + t.root * t.bytes : to.data();
  scatter(t.members, t.root, target, t.is_root() ? from.data() : nullptr, t.bytes, t.options);
  expect_block(target, t.bytes, t.root, t.members.rank());
  to.expect_whole();
}

void try_gather(const trial& t) {
  guarded to(t.is_root() ? t.bytes * t.members.size() : 0);
  guarded from(t.bytes);
  std::byte* const source = t.in_place && t.is_root() ? to.data() + t.root * t.bytes : from.data();
  fill(source, t.bytes, t.members.rank(), t.root);
  gather(t.members, t.root, t.is_root() ? to.data() : nullptr, source, t.bytes, t.options);
  for (rank_id member = 0; t.is_root() && member < t.members.size(); ++member) {
    expect_block(to.data() + member * t.bytes, t.bytes, member, t.root);
  }
  to.expect_whole();
}

void try_allgather(const trial& t) {
  guarded to(t.bytes * t.members.size());
  guarded from(t.bytes);
  std::byte* const source = t.in_place ? to.data() + t.members.rank() * t.bytes : from.data();
  fill(source, t.bytes, t.members.rank(), 0);
  allgather(t.members, to.data(), source, t.bytes, t.options);
  for (rank_id member = 0; member < t.members.size(); ++member) {
    expect_block(to.data() + member * t.bytes, t.bytes, member, 0);
  }
  to.expect_whole();
}

void try_alltoall(const trial& t) {
  guarded to(t.bytes * t.members.size());
  guarded from(t.bytes * t.members.size());
  for (rank_id member = 0; member < t.members.size(); ++member) {
    fill(from.data() + member * t.bytes, t.bytes, t.members.rank(), member);
  }
  alltoall(t.members, to.data(), from.data(), t.bytes, t.options);
  for (rank_id member = 0; member < t.members.size(); ++member) {
    expect_block(to.data() + member * t.bytes, t.bytes, member, t.members.rank());
  }
  to.expect_whole();
}

void try_reduce(const trial& t) {
  guarded to(t.bytes);
  guarded from(t.bytes);
  std::byte* const source = t.in_place ? to.data() : from.data();
  fill_elements(source, t.members.rank(), t.count());
  reduce(t.members, t.root, t.is_root() ? to.data() : nullptr, source, t.count(), t.combiner(),
         t.options);
  if (t.is_root()) {
    expect_elements(to.data(), 0, t.members.size(), t.count());
  } else {
    expect_elements(source, t.members.rank(), t.members.rank() + 1, t.count());
  }
  to.expect_whole();
}

void try_allreduce(const trial& t) {
  guarded to(t.bytes);
  guarded from(t.bytes);
  std::byte* const source = t.in_place ? to.data() : from.data();
  fill_elements(source, t.members.rank(), t.count());
  allreduce(t.members, to.data(), source, t.count(), t.combiner(), t.options);
  expect_elements(to.data(), 0, t.members.size(), t.count());
  to.expect_whole();
}

void try_scan(const trial& t) {
  guarded to(t.bytes);
  guarded from(t.bytes);
  std::byte* const source = t.in_place ? to.data() : from.data();
  fill_elements(source, t.members.rank(), t.count());
  scan(t.members, to.data(), source, t.count(), t.combiner(),
       t.exclusive ? scan_kind::exclusive : scan_kind::inclusive, t.options);
  const rank_id me = t.members.rank();
  if (!t.exclusive) {
    expect_elements(to.data(), 0, me + 1, t.count());
  } else if (me != 0) {
    expect_elements(to.data(), 0, me, t.count());
  } else if (t.in_place) {
    expect_elements(to.data(), 0, 1, t.count());
  } else {
    for (const std::byte each : to.bytes) EXPECT_EQ(each, untouched);
  }
  to.expect_whole();
}

/// Sums of integers, which commute: for algorithms that need that. Both kinds of reduction. A
/// member that is not the root of a reduction has no place for the result.
void try_sum(const trial& t, collective kind) {
  const std::size_t count = t.bytes / 8;
  const reduction sum = built_in(reduce_operation::add, data_type::u64);
  const bool has_result = kind == collective::allreduce || t.is_root();
  std::vector<std::uint64_t> from(count);
  std::vector<std::uint64_t> to(has_result ? count : 0);
  std::vector<std::uint64_t>& source = t.in_place && has_result ? to : from;
  std::uint64_t* const target = has_result ? to.data() : nullptr;
  const auto own = [&](std::size_t i) { return (t.members.rank() + 1) * (i + 1); };
  for (std::size_t i = 0; i < count; ++i) source[i] = own(i);
  if (kind == collective::reduce)
    reduce(t.members, t.root, target, source.data(), count, sum, t.options);
  if (kind == collective::allreduce)
    allreduce(t.members, target, source.data(), count, sum, t.options);
  std::size_t changed = 0;
  for (std::size_t i = 0; i < count && &source == &from; ++i) changed += from[i] != own(i);
  EXPECT_EQ(changed, 0u) << "of " << count << " contributions";
  if (!has_result) return;
  const std::uint64_t total = std::uint64_t{t.members.size()} * (t.members.size() + 1) / 2;
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < count; ++i) wrong += to[i] != total * (i + 1);
  EXPECT_EQ(wrong, 0u) << "of " << count;
}

void try_one(const trial& t) {
  const algorithm& use = *t.options.use;
  switch (use.kind) {
    case collective::broadcast:
      return try_broadcast(t);
    case collective::scatter:
      return try_scatter(t);
    case collective::gather:
      return try_gather(t);
    case collective::allgather:
      return try_allgather(t);
    case collective::alltoall:
      return try_alltoall(t);
    case collective::scan:
      return try_scan(t);
    default:
      break;
  }
  try_sum(t, use.kind);
  if ((use.needs & needs::commutative) != 0) return;
  if (use.kind == collective::reduce) try_reduce(t);
  if (use.kind == collective::allreduce) try_allreduce(t);
}

constexpr bool has_root(collective kind) {
  return kind == collective::broadcast || kind == collective::reduce ||
         kind == collective::scatter || kind == collective::gather;
}
constexpr bool has_blocks(collective kind) {
  return kind == collective::scatter || kind == collective::gather ||
         kind == collective::allgather || kind == collective::alltoall;
}

std::vector<std::size_t> sizes_for(const algorithm& use, rank_id members) {
  std::vector<std::size_t> sizes{0, 8, 1000, 16384, 16392};
#ifdef ATOLL_THREAD_SANITIZER
  if (members > 2) return sizes;
#endif
  if (members <= 8) sizes.push_back(70'000);
  if (members <= 4 || (members == 5 && !has_blocks(use.kind))) sizes.push_back(1'000'008);
  return sizes;
}

/// Whether a row of the table can be used for this team at all.
bool usable(const algorithm& use, const team& team) {
  const bool one_host = team.hosts().one_host();
  if ((use.needs & needs::one_host) != 0 && !one_host) return false;
  if ((use.needs & needs::several_hosts) != 0 && one_host) return false;
  if ((use.needs & needs::consecutive) != 0 && !team.hosts().consecutive()) return false;
  if ((use.needs & needs::direct) != 0 && !layer_access::direct_allowed(team.owner())) return false;
  return (use.needs & needs::power_of_two) == 0 || (team.size() & (team.size() - 1)) == 0;
}

/// Every parameter of an algorithm at one of its bounds or near it: one piece at a time and each
/// message asked for, or offered; or many, and as many of them eager as can be.
std::vector<choice> extremes_of(const algorithm& use) {
  const choice least{.use = &use,
                     .radix = use.radix,
                     .depth = use.depth != 0 ? 1u : 0,
                     .eager_bytes = use.messages ? 1u : 0,
                     .leaders = use.has_leaders ? 2u : 0};
  const choice most{.use = &use,
                    .radix = use.radix,
                    .depth = use.depth != 0 ? depth_max : 0,
                    .piece_bytes = use.cuts ? piece_bytes_min : 0,
                    .eager_bytes = use.messages ? eager_bytes_max : 0,
                    .leaders = use.has_leaders ? leaders_max : 0};
  choice gets = most;
  if (use.messages) {
    gets.eager_bytes = 1;
    gets.mover = moved_by::get;
  }
  EXPECT_EQ(wrong_parameter(least), nullptr);
  EXPECT_EQ(wrong_parameter(most), nullptr);
  EXPECT_EQ(wrong_parameter(gets), nullptr);
  return {least, most, gets};
}

void try_with_parameters(team& team, const choice& options) {
  for (const std::size_t bytes : {8, 16392, 100'000, 300'000}) {
    if (bytes > options.use->bytes_max || (bytes > 20'000 && team.size() > 8)) continue;
    SCOPED_TRACE(
        text(name_of(options), " of ", bytes, " bytes of ", team.size(), ", member ", team.rank()));
    trial t{.members = team, .options = options, .root = team.size() / 2, .bytes = bytes};
    try_one(t);
    t.in_place = true;
    if (options.use->kind != collective::alltoall) try_one(t);
  }
}

// With several leaders each member's part depends on the root: whether it leads, and on its host.
void try_leaders(team& team, const choice& options) {
  const rank_id roots = has_root(options.use->kind) ? team.size() : 1;
  for (rank_id root = 0; root < roots; ++root) {
    for (const std::size_t bytes : {8, 24, 16392, 32776}) {  // also fewer elements than leaders
      SCOPED_TRACE(text(name_of(options), " of ", bytes, " bytes, root ", root, " of ", team.size(),
                        ", member ", team.rank()));
      if (bytes > options.use->bytes_max) continue;
      trial t{.members = team, .options = options, .root = root, .bytes = bytes};
      try_one(t);
      t.in_place = options.use->kind != collective::alltoall;
      try_one(t);
      t.options.begins_together = root % 2 == 0;
      t.options.ends_together = root % 2 != 0;
      if (bytes == 24) try_one(t);
    }
  }
}

void try_all(team& team, const algorithm& use, unsigned radix) {
  for (const std::size_t bytes : sizes_for(use, team.size())) {
    if (bytes > use.bytes_max) continue;
    const rank_id roots = has_root(use.kind) ? team.size() : 1;
    for (rank_id root = 0; root < roots; ++root) {
      if (bytes > 20'000 && root != 0 && root != team.size() / 2 + 1) continue;
      SCOPED_TRACE(text(name_of(use.kind), " ", use.name, ":", radix, " of ", bytes,
                        " bytes, root ", root, " of ", team.size(), ", member ", team.rank()));
      trial t{.members = team, .options = {&use, radix}, .root = root, .bytes = bytes};
      try_one(t);
      t.exclusive = true;
      if (use.kind == collective::scan) try_one(t);
      t.in_place = true;
      if (use.kind != collective::alltoall) try_one(t);
      t.exclusive = false;
      if (use.kind == collective::scan) try_one(t);
    }
  }
}

class collectives : public testing::TestWithParam<shape> {
 protected:
  void run(const std::function<void(runtime&)>& body) {
    const shape& tested = GetParam();
    support::run_job(
        tested.ranks, body,
        {text("ATOLL_NEIGHBOURHOOD=", tested.width), text("ATOLL_RMA_PATH=", tested.rma_path)});
  }
  void run_algorithms(collective kind) {
    run([kind](runtime& job) {
      open(job);
      for (const algorithm& each : algorithms()) {
        if (each.kind != kind || !usable(each, job.world())) continue;
        try_all(job.world(), each, each.radix);
        for (const unsigned radix : {3u, 16u}) {
          if (each.radix != 0) try_all(job.world(), each, radix);
        }
        if (!each.messages) continue;
        for (const choice& options : extremes_of(each)) {
          try_with_parameters(job.world(), options);
          if (each.has_leaders) try_leaders(job.world(), options);
        }
      }
    });
  }
};

TEST_P(collectives, broadcast_gives_every_member_the_data_of_the_root) {
  run_algorithms(collective::broadcast);
}
TEST_P(collectives, reduce_combines_in_the_order_of_members_at_the_root) {
  run_algorithms(collective::reduce);
}
TEST_P(collectives, allreduce_combines_in_the_order_of_members_at_all) {
  run_algorithms(collective::allreduce);
}
TEST_P(collectives, scatter_gives_each_member_its_block) { run_algorithms(collective::scatter); }
TEST_P(collectives, gather_collects_the_blocks_at_the_root) { run_algorithms(collective::gather); }
TEST_P(collectives, allgather_collects_the_blocks_at_all) { run_algorithms(collective::allgather); }
TEST_P(collectives, alltoall_exchanges_blocks_between_all) { run_algorithms(collective::alltoall); }
TEST_P(collectives, scan_combines_the_members_up_to_each) { run_algorithms(collective::scan); }

TEST_P(collectives, come_out_right_by_recommendation) {
  run([](runtime& job) {
    open(job);
    for (const algorithm& each : algorithms()) {
      if (each.kind >= collective::barrier || (each.needs & needs::commutative) != 0) continue;
      for (const std::size_t bytes : {8, 520, 5000, 70'000}) {
        trial t{.members = job.world(),
                .options = {},
                .root = job.size() - 1,
                .bytes = std::size_t(bytes)};
        SCOPED_TRACE(text(name_of(each.kind), " of ", bytes));
        switch (each.kind) {
          case collective::reduce:
            try_sum(t, each.kind);
            try_reduce(t);
            break;
          case collective::allreduce:
            try_sum(t, each.kind);
            try_allreduce(t);
            break;
          case collective::broadcast:
            try_broadcast(t);
            break;
          case collective::scatter:
            try_scatter(t);
            break;
          case collective::gather:
            try_gather(t);
            break;
          case collective::allgather:
            try_allgather(t);
            break;
          case collective::alltoall:
            try_alltoall(t);
            break;
          default:
            try_scan(t);
        }
      }
    }
  });
}

// The order of members is that of the team, whether it goes through the hosts one after the other
// or back and forth.
TEST(scan, keeps_the_order_of_members_wherever_they_are) {
  const auto body = [](runtime& job) {
    open(job);
    const algorithm* const hierarchical = find_algorithm(collective::scan, "hierarchical");
    const rank_id last = job.size() - 1;
    const auto try_team = [&](int key, bool is_consecutive) {
      std::unique_ptr<team> made = split_team(job.world(), 0, key);
      ASSERT_EQ(made->hosts().consecutive(), is_consecutive);
      for (const bool exclusive : {false, true}) {
        trial t{.members = *made, .options = {}, .bytes = 520, .exclusive = exclusive};
        try_scan(t);
        call asked{};
        asked.kind = collective::scan;
        asked.bytes = 520;
        asked.size = made->size();
        asked.whole_team = made.get();
        EXPECT_EQ(obstacle(*hierarchical, asked).empty(), is_consecutive);
        t.options.use = hierarchical;
        if (is_consecutive) try_scan(t);
      }
      destroy_team(std::move(made));
    };
    const auto own = static_cast<int>(job.rank());
    try_team(own, true);
    try_team(static_cast<int>(last) - own, true);
    try_team(own % 3 * 10 + own, false);
  };
  support::run_job(8, body, {"ATOLL_NEIGHBOURHOOD=3"});
}

// Ranks on one host; on several, of which the last may have fewer, or as many, so that each may
// have two to four leaders; and with nothing but messages.
// The sanitizers are slow where ranks are many, and see all orders at few.
std::vector<shape> shapes() {
#ifdef ATOLL_SANITIZED
  return {{2, 2}, {3, 3}, {7, 7}, {5, 2}, {4, 1}, {6, 3}, {8, 4}, {5, 5, "am"}};
#else
  std::vector<shape> result{{3, 2}, {4, 2}, {5, 2}, {7, 2},       {8, 3},       {16, 3},
                            {4, 1}, {6, 3}, {8, 4}, {5, 5, "am"}, {8, 4, "am"}, {13, 13, "am"}};
  for (const rank_id ranks : {1, 2, 3, 4, 5, 7, 8}) result.push_back({ranks, ranks});
  return result;
#endif
}

INSTANTIATE_TEST_SUITE_P(tested, collectives, testing::ValuesIn(shapes()), name_of_shape);

}  // namespace
}  // namespace atl::coll
