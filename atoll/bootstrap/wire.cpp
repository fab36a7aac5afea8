// SPDX-License-Identifier: BSD-3-Clause
//
// Encoding and decoding of the launcher's messages: each is a list of fields, written and taken in
// the same order.
#include <atoll/bootstrap/blob_table.hpp>
#include <atoll/bootstrap/fields.hpp>
#include <atoll/bootstrap/wire.hpp>

#include <algorithm>
#include <utility>

namespace atl::bootstrap::wire {
namespace {

using frames::frame_writer;
using cursor = field_cursor;

}  // namespace

bytes encode(const hello& message) {
  frame_writer out(kind::hello);
  out.put(magic);
  out.put(message.protocol);
  out.put(message.rank);
  out.put(message.size);
  out.put_bytes(message.key);
  out.put_text(message.version, version_bytes_max);
  return std::move(out).finish();
}

bytes encode(const welcome& message) {
  frame_writer out(kind::welcome);
  out.put(message.size);
  out.put(message.round);
  out.put(static_cast<std::uint32_t>(message.host_firsts.size()));
  for (const rank_id first : message.host_firsts) out.put(first);
  return std::move(out).finish();
}

bytes encode(const refused& message) {
  frame_writer out(kind::refused);
  out.put_text(message.cause, text_bytes_max);
  out.put_text(message.remedy, text_bytes_max);
  return std::move(out).finish();
}

bytes encode(const end_job& message) {
  frame_writer out(kind::end_job);
  out.put(message.code);
  out.put_text(message.message, text_bytes_max);
  return std::move(out).finish();
}

bytes encode(const stop& message) {
  frame_writer out(kind::stop);
  out.put(message.code);
  return std::move(out).finish();
}

bytes encode(kind bare) { return frame_writer(bare).finish(); }

bytes encode_exchange(std::span<const std::byte> blob) {
  frame_writer out(kind::exchange);
  out.put_bytes(blob);
  return std::move(out).finish();
}

bytes encode_blobs(std::span<const bytes> blobs) {
  frame_writer out(kind::blobs);
  out.put_bytes(block_of(blobs));
  return std::move(out).finish();
}

std::optional<hello> decode_hello(std::span<const std::byte> body) {
  cursor in(body);
  hello message;
  if (in.take<std::uint32_t>() != magic) return std::nullopt;
  message.protocol = in.take<std::uint16_t>();
  if (in.good() && message.protocol != protocol) return message;
  message.rank = in.take<rank_id>();
  message.size = in.take<rank_id>();
  const auto key = in.take_bytes(message.key.size());
  std::copy(key.begin(), key.end(), message.key.begin());
  message.version = in.take_text(version_bytes_max);
  if (!in.is_whole()) return std::nullopt;
  return message;
}

std::optional<welcome> decode_welcome(std::span<const std::byte> body) {
  cursor in(body);
  welcome message;
  message.size = in.take<rank_id>();
  message.round = in.take<std::uint32_t>();
  const std::size_t hosts = in.take<std::uint32_t>();
  if (hosts > hosts_max || hosts > in.left() / sizeof(rank_id)) return std::nullopt;
  for (std::size_t i = 0; i < hosts; ++i) message.host_firsts.push_back(in.take<rank_id>());
  if (!in.is_whole() || message.size == 0) return std::nullopt;
  for (std::size_t i = 0; i < hosts; ++i) {
    const rank_id first = message.host_firsts[i];
    if (first >= message.size || (i == 0 ? first != 0 : first <= message.host_firsts[i - 1]))
      return std::nullopt;
  }
  return message;
}

std::optional<refused> decode_refused(std::span<const std::byte> body) {
  cursor in(body);
  refused message;
  message.cause = in.take_text(text_bytes_max);
  message.remedy = in.take_text(text_bytes_max);
  if (!in.is_whole()) return std::nullopt;
  return message;
}

std::optional<end_job> decode_end_job(std::span<const std::byte> body) {
  cursor in(body);
  end_job message;
  message.code = in.take<std::int32_t>();
  message.message = in.take_text(text_bytes_max);
  if (!in.is_whole()) return std::nullopt;
  return message;
}

std::optional<stop> decode_stop(std::span<const std::byte> body) {
  cursor in(body);
  const stop message{.code = in.take<std::int32_t>()};
  if (!in.is_whole()) return std::nullopt;
  return message;
}

std::optional<message_header> decode_header(std::span<const std::byte, header_bytes> raw,
                                            std::size_t body_bytes_max) {
  const auto found =
      frames::decode_header(raw, static_cast<std::uint16_t>(last_kind), body_bytes_max);
  if (!found) return std::nullopt;
  return message_header{.body_bytes = found->body_bytes, .type = static_cast<kind>(found->kind)};
}

bool same_key(const job_key& a, const job_key& b) noexcept {
  std::byte difference{0};
  for (std::size_t i = 0; i < a.size(); ++i) difference |= a[i] ^ b[i];
  return difference == std::byte{0};
}

}  // namespace atl::bootstrap::wire
