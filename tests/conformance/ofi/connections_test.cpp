// SPDX-License-Identifier: BSD-3-Clause
//
// Which connections of this process get a small send buffer.
#include <atoll/base/system/descriptor.hpp>
#include <atoll/transport/ofi/connections.hpp>

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>

namespace atl::transport::ofi {
namespace {

constexpr int small = 64 << 10, large = 150 << 10;  // the kernel counts twice as much

struct listener {
  listener() : socket(::socket(AF_INET, SOCK_STREAM, 0)) {
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t bytes = sizeof address;
    auto* const named = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(socket.get(), named, bytes), 0);
    EXPECT_EQ(::listen(socket.get(), 4), 0);
    EXPECT_EQ(::getsockname(socket.get(), named, &bytes), 0);
  }
  std::span<const std::byte> name() const { return std::as_bytes(std::span(&address, 1)); }

  descriptor socket;
  sockaddr_in address{};
};

void set_buffer(const descriptor& socket, int bytes) {
  ASSERT_EQ(::setsockopt(socket.get(), SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes), 0);
}

int buffer_of(const descriptor& socket) {
  int bytes = 0;
  socklen_t size = sizeof bytes;
  EXPECT_EQ(::getsockopt(socket.get(), SOL_SOCKET, SO_SNDBUF, &bytes, &size), 0);
  return bytes / 2;
}

constexpr in_addr_t other_host = INADDR_LOOPBACK + 1;  // 127.0.0.2

/// The two ends of a connection from a host, each with a large send buffer.
std::array<descriptor, 2> connect_to(const listener& to, in_addr_t from = INADDR_LOOPBACK) {
  std::array<descriptor, 2> ends{descriptor(::socket(AF_INET, SOCK_STREAM, 0)), descriptor()};
  sockaddr_in source{};
  source.sin_family = AF_INET;
  source.sin_addr.s_addr = htonl(from);
  EXPECT_EQ(::bind(ends[0].get(), reinterpret_cast<sockaddr*>(&source), sizeof source), 0);
  const auto* const named = reinterpret_cast<const sockaddr*>(&to.address);
  EXPECT_EQ(::connect(ends[0].get(), named, sizeof to.address), 0);
  ends[1] = descriptor(::accept(to.socket.get(), nullptr, nullptr));
  for (const descriptor& each : ends) set_buffer(each, large);
  return ends;
}

TEST(send_buffers, of_connections_to_the_peer_and_of_accepted_ones_are_limited) {
  const listener own, peer, other;
  const auto to_peer = connect_to(peer), accepted = connect_to(own), unrelated = connect_to(other);
  set_buffer(own.socket, large);
  const auto from_elsewhere = connect_to(own, other_host);
  EXPECT_EQ(limit_send_buffers(own.name(), peer.name(), small), 2u);
  EXPECT_EQ(buffer_of(to_peer[0]), small);
  EXPECT_EQ(buffer_of(to_peer[1]), large);  // it is the peer's
  EXPECT_EQ(buffer_of(accepted[1]), small);
  EXPECT_EQ(buffer_of(from_elsewhere[1]), large);
  EXPECT_EQ(buffer_of(own.socket), large);  // so what it accepts later has a large one, too
  EXPECT_EQ(buffer_of(unrelated[0]), large);
  EXPECT_EQ(buffer_of(unrelated[1]), large);
}

}  // namespace
}  // namespace atl::transport::ofi
