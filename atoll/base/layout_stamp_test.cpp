// SPDX-License-Identifier: BSD-3-Clause
//
// A change of a class or of the count gives another stamp, and another stamp is refused.
#include <atoll/base/error.hpp>
#include <atoll/base/layout_stamp.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace atl {
namespace {

struct small {
  std::uint32_t first;
};
struct larger {
  std::uint32_t first, two;
};
struct alignas(8) aligned {
  std::uint32_t first, two;
};

TEST(layout_stamp, tells_layouts_apart) {
  EXPECT_EQ((layout_stamp<small, larger>(1)), (layout_stamp<small, larger>(1)));
  EXPECT_NE((layout_stamp<small, larger>(1)), (layout_stamp<small, larger>(2)));
  EXPECT_NE((layout_stamp<small, larger>(1)), (layout_stamp<larger, small>(1)));
  EXPECT_NE((layout_stamp<small, larger>(1)), (layout_stamp<small, aligned>(1)));
  EXPECT_NE((layout_stamp<small>(1)), (layout_stamp<small, small>(1)));
}

TEST(layout_stamp, of_another_layout_is_refused_with_what_to_do) {
  EXPECT_NO_THROW(need_layout("a start", 7, 7));
  try {
    need_layout("a start", 7, 8);
    FAIL() << "not refused";
  } catch (const error& refused) {
    const std::string said = refused.what();
    EXPECT_NE(said.find("a start: this program was compiled with the headers of another library"),
              std::string::npos);
    EXPECT_NE(said.find("build it again"), std::string::npos);
  }
}

}  // namespace
}  // namespace atl
