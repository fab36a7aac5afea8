// SPDX-License-Identifier: BSD-3-Clause
//
// Headers and streams. Frames that have been read stay in the buffer until more is appended, so
// that a body is never copied.
#include <atoll/bootstrap/frames.hpp>

namespace atl::bootstrap::frames {

bytes frame_writer::finish() && {
  const std::uint64_t body_bytes = made_.size() - header_bytes;
  for (std::size_t i = 0; i < 4; ++i) made_[i] = static_cast<std::byte>(body_bytes >> (8 * i));
  return std::move(made_);
}

std::optional<frame_header> decode_header(std::span<const std::byte, header_bytes> raw,
                                          std::uint16_t last_kind, std::size_t body_bytes_max) {
  field_cursor in(raw);
  frame_header found;
  found.body_bytes = in.take<std::uint32_t>();
  found.kind = in.take<std::uint16_t>();
  const auto zero = in.take<std::uint16_t>();
  const bool is_known = found.kind >= 1 && found.kind <= last_kind;
  if (!is_known || zero != 0 || found.body_bytes > body_bytes_max) return std::nullopt;
  return found;
}

void frame_reader::append(std::span<const std::byte> received) {
  if (consumed_ > 0) {
    buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(consumed_));
    consumed_ = 0;
  }
  buffer_.insert(buffer_.end(), received.begin(), received.end());
}

result frame_reader::next(std::uint16_t& kind, std::span<const std::byte>& body) {
  const auto left = std::span<const std::byte>(buffer_).subspan(consumed_);
  if (left.size() < header_bytes) return result::more;
  const auto head = decode_header(left.first<header_bytes>(), last_kind_, body_bytes_max_);
  if (!head) return result::bad;
  if (left.size() < header_bytes + head->body_bytes) return result::more;
  kind = head->kind;
  body = left.subspan(header_bytes, head->body_bytes);
  consumed_ += header_bytes + head->body_bytes;
  return result::frame;
}

}  // namespace atl::bootstrap::frames
