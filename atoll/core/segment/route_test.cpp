// SPDX-License-Identifier: BSD-3-Clause
//
// One comparison decides bounds and locality: it must be right at both ends, and for addresses that
// wrap.
#include <atoll/core/segment/route.hpp>

#include <gtest/gtest.h>

#include <array>

namespace atl {
namespace {

const void* to_pointer(std::uintptr_t address) { return reinterpret_cast<const void*>(address); }

struct mapped {
  std::array<std::byte, 100> local{};
  route row;

  mapped() {
    row.set_mapping(0x1000, local.data(), 100);
    row.bytes = 100;
  }
};

TEST(route, translates_addresses_inside_of_the_segment) {
  mapped m;
  EXPECT_EQ(m.row.direct(to_pointer(0x1000), 1), m.local.data());
  EXPECT_EQ(m.row.direct(to_pointer(0x1000 + 99), 1), m.local.data() + 99);
  EXPECT_EQ(m.row.direct(to_pointer(0x1000), 100), m.local.data());
  EXPECT_TRUE(m.row.contains(to_pointer(0x1000 + 100), 0));
  EXPECT_EQ(m.row.direct(to_pointer(0x1000), 0), nullptr);  // nothing to do inline
}

TEST(route, refuses_what_is_not_wholly_inside) {
  mapped m;
  EXPECT_EQ(m.row.direct(to_pointer(0x1000 + 100), 1), nullptr);
  EXPECT_EQ(m.row.direct(to_pointer(0xfff), 1), nullptr);
  EXPECT_EQ(m.row.direct(to_pointer(0x1000 + 50), 51), nullptr);
  EXPECT_EQ(m.row.direct(to_pointer(0x1000), 101), nullptr);
  EXPECT_EQ(m.row.direct(to_pointer(0x1001), ~std::size_t{0}), nullptr);
  EXPECT_FALSE(m.row.contains(to_pointer(0x1000 + 50), 51));
  EXPECT_TRUE(m.row.contains(to_pointer(0x1000 + 50), 50));
}

TEST(route, inline_code_reaches_every_word_and_leaves_smaller_sizes_at_the_end_to_the_library) {
  mapped m;
  const auto first = reinterpret_cast<std::uintptr_t>(m.local.data());
  const auto found = [&](std::uintptr_t address, std::size_t size) {
    return atoll_route_find_inline(&m.row, to_pointer(address), size) != nullptr;
  };
  m.row.set_mapping(first, m.local.data(), 100);
  EXPECT_EQ(atoll_route_find_inline(&m.row, m.local.data() + 92, 8),
            reinterpret_cast<char*>(m.local.data()) + 92);
  EXPECT_TRUE(found(first, 8));
  EXPECT_TRUE(found(first + 92, 1));
  EXPECT_FALSE(found(first + 93, 8));
  EXPECT_FALSE(found(first - 8, 8));
  EXPECT_FALSE(found(first - 1, 8));
  EXPECT_FALSE(found(first - 1, 1));
  EXPECT_TRUE(found(first + 40, 60));
  EXPECT_FALSE(found(first + 41, 60));
  EXPECT_FALSE(found(first + 93, 1));
  EXPECT_EQ(m.row.same_address(m.local.data() + 92, 8), m.local.data() + 92);
  EXPECT_EQ(m.row.direct_inline(m.local.data() + 92, 8), m.local.data() + 92);
  EXPECT_EQ(m.row.direct_inline(m.local.data() + 93, 1), nullptr);
  EXPECT_EQ(m.row.direct(m.local.data() + 93, 1), m.local.data() + 93);
  m.row.set_mapping(first, m.local.data(), 7);  // no word has room
  EXPECT_FALSE(found(first, 1));
  EXPECT_EQ(m.row.direct(m.local.data(), 1), nullptr);
}

TEST(route, a_part_that_is_mapped_elsewhere_is_translated_and_not_found_by_inline_code) {
  mapped m;
  for (std::uintptr_t offset = 0; offset < 100; ++offset) {
    const void* const address = to_pointer(0x1000 + offset);
    EXPECT_EQ(atoll_route_find_inline(&m.row, address, 1), nullptr);
    EXPECT_EQ(m.row.direct(address, 1), m.local.data() + offset);
    EXPECT_EQ(m.row.direct_inline(address, 1), offset < 93 ? m.local.data() + offset : nullptr);
    EXPECT_EQ(atoll_route_find_inline(&m.row, m.local.data() + offset, 1), nullptr);
  }
  EXPECT_EQ(m.row.direct_inline(to_pointer(0x1000 + 93), 8), nullptr);
  EXPECT_EQ(m.row.direct_inline(to_pointer(0xfff), 1), nullptr);
  EXPECT_EQ(m.row.base(), to_pointer(0x1000));
}

TEST(route, an_unbound_or_unmapped_row_reaches_nothing) {
  const route unbound;
  EXPECT_EQ(unbound.direct(to_pointer(0x1000), 1), nullptr);
  EXPECT_FALSE(unbound.contains(to_pointer(0x1000), 1));
  mapped m;
  m.row.set_mapping(0x1000, m.local.data(), 0);  // bound, but only over messages
  EXPECT_EQ(m.row.direct(to_pointer(0x1000), 1), nullptr);
  EXPECT_TRUE(m.row.contains(to_pointer(0x1000), 1));
}

}  // namespace
}  // namespace atl
