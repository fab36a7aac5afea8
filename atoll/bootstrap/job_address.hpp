// SPDX-License-Identifier: BSD-3-Clause
//
// The value of ATOLL_JOB: how a rank finds its launcher and proves that it belongs to the job. The
// text is "local/ID/KEY": ID (16 hex digits) names the abstract Unix socket, KEY (64 hex digits) is
// the job's secret. A value type; the text form exists only in the environment.
#pragma once

#include <atoll/bootstrap/wire.hpp>

#include <sys/socket.h>
#include <sys/un.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace atl::bootstrap {

struct job_address {
  std::uint64_t id = 0;
  wire::job_key key{};

  /// A new address from the kernel's random source. Throws `atl::error` when there is none.
  static job_address random();

  /// The address of this text; nothing when the text has another form.
  static std::optional<job_address> parse(std::string_view text);

  std::string text() const;
};

/// The socket address of a job: an abstract name, so there is no file to leave behind.
struct socket_address {
  sockaddr_un address{};
  socklen_t length = 0;
};
socket_address socket_address_of(const job_address& job) noexcept;

}  // namespace atl::bootstrap
