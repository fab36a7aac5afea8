// SPDX-License-Identifier: BSD-3-Clause
//
// Every algorithm there is, by name, in one table: what it computes, what it needs, the function.
// recommended.cpp chooses among them, a setting or a test can force one.
#pragma once

#include <atoll/coll/engine/call.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace atl::coll {

/// Conditions for using an algorithm for a call; bits of algorithm::needs.
namespace needs {
inline constexpr unsigned one_host = 1;       // all members map each other's memory
inline constexpr unsigned several_hosts = 2;  // more than one host
inline constexpr unsigned power_of_two = 4;   // of members
inline constexpr unsigned commutative = 8;    // reductions
inline constexpr unsigned direct = 16;        // shared memory is not forced off
inline constexpr unsigned consecutive = 32;   // the members of a host follow each other
}  // namespace needs

class shared_lanes;

/// An algorithm over shared memory: an object that is advanced. A blocking call makes it in its
/// own frame and needs no task.
struct shared_form {
  static constexpr std::size_t bytes_max = 128;
  void (*make)(void* object, call& call, shared_lanes& lanes) noexcept;
  bool (*advance)(void* object);  // true when complete; then it is forgotten
};

/// How large most messages of an algorithm are, measured by the bytes of the call.
enum class message_share : std::uint8_t {
  whole,
  half,     // of the data, and less
  part,     // a block of the data per member
  several,  // blocks of half of the members
};

struct algorithm {
  collective kind;
  std::string_view name;
  task (*run)(call&) = nullptr;  // one that sends messages or calls others
  unsigned needs = 0;
  unsigned radix = 0;        // the usual one; 0: has none
  bool cuts = false;         // large data into pieces: choice::piece_bytes
  bool is_chain = false;     // each member sends to the next one alone
  bool is_fork = false;      // a chain of chains, whose radix is the length of each
  unsigned depth = 0;        // pieces or blocks that usually arrive at a time
  bool has_leaders = false;  // several members of a host may talk to other hosts
  message_share message = message_share::whole;
  bool repeats = false;                     // may send a member several messages in one call
  bool messages = true;                     // sends messages: is counted by the engine's windows
  unsigned turns = 0;                       // phases that use the host's lanes: call::turn
  const shared_form* form = nullptr;        // one over shared memory, instead of `run`
  std::size_t bytes_max = ~std::size_t{0};  // most `bytes` of a call
  std::string_view help = {};               // one line
};

/// Bounds of choice::piece_bytes. A piece is sent when its receiver asks for it: others would fill
/// its memory when it is late.
inline constexpr std::size_t piece_bytes_min = 32768, piece_bytes_max = std::size_t{1} << 30;

/// The usual piece within a host is a message. Between hosts each piece costs a trip there and
/// back. The last host of a chain of three and more waits for as many pieces as there are hosts
/// before it. In a broadcast of two members nobody passes pieces on, so there is one piece.
inline constexpr std::size_t piece_bytes_between_hosts = std::size_t{256} << 10;
inline constexpr std::size_t piece_bytes_of_long_chain = std::size_t{128} << 10;

/// Most bytes of a message that is sent before its receiver asks for it; a piece is larger. Between
/// hosts the question takes longer than two copies of this size.
inline constexpr std::size_t eager_bytes_on_host = std::size_t{16} << 10;
inline constexpr std::size_t eager_bytes_between_hosts = std::size_t{64} << 10;

/// The largest eager limit that a choice may ask for: a message is sent in one part.
inline constexpr std::size_t eager_bytes_max = std::size_t{64} << 10;

/// The usual depths: of pieces and of blocks that only arrive, of blocks that are combined, and of
/// rings. A reduction takes fewer than a choice says where its memory would be too large, see
/// window_in_memory().
inline constexpr unsigned depth_of_pieces = 4, depth_of_blocks = 3, depth_of_rings = 2;
inline constexpr unsigned depth_max = 64;

/// The largest radix, and the most leaders of a host: each has phases of its own, see call::narrow.
inline constexpr unsigned radix_max = 1024, leaders_max = 4;

std::span<const algorithm> algorithms() noexcept;

/// The task of a call of this algorithm.
task start(const algorithm& use, call& c);

/// About how many bytes most of its messages have, with the usual pieces where it cuts.
std::size_t message_bytes(const algorithm& use, const call& call) noexcept;

/// Most bytes of a message that goes to its receiver at once, where no choice says so.
std::size_t usual_eager_bytes(const call& call) noexcept;

/// Most bytes of a piece into which the algorithm cuts the data of a call, where no choice says so.
std::size_t usual_piece_bytes(const algorithm& use, const call& call) noexcept;

/// The name as in settings: "allreduce".
std::string_view name_of(collective kind) noexcept;

/// The algorithm of a collective by name; null when there is none.
const algorithm* find_algorithm(collective kind, std::string_view name) noexcept;

/// The reason why an algorithm cannot be used for a call; empty when it can.
std::string_view obstacle(const algorithm& candidate, const call& call) noexcept;

}  // namespace atl::coll
