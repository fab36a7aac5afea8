// SPDX-License-Identifier: BSD-3-Clause
//
// The messages between the parts of a launcher over several hosts: the head (on the user's
// machine), a daemon per host, and the warden below each daemon. A frame is {body length, word,
// zero, node} and a body. `node` is the daemon that it comes from or goes to: node 0 is the head,
// hosts count from 1; node 0 as a goal means every daemon.
//
// Between hosts frames travel in sealed connections only; still every body is decoded with all its
// bounds checked, because a daemon may be wrong as well as a stranger, and this code is fuzzed.
#pragma once

#include <atoll/base/job_limits.hpp>
#include <atoll/base/rank.hpp>
#include <tools/hosts/secret.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace atl::tools::words {

enum class word : std::uint16_t {
  hello = 1,  // daemon: its version; the first frame after the proof
  plan,       // to a daemon: the whole job
  ping,       // between neighbours, when there was nothing else to say
  joined,     // rank, process, version
  entered,    // rank, collective, blob
  left,       // rank
  ended,      // rank
  asked,      // rank: wants a clean end of the job
  failed,     // code, signal, ranks left on that host, whether others speak first, why
  lost,       // a daemon and all below it are gone; why
  tell,       // a line for the user
  output,     // rank, stream, bytes
  taken,      // bytes of output that the user's streams have taken; to one daemon
  input,      // bytes for rank 0; none: the end
  fed,        // bytes of input that rank 0 has taken
  finished,   // a daemon has no processes left and has passed on all output
  pass,       // to all: the answer to a collective
  signal,     // to all: a signal that the user sent
  end,        // to all: end the ranks; how long they have
  report,     // to all: tell what the ranks are doing
  over,       // to all: the job is over, go
};

inline constexpr std::size_t header_bytes = 12;
inline constexpr std::size_t text_bytes_max = 16 * 1024;
inline constexpr std::size_t piece_bytes_max = 64 * 1024;  // of output and input
inline constexpr std::size_t up_bytes_max = 128 * 1024;    // longest body towards the head
inline constexpr std::size_t down_bytes_max = std::size_t{1}
                                              << 31;  // from the head, which is trusted
inline constexpr std::size_t list_max = 65536;  // entries of a list in a plan; hosts: hosts_max

struct frame {
  word what{};
  std::uint32_t node = 0;
  std::span<const std::byte> body;
};

bytes encode(word what, std::uint32_t node, std::span<const std::byte> body = {});

struct joined {
  rank_id rank = 0;
  std::uint32_t pid = 0;
  std::string version;
};
struct entered {
  rank_id rank = 0;
  std::uint8_t collective = 0;  // of meeting::collective: 1 exchange, 2 fence
  bytes blob;
};
struct of_rank {
  rank_id rank = 0;
};
struct failed {
  std::uint8_t code = 1;
  std::uint8_t signal = 0;
  rank_id left = 0;
  std::uint8_t others_speak = 0;  // before they are ended
  std::string why;
};
struct line {
  std::string text;
};
struct output {
  rank_id rank = 0;
  std::uint8_t stream = 1;
  bytes data;
};
struct amount {
  std::uint32_t bytes_count = 0;
};
struct signal {
  std::uint8_t number = 0;
};
struct end {
  std::uint32_t grace_ms = 0;
};

/// A host as the plan names it.
struct host {
  std::string name;
  rank_id first = 0;
  rank_id count = 0;
};

/// The job as all daemons know it. It travels when it has at most hosts_max hosts and its lists at
/// most list_max entries; daemons refuse to decode another.
struct plan {
  std::vector<host> hosts;  // node n is hosts[n - 1]
  rank_id size = 0;
  std::uint32_t radix = 0;
  std::uint32_t start_timeout_ms = 0;
  std::uint32_t link_timeout_ms = 0;
  std::string rsh;
  std::string atoll_path;
  std::string interface;
  std::string directory;
  std::string bind;
  std::string wrap;
  std::uint8_t same_addresses = 0;
  std::uint8_t verbose = 0;
  std::vector<rank_id> wrap_ranks;
  std::vector<std::string> command;
  std::vector<std::string> set_variables;
  std::vector<std::string> unset_variables;
};

/// Bodies. Decoding gives nothing unless the whole body is exactly such a message.
bytes body_of(const joined& message);
bytes body_of(const entered& message);
bytes body_of(const of_rank& message);
bytes body_of(const failed& message);
bytes body_of(const line& message);
bytes body_of(const output& message);
bytes body_of(const amount& message);
bytes body_of(const signal& message);
bytes body_of(const end& message);
bytes body_of(const plan& message);

template <class Message>
std::optional<Message> decode(std::span<const std::byte> body);

/// Cuts a byte stream into frames.
class stream {
 public:
  explicit stream(std::size_t body_bytes_max) : body_bytes_max_(body_bytes_max) {}

  enum class result : std::uint8_t { frame, more, bad };

  void append(std::span<const std::byte> received);

  /// The next frame; its body stays valid until the next append. After `bad` the stream is lost.
  result next(frame& found);

 private:
  std::size_t body_bytes_max_;
  bytes buffer_;
  std::size_t consumed_ = 0;
};

/// The daemon that starts node `node`, and whether `node` is `above` or below it.
constexpr std::uint32_t parent_of(std::uint32_t node, std::uint32_t radix) {
  return (node - 1) / radix;
}
constexpr bool is_below(std::uint32_t node, std::uint32_t above, std::uint32_t radix) {
  while (node > above) node = parent_of(node, radix);
  return node == above;
}

}  // namespace atl::tools::words
