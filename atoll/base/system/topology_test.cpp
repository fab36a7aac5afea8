// SPDX-License-Identifier: BSD-3-Clause
//
// The topology of made-up machines and of this one.
#include <atoll/base/system/topology.hpp>

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace {

class topology : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    root_ = testing::TempDir() + "atoll_topology_" + std::to_string(::getpid()) + test->name();
    put("/proc/meminfo", "MemTotal: 2048 kB\n");
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void put(const std::string& path, const std::string& content) {
    const std::filesystem::path file = root_ + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << content << '\n';
  }
  void put_cpu(unsigned cpu, const std::string& file, const std::string& content) {
    put("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/" + file, content);
  }
  void put_cache(unsigned cpu, unsigned index, const std::string& level, const std::string& type,
                 const std::string& size, const std::string& sharers) {
    const auto folder = "cache/index" + std::to_string(index) + "/";
    put_cpu(cpu, folder + "level", level);
    put_cpu(cpu, folder + "type", type);
    put_cpu(cpu, folder + "size", size);
    put_cpu(cpu, folder + "shared_cpu_list", sharers);
  }

  std::string root_;
};

TEST_F(topology, two_packages_with_two_threads_per_core) {
  put("/sys/devices/system/cpu/online", "0-7");
  put("/sys/devices/system/node/online", "0-1");
  for (unsigned cpu = 0; cpu < 8; ++cpu) {
    const unsigned core = cpu % 4;
    const auto siblings = std::to_string(core) + "," + std::to_string(core + 4);
    const std::string package_list = core < 2 ? "0-1,4-5" : "2-3,6-7";
    put_cpu(cpu, "topology/thread_siblings_list", siblings);
    put_cpu(cpu, "topology/physical_package_id", core < 2 ? "0" : "1");
    put_cache(cpu, 0, "1", "Data", "48K", siblings);
    put_cache(cpu, 1, "1", "Instruction", "32K", siblings);
    put_cache(cpu, 2, "3", "Unified", "32M", package_list);
  }
  put("/sys/devices/system/node/node0/cpulist", "0-1,4-5");
  put("/sys/devices/system/node/node0/meminfo", "Node 0 MemTotal:       1024 kB");
  put("/sys/devices/system/node/node1/cpulist", "2-3,6-7");
  put("/sys/devices/system/node/node1/meminfo", "Node 1 MemTotal:       3072 kB");

  const auto machine = atl::read_topology(root_);
  EXPECT_EQ(machine.processors.size(), 8u);
  EXPECT_EQ(machine.cores, 4u);
  EXPECT_EQ(machine.packages, 2u);
  ASSERT_EQ(machine.nodes.size(), 2u);
  EXPECT_EQ(machine.nodes[1].memory_bytes, 3072u * 1024);
  EXPECT_EQ(machine.processors[6].node, 1u);
  EXPECT_EQ(machine.processors[6].core, machine.processors[2].core);
  ASSERT_EQ(machine.caches.size(), 2u);
  EXPECT_EQ(machine.caches[0].size_bytes, 48u << 10);
  EXPECT_EQ(machine.caches[0].instances, 4u);
  EXPECT_EQ(machine.caches[0].shared_by, 2u);
  EXPECT_EQ(machine.caches[1].instances, 2u);
  EXPECT_EQ(machine.last_level_bytes(), 32u << 20);
}

TEST_F(topology, a_machine_that_tells_nothing_is_assumed_plain) {
  const auto machine = atl::read_topology(root_);
  EXPECT_GE(machine.processors.size(), 1u);
  EXPECT_EQ(machine.cores, machine.processors.size());
  EXPECT_EQ(machine.packages, 1u);
  ASSERT_EQ(machine.nodes.size(), 1u);
  EXPECT_EQ(machine.nodes[0].memory_bytes, 2048u * 1024);
  EXPECT_EQ(machine.nodes[0].processors.size(), machine.processors.size());
  EXPECT_TRUE(machine.caches.empty());
  EXPECT_EQ(machine.last_level_bytes(), 0u);
}

TEST_F(topology, the_model_is_what_the_processor_calls_itself) {
  put("/proc/cpuinfo", "processor\t: 0\nmodel name\t: Example 9000\nflags: a b");
  EXPECT_EQ(atl::read_topology(root_).model, "Example 9000");
  put("/proc/cpuinfo", "model name");
  EXPECT_EQ(atl::read_topology(root_).model, "");
}

TEST(this_topology, is_consistent) {
  const auto machine = atl::read_topology();
  EXPECT_GE(machine.processors.size(), 1u);
  EXPECT_LE(machine.cores, machine.processors.size());
  EXPECT_GE(machine.nodes.size(), 1u);
}

TEST(number_list, holds_single_numbers_and_ranges) {
  using numbers = std::vector<unsigned>;
  EXPECT_EQ(atl::parse_number_list("0-3,8,10-11"), (numbers{0, 1, 2, 3, 8, 10, 11}));
  EXPECT_EQ(atl::parse_number_list("5"), numbers{5});
  EXPECT_EQ(atl::parse_number_list(""), numbers{});
}

TEST(number_list, stops_at_nonsense_and_has_a_bound) {
  using numbers = std::vector<unsigned>;
  EXPECT_EQ(atl::parse_number_list("x"), numbers{});
  EXPECT_EQ(atl::parse_number_list("1,,2"), numbers{1});
  EXPECT_EQ(atl::parse_number_list("3-"), numbers{3});
  EXPECT_EQ(atl::parse_number_list("3-1,4"), numbers{4});
  EXPECT_EQ(atl::parse_number_list("99999999999"), numbers{});
  EXPECT_EQ(atl::parse_number_list("0-4294967295").size(), 65536u);
}

}  // namespace
