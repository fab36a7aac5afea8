// SPDX-License-Identifier: BSD-3-Clause
//
// Tests the windows of devices, in a folder that looks like the kernel's.
#include <tools/info/device_windows.hpp>

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace atl::tools {
namespace {

using memory::memory_kind;

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;

class bus_folder : public testing::Test {
 protected:
  bus_folder() {
    root_ = std::filesystem::temp_directory_path() / ("bus-" + std::to_string(::getpid()));
    std::filesystem::create_directories(root_);
  }
  ~bus_folder() override { std::filesystem::remove_all(root_); }

  void add(const char* address, const char* vendor, const char* device_class,
           const char* resource) {
    const auto folder = root_ / address;
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "vendor") << vendor << '\n';
    std::ofstream(folder / "class") << device_class << '\n';
    std::ofstream(folder / "resource") << resource;
  }

  std::filesystem::path root_;
};

constexpr const char* small_resource =
    "0x00000000a0000000 0x00000000a0ffffff 0x0000000000040200\n"
    "0x0000380000000000 0x000038000fffffff 0x000000000014220c\n"
    "0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
    "0x0000380010000000 0x0000380011ffffff 0x000000000014220c\n"
    "0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
    "0x0000000000003000 0x000000000000307f 0x0000000000040101\n"
    "0x00000000a1000000 0x00000000ffffffff 0x0000000000046200\n";
constexpr const char* large_resource =
    "0x00000000a2000000 0x00000000a2ffffff 0x0000000000040200\n"
    "0x0000390000000000 0x0000391fffffffff 0x000000000014220c\n";

TEST_F(bus_folder, shows_the_largest_window_of_each_device_of_the_vendor) {
  add("0000:65:00.0", "0x10de", "0x030200", small_resource);
  add("0000:17:00.0", "0x10de", "0x030000", large_resource);
  add("0000:17:00.1", "0x10de", "0x040300", small_resource);  // its sound
  add("0000:03:00.0", "0x1002", "0x120000", large_resource);
  const auto found = windows_of(memory_kind::cuda, root_.string());
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].address, "0000:17:00.0");
  EXPECT_EQ(found[0].bytes, 128 * 1024 * mebibyte);
  EXPECT_EQ(found[1].address, "0000:65:00.0");
  EXPECT_EQ(found[1].bytes, 256 * mebibyte);
  EXPECT_EQ(windows_of(memory_kind::hip, root_.string()).size(), 1U);
  EXPECT_TRUE(windows_of(memory_kind::ze, root_.string()).empty());
}

TEST_F(bus_folder, names_the_windows_that_are_smaller_than_the_memory) {
  add("0000:65:00.0", "0x10de", "0x030200", small_resource);
  add("0000:17:00.0", "0x10de", "0x030000", large_resource);
  const auto found = windows_of(memory_kind::cuda, root_.string());
  EXPECT_EQ(small_windows(found, 80 * 1024 * mebibyte), "0000:65:00.0 256 MiB");
  EXPECT_EQ(small_windows(found, 256 * mebibyte), "");
}

TEST_F(bus_folder, may_be_missing_or_hold_something_else) {
  EXPECT_TRUE(windows_of(memory_kind::cuda, (root_ / "nowhere").string()).empty());
  std::filesystem::create_directories(root_ / "0000:00:00.0");
  EXPECT_TRUE(windows_of(memory_kind::cuda, root_.string()).empty());
  add("0000:65:00.0", "0x10de", "0x030200", "nothing of the kind\n");
  EXPECT_EQ(windows_of(memory_kind::cuda, root_.string()).at(0).bytes, 0U);
}

}  // namespace
}  // namespace atl::tools
