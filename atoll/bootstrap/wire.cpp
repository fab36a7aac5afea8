// SPDX-License-Identifier: BSD-3-Clause
//
// Encoding and decoding of the launcher's messages: each is a list of fields, written and taken in
// the same order.
#include <atoll/bootstrap/fields.hpp>
#include <atoll/bootstrap/wire.hpp>

#include <algorithm>
#include <utility>

namespace atl::bootstrap::wire {
namespace {

/// Builds one frame; the length in the header is filled in at the end.
class writer : public field_writer {
 public:
  explicit writer(kind what) {
    put<std::uint32_t>(0);
    put(static_cast<std::uint16_t>(what));
    put<std::uint16_t>(0);
  }

  bytes finish() && {
    const std::uint64_t body_bytes = made_.size() - header_bytes;
    for (std::size_t i = 0; i < 4; ++i) made_[i] = static_cast<std::byte>(body_bytes >> (8 * i));
    return std::move(made_);
  }
};

using cursor = field_cursor;

bool known(std::uint16_t what) {
  return what >= static_cast<std::uint16_t>(kind::hello) &&
         what <= static_cast<std::uint16_t>(kind::goodbye);
}

}  // namespace

bytes encode(const hello& message) {
  writer out(kind::hello);
  out.put(magic);
  out.put(message.protocol);
  out.put(message.rank);
  out.put(message.size);
  out.put_bytes(message.key);
  out.put_text(message.version, version_bytes_max);
  return std::move(out).finish();
}

bytes encode(const welcome& message) {
  writer out(kind::welcome);
  out.put(message.size);
  out.put(message.round);
  out.put(static_cast<std::uint32_t>(message.host_firsts.size()));
  for (const rank_id first : message.host_firsts) out.put(first);
  return std::move(out).finish();
}

bytes encode(const refused& message) {
  writer out(kind::refused);
  out.put_text(message.cause, text_bytes_max);
  out.put_text(message.remedy, text_bytes_max);
  return std::move(out).finish();
}

bytes encode(const end_job& message) {
  writer out(kind::end_job);
  out.put(message.code);
  out.put_text(message.message, text_bytes_max);
  return std::move(out).finish();
}

bytes encode(kind bare) { return writer(bare).finish(); }

bytes encode_exchange(std::span<const std::byte> blob) {
  writer out(kind::exchange);
  out.put_bytes(blob);
  return std::move(out).finish();
}

bytes encode_blobs(std::span<const bytes> blobs) {
  std::size_t total = 0;
  for (const auto& blob : blobs) total += sizeof(std::uint32_t) + blob.size();
  writer out(kind::blobs);
  out.reserve(header_bytes + total);
  for (const auto& blob : blobs) {
    out.put(static_cast<std::uint32_t>(blob.size()));
    out.put_bytes(blob);
  }
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
  if (!in.whole()) return std::nullopt;
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
  if (!in.whole() || message.size == 0) return std::nullopt;
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
  if (!in.whole()) return std::nullopt;
  return message;
}

std::optional<end_job> decode_end_job(std::span<const std::byte> body) {
  cursor in(body);
  end_job message;
  message.code = in.take<std::int32_t>();
  message.message = in.take_text(text_bytes_max);
  if (!in.whole()) return std::nullopt;
  return message;
}

std::optional<std::vector<bytes>> decode_blobs(std::span<const std::byte> body, rank_id size) {
  if (body.size() / sizeof(std::uint32_t) < size) return std::nullopt;
  cursor in(body);
  std::vector<bytes> blobs(size);
  for (auto& blob : blobs) {
    const std::size_t count = in.take<std::uint32_t>();
    const auto raw = in.take_bytes(count);
    blob.assign(raw.begin(), raw.end());
  }
  if (!in.whole()) return std::nullopt;
  return blobs;
}

std::optional<header> decode_header(std::span<const std::byte, header_bytes> raw,
                                    std::size_t body_bytes_max) {
  cursor in(raw);
  header result;
  result.body_bytes = in.take<std::uint32_t>();
  const auto what = in.take<std::uint16_t>();
  const auto zero = in.take<std::uint16_t>();
  if (!known(what) || zero != 0 || result.body_bytes > body_bytes_max) return std::nullopt;
  result.what = static_cast<kind>(what);
  return result;
}

bool same_key(const job_key& a, const job_key& b) noexcept {
  std::byte difference{0};
  for (std::size_t i = 0; i < a.size(); ++i) difference |= a[i] ^ b[i];
  return difference == std::byte{0};
}

void frame_reader::append(std::span<const std::byte> received) {
  if (consumed_ > 0) {
    buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(consumed_));
    consumed_ = 0;
  }
  buffer_.insert(buffer_.end(), received.begin(), received.end());
}

frame_reader::result frame_reader::next(kind& what, std::span<const std::byte>& body) {
  const auto left = std::span<const std::byte>(buffer_).subspan(consumed_);
  if (left.size() < header_bytes) return result::more;
  const auto head = decode_header(left.first<header_bytes>(), body_bytes_max_);
  if (!head) return result::bad;
  if (left.size() < header_bytes + head->body_bytes) return result::more;
  what = head->what;
  body = left.subspan(header_bytes, head->body_bytes);
  consumed_ += header_bytes + head->body_bytes;
  return result::frame;
}

}  // namespace atl::bootstrap::wire
