// SPDX-License-Identifier: BSD-3-Clause
//
// Tests which settings `atoll tune` refuses: all that change times, by name, and none at its
// default.
#include <tools/tune/job_settings.hpp>

#include <gtest/gtest.h>
#include <tools/run/program.hpp>
#include <tools/tune/request.hpp>

#include <initializer_list>
#include <string>
#include <vector>

namespace atl::tune {
namespace {

using list = std::vector<std::string>;

settings with(std::initializer_list<const char*> variables) {
  std::vector<const char*> environment(variables);
  environment.push_back(nullptr);
  return settings::read(environment.data());
}

TEST(tune_job_settings, that_change_times_are_named_with_their_values) {
  EXPECT_EQ(settings_that_change_times(with({})), list{});
  for (const char* each :
       {"ATOLL_RMA_PATH=am", "ATOLL_KERNEL_COPY=never", "ATOLL_WAIT=sleep", "ATOLL_THREADS=single",
        "ATOLL_OFI_INJECT=0", "ATOLL_RING_CELLS=64", "ATOLL_COLL_BROADCAST=chain",
        "ATOLL_COLL_EXPLAIN=1", "ATOLL_TUNE=online", "ATOLL_NEIGHBOURHOOD=1", "ATOLL_CHECKS=heavy",
        "ATOLL_PROGRESS_THREAD=1", "ATOLL_BARRIER=counter"}) {
    EXPECT_EQ(settings_that_change_times(with({each, "ATOLL_VERBOSE=2"})), list{each});
  }
}

TEST(tune_job_settings, at_their_defaults_or_without_effect_on_times_are_left_alone) {
  EXPECT_EQ(settings_that_change_times(
                with({"ATOLL_RMA_PATH=direct", "ATOLL_OFI_INJECT=65536", "ATOLL_COLL_EXPLAIN=no",
                      "ATOLL_WAIT=", "ATOLL_COLL_TABLE=off", "ATOLL_SEGMENT_LIMIT=1G",
                      "ATOLL_NETWORK=ofi", "ATOLL_OFI_PROVIDER=tcp", "ATOLL_RANK=0"})),
            list{});
}

TEST(tune_job_settings, that_change_times_are_refused_in_one_line) {
  EXPECT_NO_THROW(tools::check_settings(with({"ATOLL_VERBOSE=0"})));
  try {
    tools::check_settings(with({"ATOLL_RMA_PATH=am", "ATOLL_WAIT=sleep"}));
    ADD_FAILURE() << "not refused";
  } catch (const tools::launch_refusal& refused) {
    EXPECT_EQ(refused.code, 2);
    EXPECT_EQ(refused.message,
              "ATOLL_RMA_PATH=am, ATOLL_WAIT=sleep change what would be measured, and jobs without "
              "them would use the table too; unset them");
  }
}

}  // namespace
}  // namespace atl::tune
