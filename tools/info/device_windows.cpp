// SPDX-License-Identifier: BSD-3-Clause
//
// Reads the kernel's folder of a device: its vendor, its class, and a line per window with the
// first address, the last one, and flags, one of which says that it is memory. A line of zeros is
// no window.
#include <tools/info/device_windows.hpp>

#include <atoll/base/system/control_group.hpp>
#include <atoll/base/text.hpp>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <system_error>

namespace atl::tools {
namespace {

constexpr std::uint64_t is_memory = 0x200;  // IORESOURCE_MEM
constexpr int windows_most = 6;             // later lines are a ROM or virtual functions

std::uint64_t vendor_of(memory::memory_kind kind) {
  if (kind == memory::memory_kind::cuda) return 0x10de;
  return kind == memory::memory_kind::hip ? 0x1002 : 0x8086;
}

std::uint64_t number_in(const std::string& file) {
  std::uint64_t number = 0;
  std::istringstream(read_small_file(file).value_or("")) >> std::hex >> number;
  return number;
}

/// Whether the class is that of displays or of accelerators that process data.
bool computes(std::uint64_t device_class) {
  return device_class >> 16 == 0x03 || device_class >> 16 == 0x12;
}

std::uint64_t largest_window(const std::string& file) {
  std::istringstream lines(read_small_file(file).value_or(""));
  std::uint64_t first = 0, last = 0, flags = 0, largest = 0;
  lines >> std::hex;
  for (int i = 0; i < windows_most && lines >> first >> last >> flags; ++i)
    if ((flags & is_memory) != 0 && last > first) largest = std::max(largest, last - first + 1);
  return largest;
}

}  // namespace

std::vector<device_window> windows_of(memory::memory_kind kind, const std::string& bus) {
  std::vector<device_window> found;
  std::error_code none;
  for (const auto& each : std::filesystem::directory_iterator(bus, none)) {
    const std::string folder = each.path().string();
    if (number_in(folder + "/vendor") != vendor_of(kind) || !computes(number_in(folder + "/class")))
      continue;
    found.push_back({each.path().filename().string(), largest_window(folder + "/resource")});
  }
  std::ranges::sort(found, {}, &device_window::address);
  return found;
}

std::string small_windows(const std::vector<device_window>& windows, std::uint64_t memory_bytes) {
  std::string words;
  for (const device_window& each : windows) {
    if (each.bytes >= memory_bytes) continue;
    words += text(words.empty() ? "" : ", ", each.address, " ", bytes_text(each.bytes));
  }
  return words;
}

}  // namespace atl::tools
