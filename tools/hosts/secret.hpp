// SPDX-License-Identifier: BSD-3-Clause
//
// The job's key and what is made of it; the only file that knows libsodium. The key is 256 random
// bits that the launcher draws. It never travels over a connection and never stands on a command
// line, in an environment or in a log: daemons get it through the standard input of their remote
// shell. A proof is a keyed hash (BLAKE2b) over both sides' fresh challenges. After it, both
// directions are sealed (ChaCha20-Poly1305) with keys of this one connection and counted nonces, so
// a message that is changed, repeated, left out or sent by another does not open.
#pragma once

#include <sys/resource.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace atl::tools {

using secret = std::array<std::byte, 32>;
using bytes = std::vector<std::byte>;

/// Random bytes from the kernel. Throws `atl::error` when libsodium cannot start.
secret random_secret();

/// A keyed hash over a purpose and two challenges; different purposes give unrelated values.
secret hash_of(const secret& key, std::string_view purpose, const secret& first,
               const secret& second);

/// Compares in a time that does not depend on the values.
bool same_secret(const secret& a, const secret& b) noexcept;

/// 64 hexadecimal digits, for the daemon's standard input; nothing for any other text.
std::string hex_of(const secret& key);
std::optional<secret> secret_of(std::string_view hex);

/// Overwrites memory, in a way that the compiler does not leave out.
void forget(std::span<std::byte> memory) noexcept;

/// Keeps a process that knows the key from leaving it in a core file, or in a program to which
/// core_pattern pipes one: for both the kernel honours a limit of one byte, but not one of 0.
/// Returns the limit before, for processes that it starts.
rlimit forbid_core_file() noexcept;

/// How much longer a sealed text is.
inline constexpr std::size_t seal_bytes = 16;

/// One direction of a connection: each text is sealed or opened once, in order.
class seal {
 public:
  explicit seal(const secret& key) : key_(key) {}
  ~seal() { forget(key_); }
  seal(seal&&) = default;
  seal& operator=(seal&&) = default;

  bytes close(std::span<const std::byte> plain);

  /// The text; nothing unless it is the next one that the other side has sealed.
  std::optional<bytes> open(std::span<const std::byte> sealed);

 private:
  secret key_;
  std::uint64_t count_ = 0;
};

}  // namespace atl::tools
