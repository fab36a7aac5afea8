// SPDX-License-Identifier: BSD-3-Clause
//
// A plain TCP connection between two ranks: what the machine's own network can do, measured in the
// same processes and rounds as what is compared with it. There are two ways to wait: in the kernel
// (recv sleeps until data come) and spinning (recv is repeated). Nagle's delay is off, as in any
// program that sends small messages.
//
// One end listens and publishes its address; the other connects. Threads: none.
#pragma once

#include <bench/harness/rotation.hpp>

#include <atoll/base/system/descriptor.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace bench {

/// The address of the listening end: IPv4 address and port, both in network byte order.
struct raw_address {
  std::uint32_t host = 0;
  std::uint32_t port = 0;  // 0: not known yet
};

enum class raw_wait : std::uint8_t { blocking, spinning };

/// Bytes of a message and of its answer.
struct raw_sizes {
  std::size_t forward = 8;
  std::size_t back = 8;
};

class raw_link {
 public:
  /// Listens on an interface, or on loopback where its name is empty. Throws `std::runtime_error`.
  explicit raw_link(const std::string& interface);

  raw_address address() const noexcept { return address_; }

  /// The listening end accepts the one connection; the other end makes it.
  void accept();
  void connect(const raw_address& remote);

  /// `count` times 8 bytes there and 8 back; both ends call it. Nanoseconds.
  double round_trips(std::uint64_t count, raw_wait wait_mode, bool first);

  /// `count` blocks of `bytes` one way, then 8 bytes back. Nanoseconds.
  double stream(std::uint64_t count, std::size_t bytes, bool sends);

  /// Allocates memory of this size, which the next two functions send from and receive into.
  void use_area(std::size_t bytes) { area_.assign(bytes, '\1'); }

  /// `count` exchanges in places of the area: each.forward bytes one way, each.back bytes back.
  double exchanges(std::uint64_t count, const raw_sizes& each, raw_wait wait_mode, rotation& places,
                   bool first);

  /// As stream(), in places of the area in turn.
  double stream_over(std::uint64_t count, std::size_t bytes, raw_wait wait_mode, rotation& places,
                     bool sends);

 private:
  void send_all(const void* from, std::size_t bytes);
  void receive_all(void* to, std::size_t bytes, raw_wait wait_mode);
  void use(int connection);

  raw_address address_;
  atl::descriptor listener_;
  atl::descriptor connection_;
  std::vector<char> area_;
};

}  // namespace bench
