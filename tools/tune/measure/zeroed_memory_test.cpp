// SPDX-License-Identifier: BSD-3-Clause
//
// Tests that touched memory has pages of its own, by what the kernel says of its mapping. The
// allocator of a sanitizer writes the zeros itself, so there it has them before.
#include <tools/tune/measure/zeroed_memory.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>

namespace atl::tune {
namespace {

// The KiB of anonymous memory of the mapping that holds an address. The kernel's page of zeros is
// not among them.
unsigned long own_kib(const std::byte* address) {
  const auto place = reinterpret_cast<std::uintptr_t>(address);
  std::ifstream mappings("/proc/self/smaps");
  bool is_inside = false;
  for (std::string line; std::getline(mappings, line);) {
    unsigned long begin = 0, end = 0, kib = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2)
      is_inside = begin <= place && place < end;
    if (is_inside && std::sscanf(line.c_str(), "Anonymous: %lu kB", &kib) == 1) return kib;
  }
  return 0;
}

TEST(tune_memory, that_was_touched_has_pages_of_its_own) {
  constexpr std::size_t bytes = std::size_t{64} << 20;  // more than calloc takes from its heap
  zeroed_memory source;
  source.grow(bytes);
  EXPECT_EQ(std::count(source.data(), source.data() + bytes, std::byte{0}), std::ptrdiff_t{bytes});
  source.touch(bytes);
  EXPECT_GE(own_kib(source.data()), bytes >> 10);
  EXPECT_EQ(std::count(source.data(), source.data() + bytes, std::byte{0}), std::ptrdiff_t{bytes});
}

TEST(tune_memory, is_touched_again_where_it_grew) {
  zeroed_memory source;
  source.touch(1);  // there is none
  source.grow(std::size_t{1} << 20);
  source.touch(std::size_t{1} << 20);
  source.grow(std::size_t{64} << 20);
  source.touch(std::size_t{128} << 20);
  EXPECT_GE(own_kib(source.data()), std::size_t{64} << 10);
}

}  // namespace
}  // namespace atl::tune
