// SPDX-License-Identifier: BSD-3-Clause
//
// The transfers that wait for a program's streams and events, and those that streams and events
// wait for (device_order.hpp). A call puts marks behind what the streams have to do; progress asks
// for them, starts the transfer when all have been passed, and lets the held streams go at its end.
// The transfer itself is an ordinary one, so every way between memories is taken unchanged.
//
// Threads: any. The lock is never held while a transfer starts, since that may wait and so come
// back here.
#pragma once

#include <atoll/core/device/device_order.hpp>
#include <atoll/core/progress/attachment.hpp>
#include <atoll/core/progress/event.hpp>
#include <atoll/core/segment/segment.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace atl {

/// The work that is done when the marks have been passed.
struct ordered_work {
  enum class action : std::uint8_t { put, get, copy };

  action task;
  segment* memory;  // null of a copy
  rank_id peer;
  void* to;
  const void* from;
  std::size_t bytes;
  memory::device* local_device;
};

class ordered_transfers final : public attachment {
 public:
  explicit ordered_transfers(runtime& owner);
  ~ordered_transfers() override;

  /// Starts the work in this order. `done` becomes empty when all of it is done already.
  void start(const ordered_work& work, const device_order& order, event& done);

  bool advance() noexcept override;
  bool busy() const noexcept override { return active_.load(std::memory_order_acquire) != 0; }

  /// Whether a thread that waits must look again at once: a mark may be passed any moment, and
  /// rings no bell. During a long kernel threads sleep.
  bool keeps_awake() const noexcept;

 private:
  struct entry;
  static constexpr std::int64_t awake_ns = 5'000'000;

  void put_marks(entry& made, const device_order& order) noexcept;
  void hold(entry& made, const device_order& order) noexcept;
  bool has_passed_marks(entry& waiting) noexcept;
  void begin(entry& ready) noexcept;
  bool step(entry& under_way) noexcept;
  void end(entry& complete) noexcept;
  [[noreturn]] void fail(const entry& failed, const char* action) noexcept;

  runtime& owner_;
  std::atomic<std::uint32_t> active_ = 0;       // entries; release: what was added is seen
  std::atomic<std::int64_t> last_step_ns_ = 0;  // relaxed: a hint
  std::mutex guard_;                            // of the list
  std::vector<std::unique_ptr<entry>> entries_;
};

}  // namespace atl
