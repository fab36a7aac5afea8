// SPDX-License-Identifier: BSD-3-Clause
//
// Starts and stops the serving thread.
#include <atoll/core/job/serving_thread.hpp>

#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/job/progress_thread.hpp>
#include <atoll/core/settings.hpp>
#include <atoll/transport/settings.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace atl {

bool some_ranks_are_apart(const settings& configuration, const bootstrap::bootstrap& boot) {
  const std::vector<std::uint32_t> hosts = boot.hosts();
  const bool has_several_hosts =
      std::any_of(hosts.begin(), hosts.end(), [&](auto host) { return host != hosts.front(); });
  return has_several_hosts || configuration.choice(setting::rma_path) != 0 ||
         configuration.number(setting::neighbourhood) != 0;
}

void serving_thread::start() {
  if (served_.size() == 1 || served_.has_progress_thread() || !served_.threaded()) return;
  thread_ = start_progress_thread(served_, "raise the limit of processes (ulimit -u)");
}

void serving_thread::stop() noexcept {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  layer_access::wake_own_threads(served_);
  thread_.join();
}

}  // namespace atl
