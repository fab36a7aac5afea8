// SPDX-License-Identifier: BSD-3-Clause
//
// Tests which records count as progress of `atoll tune`: a job measures again what it has no record
// of with its machine and network, so the command must not count those as done.
#include <tools/tune/jobs.hpp>

#include <gtest/gtest.h>
#include <atoll/base/system/cpu.hpp>
#include <atoll/coll/tuned/machine.hpp>

namespace atl::tools {
namespace {

tune_record record_over(std::uint64_t hosts, const char* network) {
  return {.machine = coll::machine_text(),
          .collective = "scan",
          .ranks = 4,
          .hosts = hosts,
          .network = network,
          .oversubscribed = hosts == 1 && 4 > cores_available()};
}

using places = std::vector<std::size_t>;

TEST(tune_jobs, count_records_over_hosts_with_the_latest_network) {
  std::vector<tune_record> records{record_over(1, ""), record_over(2, ""), record_over(2, "tcp"),
                                   record_over(2, "verbs"), record_over(1, "")};
  EXPECT_EQ(records_that_count(records), (places{0, 3, 4}));
  records.push_back(record_over(2, "tcp"));
  EXPECT_EQ(records_that_count(records), (places{0, 2, 4, 5}));
  records.push_back(record_over(2, "verbs"));
  records.back().machine = "an abacus";
  EXPECT_EQ(records_that_count(records), (places{0, 2, 4, 5}));
}

TEST(tune_jobs, count_no_records_of_another_version) {
  std::vector<tune_record> records{record_over(1, ""), record_over(1, "")};
  records.front().version = "0.0.9";
  EXPECT_EQ(records_that_count(records), places{1});
}

// A job that may use other cores than an earlier one measures anew.
TEST(tune_jobs, count_records_of_as_many_cores) {
  std::vector<tune_record> records{record_over(1, ""), record_over(1, ""), record_over(2, "tcp"),
                                   record_over(2, "tcp")};
  records[0].oversubscribed = !records[0].oversubscribed;
  records[3].oversubscribed = true;
  EXPECT_EQ(records_that_count(records), (places{1, 3}));
}

TEST(tune_jobs, count_no_records_of_other_settings) {
  std::vector<tune_record> records{record_over(1, ""), record_over(1, "")};
  records[1].settings = {"ATOLL_RMA_PATH=am"};
  EXPECT_EQ(records_that_count(records), places{0});
}

TEST(tune_jobs, count_records_over_hosts_with_a_network_as_fast_as_the_latest) {
  std::vector<tune_record> records{record_over(2, "tcp"), record_over(2, "tcp"),
                                   record_over(2, "tcp"), record_over(2, "tcp")};
  records[0].network_ns = 1'000'000;
  records[1].network_ns = 90'000;
  records[3].network_ns = 30'000;  // of the one before it nothing is known
  EXPECT_EQ(records_that_count(records), (places{1, 3}));
}

// Ranks that share cores are slower on the same network.
TEST(tune_jobs, compare_the_speed_of_the_network_between_jobs_of_as_many_ranks) {
  std::vector<tune_record> records{record_over(2, "tcp"), record_over(2, "tcp"),
                                   record_over(2, "tcp")};
  records[0].network_ns = 900'000;
  records[1].network_ns = 30'000;
  records[2].network_ns = 300'000;
  records[2].ranks = 16;
  EXPECT_EQ(records_that_count(records), (places{1, 2}));
}

TEST(tune_jobs, count_no_records_over_hosts_that_name_no_network) {
  EXPECT_EQ(records_that_count({record_over(1, ""), record_over(2, "")}), places{0});
}

}  // namespace
}  // namespace atl::tools
