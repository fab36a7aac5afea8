// SPDX-License-Identifier: BSD-3-Clause
//
// The limit of open files. One that is too low is no reason to refuse: connections are made when
// they are first needed, and a program may never talk to all ranks.
#include <atoll/transport/ofi/connections.hpp>

#include <atoll/base/text.hpp>

#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
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

}  // namespace atl::transport::ofi
