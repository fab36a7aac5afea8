// SPDX-License-Identifier: BSD-3-Clause
//
// The one way in which the parts of a launcher and its ranks frame their messages on a stream: an
// 8-byte header {body length, kind, zero}, all little-endian, and a body. Each protocol has its own
// kinds and bodies: wire.hpp for ranks, tools/hosts/protocol.hpp for hosts.
//
// A reader parses bytes from another process: the kind and the length are checked before anything
// is kept, and it holds at most one body limit and what one read brought.
#pragma once

#include <atoll/bootstrap/fields.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace atl::bootstrap::frames {

using bytes = std::vector<std::byte>;

inline constexpr std::size_t header_bytes = 8;

struct frame_header {
  std::size_t body_bytes = 0;
  std::uint16_t kind = 0;
};

/// Decodes a header; nothing when the kind is not one of 1 to `last_kind`, or the body is longer
/// than the limit.
std::optional<frame_header> decode_header(std::span<const std::byte, header_bytes> raw,
                                          std::uint16_t last_kind, std::size_t body_bytes_max);

/// Builds one frame from the fields of its body; the length is filled in at the end.
class frame_writer : public field_writer {
 public:
  template <class Kind>
  explicit frame_writer(Kind kind) {
    put<std::uint32_t>(0);
    put(static_cast<std::uint16_t>(kind));
    put<std::uint16_t>(0);
  }

  bytes finish() &&;
};

enum class result : std::uint8_t { frame, more, bad };

/// Cuts a stream into frames.
class frame_reader {
 public:
  frame_reader(std::uint16_t last_kind, std::size_t body_bytes_max)
      : last_kind_(last_kind), body_bytes_max_(body_bytes_max) {}

  void append(std::span<const std::byte> received);

  /// The next frame; its body stays valid until the next append. After `bad` the stream is lost.
  result next(std::uint16_t& kind, std::span<const std::byte>& body);

 private:
  std::uint16_t last_kind_;
  std::size_t body_bytes_max_;
  bytes buffer_;
  std::size_t consumed_ = 0;
};

/// The same for the kinds of one protocol.
template <class Kind, Kind last>
class reader_of {
 public:
  using result = frames::result;

  explicit reader_of(std::size_t body_bytes_max)
      : frames_(static_cast<std::uint16_t>(last), body_bytes_max) {}

  void append(std::span<const std::byte> received) { frames_.append(received); }

  result next(Kind& kind, std::span<const std::byte>& body) {
    std::uint16_t number = 0;
    const auto found = frames_.next(number, body);
    if (found == result::frame) kind = static_cast<Kind>(number);
    return found;
  }

 private:
  frame_reader frames_;
};

}  // namespace atl::bootstrap::frames
