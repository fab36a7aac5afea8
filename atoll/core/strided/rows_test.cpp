// SPDX-License-Identifier: BSD-3-Clause
//
// Walkers: whatever pieces are taken, the bytes come in the order of the description, each once;
// and rows that travel join into one row exactly when they are one.
#include <atoll/core/strided/packed_transfers.hpp>
#include <atoll/core/strided/rows.hpp>

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace atl {
namespace {

using addresses = std::vector<std::uintptr_t>;

void add(addresses& list, const run_row& row) {
  for (std::size_t i = 0; i < row.count; ++i) {
    const auto run = row.address + static_cast<std::uintptr_t>(row.stride) * i;
    for (std::size_t j = 0; j < row.bytes; ++j) list.push_back(run + j);
  }
}

template <class Rows>
addresses all_of(Rows rows) {
  addresses list;
  for (run_row row; rows.next(row);) add(list, row);
  return list;
}

void* to_pointer(std::uintptr_t address) { return reinterpret_cast<void*>(address); }

TEST(rows, two_walkers_cut_differently_stay_at_the_same_byte) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<memory_run> runs;
    std::size_t total = 0;
    for (unsigned i = random() % 20; i > 0; --i) {
      const std::size_t bytes = random() % 50;
      runs.push_back({to_pointer(random() % 10'000), bytes});
      total += bytes;
    }
    const std::size_t unit = total % 3 == 0 ? 3 : 1;
    std::vector<void*> list;
    for (std::size_t i = 0; i < total / unit; ++i)
      list.push_back(to_pointer(20'000 + random() % 10'000));
    const address_list listed{.addresses = list, .bytes = unit};
    row_walker a{run_rows(run_list(runs))};
    row_walker b{address_rows(listed)};
    addresses from_a, from_b;
    while (!a.done()) {
      ASSERT_FALSE(b.done());
      const row_piece piece = common_piece(a.now(), b.now(), 1 + random() % 60);
      add(from_a, part_of(a.now(), piece));
      add(from_b, part_of(b.now(), piece));
      a.take(piece);
      b.take(piece);
    }
    EXPECT_TRUE(b.done());
    EXPECT_EQ(from_a, all_of(run_rows(run_list(runs))));
    EXPECT_EQ(from_b, all_of(address_rows(listed)));
  }
}

TEST(rows, a_walker_of_a_plan_can_stop_within_a_run_and_adds_its_shift) {
  const std::size_t counts[] = {3, 4, 5};
  const std::ptrdiff_t to[] = {700, -50, 9}, from[] = {0, 100, -9};
  const strided_plan plan({.to = to_pointer(10'000),
                           .to_strides = to,
                           .from = to_pointer(30'000),
                           .from_strides = from,
                           .element_bytes = 7,
                           .counts = counts});
  for (const auto side : {plan_rows::side::to, plan_rows::side::from}) {
    addresses wanted = all_of(plan_rows(plan, side));
    for (auto& each : wanted) each += 1000;
    for (std::size_t step = 1; step < 40; ++step) {
      row_walker walker(plan_rows(plan, side), 1000);
      addresses got;
      while (!walker.done()) {
        const run_row wide{.bytes = SIZE_MAX, .count = 1};
        const row_piece piece = common_piece(walker.now(), wide, step);
        add(got, part_of(walker.now(), piece));
        walker.take(piece);
      }
      EXPECT_EQ(got, wanted) << step;
    }
  }
}

TEST(rows, travelling_rows_join_when_they_are_one) {
  const auto joined = [](const run_row& first, const run_row& next) {
    wire_row row = wire_row::from_row(first);
    const bool is_joined = row.join(wire_row::from_row(next));
    addresses wanted, got;
    add(wanted, first);
    if (is_joined) add(wanted, next);
    add(got, row.local());
    EXPECT_EQ(got, wanted);
    return is_joined;
  };
  EXPECT_TRUE(joined({100, 8, 1, 0}, {108, 16, 1, 0}));   // contiguous
  EXPECT_TRUE(joined({100, 8, 1, 0}, {150, 8, 1, 0}));    // the start of a stride
  EXPECT_TRUE(joined({100, 8, 3, 50}, {250, 8, 1, 0}));   // the stride goes on
  EXPECT_TRUE(joined({100, 8, 3, 50}, {250, 8, 2, 50}));  // and on
  EXPECT_TRUE(joined({100, 8, 3, -50}, {-50 + 0UL, 8, 1, 0}));
  EXPECT_TRUE(joined({100, 8, 1, 0}, {150, 8, 2, 50}));    // one before a row
  EXPECT_TRUE(joined({100, 8, 2, 8}, {116, 8, 4, 8}));     // dense rows are runs
  EXPECT_FALSE(joined({100, 8, 3, 50}, {251, 8, 1, 0}));   // another place
  EXPECT_FALSE(joined({100, 8, 3, 50}, {250, 4, 1, 0}));   // another length
  EXPECT_FALSE(joined({100, 8, 3, 50}, {250, 8, 2, 40}));  // another stride
}

}  // namespace
}  // namespace atl
