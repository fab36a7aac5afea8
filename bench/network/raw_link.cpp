// SPDX-License-Identifier: BSD-3-Clause
//
// A raw link uses sockets as plainly as possible: one system call per message and no threads, so
// that the figures are those of the machine and not of this file.
#include <bench/harness/stopwatch.hpp>
#include <bench/network/raw_link.hpp>

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace bench {

namespace {

[[noreturn]] void fail(const char* operation) {
  throw std::runtime_error(std::string("raw socket: ") + operation + ": " + std::strerror(errno));
}

std::uint32_t host_of(int socket, const std::string& interface) {
  if (interface.empty()) return htonl(INADDR_LOOPBACK);
  ifreq ask{};
  interface.copy(ask.ifr_name, sizeof ask.ifr_name - 1);
  if (::ioctl(socket, SIOCGIFADDR, &ask) != 0) fail(interface.c_str());
  sockaddr_in socket_address;
  std::memcpy(&socket_address, &ask.ifr_addr, sizeof socket_address);
  return socket_address.sin_addr.s_addr;
}

}  // namespace

raw_link::raw_link(const std::string& interface)
    : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  if (!listener_) fail("socket");
  sockaddr_in socket_address{};
  socket_address.sin_family = AF_INET;
  socket_address.sin_addr.s_addr = address_.host = host_of(listener_.get(), interface);
  socklen_t bytes = sizeof socket_address;
  auto* const generic = reinterpret_cast<sockaddr*>(&socket_address);
  if (::bind(listener_.get(), generic, bytes) != 0) fail("bind");
  if (::listen(listener_.get(), 1) != 0) fail("listen");
  if (::getsockname(listener_.get(), generic, &bytes) != 0) fail("getsockname");
  address_.port = socket_address.sin_port;
}

void raw_link::accept() {
  const int made = ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
  if (made < 0) fail("accept");
  use(made);
}

void raw_link::connect(const raw_address& remote) {
  const int made = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (made < 0) fail("socket");
  use(made);
  sockaddr_in socket_address{};
  socket_address.sin_family = AF_INET;
  socket_address.sin_addr.s_addr = remote.host;
  socket_address.sin_port = static_cast<in_port_t>(remote.port);
  if (::connect(made, reinterpret_cast<sockaddr*>(&socket_address), sizeof socket_address) != 0)
    fail("connect");
}

void raw_link::use(int connection) {
  connection_ = atl::descriptor(connection);
  const int enabled = 1;
  ::setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &enabled, sizeof enabled);
}

void raw_link::send_all(const void* from, std::size_t bytes) {
  const char* position = static_cast<const char*>(from);
  while (bytes != 0) {
    const ssize_t sent = ::send(connection_.get(), position, bytes, MSG_NOSIGNAL);
    if (sent < 0 && errno != EINTR) fail("send");
    if (sent <= 0) continue;
    position += sent;
    bytes -= static_cast<std::size_t>(sent);
  }
}

void raw_link::receive_all(void* to, std::size_t bytes, raw_wait wait_mode) {
  char* position = static_cast<char*>(to);
  const int flags = wait_mode == raw_wait::spinning ? MSG_DONTWAIT : 0;
  while (bytes != 0) {
    const ssize_t got = ::recv(connection_.get(), position, bytes, flags);
    if (got == 0) throw std::runtime_error("raw socket: the other end is gone");
    if (got < 0 && errno != EINTR && errno != EAGAIN) fail("recv");
    if (got < 0) continue;
    position += got;
    bytes -= static_cast<std::size_t>(got);
  }
}

double raw_link::round_trips(std::uint64_t count, raw_wait wait_mode, bool first) {
  std::uint64_t ball = 0;
  return time_of(count, [&] {
    if (first) send_all(&ball, sizeof ball);
    receive_all(&ball, sizeof ball, wait_mode);
    if (!first) send_all(&ball, sizeof ball);
  });
}

double raw_link::stream(std::uint64_t count, std::size_t bytes, bool sends) {
  if (area_.size() < bytes) use_area(bytes);
  rotation one_place(bytes, bytes);
  return stream_over(count, bytes, raw_wait::blocking, one_place, sends);
}

double raw_link::exchanges(std::uint64_t count, const raw_sizes& each, raw_wait wait_mode,
                           rotation& places, bool first) {
  return time_of(count, [&] {
    char* const buffer = area_.data() + places.next();
    if (first) send_all(buffer, each.forward);
    receive_all(buffer, first ? each.back : each.forward, wait_mode);
    if (!first) send_all(buffer, each.back);
  });
}

double raw_link::stream_over(std::uint64_t count, std::size_t bytes, raw_wait wait_mode,
                             rotation& places, bool sends) {
  std::uint64_t answer = 0;
  const stopwatch watch;
  for (std::uint64_t i = 0; i < count; ++i) {
    char* const buffer = area_.data() + places.next();
    if (sends) {
      send_all(buffer, bytes);
    } else {
      receive_all(buffer, bytes, wait_mode);
    }
  }
  if (sends) {
    receive_all(&answer, sizeof answer, wait_mode);
  } else {
    send_all(&answer, sizeof answer);
  }
  return watch.elapsed_ns();
}

}  // namespace bench
