// SPDX-License-Identifier: BSD-3-Clause
//
// Addresses by getifaddrs and getaddrinfo, and plain sockets. Link-local addresses (fe80::) are
// left out: they mean nothing without the number of an interface on the other machine.
#include <tools/hosts/network.hpp>
#include <tools/run/program.hpp>

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

namespace atl::tools {
namespace {

using namespace std::chrono_literals;

constexpr auto one_try = 3s;
constexpr std::size_t addresses_max = 16;

struct own_address {
  std::string interface;
  inet_address address;
  bool loopback = false;
};

inet_address address_of(const sockaddr* raw) {
  inet_address made;
  made.length = raw->sa_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
  std::memcpy(&made.raw, raw, made.length);
  return made;
}

/// The bytes of the address itself.
std::span<const unsigned char> digits_of(const inet_address& address) {
  if (address.raw.ss_family == AF_INET) {
    const auto& four = reinterpret_cast<const sockaddr_in&>(address.raw).sin_addr;
    return {reinterpret_cast<const unsigned char*>(&four), sizeof four};
  }
  const auto& six = reinterpret_cast<const sockaddr_in6&>(address.raw).sin6_addr;
  return {reinterpret_cast<const unsigned char*>(&six), sizeof six};
}

in_port_t& port_of(inet_address& address) {
  return address.raw.ss_family == AF_INET ? reinterpret_cast<sockaddr_in&>(address.raw).sin_port
                                          : reinterpret_cast<sockaddr_in6&>(address.raw).sin6_port;
}

bool is_of_one_link(const inet_address& address) {
  const auto digits = digits_of(address);
  return digits.size() == 16 && digits[0] == 0xfe && (digits[1] & 0xc0) == 0x80;
}

std::vector<own_address> own_addresses() {
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return {};
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owner(list, freeifaddrs);
  std::vector<own_address> found;
  for (const auto* each = list; each; each = each->ifa_next) {
    if (!each->ifa_addr || !(each->ifa_flags & IFF_UP)) continue;
    const int family = each->ifa_addr->sa_family;
    if (family != AF_INET && family != AF_INET6) continue;
    own_address own{each->ifa_name, address_of(each->ifa_addr),
                    (each->ifa_flags & IFF_LOOPBACK) != 0};
    if (!is_of_one_link(own.address)) found.push_back(std::move(own));
  }
  return found;
}

/// Whether the address lies in "10.1.0.0/24", or is "10.1.0.5".
bool lies_in(const inet_address& address, std::string_view network) {
  const auto slash = network.find('/');
  const auto base = inet_address::parse(std::string(network.substr(0, slash)) + " 0");
  if (!base || base->raw.ss_family != address.raw.ss_family) return false;
  const auto own = digits_of(address);
  const auto base_digits = digits_of(*base);
  unsigned bits = static_cast<unsigned>(own.size()) * 8;
  if (slash != std::string_view::npos) {
    const auto text = network.substr(slash + 1);
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), bits);
    if (fault != std::errc{} || end != text.data() + text.size() || bits > own.size() * 8)
      return false;
  }
  for (unsigned bit = 0; bit < bits; ++bit)
    if ((own[bit / 8] ^ base_digits[bit / 8]) & (0x80U >> (bit % 8))) return false;
  return true;
}

/// Our address on the route to a host; nothing when its name or the route is not known.
std::optional<inet_address> way_to(const std::string& host) {
  const auto name = host.substr(host.find('@') + 1);
  addrinfo hints{};
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* list = nullptr;
  if (getaddrinfo(name.c_str(), "9", &hints, &list) != 0) return std::nullopt;
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(list, freeaddrinfo);
  for (const auto* each = list; each; each = each->ai_next) {
    const descriptor probe(socket(each->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    inet_address own;
    own.length = sizeof own.raw;
    if (probe && connect(probe.get(), each->ai_addr, each->ai_addrlen) == 0 &&
        getsockname(probe.get(), own.get(), &own.length) == 0 && !is_of_one_link(own)) {
      port_of(own) = 0;
      return own;
    }
  }
  return std::nullopt;
}

void add(std::vector<inet_address>& to, const inet_address& candidate) {
  const auto is_same = [&](const inet_address& other) { return other.text() == candidate.text(); };
  if (to.size() < addresses_max && std::ranges::none_of(to, is_same)) to.push_back(candidate);
}

bool finish_connecting(const descriptor& socket, std::string& reason) {
  pollfd waiting{.fd = socket.get(), .events = POLLOUT, .revents = 0};
  const int ready = poll(&waiting, 1, static_cast<int>(std::chrono::milliseconds(one_try).count()));
  int fault = ready > 0 ? 0 : ETIMEDOUT;
  socklen_t length = sizeof fault;
  if (ready > 0) getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &fault, &length);
  if (fault != 0) reason = std::strerror(fault);
  return fault == 0;
}

descriptor connect_once(const inet_address& to, std::string& reason) {
  descriptor made(socket(to.raw.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (made && (connect(made.get(), to.get(), to.length) == 0 ||
               (errno == EINPROGRESS && finish_connecting(made, reason))))
    return made;
  if (reason.empty() || errno != EINPROGRESS) reason = std::strerror(errno);
  return {};
}

}  // namespace

std::string inet_address::text() const {
  char digits[INET6_ADDRSTRLEN] = "";
  inet_ntop(raw.ss_family, digits_of(*this).data(), digits, sizeof digits);
  auto copy = *this;
  return std::string(digits) + " " + std::to_string(ntohs(port_of(copy)));
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
  port_of(made) = htons(port);
  return made;
}

std::vector<inet_address> addresses_for(const std::vector<std::string>& hosts,
                                        const std::string& interface) {
  std::vector<inet_address> found;
  const auto own = own_addresses();
  if (!interface.empty()) {
    for (const auto& each : own)
      if (each.interface == interface || lies_in(each.address, interface)) add(found, each.address);
    if (found.empty())
      throw launch_refusal{125,
                           "--interface " + interface +
                               ": no interface that is up has this name, nor an address in it"};
    return found;
  }
  bool all_known = true;
  for (const auto& host : hosts) {
    const auto way = way_to(host);
    if (way) add(found, *way);
    all_known = all_known && way;
  }
  if (all_known) return found;
  for (const auto& each : own)
    if (!each.loopback) add(found, each.address);
  if (found.empty())
    for (const auto& each : own) add(found, each.address);
  return found;
}

std::string interface_to_others(const descriptor& connected,
                                const std::vector<inet_address>& called) {
  const auto own = own_addresses();
  const auto owner_of = [&](const inet_address& address) {
    return std::ranges::find_if(own, [&](const own_address& each) {
      return each.address.raw.ss_family == address.raw.ss_family &&
             std::ranges::equal(digits_of(each.address), digits_of(address));
    });
  };
  inet_address near_end;
  near_end.length = sizeof near_end.raw;
  if (getsockname(connected.get(), near_end.get(), &near_end.length) != 0) return {};
  auto found = owner_of(near_end);
  if (found == own.end()) return {};
  if (!found->loopback) return found->interface;
  for (const auto& each : called) {
    const auto other = owner_of(each);
    if (other != own.end() && !other->loopback) return other->interface;
  }
  return found->interface;
}

descriptor listen_at(inet_address& address) {
  descriptor made(socket(address.raw.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int enabled = 1;
  if (made && address.raw.ss_family == AF_INET6)
    setsockopt(made.get(), IPPROTO_IPV6, IPV6_V6ONLY, &enabled, sizeof enabled);
  socklen_t length = sizeof address.raw;
  if (!made || bind(made.get(), address.get(), address.length) != 0 ||
      listen(made.get(), 512) != 0 || getsockname(made.get(), address.get(), &length) != 0)
    return {};
  return made;
}

descriptor connect_to_any(const std::vector<inet_address>& to,
                          std::chrono::steady_clock::time_point deadline, std::size_t& which,
                          std::string& reason) {
  for (;;) {
    for (which = 0; which < to.size(); ++which)
      if (auto made = connect_once(to[which], reason)) return made;
    if (to.empty() || std::chrono::steady_clock::now() > deadline) return {};
    usleep(100'000);
  }
}

}  // namespace atl::tools
