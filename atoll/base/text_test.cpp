// SPDX-License-Identifier: BSD-3-Clause
//
// Joining of operands into texts, from a namespace that is not ours: overloads for foreign types
// must be found where their types live.
#include <atoll/base/text.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace elsewhere {

struct place {
  int row, column;
};

void append_text(std::string& to, const place& position) {
  to += atl::text(position.row, ":", position.column);
}

enum class colour : unsigned char { red = 7 };

TEST(text, joins_operands_of_every_kind) {
  EXPECT_EQ(atl::text("rank ", 3, " of ", std::string("four"), '!', std::string_view(" ok ")),
            "rank 3 of four! ok ");
  EXPECT_EQ(atl::text(true, false), "truefalse");
  EXPECT_EQ(atl::text(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(atl::text(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(atl::text(0.25, " ", 1e300), "0.25 1e+300");
  EXPECT_EQ(atl::text(colour::red), "7");
  EXPECT_EQ(atl::text(), "");
}

TEST(text, writes_addresses_in_hexadecimal) {
  EXPECT_EQ(atl::text(reinterpret_cast<void*>(0x1000), " ", nullptr), "0x1000 0x0");
  EXPECT_EQ(atl::text(atl::hex(0xdeadbeef)), "0xdeadbeef");
}

TEST(text, takes_types_that_bring_their_own_overload) {
  EXPECT_EQ(atl::text("at ", place{2, 5}), "at 2:5");
}

TEST(text, sizes_read_well) {
  EXPECT_EQ(atl::bytes_text(0), "0 B");
  EXPECT_EQ(atl::bytes_text(1023), "1023 B");
  EXPECT_EQ(atl::bytes_text(1024), "1 KiB");
  EXPECT_EQ(atl::bytes_text(1536), "1.5 KiB");
  EXPECT_EQ(atl::bytes_text((std::uint64_t{3} << 29)), "1.5 GiB");
  EXPECT_EQ(atl::bytes_text((std::uint64_t{1} << 20) - 1), "1 MiB");
  EXPECT_EQ(atl::bytes_text((std::uint64_t{1} << 30) - 1), "1 GiB");
  EXPECT_EQ(atl::bytes_text(~std::uint64_t{0}), "16 EiB");
}

}  // namespace elsewhere
