// SPDX-License-Identifier: BSD-3-Clause
//
// A rank's place in a job, and its memory, each made alone: without transports, without a runtime.
#include <atoll/core/job/rank_memory.hpp>

#include <atoll/bootstrap/single.hpp>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

namespace atl {
namespace {

settings small_heaps() {
  static const char* const variables[] = {"ATOLL_SEGMENT_LIMIT=64M", "ATOLL_THREADS=single",
                                          nullptr};
  return settings::read(variables);
}

class rank_memory_alone : public testing::Test {
 protected:
  job_context job{small_heaps(), std::make_unique<bootstrap::single>(), {}};
};

TEST_F(rank_memory_alone, a_job_of_one_knows_its_place) {
  EXPECT_EQ(job.rank(), 0u);
  EXPECT_EQ(job.size(), 1u);
  EXPECT_EQ(job.hosts().count(), 1u);
  EXPECT_EQ(job.neighbours().count, 1u);
  EXPECT_EQ(job.threads(), thread_mode::single);
  EXPECT_FALSE(job.is_threaded());
  const job_context asked(small_heaps(), std::make_unique<bootstrap::single>(), thread_mode::any);
  EXPECT_TRUE(asked.is_threaded()) << "what the program asks for is before the setting";
}

TEST_F(rank_memory_alone, a_forked_process_is_no_rank_and_ends_itself_only) {
  EXPECT_FALSE(job.is_forked_copy());
  const pid_t child = ::fork();
  if (child == 0) {
    if (!job.is_forked_copy()) ::_exit(1);
    job.exit(7);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST_F(rank_memory_alone, its_heaps_lie_apart_in_one_mapping) {
  rank_memory memory(job, 8192, true);
  void* const of_program = memory.heap().allocate(1000);
  void* const of_runtime = memory.internal_heap().allocate(1000);
  ASSERT_NE(of_program, nullptr);
  ASSERT_NE(of_runtime, nullptr);
  EXPECT_TRUE(memory.heap().contains(of_program));
  EXPECT_FALSE(memory.heap().contains(of_runtime));
  EXPECT_TRUE(memory.internal_heap().contains(of_runtime));
  EXPECT_EQ(memory.internal_heap_of(0), memory.host().control(0) + 8192)
      << "the transports' bytes come first";
  std::memset(of_program, 1, 1000);
  std::memset(of_runtime, 2, 1000);
  EXPECT_EQ(*static_cast<unsigned char*>(of_program), 1);
  memory.heap().free(of_program);
  memory.internal_heap().free(of_runtime);
}

TEST_F(rank_memory_alone, a_heap_ends_at_its_limit) {
  rank_memory memory(job, 4096, true);
  EXPECT_EQ(memory.heap().allocate(std::size_t{65} << 20), nullptr);
  EXPECT_EQ(memory.internal_heap().allocate(rank_memory::internal_heap_bytes), nullptr)
      << "its header needs room, too";
  EXPECT_NE(memory.heap().allocate(std::size_t{32} << 20), nullptr);
}

}  // namespace
}  // namespace atl
