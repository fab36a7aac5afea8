// SPDX-License-Identifier: BSD-3-Clause
//
// The evidence of a lack of memory, on made-up files of the kernel: a group at its limit is told
// apart from a machine without memory, in both versions of control groups.
#include <tools/run/ending.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include <unistd.h>

namespace {

class memory_evidence : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    root_ = testing::TempDir() + "atoll_ending_" + std::to_string(::getpid()) + test->name();
    put("/proc/vmstat", "nr_free_pages 1\noom_kill 77\n");
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void put(const std::string& path, const std::string& content) {
    const std::filesystem::path file = root_ + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << content;
  }
  // A group of version 2, below one that may have the limit.
  void put_groups(const std::string& outer, const std::string& own) {
    put("/proc/self/cgroup", "0::/batch/job\n");
    put("/sys/fs/cgroup/batch/memory.events.local", "max 9\n" + outer);
    put("/sys/fs/cgroup/batch/job/memory.events.local", "max 0\n" + own);
    put("/sys/fs/cgroup/batch/job/memory.events", "max 0\n" + own);
  }
  void put_old_group(const std::string& kills, const std::string& failures) {
    put("/proc/self/cgroup", "4:memory:/job\n0::/\n");
    put("/sys/fs/cgroup/memory/job/memory.oom_control", "under_oom 0\noom_kill " + kills + "\n");
    put("/sys/fs/cgroup/memory/job/memory.failcnt", failures + "\n");
  }

  std::string root_;
};

constexpr const char* of_group = "at the memory limit of the control group";
constexpr const char* of_machine = "because the machine had no memory left";

TEST_F(memory_evidence, is_missing_when_nothing_was_killed) {
  put_groups("oom 3\noom_kill 3\n", "oom 0\noom_kill 0\n");
  EXPECT_EQ(atl::tools::memory_evidence(root_).since(), "");
}

TEST_F(memory_evidence, names_the_group_whose_limit_was_reached) {
  put_groups("oom 3\noom_kill 3\n", "oom 0\noom_kill 0\n");
  const atl::tools::memory_evidence before(root_);
  put_groups("oom 3\noom_kill 3\n", "oom 1\noom_kill 1\n");
  EXPECT_NE(before.since().find(of_group), std::string::npos) << before.since();
  put_groups("oom 4\noom_kill 3\n", "oom 0\noom_kill 1\n");
  EXPECT_NE(before.since().find(of_group), std::string::npos)
      << "a group outside: " << before.since();
}

TEST_F(memory_evidence, names_the_machine_when_no_group_was_at_its_limit) {
  put_groups("oom 3\noom_kill 3\n", "oom 0\noom_kill 0\n");
  const atl::tools::memory_evidence before(root_);
  put_groups("oom 3\noom_kill 3\n", "oom 0\noom_kill 1\n");
  EXPECT_NE(before.since().find(of_machine), std::string::npos) << before.since();
}

TEST_F(memory_evidence, tells_them_apart_in_version_1) {
  put_old_group("0", "5");
  const atl::tools::memory_evidence before(root_);
  put_old_group("1", "5");
  EXPECT_NE(before.since().find(of_machine), std::string::npos) << before.since();
  put_old_group("1", "6");
  EXPECT_NE(before.since().find(of_group), std::string::npos) << before.since();
}

TEST_F(memory_evidence, of_another_group_is_no_more_than_a_hint) {
  put_groups("oom 3\noom_kill 3\n", "oom 0\noom_kill 0\n");
  const atl::tools::memory_evidence before(root_);
  put("/proc/vmstat", "nr_free_pages 1\noom_kill 78\n");
  EXPECT_NE(before.since().find("ended a process for lack of memory"), std::string::npos);
}

}  // namespace
