// SPDX-License-Identifier: BSD-3-Clause
//
// Tests that the command knows the settings of all layers, also of those that it does not link and
// of modules that are not loaded, and that every row can be shown to a user.
#include <atoll/base/settings.hpp>
#include <atoll/bootstrap/settings.hpp>
#include <atoll/coll/settings.hpp>
#include <atoll/core/settings.hpp>
#include <atoll/memory/settings.hpp>
#include <atoll/trace/settings.hpp>
#include <atoll/transport/ofi/settings.hpp>
#include <atoll/transport/settings.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace atl::tools {
namespace {

TEST(all_settings, are_those_of_every_layer) {
  for (const setting_row& row :
       {setting::rank, setting::segment_limit, setting::counters, setting::network,
        setting::ofi_window, setting::verbose, setting::coll_scan}) {
    EXPECT_NE(std::ranges::find(all_settings(), row.name, &setting_row::name), all_settings().end())
        << row.name;
  }
}

TEST(all_settings, have_a_name_of_ours_one_line_of_help_and_a_value) {
  for (const setting_row* row : all_settings()) {
    EXPECT_TRUE(row->name.starts_with("ATOLL_")) << row->name;
    EXPECT_FALSE(row->help.empty()) << row->name;
    EXPECT_EQ(row->help.find('\n'), std::string_view::npos) << row->name;
    EXPECT_LE(row->help.size(), 90u) << row->name;
    EXPECT_FALSE(setting_values(*row).empty()) << row->name;
  }
}

TEST(all_settings, of_a_module_and_of_collectives_are_the_nearest_to_their_mistyped_names) {
  constexpr const char* environment[] = {"ATOLL_OFI_WINDO=8", "ATOLL_COLL_SCNA=chain",
                                         "ATOLL_OFI_WINDOW=8", nullptr};
  const settings values = settings::read(environment);
  ASSERT_EQ(values.warnings().size(), 2u);
  EXPECT_NE(values.warnings()[0].find("the nearest is ATOLL_OFI_WINDOW "), std::string::npos);
  EXPECT_NE(values.warnings()[1].find("the nearest is ATOLL_COLL_SCAN "), std::string::npos);
  EXPECT_EQ(values.number(setting::ofi_window), 8u);
}

}  // namespace
}  // namespace atl::tools
