// SPDX-License-Identifier: BSD-3-Clause
//
// Fuzzes the input of a launcher over several hosts: the first byte chooses the parser, the rest is
// its input. A stranger's bytes go into both sides of a handshake in small pieces and must not
// prove knowledge of the job's key. The parser of control messages must stay within its input, and
// a message that decodes must encode to the same bytes again.
#include <tools/hosts/handshake.hpp>
#include <tools/hosts/host_list.hpp>
#include <tools/hosts/invitation.hpp>
#include <tools/hosts/protocol.hpp>
#include <tools/run/program.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

namespace {

namespace tools = atl::tools;
namespace protocol = tools::protocol;
using tools::bytes;

void require(bool condition) {
  if (!condition) std::abort();
}

template <class Message>
void decode(std::span<const std::byte> body) {
  const auto message = protocol::decode<Message>(body);
  require(!message || std::ranges::equal(protocol::body_of(*message), body));
}

void decode_all(std::span<const std::byte> body) {
  decode<protocol::events>(body);
  decode<protocol::failed>(body);
  decode<protocol::nodes>(body);
  decode<protocol::output_line>(body);
  decode<protocol::output>(body);
  decode<protocol::amount>(body);
  decode<protocol::fate_notices>(body);
  decode<protocol::signal>(body);
  decode<protocol::end>(body);
  decode<protocol::plan>(body);
}

void read_stream(std::span<const std::byte> stream) {
  protocol::stream reader(protocol::up_bytes_max);
  std::size_t piece = 1;
  while (!stream.empty()) {
    const auto count = std::min(piece, stream.size());
    reader.append(stream.first(count));
    stream = stream.subspan(count);
    piece = piece * 5 % 97 + 1;
    protocol::frame found;
    auto result = reader.next(found);
    for (; result == protocol::stream::result::frame; result = reader.next(found)) {
      require(found.body.size() <= protocol::up_bytes_max);
      decode_all(found.body);
      require(protocol::encode(found.kind, found.node, found.body).size() ==
              atl::bootstrap::frames::header_bytes + sizeof found.node + found.body.size());
    }
    if (result == protocol::stream::result::bad) return;
  }
}

void shake(tools::handshake::side side, std::span<const std::byte> received) {
  static const auto key = tools::random_secret();
  tools::handshake own(side, key, 1);
  bytes answer = own.opening();
  std::size_t piece = 3;
  while (!received.empty()) {
    auto part = received.first(std::min(piece, received.size()));
    received = received.subspan(part.size());
    require(own.take(part, answer) != tools::handshake::state::proven);
    require(answer.size() <= 256);
    piece = piece * 7 % 61 + 1;
  }
}

void open_seal(std::span<const std::byte> sealed) {
  tools::seal receiving(tools::random_secret());
  require(!receiving.open(sealed));
}

void read_text(std::string_view text) {
  const auto call = tools::invitation::parse(text);
  if (call) require(tools::invitation::parse(call->text()).has_value());
  try {
    tools::fill(tools::parse_hosts(text), 0);
  } catch (const tools::launch_refusal&) {
  }
  try {
    tools::fill(tools::parse_hostfile(text, "file"), 3);
  } catch (const tools::launch_refusal&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size_bytes) {
  if (size_bytes == 0) return 0;
  const auto input = std::as_bytes(std::span(data, size_bytes)).subspan(1);
  if (data[0] == 'a') shake(tools::handshake::side::accepted, input);
  if (data[0] == 'c') shake(tools::handshake::side::called, input);
  if (data[0] == 'o') open_seal(input);
  if (data[0] == 's') read_stream(input);
  if (data[0] == 't') read_text({reinterpret_cast<const char*>(input.data()), input.size()});
  if (data[0] == 'w') decode_all(input);
  return 0;
}
