// SPDX-License-Identifier: BSD-3-Clause
//
// The bytes of requests to the owner of data and of its answers: values one behind the other, each
// at a multiple of 8 bytes. Both sides know the order. They are images of one program, so sizes are
// trusted as the program's are.
#pragma once

#include <atoll/base/rounding.hpp>

#include <cstddef>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

namespace atl::coarray {

inline constexpr std::size_t packing_unit = 8;

class packer {
 public:
  void put(const void* data, std::size_t bytes) {
    const std::size_t offset = bytes_.size();
    bytes_.resize(offset + round_up(bytes, packing_unit));
    if (bytes != 0) std::memcpy(bytes_.data() + offset, data, bytes);
  }
  template <class T>
  void put(const T& value) {
    put(&value, sizeof value);
  }
  /// Room for data, filled with zeros.
  std::byte* make_room(std::size_t bytes) {
    const std::size_t offset = bytes_.size();
    bytes_.resize(offset + round_up(bytes, packing_unit));
    return bytes_.data() + offset;
  }
  void append(std::span<const std::byte> packed) {
    bytes_.insert(bytes_.end(), packed.begin(), packed.end());
  }
  std::span<const std::byte> bytes() const noexcept { return bytes_; }
  std::vector<std::byte> take() noexcept { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

class unpacker {
 public:
  explicit unpacker(std::span<const std::byte> bytes) noexcept : cursor_(bytes.data()) {}

  const std::byte* take(std::size_t bytes) noexcept {
    const std::byte* const found = cursor_;
    cursor_ += round_up(bytes, packing_unit);
    return found;
  }
  template <class T>
  T get() noexcept {
    T value;
    std::memcpy(&value, take(sizeof value), sizeof value);
    return value;
  }

 private:
  const std::byte* cursor_;
};

}  // namespace atl::coarray
