// SPDX-License-Identifier: BSD-3-Clause
//
// Addresses by getifaddrs, and sockets by the system's calls. No socket blocks when it is made, so
// that a peer that has left keeps nobody waiting.
#include <atoll/bootstrap/inet_sockets.hpp>

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <poll.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <utility>

namespace atl::bootstrap {
namespace {

in_port_t& port_of(sockaddr_storage& raw) {
  return raw.ss_family == AF_INET ? reinterpret_cast<sockaddr_in&>(raw).sin_port
                                  : reinterpret_cast<sockaddr_in6&>(raw).sin6_port;
}

/// The number of the error, 0 when the connection is made in time.
int finish_connecting(const descriptor& socket, std::chrono::milliseconds time) {
  pollfd watched{.fd = socket.get(), .events = POLLOUT, .revents = 0};
  int ready;
  do {
    ready = poll(&watched, 1, static_cast<int>(time.count()));
  } while (ready < 0 && errno == EINTR);
  if (ready <= 0) return ready == 0 ? ETIMEDOUT : errno;
  int failed = 0;
  socklen_t bytes = sizeof failed;
  getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &failed, &bytes);
  return failed;
}

}  // namespace

inet_address inet_address::of(const sockaddr* raw) {
  inet_address made;
  made.length = raw->sa_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
  std::memcpy(&made.raw, raw, made.length);
  return made;
}

inet_address inet_address::any(int family) {
  inet_address made;
  made.raw.ss_family = static_cast<sa_family_t>(family);
  made.length = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
  return made;
}

std::optional<inet_address> inet_address::parse(std::string_view text) {
  const auto blank = text.find(' ');
  if (blank == std::string_view::npos) return std::nullopt;
  const auto port_text = text.substr(blank + 1);
  std::uint16_t port = 0;
  const auto [end, fault] =
      std::from_chars(port_text.data(), port_text.data() + port_text.size(), port);
  if (fault != std::errc{} || end != port_text.data() + port_text.size()) return std::nullopt;
  const std::string digits(text.substr(0, blank));
  inet_address made;
  auto& four = reinterpret_cast<sockaddr_in&>(made.raw);
  auto& six = reinterpret_cast<sockaddr_in6&>(made.raw);
  if (inet_pton(AF_INET, digits.c_str(), &four.sin_addr) == 1) {
    four.sin_family = AF_INET;
    made.length = sizeof four;
  } else if (inet_pton(AF_INET6, digits.c_str(), &six.sin6_addr) == 1) {
    six.sin6_family = AF_INET6;
    made.length = sizeof six;
  } else {
    return std::nullopt;
  }
  made.set_port(port);
  return made;
}

std::span<const unsigned char> inet_address::bytes() const {
  if (family() == AF_INET) {
    const auto& four = reinterpret_cast<const sockaddr_in&>(raw).sin_addr;
    return {reinterpret_cast<const unsigned char*>(&four), sizeof four};
  }
  const auto& six = reinterpret_cast<const sockaddr_in6&>(raw).sin6_addr;
  return {reinterpret_cast<const unsigned char*>(&six), sizeof six};
}

std::string inet_address::digits() const {
  char buffer[INET6_ADDRSTRLEN] = "";
  inet_ntop(family(), bytes().data(), buffer, sizeof buffer);
  return buffer;
}

std::string inet_address::text() const { return digits() + " " + std::to_string(port()); }

std::uint16_t inet_address::port() const {
  sockaddr_storage copy = raw;
  return ntohs(port_of(copy));
}

void inet_address::set_port(std::uint16_t port) { port_of(raw) = htons(port); }

bool inet_address::is_link_local() const {
  const auto all = bytes();
  return all.size() == 16 && all[0] == 0xfe && (all[1] & 0xc0) == 0x80;
}

std::vector<interface_address> own_addresses() {
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return {};
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owner(list, freeifaddrs);
  std::vector<interface_address> found;
  for (const ifaddrs* each = list; each != nullptr; each = each->ifa_next) {
    if (each->ifa_addr == nullptr || (each->ifa_flags & IFF_UP) == 0) continue;
    const int family = each->ifa_addr->sa_family;
    if (family != AF_INET && family != AF_INET6) continue;
    interface_address own{.interface = each->ifa_name,
                          .address = inet_address::of(each->ifa_addr),
                          .is_loopback = (each->ifa_flags & IFF_LOOPBACK) != 0};
    if (!own.address.is_link_local()) found.push_back(std::move(own));
  }
  if (found.empty()) errno = ENETDOWN;
  return found;
}

descriptor listen_at(inet_address& address, int backlog, bool takes_ipv4) {
  descriptor made(socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int only = takes_ipv4 ? 0 : 1;
  if (made && address.family() == AF_INET6)
    setsockopt(made.get(), IPPROTO_IPV6, IPV6_V6ONLY, &only, sizeof only);
  socklen_t length = sizeof address.raw;
  if (!made || bind(made.get(), address.get(), address.length) != 0 ||
      listen(made.get(), backlog) != 0 || getsockname(made.get(), address.get(), &length) != 0)
    return {};
  return made;
}

descriptor connect_in_time(const sockaddr* to, socklen_t length, std::chrono::milliseconds time,
                           int& failed) {
  descriptor made(socket(to->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  failed = made && connect(made.get(), to, length) == 0 ? 0 : errno;
  if (made && failed == EINPROGRESS) failed = finish_connecting(made, time);
  return failed == 0 ? std::move(made) : descriptor();
}

}  // namespace atl::bootstrap
