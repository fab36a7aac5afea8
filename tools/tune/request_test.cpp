// SPDX-License-Identifier: BSD-3-Clause
//
// Tests which requests to `atoll tune` are refused before a job starts, with words that help; which
// points there are, in whole elements and within the memory; and when the machine is busy.
#include <tools/tune/request.hpp>

#include <gtest/gtest.h>
#include <atoll/base/system/memory_limits.hpp>
#include <atoll/base/text.hpp>
#include <tools/run/program.hpp>

#include <unistd.h>

#include <algorithm>
#include <filesystem>

namespace atl::tools {
namespace {

tune_request request_for(std::vector<std::string> collectives, std::vector<std::string> sizes) {
  tune_request request;
  request.ranks = {2};
  request.collectives = std::move(collectives);
  request.sizes = std::move(sizes);
  request.output = testing::TempDir() + text("atoll_request_", ::getpid(), ".json");
  return request;
}

std::string refusal_of(tune_request request) {
  try {
    check(request);
  } catch (const launch_refusal& refused) {
    EXPECT_EQ(refused.code, 2);
    return refused.message;
  }
  return "not refused";
}

TEST(tune_request, is_refused_with_what_is_wrong_and_what_there_is) {
  const auto expect = [](const char* words, const tune_request& request) {
    const std::string message = refusal_of(request);
    EXPECT_NE(message.find(words), std::string::npos) << message;
  };
  expect("not refused", request_for({"reduce"}, {"8", "4k", "1M"}));
  expect("\"abc\" is no size", request_for({}, {"8", "abc"}));
  expect("a block of 0 bytes", request_for({}, {"0"}));
  expect("there is no \"foo\"; there are broadcast, reduce,", request_for({"foo"}, {}));
  expect("did you mean allreduce?", request_for({"alreduce"}, {}));
  tune_request endless = request_for({}, {});
  endless.seconds = -3;
  expect("--seconds: in -3 seconds nothing can be measured", endless);
  tune_request lazy = request_for({}, {});
  lazy.work = -1;
  expect("--work: -1", lazy);
}

TEST(tune_request, is_refused_where_the_memory_is_too_small) {
  tune_request huge = request_for({"alltoall"}, {"512G"});
  huge.ranks = {2, 8};
  const std::string message = refusal_of(huge);
  EXPECT_NE(message.find("alltoall of 512 GiB, waited for on 2 ranks needs about"),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("that are free"), std::string::npos) << message;
}

TEST(tune_request, has_sizes_of_whole_elements) {
  tune_request request = request_for({"reduce", "gather"}, {"7", "12", "16"});
  check(request);
  std::vector<std::size_t> reduced, gathered;
  for (const tune::point& each : request.points(2)) {
    if (!each.blocking) continue;
    (each.kind == coll::collective::reduce ? reduced : gathered).push_back(each.bytes);
  }
  EXPECT_EQ(reduced, (std::vector<std::size_t>{8, 16})) << "of doubles";
  EXPECT_EQ(gathered, (std::vector<std::size_t>{7, 12, 16}));
}

TEST(tune_request, has_small_and_large_sizes_in_turn) {
  tune_request request = request_for({"gather"}, {"1", "2", "4", "8", "16", "32", "64", "128"});
  request.form = "waited";
  check(request);
  std::vector<std::size_t> sizes;
  for (const tune::point& each : request.points(2)) sizes.push_back(each.bytes);
  EXPECT_EQ(sizes, (std::vector<std::size_t>{1, 8, 64, 2, 16, 128, 4, 32}));
}

TEST(tune_request, names_its_points_in_a_way_that_is_read_again) {
  tune_request request = request_for({"reduce", "gather"}, {"8", "4k"});
  request.elements = {8, 4};
  request.in_order = request.strict = true;
  check(request);
  for (const tune::point& each : request.points(2)) {
    const auto again = tune::point_from(tune::text_of(each));
    ASSERT_TRUE(again.has_value()) << tune::text_of(each);
    EXPECT_EQ(tune::name_of(*again), tune::name_of(each));
  }
  for (const char* const wrong : {"", "reduce", "reduce:8", "reduce:8:later", "sum:8:waited",
                                  "reduce:8:waited:elements=x", "reduce:8:waited:loud"}) {
    EXPECT_FALSE(tune::point_from(wrong).has_value()) << wrong;
  }
}

TEST(tune_request, has_other_elements_operations_and_strict_calls_where_it_asks_for_them) {
  tune_request request = request_for({"reduce", "gather"}, {"6"});
  request.form = "waited";
  request.elements = {8, 4, 1};
  request.in_order = true;
  request.strict = true;
  check(request);
  std::vector<std::string> names;
  for (const tune::point& each : request.points(2)) names.push_back(tune::name_of(each));
  EXPECT_EQ(names,
            (std::vector<std::string>{
                "reduce of 6 B, waited for, elements of 1 B",
                "reduce of 6 B, waited for, elements of 1 B, in order", "gather of 6 B, waited for",
                "gather of 6 B, strict", "reduce of 8 B, waited for",
                "reduce of 8 B, waited for, in order", "reduce of 8 B, waited for, elements of 4 B",
                "reduce of 8 B, waited for, elements of 4 B, in order", "reduce of 8 B, strict"}));
}

TEST(tune_request, has_both_forms_and_all_sizes_unless_it_says_otherwise) {
  tune_request request = request_for({"scan"}, {});
  check(request);
  const std::vector<tune::point> points = request.points(2);
  EXPECT_EQ(std::ranges::count(points, true, &tune::point::blocking),
            std::ranges::count(points, false, &tune::point::blocking));
  EXPECT_EQ(std::ranges::min(points, {}, &tune::point::bytes).bytes, 8u);
  EXPECT_EQ(std::ranges::max(points, {}, &tune::point::bytes).bytes, std::size_t{4} << 20);
  request.form = "overlapped";
  check(request);
  EXPECT_EQ(std::ranges::count(request.points(2), true, &tune::point::blocking), 0);
}

// An all-to-all of 4 MiB among a hundred thousand ranks fits into no machine.
TEST(tune_request, leaves_out_usual_sizes_for_which_the_memory_is_too_small) {
  tune_request request = request_for({"alltoall", "broadcast"}, {});
  check(request);
  std::size_t largest = 0, largest_broadcast = 0;
  for (const tune::point& each : request.points(100000)) {
    std::size_t& most = each.kind == coll::collective::alltoall ? largest : largest_broadcast;
    most = std::max(most, each.bytes);
    EXPECT_LE(tune::need_bytes(each, request.layout(100000)), read_memory_limits().total_bytes);
  }
  EXPECT_LT(largest, largest_broadcast);
}

TEST(tune_request, places_ranks_as_the_launcher_does) {
  tune_request request = request_for({"barrier", "scan"}, {"8"});
  request.hosts = "a:6,b:6,c:6";
  const auto layout = [&](unsigned ranks) {
    const tune::job_layout job = request.layout(ranks);
    return std::vector<std::size_t>{job.ranks, job.hosts, job.host_ranks};
  };
  EXPECT_EQ(layout(6), (std::vector<std::size_t>{6, 1, 6}));
  EXPECT_EQ(layout(9), (std::vector<std::size_t>{9, 2, 6}));
  request.ranks = {6, 13};
  check(request);
  const auto barriers = [&](unsigned ranks) {
    return std::ranges::count(request.points(ranks), coll::collective::barrier, &tune::point::kind);
  };
  EXPECT_EQ(barriers(6), 0) << "one host has nothing to choose";
  EXPECT_EQ(barriers(13), 2);
  request.hosts = "a:4,b:1,c:1";
  EXPECT_EQ(barriers(6), 2);
  request.ranks = {20};
  EXPECT_NE(refusal_of(request).find("the hosts have only 6 slots"), std::string::npos);
}

TEST(tune_request, measures_nothing_twice_in_one_pass) {
  tune_request request = request_for({"scan"}, {"8"});
  request.ranks = {4, 2, 4};
  request.elements = {8, 8, 1};
  check(request);
  EXPECT_EQ(request.ranks, (std::vector<unsigned>{4, 2}));
  EXPECT_EQ(request.elements, (std::vector<unsigned>{8, 1}));
}

TEST(tune_request, has_as_many_ranks_as_cores_and_twice_as_many) {
  using list = std::vector<unsigned>;
  EXPECT_EQ(usual_ranks(1), list{2});
  EXPECT_EQ(usual_ranks(2), (list{2, 4}));
  EXPECT_EQ(usual_ranks(6), (list{2, 4, 6, 12}));
  EXPECT_EQ(usual_ranks(192), (list{2, 4, 8, 16, 32, 64, 192, 384}));
}

TEST(tune_request, warns_where_other_programs_have_the_cores) {
  EXPECT_EQ(busy_warning(1.4, 2), "");
  const std::string warning = busy_warning(3.14159, 2);
  EXPECT_NE(warning.find("a load of 3.1 on 2 cores"), std::string::npos) << warning;
}

}  // namespace
}  // namespace atl::tools
