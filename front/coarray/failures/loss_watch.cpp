// SPDX-License-Identifier: BSD-3-Clause
//
// The thread of loss_watch.hpp. It starts with all signals blocked, so that the program's handlers
// run in the program's own threads.
#include <front/coarray/failures/loss_watch.hpp>

#include <atoll/base/log.hpp>
#include <atoll/base/system/blocked_signals.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/segment/segment_access.hpp>
#include <front/coarray/process_state.hpp>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace atl::coarray {
namespace {

constexpr std::chrono::milliseconds between_looks{100};

class loss_watch {
 public:
  explicit loss_watch(process_state& us)
      : us_(us), thread_([this](std::stop_token stop) { run(stop); }) {}

 private:
  void run(const std::stop_token& stop) {
    std::unique_lock hold(guard_);
    while (!stop.stop_requested()) {
      wake_.wait_for(hold, stop, between_looks, [] { return false; });
      look();
    }
  }

  void look() noexcept {
    const bootstrap::bootstrap& launcher = layer_access::boot(us_.runtime);
    const rank_id failures = launcher.failed_count();
    if (failures == seen_) return;
    for (rank_id rank = 0; rank < launcher.size(); ++rank) {
      if (!launcher.has_failed(rank)) continue;
      segment_access::close(us_.heaps, rank);
    }
    seen_ = failures;
  }

  process_state& us_;
  rank_id seen_ = 0;  // how many of the failures that the launcher counts were seen
  std::mutex guard_;
  std::condition_variable_any wake_;
  std::jthread thread_;
};

// Not destroyed at exit, because other threads may still run then.
loss_watch* the_watch = nullptr;

}  // namespace

void start_loss_watch(process_state& us) noexcept {
  if (the_watch != nullptr || us.runtime.neighbourhood_count() == 1) return;
  try {
    const blocked_signals meanwhile;
    the_watch = std::make_unique<loss_watch>(us).release();
  } catch (const std::system_error& refused) {
    log_debug("no thread to watch for failed images: ", refused.what());
  }
}

void end_loss_watch() noexcept {
  const std::unique_ptr<loss_watch> last(std::exchange(the_watch, nullptr));
}

}  // namespace atl::coarray
