// SPDX-License-Identifier: BSD-3-Clause
//
// The messages between a rank and the launcher of its job: small frames (frames.hpp) on a Unix
// stream socket. The first message of a rank is `hello`, whose magic and protocol number stay at
// the same place for ever, so that any two versions can at least refuse each other with a sentence.
//
// Everything here parses bytes from another process: lengths are bounded before anything is
// allocated, every take checks what is left, and a body with bytes to spare is as wrong as one that
// is short. No state and no sockets, so the fuzzer runs exactly what the launcher runs.
#pragma once

#include <atoll/base/job_limits.hpp>
#include <atoll/base/rank.hpp>
#include <atoll/bootstrap/frames.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace atl::bootstrap::wire {

inline constexpr std::uint16_t protocol = 6;
inline constexpr std::uint32_t magic = 0x4C4F5441;  // "ATOL"
using frames::header_bytes;
inline constexpr std::size_t blob_bytes_max = 64 * 1024;
inline constexpr std::size_t text_bytes_max = 4096;
inline constexpr std::size_t version_bytes_max = 64;
/// The longest answer to a hello: the hosts, or two texts.
inline constexpr std::size_t welcome_bytes_max = std::size_t{hosts_max} * sizeof(rank_id) + 12;
/// The longest body that a rank may send.
inline constexpr std::size_t rank_body_bytes_max = blob_bytes_max;

/// The host memory and the list of stopped ranks, in this order.
inline constexpr std::size_t welcome_descriptors = 2;

using job_key = std::array<std::byte, 32>;
using frames::bytes;

/// The type of a frame. Ranks send hello, exchange, fence, end_job, goodbye, stop, outlive, depend;
/// the launcher the rest.
enum class kind : std::uint16_t {
  hello = 1,  // rank: magic, protocol, rank, size, key, library version
  welcome,    // launcher: size, round, hosts; carries two descriptors, see welcome_descriptors
  refused,    // launcher: cause, remedy; the launcher closes after it
  exchange,   // rank: its blob
  blobs,      // supervisor to the listener of a host: the block of all blobs (blob_table.hpp)
  fence,      // rank: entered
  passed,     // launcher: all have entered the fence, or have stopped
  end_job,    // rank: exit code, message
  goodbye,    // rank: leaves the job
  stop,       // rank: exit code; its program has ended, its memory has not
  outlive,    // rank: it wants to go on when another one fails
  depend,     // rank: it takes that back
  table,      // launcher: carries a descriptor, of the file with the block of all blobs
};

inline constexpr kind last_kind = kind::table;

struct hello {
  std::uint16_t protocol = wire::protocol;
  rank_id rank = 0;
  rank_id size = 1;
  job_key key{};
  std::string version;
};

struct welcome {
  rank_id size = 0;
  std::uint32_t round = 0;           // how often this rank has joined the job before
  std::vector<rank_id> host_firsts;  // first rank of each host, rising from 0; empty: one host
};

struct refused {
  std::string cause;
  std::string remedy;
};

struct end_job {
  std::int32_t code = 0;
  std::string message;
};

struct stop {
  std::int32_t code = 0;
};

/// Each returns one whole frame, header included. Texts are cut at their limits.
bytes encode(const hello& message);
bytes encode(const welcome& message);
bytes encode(const refused& message);
bytes encode(const end_job& message);
bytes encode(const stop& message);
bytes encode(kind bare);  // fence, passed, goodbye, outlive, depend, table: no body
bytes encode_exchange(std::span<const std::byte> blob);
bytes encode_blobs(std::span<const bytes> blobs);

/// Each takes a body (no header); nothing when it is not exactly such a message. A hello of another
/// protocol decodes as far as that number, so that it can be refused by name.
std::optional<hello> decode_hello(std::span<const std::byte> body);
std::optional<welcome> decode_welcome(std::span<const std::byte> body);
std::optional<refused> decode_refused(std::span<const std::byte> body);
std::optional<end_job> decode_end_job(std::span<const std::byte> body);
std::optional<stop> decode_stop(std::span<const std::byte> body);

struct message_header {
  std::size_t body_bytes = 0;
  kind type{};
};

/// Reads a header; nothing when the kind is unknown or the body is longer than the limit.
std::optional<message_header> decode_header(std::span<const std::byte, header_bytes> raw,
                                            std::size_t body_bytes_max);

/// The same time for every pair of keys, so that a guess learns nothing from the clock.
bool same_key(const job_key& a, const job_key& b) noexcept;

/// Cuts a byte stream into frames.
using message_reader = frames::reader_of<kind, last_kind>;

}  // namespace atl::bootstrap::wire
