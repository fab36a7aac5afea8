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
    row.local = reinterpret_cast<char*>(local.data());
    row.remote = 0x1000;
    row.set_direct_bytes(100);
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
  EXPECT_EQ(m.row.direct_inline(to_pointer(0x1000), 8), m.local.data());
  EXPECT_EQ(m.row.direct_inline(to_pointer(0x1000 + 92), 8), m.local.data() + 92);
  EXPECT_EQ(m.row.direct_inline(to_pointer(0x1000 + 92), 1), m.local.data() + 92);
  EXPECT_EQ(m.row.direct_inline(to_pointer(0x1000 + 93), 8), nullptr);
  EXPECT_EQ(m.row.direct_inline(to_pointer(0xff8), 8), nullptr);
  EXPECT_EQ(m.row.direct_inline(to_pointer(0xfff), 8), nullptr);
  EXPECT_EQ(m.row.direct_inline(to_pointer(0xfff), 1), nullptr);
  EXPECT_EQ(m.row.direct_inline(to_pointer(0x1000 + 40), 60), m.local.data() + 40);
  EXPECT_EQ(m.row.direct_inline(to_pointer(0x1000 + 41), 60), nullptr);
  m.row.set_direct_bytes(7);  // no word has room
  EXPECT_EQ(m.row.direct_inline(to_pointer(0x1000), 1), nullptr);
  EXPECT_EQ(m.row.direct(to_pointer(0x1000), 1), nullptr);
}

TEST(route, an_unbound_or_unmapped_row_reaches_nothing) {
  const route unbound;
  EXPECT_EQ(unbound.direct(to_pointer(0x1000), 1), nullptr);
  EXPECT_FALSE(unbound.contains(to_pointer(0x1000), 1));
  mapped m;
  m.row.set_direct_bytes(0);  // bound, but only over messages
  EXPECT_EQ(m.row.direct(to_pointer(0x1000), 1), nullptr);
  EXPECT_TRUE(m.row.contains(to_pointer(0x1000), 1));
}

}  // namespace
}  // namespace atl
