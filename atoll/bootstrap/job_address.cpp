// SPDX-License-Identifier: BSD-3-Clause
//
// Text form, random form and socket form of a job's address. The text comes from the environment,
// so the parser accepts exactly what text() writes and nothing else.
#include <atoll/base/error.hpp>
#include <atoll/bootstrap/job_address.hpp>

#include <sys/random.h>

#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstring>

namespace atl::bootstrap {
namespace {

constexpr std::string_view prefix = "local/";
constexpr std::size_t id_digits = 16;

std::string id_text(std::uint64_t id) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text(id_digits, '0');
  for (std::size_t i = 0; i < id_digits; ++i)
    text[id_digits - 1 - i] = digits[(id >> (4 * i)) & 15];
  return text;
}

bool parse_hex(std::string_view text, std::uint64_t& value) {
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return fault == std::errc{} && end == text.data() + text.size() && text.front() != '-';
}

}  // namespace

job_address job_address::random() {
  job_address job;
  struct {
    std::uint64_t id;
    wire::job_key key;
  } drawn;
  if (getrandom(&drawn, sizeof drawn, 0) != static_cast<ssize_t>(sizeof drawn))
    throw error("job key", "the kernel gave no random bytes: " + errno_text(errno),
                "atoll run needs getrandom(2)");
  job.id = drawn.id;
  job.key = drawn.key;
  return job;
}

std::optional<job_address> job_address::parse(std::string_view text) {
  job_address job;
  const std::size_t length = prefix.size() + id_digits + 1 + 2 * job.key.size();
  if (text.size() != length || !text.starts_with(prefix)) return std::nullopt;
  text.remove_prefix(prefix.size());
  if (!parse_hex(text.substr(0, id_digits), job.id) || text[id_digits] != '/') return std::nullopt;
  text.remove_prefix(id_digits + 1);
  for (auto& part : job.key) {
    std::uint64_t value = 0;
    if (!parse_hex(text.substr(0, 2), value)) return std::nullopt;
    part = static_cast<std::byte>(value);
    text.remove_prefix(2);
  }
  return job;
}

std::string job_address::text() const {
  std::string result(prefix);
  result += id_text(id) + '/';
  for (const auto part : key) result += id_text(std::to_integer<std::uint64_t>(part)).substr(14);
  return result;
}

socket_address socket_address_of(const job_address& job) noexcept {
  socket_address result;
  result.address.sun_family = AF_UNIX;
  char name[] = "atoll-0123456789abcdef";
  std::memcpy(name + 6, id_text(job.id).data(), id_digits);
  std::memcpy(result.address.sun_path + 1, name, sizeof name - 1);  // a leading zero: abstract
  result.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + sizeof name);
  return result;
}

}  // namespace atl::bootstrap
