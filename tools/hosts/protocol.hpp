// SPDX-License-Identifier: BSD-3-Clause
//
// The messages between the parts of a launcher over several hosts: the supervisor (on the user's
// machine), a daemon per host, and the process below each daemon that has the ranks of its host.
// They are frames (atoll/bootstrap/frames.hpp) whose bodies begin with a node: the daemon that the
// message comes from or goes to. Node 0 is the supervisor, hosts count from 1; a message to node 0
// goes to every daemon.
//
// Between hosts frames travel in sealed connections only; still every body is decoded with all its
// bounds checked, because a daemon may be wrong as well as a stranger, and this code is fuzzed.
#pragma once

#include <atoll/base/job_limits.hpp>
#include <atoll/base/rank.hpp>
#include <atoll/bootstrap/frames.hpp>
#include <tools/hosts/secret.hpp>
#include <tools/run/rank_port.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace atl::tools::protocol {

enum class kind : std::uint16_t {
  hello = 1,     // daemon: its version; the first frame after the proof
  plan,          // to a daemon: the whole job
  ping,          // between neighbours, when there was nothing else to say
  events,        // of ranks of this node or of nodes below it
  failed,        // a reason to end the job
  lost,          // a daemon and all below it are gone; why
  report_line,   // a line for the user
  output,        // rank, stream, bytes
  output_taken,  // bytes of output that the user's streams have taken; to one daemon
  input,         // bytes for rank 0; none: the end
  input_taken,   // bytes of input that rank 0 has taken
  finished,      // nodes: their hosts have no processes left, and all output has been passed on
  pass,          // to all: the answer to a collective
  note_fates,    // to all: ranks that have stopped or failed, or have joined again
  signal,        // to all: a signal that the user sent
  end,           // to all: end the ranks; how long they have
  report,        // to all: tell what the ranks are doing
  job_over,      // to all: the job is over, go
};
inline constexpr kind last_kind = kind::job_over;

inline constexpr std::size_t text_bytes_max = 16 * 1024;
inline constexpr std::size_t piece_bytes_max = 64 * 1024;  // of output and input
inline constexpr std::size_t up_bytes_max = 1024 * 1024;   // longest body towards the supervisor
inline constexpr std::size_t down_bytes_max = std::size_t{1} << 31;  // from it, which is trusted
inline constexpr std::size_t list_max = 65536;  // entries of a list; hosts: hosts_max

struct frame {
  protocol::kind kind{};
  std::uint32_t node = 0;
  std::span<const std::byte> body;
};

bytes encode(kind type, std::uint32_t node, std::span<const std::byte> body = {});

struct events {
  std::vector<rank_event> list;
};
struct failed {
  std::uint8_t code = 1;
  std::uint8_t interrupted_by = 0;
  std::uint8_t others_speak = 0;  // before they are ended
  rank_id also_ended = 0;
  std::string reason;
  rank_id rank = no_rank;  // alone has failed
  std::uint8_t rank_code = 0;
};
struct nodes {
  std::vector<std::uint32_t> list;
};
struct output_line {
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

/// An amount of output taken that says that nobody reads the user's stream any more.
inline constexpr std::uint32_t reader_gone = ~std::uint32_t{0};
struct fate_notice {
  rank_id rank = 0;
  bootstrap::rank_fate fate = bootstrap::rank_fate::stopped;
};
struct fate_notices {
  std::vector<fate_notice> list;
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
bytes body_of(const events& message);
bytes body_of(const failed& message);
bytes body_of(const nodes& message);
bytes body_of(const output_line& message);
bytes body_of(const output& message);
bytes body_of(const amount& message);
bytes body_of(const fate_notices& message);
bytes body_of(const signal& message);
bytes body_of(const end& message);
bytes body_of(const plan& message);

template <class Message>
std::optional<Message> decode(std::span<const std::byte> body);

/// Cuts a byte stream into frames.
class stream {
 public:
  using result = bootstrap::frames::result;

  explicit stream(std::size_t body_bytes_max) : frames_(body_bytes_max + sizeof(std::uint32_t)) {}

  void append(std::span<const std::byte> received) { frames_.append(received); }

  /// The next frame; its body stays valid until the next append. After `bad` the stream is lost.
  result next(frame& found);

 private:
  bootstrap::frames::reader_of<kind, last_kind> frames_;
};

/// The daemon that starts node `node`; and whether `node` is node `above` itself or below it.
constexpr std::uint32_t parent_of(std::uint32_t node, std::uint32_t radix) {
  return (node - 1) / radix;
}
constexpr bool is_below(std::uint32_t node, std::uint32_t above, std::uint32_t radix) {
  while (node > above) node = parent_of(node, radix);
  return node == above;
}

}  // namespace atl::tools::protocol
