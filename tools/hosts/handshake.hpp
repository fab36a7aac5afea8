// SPDX-License-Identifier: BSD-3-Clause
//
// The handshake by which two ends of a connection prove to each other that they know the job's key.
// It has no socket: bytes in, bytes out.
//
//   acceptor -> caller    magic, challenge A
//   caller   -> acceptor  node, challenge B, proof over A, B and the node
//   acceptor -> caller    proof over B and A
//
// Lengths are fixed, so nothing that a stranger sends is parsed; challenges are fresh, so bytes
// that were overheard prove nothing; the purposes differ, so no proof can be sent back as an
// answer. The keys of the connection are hashes of the same values, and the stream after it is
// sealed.
#pragma once

#include <tools/hosts/secret.hpp>

#include <cstdint>
#include <optional>

namespace atl::tools {

class handshake {
 public:
  enum class side : std::uint8_t { accepted, called };
  enum class state : std::uint8_t { going_on, proven, refused };

  /// `node` is the caller's own node; the accepting side learns it from the proof.
  handshake(side own_side, const secret& key, std::uint32_t node = 0);
  ~handshake() { forget(key_); }
  handshake(const handshake&) = delete;
  handshake& operator=(const handshake&) = delete;

  /// The bytes to send before anything has come.
  bytes opening() const;

  /// Takes received bytes, at most what it still needs, off the front of `received`; appends what
  /// to send to `answer`.
  state take(std::span<const std::byte>& received, bytes& answer);

  /// Once proven: who called, and the two directions as this side uses them.
  std::uint32_t node() const { return node_; }
  seal sending() const;
  seal receiving() const;

 private:
  std::size_t needed() const;
  state judge_challenge(bytes& answer);
  state judge_answer(bytes& answer);
  state judge_proof();
  secret proof(std::string_view role) const;

  side side_;
  state state_ = state::going_on;
  secret key_;
  std::uint32_t node_;
  secret of_accepted_{};
  secret of_called_{};
  bool challenged_ = false;
  bytes held_;
};

}  // namespace atl::tools
