// SPDX-License-Identifier: BSD-3-Clause
//
// Thin wrappers around libsodium. The nonce of a sealed text is its sequence number: a key serves
// one direction of one connection, so no nonce is used twice.
#include <atoll/base/error.hpp>
#include <tools/hosts/secret.hpp>

#include <sodium.h>

#include <algorithm>
#include <string>
#include <tuple>

namespace atl::tools {
namespace {

void start() {
  if (sodium_init() < 0)
    throw error("job key", "libsodium cannot start", "it needs getrandom(2) or /dev/urandom");
}

unsigned char* raw(std::byte* data) { return reinterpret_cast<unsigned char*>(data); }
const unsigned char* raw(const std::byte* data) {
  return reinterpret_cast<const unsigned char*>(data);
}

using nonce = std::array<std::byte, crypto_aead_chacha20poly1305_IETF_NPUBBYTES>;

nonce nonce_of(std::uint64_t count) {
  nonce made{};
  for (std::size_t i = 0; i < 8; ++i) made[4 + i] = static_cast<std::byte>(count >> (8 * i));
  return made;
}

}  // namespace

static_assert(seal_bytes == crypto_aead_chacha20poly1305_IETF_ABYTES);
static_assert(std::tuple_size_v<secret> == crypto_aead_chacha20poly1305_IETF_KEYBYTES);

secret random_secret() {
  start();
  secret made;
  randombytes_buf(made.data(), made.size());
  return made;
}

secret hash_of(const secret& key, std::string_view purpose, const secret& first,
               const secret& second) {
  crypto_generichash_state state;
  secret made;
  crypto_generichash_init(&state, raw(key.data()), key.size(), made.size());
  crypto_generichash_update(&state, raw(first.data()), first.size());
  crypto_generichash_update(&state, raw(second.data()), second.size());
  const auto last = std::as_bytes(std::span(purpose));  // after what has a fixed length
  crypto_generichash_update(&state, raw(last.data()), last.size());
  crypto_generichash_final(&state, raw(made.data()), made.size());
  return made;
}

bool same_secret(const secret& a, const secret& b) noexcept {
  return sodium_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string hex_of(const secret& key) {
  std::string text(2 * key.size() + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), raw(key.data()), key.size());
  text.pop_back();
  return text;
}

std::optional<secret> secret_of(std::string_view hex) {
  secret made;
  std::size_t length = 0;
  if (hex.size() != 2 * made.size() ||
      sodium_hex2bin(raw(made.data()), made.size(), hex.data(), hex.size(), nullptr, &length,
                     nullptr) != 0 ||
      length != made.size())
    return std::nullopt;
  return made;
}

void forget(std::span<std::byte> memory) noexcept { sodium_memzero(memory.data(), memory.size()); }

rlimit forbid_core_file() noexcept {
  rlimit limit{};
  getrlimit(RLIMIT_CORE, &limit);
  const rlimit one_byte{.rlim_cur = std::min<rlim_t>(1, limit.rlim_max),
                        .rlim_max = limit.rlim_max};
  setrlimit(RLIMIT_CORE, &one_byte);
  return limit;
}

bytes seal::close(std::span<const std::byte> plain) {
  bytes sealed(plain.size() + seal_bytes);
  const auto number = nonce_of(count_++);
  crypto_aead_chacha20poly1305_ietf_encrypt(raw(sealed.data()), nullptr, raw(plain.data()),
                                            plain.size(), nullptr, 0, nullptr, raw(number.data()),
                                            raw(key_.data()));
  return sealed;
}

std::optional<bytes> seal::open(std::span<const std::byte> sealed) {
  if (sealed.size() < seal_bytes) return std::nullopt;
  bytes plain(sealed.size() - seal_bytes);
  const auto number = nonce_of(count_);
  if (crypto_aead_chacha20poly1305_ietf_decrypt(raw(plain.data()), nullptr, nullptr,
                                                raw(sealed.data()), sealed.size(), nullptr, 0,
                                                raw(number.data()), raw(key_.data())) != 0)
    return std::nullopt;
  ++count_;
  return plain;
}

}  // namespace atl::tools
