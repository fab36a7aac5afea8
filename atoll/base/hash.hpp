// SPDX-License-Identifier: BSD-3-Clause
//
// A hash of bytes that is the same in every process and build, which std::hash does not promise:
// FNV-1a with 64 bits. It tells apart what is different by accident (launches, machines, versions
// of a library); it is no protection from an attacker.
#pragma once

#include <cstdint>
#include <string_view>

namespace atl {

class stable_hash {
 public:
  void add(std::string_view bytes) noexcept {
    for (const char each : bytes) add(static_cast<unsigned char>(each));
  }
  void add(unsigned char byte) noexcept { sum_ = (sum_ ^ byte) * 0x100000001b3u; }

  std::uint64_t value() const noexcept { return sum_; }

 private:
  std::uint64_t sum_ = 0xcbf29ce484222325u;
};

}  // namespace atl
