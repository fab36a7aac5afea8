// SPDX-License-Identifier: BSD-3-Clause
//
// Hosts by getaddrinfo, and the way to them by a socket that sends nothing. The sockets themselves
// are those of bootstrap/inet_sockets.hpp.
#include <tools/hosts/network.hpp>
#include <tools/run/program.hpp>

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <memory>
#include <optional>
#include <span>

namespace atl::tools {
namespace {

using namespace std::chrono_literals;

constexpr auto one_try = 3s;
constexpr std::size_t addresses_max = 16;

using bootstrap::interface_address;

/// Whether the address lies in "10.1.0.0/24", or is "10.1.0.5".
bool lies_in(const inet_address& address, std::string_view network) {
  const auto slash = network.find('/');
  const auto base = inet_address::parse(std::string(network.substr(0, slash)) + " 0");
  if (!base || base->raw.ss_family != address.raw.ss_family) return false;
  const auto own = address.bytes();
  const auto base_digits = base->bytes();
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
        getsockname(probe.get(), own.get(), &own.length) == 0 && !own.is_link_local()) {
      own.set_port(0);
      return own;
    }
  }
  return std::nullopt;
}

void add(std::vector<inet_address>& to, const inet_address& candidate) {
  const auto is_same = [&](const inet_address& other) { return other.text() == candidate.text(); };
  if (to.size() < addresses_max && std::ranges::none_of(to, is_same)) to.push_back(candidate);
}

}  // namespace

std::vector<inet_address> addresses_for(const std::vector<std::string>& hosts,
                                        const std::string& interface) {
  std::vector<inet_address> found;
  const auto own = bootstrap::own_addresses();
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
    if (!each.is_loopback) add(found, each.address);
  if (found.empty())
    for (const auto& each : own) add(found, each.address);
  return found;
}

std::string interface_to_others(const descriptor& connected,
                                const std::vector<inet_address>& called) {
  const auto own = bootstrap::own_addresses();
  const auto owner_of = [&](const inet_address& address) {
    return std::ranges::find_if(own, [&](const interface_address& each) {
      return each.address.raw.ss_family == address.raw.ss_family &&
             std::ranges::equal(each.address.bytes(), address.bytes());
    });
  };
  inet_address near_end;
  near_end.length = sizeof near_end.raw;
  if (getsockname(connected.get(), near_end.get(), &near_end.length) != 0) return {};
  auto found = owner_of(near_end);
  if (found == own.end()) return {};
  if (!found->is_loopback) return found->interface;
  for (const auto& each : called) {
    const auto other = owner_of(each);
    if (other != own.end() && !other->is_loopback) return other->interface;
  }
  return found->interface;
}

descriptor connect_to_any(const std::vector<inet_address>& to,
                          std::chrono::steady_clock::time_point deadline, std::size_t& which,
                          std::string& reason) {
  int failed = 0;
  for (;;) {
    for (which = 0; which < to.size(); ++which) {
      const inet_address& each = to[which];
      if (auto made = bootstrap::connect_in_time(each.get(), each.length, one_try, failed))
        return made;
      reason = std::strerror(failed);
    }
    if (to.empty() || std::chrono::steady_clock::now() > deadline) return {};
    usleep(100'000);
  }
}

}  // namespace atl::tools
