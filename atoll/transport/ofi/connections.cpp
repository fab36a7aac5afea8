// SPDX-License-Identifier: BSD-3-Clause
//
// Descriptors and send buffers. A provider has no option for the latter, so the sockets are found
// by their addresses.
//
// A limit of open files that is too low is no reason to refuse: connections are made when
// they are first needed, and a program may never talk to all ranks.
#include <atoll/transport/ofi/connections.hpp>

#include <atoll/base/text.hpp>

#include <dirent.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string_view>
#include <system_error>

namespace atl::transport::ofi {
namespace {

// Two ranks that call each other at the same time have two connections for a moment.
constexpr rlim_t spare = 64;

rlim_t open_now() {
  std::error_code failed;
  const std::filesystem::directory_iterator entries("/proc/self/fd", failed);
  constexpr rlim_t usual = 64;
  return failed ? usual : static_cast<rlim_t>(std::distance(begin(entries), end(entries)));
}

struct folder_closer {
  void operator()(DIR* opened) const noexcept { ::closedir(opened); }
};

// `name_of` is getsockname or getpeername. The latter fails for a socket that listens.
template <class NameOf>
bool read_address(int descriptor, NameOf name_of, sockaddr_storage& address) noexcept {
  socklen_t bytes = sizeof address;
  return name_of(descriptor, reinterpret_cast<sockaddr*>(&address), &bytes) == 0;
}

bool is_same(const sockaddr_storage& a, const sockaddr_storage& b, std::size_t bytes) noexcept {
  return std::memcmp(&a, &b, bytes) == 0;
}

// Whether two addresses differ in the port at most.
bool is_same_host(const sockaddr_storage& a, const sockaddr_storage& b) noexcept {
  if (a.ss_family != b.ss_family) return false;
  if (a.ss_family == AF_INET) {
    return reinterpret_cast<const sockaddr_in&>(a).sin_addr.s_addr ==
           reinterpret_cast<const sockaddr_in&>(b).sin_addr.s_addr;
  }
  return a.ss_family == AF_INET6 &&
         std::memcmp(&reinterpret_cast<const sockaddr_in6&>(a).sin6_addr,
                     &reinterpret_cast<const sockaddr_in6&>(b).sin6_addr, sizeof(in6_addr)) == 0;
}

// One that connects knows the peer by the address that it listens at, and one that has accepted
// knows the address of its host only.
bool is_connection(int descriptor, const sockaddr_storage& own, const sockaddr_storage& peer,
                   std::size_t bytes) noexcept {
  sockaddr_storage remote{}, local{};
  if (!read_address(descriptor, ::getpeername, remote) || !is_same_host(remote, peer)) return false;
  if (is_same(remote, peer, bytes)) return true;
  return read_address(descriptor, ::getsockname, local) && is_same(local, own, bytes);
}

}  // namespace

std::string make_room_for_connections(rank_id others) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return {};
  const rlim_t own = open_now();
  const rlim_t needed = own + others + spare;
  if (limit.rlim_cur >= needed) return {};
  const rlim_t soft = limit.rlim_cur;
  limit.rlim_cur = std::min(limit.rlim_max, needed + soft);
  if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) limit.rlim_cur = soft;
  if (limit.rlim_cur >= needed) return {};
  return text("limit of open files: connections to ", others, " ranks need ", needed,
              ", but the hard limit is ", limit.rlim_max, "; a rank that talks to more than about ",
              limit.rlim_max - std::min(limit.rlim_max, own),
              " others will fail: raise it on all hosts (ulimit -Hn), or use "
              "ATOLL_OFI_PROVIDER=udp, which needs no connections");
}

std::size_t limit_send_buffers(std::span<const std::byte> own, std::span<const std::byte> peer,
                               std::size_t bytes) noexcept {
  const std::unique_ptr<DIR, folder_closer> open_files(::opendir("/proc/self/fd"));
  if (open_files == nullptr) return 0;
  sockaddr_storage own_name{}, peer_name{};
  if (own.size() > sizeof own_name || peer.size() != own.size()) return 0;
  std::memcpy(&own_name, own.data(), own.size());
  std::memcpy(&peer_name, peer.data(), peer.size());
  const int wanted = static_cast<int>(bytes);
  std::size_t connections = 0;
  while (const dirent* const entry = ::readdir(open_files.get())) {
    const std::string_view name = entry->d_name;
    int descriptor = -1;
    std::from_chars(name.data(), name.data() + name.size(), descriptor);
    if (!is_connection(descriptor, own_name, peer_name, peer.size())) continue;
    connections += ::setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &wanted, sizeof wanted) == 0;
  }
  return connections;
}

}  // namespace atl::transport::ofi
