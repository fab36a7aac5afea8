// SPDX-License-Identifier: BSD-3-Clause
//
// The three messages of the handshake, each of a fixed length. At most that many bytes are held.
#include <atoll/bootstrap/fields.hpp>
#include <tools/hosts/handshake.hpp>

#include <algorithm>
#include <string>

namespace atl::tools {
namespace {

constexpr std::uint64_t magic = 0x3153'484C'4F54'4100;  // the last byte counts the protocol
constexpr std::size_t challenge_bytes = sizeof magic + sizeof(secret);
constexpr std::size_t answer_bytes = sizeof(std::uint32_t) + 2 * sizeof(secret);
constexpr std::size_t proof_bytes = sizeof(secret);

struct proof_message : bootstrap::field_writer {
  bytes take() { return std::move(made_); }
};

void append(bytes& to, const bytes& what) { to.insert(to.end(), what.begin(), what.end()); }

secret take_secret(bootstrap::field_cursor& from) {
  secret taken{};
  const auto raw = from.take_bytes(taken.size());
  std::ranges::copy(raw, taken.begin());
  return taken;
}

}  // namespace

handshake::handshake(side own_side, const secret& key, std::uint32_t node)
    : side_(own_side), key_(key), node_(node) {
  (own_side == side::accepted ? of_accepted_ : of_called_) = random_secret();
}

bytes handshake::opening() const {
  if (side_ == side::called) return {};
  proof_message out;
  out.put(magic);
  out.put_bytes(of_accepted_);
  return out.take();
}

std::size_t handshake::needed() const {
  if (side_ == side::accepted) return answer_bytes;
  return challenged_ ? proof_bytes : challenge_bytes;
}

handshake::state handshake::take(std::span<const std::byte>& received, bytes& answer) {
  while (state_ == state::going_on) {
    const auto count = std::min(needed() - held_.size(), received.size());
    held_.insert(held_.end(), received.begin(),
                 received.begin() + static_cast<std::ptrdiff_t>(count));
    received = received.subspan(count);
    if (held_.size() < needed()) break;
    if (side_ == side::accepted)
      state_ = judge_answer(answer);
    else
      state_ = challenged_ ? judge_proof() : judge_challenge(answer);
    held_.clear();
  }
  return state_;
}

secret handshake::proof(std::string_view role) const {
  const auto purpose = std::string(role) + " is node " + std::to_string(node_);
  return hash_of(key_, purpose, of_accepted_, of_called_);
}

handshake::state handshake::judge_challenge(bytes& answer) {
  bootstrap::field_cursor in(held_);
  if (in.take<std::uint64_t>() != magic) return state::refused;
  of_accepted_ = take_secret(in);
  challenged_ = true;
  proof_message out;
  out.put(node_);
  out.put_bytes(of_called_);
  out.put_bytes(proof("caller"));
  append(answer, out.take());
  return state::going_on;
}

handshake::state handshake::judge_answer(bytes& answer) {
  bootstrap::field_cursor in(held_);
  node_ = in.take<std::uint32_t>();
  of_called_ = take_secret(in);
  if (!same_secret(take_secret(in), proof("caller"))) return state::refused;
  proof_message out;
  out.put_bytes(proof("who accepted the caller, which"));
  append(answer, out.take());
  return state::proven;
}

handshake::state handshake::judge_proof() {
  bootstrap::field_cursor in(held_);
  return same_secret(take_secret(in), proof("who accepted the caller, which")) ? state::proven
                                                                               : state::refused;
}

seal handshake::sending() const {
  return seal(proof(side_ == side::called ? "key of what the caller sends, which"
                                          : "key of what the caller receives, which"));
}

seal handshake::receiving() const {
  return seal(proof(side_ == side::called ? "key of what the caller receives, which"
                                          : "key of what the caller sends, which"));
}

}  // namespace atl::tools
