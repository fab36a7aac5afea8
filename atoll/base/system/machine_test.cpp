// SPDX-License-Identifier: BSD-3-Clause
//
// Limits of processors and memory, read from made-up file systems: a plain machine, control groups
// of both versions, a container that sees its host's path.
#include <atoll/base/system/control_group.hpp>
#include <atoll/base/system/cpu.hpp>
#include <atoll/base/system/memory_limits.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include <unistd.h>

namespace {

constexpr std::uint64_t mib = 1 << 20;

class machine : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    root_ = testing::TempDir() + "atoll_machine_" + std::to_string(::getpid()) + test->name();
    put("/proc/meminfo",
        "MemTotal:        1024000 kB\nMemFree: 7 kB\nMemAvailable:     512000 kB\n");
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void put(const std::string& path, const std::string& content) {
    const std::filesystem::path file = root_ + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << content;
  }

  std::string root_;
};

TEST_F(machine, without_control_groups_the_machine_counts) {
  const auto limits = atl::read_memory_limits(root_);
  EXPECT_EQ(limits.total_bytes, 1000 * mib);
  EXPECT_EQ(limits.available_bytes, 500 * mib);
  EXPECT_EQ(limits.group_limit_bytes, 0u);
}

TEST_F(machine, a_version_2_group_limits_memory_and_its_page_cache_is_available) {
  put("/proc/self/cgroup", "0::/batch/job\n");
  put("/sys/fs/cgroup/batch/job/memory.max", "max\n");
  put("/sys/fs/cgroup/batch/memory.max", "104857600\n");
  put("/sys/fs/cgroup/batch/memory.current", "52428800\n");
  put("/sys/fs/cgroup/batch/memory.stat",
      "anon 1\ninactive_file 10485760\nactive_file 10485760\nshmem 3\n");
  const auto limits = atl::read_memory_limits(root_);
  EXPECT_EQ(limits.total_bytes, 100 * mib);
  EXPECT_EQ(limits.group_limit_bytes, 100 * mib);
  EXPECT_EQ(limits.group_usage_bytes, 30 * mib);
  EXPECT_EQ(limits.available_bytes, 70 * mib);
}

TEST_F(machine, a_version_1_group_is_found_by_its_controller) {
  put("/proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/y/z\n0::/elsewhere\n");
  put("/sys/fs/cgroup/memory/y/z/memory.limit_in_bytes", "209715200\n");
  put("/sys/fs/cgroup/memory/y/z/memory.usage_in_bytes", "314572800\n");
  put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  const auto limits = atl::read_memory_limits(root_);
  EXPECT_EQ(limits.total_bytes, 200 * mib);
  EXPECT_EQ(limits.available_bytes, 0u);
}

TEST_F(machine, a_path_of_the_host_that_is_not_visible_means_the_visible_root) {
  put("/proc/self/cgroup", "4:memory:/docker/0123456789\n");
  put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "104857600\n");
  put("/sys/fs/cgroup/memory/memory.usage_in_bytes", "1048576\n");
  EXPECT_EQ(atl::read_memory_limits(root_).available_bytes, 99 * mib);
  EXPECT_EQ(atl::find_control_group("memory", root_).directories.size(), 1u);
}

TEST_F(machine, a_quota_of_processors_is_rounded_up_and_the_smallest_counts) {
  put("/proc/self/cgroup", "0::/a/b\n");
  put("/sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  put("/sys/fs/cgroup/a/cpu.max", "50000 100000\n");
  EXPECT_EQ(atl::cores_available(root_), 1u);
  put("/proc/self/cgroup", "3:cpu,cpuacct:/a\n");
  put("/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "-1\n");
  put("/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(atl::cores_available(root_), atl::cores_available(root_ + "/nowhere"));
}

TEST_F(machine, damaged_files_limit_nothing) {
  put("/proc/self/cgroup", "\n::\n0\n0::\n0::no/slash\n:::::\n4:memory");
  put("/sys/fs/cgroup/memory.max", "lots");
  put("/sys/fs/cgroup/cpu.max", "");
  EXPECT_EQ(atl::read_memory_limits(root_).total_bytes, 1000 * mib);
  EXPECT_GE(atl::cores_available(root_), 1u);
}

TEST(this_machine, has_memory_and_cores) {
  const auto limits = atl::read_memory_limits();
  EXPECT_GT(limits.total_bytes, 0u);
  EXPECT_GT(limits.available_bytes, 0u);
  EXPECT_LE(limits.available_bytes, limits.machine_total_bytes);
  EXPECT_GE(atl::cores_available(), 1u);
  EXPECT_GT(atl::read_available_memory(), 0u);
}

}  // namespace
