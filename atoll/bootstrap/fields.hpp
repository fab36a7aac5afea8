// SPDX-License-Identifier: BSD-3-Clause
//
// Fields of a message: the only places that know the byte order (little-endian) and check bounds.
// Code that talks to another process writes its messages as lists of fields with `field_writer` and
// reads them in the same order with `field_cursor`, which never reads past the end: once a take
// fails, all later ones fail too, so a message is checked once, after the last field.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace atl::bootstrap {

/// Appends fields to a buffer.
class field_writer {
 public:
  template <class Integer>
  void put(Integer value) {
    for (std::size_t i = 0; i < sizeof(Integer); ++i)
      made_.push_back(static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8 * i)));
  }

  void put_bytes(std::span<const std::byte> data) {
    made_.insert(made_.end(), data.begin(), data.end());
  }

  /// A text of at most `bytes_max` and 65,535 bytes, cut there, with its length before it.
  void put_text(std::string_view text, std::size_t bytes_max) {
    text = text.substr(0, bytes_max);
    put(static_cast<std::uint16_t>(text.size()));
    put_bytes(std::as_bytes(std::span(text)));
  }

  void reserve(std::size_t bytes) { made_.reserve(bytes); }

 protected:
  std::vector<std::byte> made_;
};

/// Takes fields off a body.
class field_cursor {
 public:
  explicit field_cursor(std::span<const std::byte> body) : left_(body) {}

  template <class Integer>
  Integer take() {
    const auto raw = take_bytes(sizeof(Integer));
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < raw.size(); ++i)
      value |= std::to_integer<std::uint64_t>(raw[i]) << (8 * i);
    return static_cast<Integer>(value);
  }

  std::span<const std::byte> take_bytes(std::size_t count) {
    if (failed_ || count > left_.size()) {
      failed_ = true;
      return {};
    }
    const auto taken = left_.first(count);
    left_ = left_.subspan(count);
    return taken;
  }

  std::string take_text(std::size_t bytes_max) {
    const std::size_t count = take<std::uint16_t>();
    if (count > bytes_max) failed_ = true;
    const auto raw = take_bytes(count);
    return {reinterpret_cast<const char*>(raw.data()), raw.size()};
  }

  std::size_t left() const { return left_.size(); }
  bool good() const { return !failed_; }
  bool is_whole() const { return !failed_ && left_.empty(); }

 private:
  std::span<const std::byte> left_;
  bool failed_ = false;
};

}  // namespace atl::bootstrap
