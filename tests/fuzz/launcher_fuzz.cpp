// SPDX-License-Identifier: BSD-3-Clause
//
// Fuzzes the parsers of messages between the launcher and its ranks, of other launchers' lines
// (PMI-1), and of messages between the ranks of such launchers. The first byte chooses the parser,
// the rest is its input. A stream of frames arrives in small pieces; every decoder must stay within
// its input, and a message that decodes must encode to the same bytes again.
#include <atoll/bootstrap/blob_table.hpp>
#include <atoll/bootstrap/job_address.hpp>
#include <atoll/bootstrap/pmi1_wire.hpp>
#include <atoll/bootstrap/rank_tree.hpp>
#include <atoll/bootstrap/wire.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>
#include <vector>

namespace {

namespace wire = atl::bootstrap::wire;

void require(bool condition) {
  if (!condition) std::abort();
}

bool is_body(const wire::bytes& frame, std::span<const std::byte> body) {
  return std::ranges::equal(std::span(frame).subspan(wire::header_bytes), body);
}

/// Decodes a body as a message of the kind that its frame names.
void decode(wire::kind kind, std::span<const std::byte> body) {
  if (kind == wire::kind::hello) {
    const auto message = wire::decode_hello(body);
    if (message && message->protocol == wire::protocol)
      require(is_body(wire::encode(*message), body));
  }
  if (kind == wire::kind::welcome) {
    const auto message = wire::decode_welcome(body);
    require(!message || is_body(wire::encode(*message), body));
  }
  if (kind == wire::kind::refused) {
    const auto message = wire::decode_refused(body);
    require(!message || is_body(wire::encode(*message), body));
  }
  if (kind == wire::kind::end_job) {
    const auto message = wire::decode_end_job(body);
    require(!message || is_body(wire::encode(*message), body));
  }
  if (kind == wire::kind::blobs) {
    for (const atl::rank_id size : {0U, 1U, 3U, ~0U}) {
      const auto table = atl::bootstrap::blob_table::of_block(body, size);
      if (!table) continue;
      std::vector<wire::bytes> blobs;
      for (atl::rank_id rank = 0; rank < size; ++rank)
        blobs.emplace_back(table->at(rank).begin(), table->at(rank).end());
      require(is_body(wire::encode_blobs(blobs), body));
    }
  }
}

/// Feeds a stream in pieces of changing size, as a socket would deliver them.
void read_stream(std::span<const std::byte> stream) {
  wire::message_reader reader(wire::rank_body_bytes_max);
  std::size_t piece = 1;
  while (!stream.empty()) {
    const auto count = std::min(piece, stream.size());
    reader.append(stream.first(count));
    stream = stream.subspan(count);
    piece = piece * 5 % 97 + 1;
    wire::kind kind{};
    std::span<const std::byte> body;
    auto result = reader.next(kind, body);
    for (; result == wire::message_reader::result::frame; result = reader.next(kind, body)) {
      require(body.size() <= wire::rank_body_bytes_max);
      decode(kind, body);
    }
    if (result == wire::message_reader::result::bad) return;
  }
}

void read_address(std::span<const std::byte> raw) {
  const std::string_view text(reinterpret_cast<const char*>(raw.data()), raw.size());
  const auto job = atl::bootstrap::job_address::parse(text);
  if (!job) return;
  const auto back = atl::bootstrap::job_address::parse(job->text());
  require(back && back->id == job->id && back->key == job->key);
}

void read_line(std::span<const std::byte> raw) {
  const std::string_view text(reinterpret_cast<const char*>(raw.data()), raw.size());
  const atl::bootstrap::pmi1_wire::pmi1_message line(text);
  require(line.command().size() <= text.size());
  require(!line.is_success() || line.value("rc").empty() || line.number("rc") == 0);
  const auto digits = atl::bootstrap::pmi1_wire::from_hex(line.value("value"));
  require(!digits || atl::bootstrap::pmi1_wire::to_hex(*digits) == line.value("value"));
}

void read_tree(std::span<const std::byte> raw) {
  using atl::bootstrap::rank_tree;
  for (const atl::rank_id size : {1U, 3U, 40U}) {
    const auto list = rank_tree::decode_entries(raw, size);
    require(!list || std::ranges::equal(rank_tree::encode(*list), raw));
  }
  const auto address = rank_tree::decode_address(raw);
  require(!address || std::ranges::equal(rank_tree::encode(*address), raw));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size_bytes) {
  if (size_bytes == 0) return 0;
  const auto input = std::as_bytes(std::span(data, size_bytes)).subspan(1);
  if (data[0] == 'a') {
    read_address(input);
  } else if (data[0] == 's') {
    read_stream(input);
  } else if (data[0] == 'p') {
    read_line(input);
  } else if (data[0] == 't') {
    read_tree(input);
  } else {
    decode(static_cast<wire::kind>(data[0]), input);
  }
  return 0;
}
