// SPDX-License-Identifier: BSD-3-Clause
//
// A rank's place in a job of several hosts, made alone with a bootstrap that a test has written;
// and the ways in which it ends the job.
#include <atoll/core/job/job_context.hpp>

#include <atoll/base/error.hpp>
#include <atoll/bootstrap/single.hpp>

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace atl {
namespace {

/// Says of the job what the test says, and tells how it was asked to end it.
class played_bootstrap final : public bootstrap::bootstrap {
 public:
  played_bootstrap(rank_id rank, std::vector<std::uint32_t> host_of_rank)
      : rank_(rank), host_of_rank_(std::move(host_of_rank)) {}

  rank_id rank() const noexcept override { return rank_; }
  rank_id size() const noexcept override { return static_cast<rank_id>(host_of_rank_.size()); }
  std::vector<std::uint32_t> hosts() const override { return host_of_rank_; }
  atl::bootstrap::blob_table exchange(std::span<const std::byte> own) override {
    const atl::bootstrap::blob blob(own.begin(), own.end());
    return atl::bootstrap::blob_table::of_blobs(std::vector(size(), blob));
  }
  void fence() override {}
  descriptor host_memory() override { return atl::bootstrap::make_host_memory(); }
  [[noreturn]] void end_job(int code, std::string_view message) noexcept override {
    std::fprintf(stderr, "ends with %d: %.*s|", code, static_cast<int>(message.size()),
                 message.data());
    std::_Exit(code);
  }
  void goodbye() noexcept override {}

 private:
  rank_id rank_;
  std::vector<std::uint32_t> host_of_rank_;
};

job_context job_of(rank_id rank, std::vector<std::uint32_t> host_of_rank,
                   const char* setting = nullptr) {
  const char* const variables[] = {setting, nullptr};
  return {settings::read(variables),
          std::make_unique<played_bootstrap>(rank, std::move(host_of_rank)),
          {}};
}

TEST(job_context, tells_which_ranks_are_on_which_host_and_which_are_neighbours) {
  const std::vector<std::uint32_t> host_of_rank{0, 0, 1, 1, 1, 2};
  const job_context job = job_of(3, host_of_rank);
  EXPECT_EQ(job.rank(), 3u);
  EXPECT_EQ(job.size(), 6u);
  EXPECT_EQ(job.hosts().count(), 3u);
  EXPECT_EQ(job.ranks_of_host().first, 2u);
  EXPECT_EQ(job.ranks_of_host().count, 3u);
  EXPECT_EQ(job.neighbours().first, 2u);
  EXPECT_EQ(job.neighbours().count, 3u);
}

TEST(job_context, neighbourhoods_are_parts_of_a_host_where_a_setting_says_so) {
  const job_context job = job_of(4, {0, 0, 1, 1, 1, 2}, "ATOLL_NEIGHBOURHOOD=2");
  EXPECT_EQ(job.neighbours().first, 4u);
  EXPECT_EQ(job.neighbours().count, 1u);
  EXPECT_EQ(job.ranks_of_host().count, 3u) << "the host stays whole";
}

TEST(job_context, a_progress_thread_makes_several_threads_of_one) {
  const job_context alone = job_of(0, {0}, "ATOLL_THREADS=single");
  EXPECT_FALSE(alone.is_threaded());
  EXPECT_FALSE(alone.has_progress_thread());
  const job_context served = job_of(0, {0}, "ATOLL_PROGRESS_THREAD=1");
  EXPECT_TRUE(served.has_progress_thread());
  EXPECT_TRUE(served.is_threaded());
}

TEST(job_context, ranks_that_are_dealt_out_in_turn_join_no_job) {
  EXPECT_THROW(job_of(0, {0, 1, 0, 1}), error);
}

TEST(job_context, an_error_ends_the_job_with_object_cause_and_remedy) {
  EXPECT_EXIT(job_of(1, {0, 0}).fail("a thing", "is broken", "mend it"), testing::ExitedWithCode(1),
              "ends with 1: rank 1: a thing: is broken; mend it");
}

TEST(job_context, an_exit_ends_the_job_with_its_code_and_without_a_word) {
  EXPECT_EXIT(job_of(1, {0, 0}).exit(7), testing::ExitedWithCode(7), "ends with 7: \\|");
}

}  // namespace
}  // namespace atl
