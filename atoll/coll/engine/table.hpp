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
}  // namespace needs

class shared_lanes;

/// An algorithm over shared memory: an object that is advanced. A blocking call makes it in its
/// own frame and needs no task.
struct shared_form {
  static constexpr std::size_t bytes_max = 128;
  void (*make)(void* object, call& call, shared_lanes& lanes) noexcept;
  bool (*advance)(void* object);  // true when complete; then it is forgotten
};

struct algorithm {
  collective kind;
  std::string_view name;
  task (*run)(call&) = nullptr;  // one that sends messages or calls others
  unsigned needs = 0;
  unsigned radix = 0;                       // the usual one; 0: has none
  bool cuts = false;                        // large data into pieces: choice::piece_bytes
  bool is_chain = false;                    // each member sends to the next one alone
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
/// before it.
inline constexpr std::size_t piece_bytes_between_hosts = std::size_t{256} << 10;
inline constexpr std::size_t piece_bytes_of_long_chain = std::size_t{128} << 10;

/// Most bytes of a message that is sent before its receiver asks for it, and less than those of a
/// piece. Between hosts the question takes longer than two copies of this size.
inline constexpr std::size_t eager_bytes_on_host = std::size_t{16} << 10;
inline constexpr std::size_t eager_bytes_between_hosts = std::size_t{64} << 10;

std::span<const algorithm> algorithms() noexcept;

/// The task of a call of this algorithm.
task start(const algorithm& use, call& c);

/// Most bytes of a piece into which the algorithm cuts the data of a call, where no choice says so.
std::size_t usual_piece_bytes(const algorithm& use, const call& call) noexcept;

/// The name as in settings: "allreduce".
std::string_view name_of(collective kind) noexcept;

/// The algorithm of a collective by name; null when there is none.
const algorithm* find_algorithm(collective kind, std::string_view name) noexcept;

/// The reason why an algorithm cannot be used for a call; empty when it can.
std::string_view obstacle(const algorithm& candidate, const call& call) noexcept;

}  // namespace atl::coll
