// SPDX-License-Identifier: BSD-3-Clause
//
// Sockets by the system's calls. A listener does not block, so that a process that has left between
// the wait and the accept does not stop this rank.
#include <atoll/bootstrap/rank_sockets.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>
#include <atoll/bootstrap/inet_sockets.hpp>
#include <atoll/bootstrap/pmi1_wire.hpp>

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <utility>

namespace atl::bootstrap {
namespace {

constexpr int backlog = 128;
constexpr std::chrono::seconds connect_time{5};

[[noreturn]] void refuse_listening(int number) {
  throw error("job", "no socket for the other ranks: " + errno_text(number),
              "raise the limit of open files (ulimit -n)");
}

[[noreturn]] void refuse_calling(rank_id peer, const std::string& address, int number) {
  throw error("job",
              text("rank ", peer, " cannot be reached at ", address, ": ", errno_text(number)),
              "let the hosts connect to each other by TCP, and set ATOLL_INTERFACE where they have "
              "several networks");
}

sockaddr_un abstract_address(const std::string& name, socklen_t& length) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::size_t bytes = std::min(name.size(), sizeof address.sun_path - 1);
  std::memcpy(address.sun_path + 1, name.data(), bytes);
  length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + bytes);
  return address;
}

/// Resolves and connects; `failed` is the last error.
descriptor call(const std::string& host, const std::string& port, int flags, int& failed) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags;
  addrinfo* raw = nullptr;
  failed = EHOSTUNREACH;
  if (getaddrinfo(host.c_str(), port.c_str(), &hints, &raw) != 0) return {};
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> addresses(raw, freeaddrinfo);
  for (const addrinfo* each = raw; each != nullptr; each = each->ai_next) {
    descriptor made = connect_in_time(each->ai_addr, each->ai_addrlen, connect_time, failed);
    if (!made) continue;
    fcntl(made.get(), F_SETFL, fcntl(made.get(), F_GETFL) & ~O_NONBLOCK);
    const int yes = 1;
    setsockopt(made.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    return made;
  }
  return {};
}

}  // namespace

void fill_randomly(std::span<std::byte> bytes) {
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw error("job", "the kernel gives no random numbers: " + errno_text(errno), "");
}

descriptor listen_on_this_host(std::string& name) {
  std::array<std::byte, 12> random;
  fill_randomly(random);
  name = "atoll-" + pmi1_wire::to_hex(random);
  descriptor made(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  socklen_t length = 0;
  const auto local = abstract_address(name, length);
  if (!made || bind(made.get(), reinterpret_cast<const sockaddr*>(&local), length) != 0 ||
      listen(made.get(), backlog) != 0)
    refuse_listening(errno);
  return made;
}

descriptor call_on_this_host(const std::string& name, rank_id peer) {
  descriptor made(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  socklen_t length = 0;
  const auto remote = abstract_address(name, length);
  int failed = made ? 0 : -1;
  if (made) do {
      failed = connect(made.get(), reinterpret_cast<const sockaddr*>(&remote), length);
    } while (failed != 0 && errno == EINTR);
  if (failed != 0) refuse_calling(peer, "a socket of this host", errno);
  return made;
}

descriptor listen_on_networks(std::uint16_t& port) {
  for (const int family : {AF_INET6, AF_INET}) {
    inet_address local = inet_address::any(family);
    descriptor made = listen_at(local, backlog, true);
    if (!made) continue;
    port = local.port();
    return made;
  }
  refuse_listening(errno);
}

std::vector<std::string> addresses_of(const std::string& interface) {
  const std::vector<interface_address> all = own_addresses();
  if (all.empty()) refuse_listening(errno);
  std::vector<std::string> found;
  for (const interface_address& each : all) {
    std::string digits = each.address.digits();
    const bool is_wanted =
        interface.empty() ? !each.is_loopback : each.interface == interface || digits == interface;
    if (is_wanted) found.push_back(std::move(digits));
  }
  if (!found.empty()) return found;
  if (!interface.empty())
    throw error("ATOLL_INTERFACE",
                text("this host has no interface or address ", interface, " that is up"),
                "correct it, or unset it");
  throw error("job", "this host has no network that leads to other hosts", "set one up");
}

descriptor call_over_networks(const std::vector<std::string>& addresses, std::uint16_t port,
                              rank_id peer) {
  int failed = EHOSTUNREACH;
  std::string tried;
  for (const auto& each : addresses) {
    tried += (tried.empty() ? "" : ", ") + each;
    auto made = call(each, std::to_string(port), AI_NUMERICHOST | AI_NUMERICSERV, failed);
    if (made) return made;
  }
  refuse_calling(peer, tried, failed);
}

descriptor call_server(const std::string& host, const std::string& port) {
  int failed = 0;
  auto made = call(host, port, 0, failed);
  if (!made)
    throw error("PMI_PORT", text(host, ":", port, " cannot be reached: ", errno_text(failed)),
                "start the program with `mpiexec` or `atoll run -n N`");
  return made;
}

void wait_for_input(std::span<const int> sockets, std::chrono::milliseconds timeout) {
  std::vector<pollfd> watched;
  for (const int each : sockets) watched.push_back({each, POLLIN, 0});
  poll(watched.data(), watched.size(), static_cast<int>(timeout.count()));
}

descriptor accept_one(const descriptor& listener) noexcept {
  descriptor made(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
  const int yes = 1;
  if (made) setsockopt(made.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  return made;
}

bool write_fully(const descriptor& to, std::span<const std::byte> data) noexcept {
  while (!data.empty()) {
    const ssize_t sent = ::send(to.get(), data.data(), data.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return false;
    data = data.subspan(static_cast<std::size_t>(sent));
  }
  return true;
}

bool read_fully(const descriptor& from, std::span<std::byte> into) noexcept {
  while (!into.empty()) {
    const ssize_t got = recv(from.get(), into.data(), into.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    into = into.subspan(static_cast<std::size_t>(got));
  }
  return true;
}

}  // namespace atl::bootstrap
