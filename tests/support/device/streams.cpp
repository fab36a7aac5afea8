// SPDX-License-Identifier: BSD-3-Clause
//
// The simulated device's streams. Each has a thread that does its copies in order. The time of a
// copy is that of an engine per device and direction: a copy begins the latency after its call, or
// when the engine has done the one before, and takes the time that the bandwidth gives.
#include <tests/support/device/simulated.hpp>

#include <sys/prctl.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

namespace simulated {

namespace {

using clock = std::chrono::steady_clock;

struct work {
  std::uintptr_t to = 0;
  std::uintptr_t from = 0;
  std::size_t bytes = 0;
  event* mark = nullptr;  // instead of a copy
  clock::time_point begin;
};

std::mutex engines_guard;
std::map<std::pair<int, int>, clock::time_point> engines;  // (device, direction): when it is free

/// When an engine will have done a copy that it is given now.
clock::time_point end_of_copy(int device, int direction, const work& copy) {
  const options& with = chosen();
  const std::lock_guard hold(engines_guard);
  clock::time_point& free = engines[{device, direction}];
  const auto takes =
      with.bandwidth == 0
          ? std::chrono::nanoseconds(0)
          : std::chrono::nanoseconds(static_cast<std::int64_t>(
                static_cast<double>(copy.bytes) * 1e9 / static_cast<double>(with.bandwidth)));
  free = std::max(free, copy.begin + std::chrono::nanoseconds(with.latency_ns)) + takes;
  return free;
}

}  // namespace

struct event {
  std::atomic<int> state = success;  // release: what was copied before is seen
};

struct stream {
  explicit stream(int on) : device(on), thread([this] { run(); }) {}
  ~stream() {
    {
      const std::lock_guard hold(guard);
      ending = true;
    }
    arrived.notify_one();
    thread.join();
  }

  void put(work item) {
    {
      const std::lock_guard hold(guard);
      queue.push_back(item);
    }
    arrived.notify_one();
  }

  void run() {
    ::prctl(PR_SET_TIMERSLACK, 1UL);
    std::unique_lock hold(guard);
    for (;;) {
      arrived.wait(hold, [this] { return ending || !queue.empty(); });
      if (queue.empty()) return;
      const work next = queue.front();
      queue.pop_front();
      hold.unlock();
      if (next.mark != nullptr) {
        next.mark->state.store(error, std::memory_order_release);
      } else if (error == success) {
        error = copy(next);
      }
      hold.lock();
    }
  }

  int copy(const work& next) const {
    bool to_device = false;
    bool from_device = false;
    std::byte* const to = bytes_behind(next.to, next.bytes, to_device);
    const std::byte* const from = bytes_behind(next.from, next.bytes, from_device);
    if (to == nullptr || from == nullptr) return illegal_address;
    const int direction = to_device && from_device ? 2 : to_device ? 1 : 0;
    const clock::time_point end = end_of_copy(device, direction, next);
    std::memmove(to, from, next.bytes);
    std::this_thread::sleep_until(end);
    return success;
  }

  int device;
  std::mutex guard;  // of the queue
  std::condition_variable arrived;
  std::deque<work> queue;
  bool ending = false;
  int error = success;  // of the thread alone
  std::thread thread;
};

stream* make_stream(int device) { return new stream(device); }
void end_stream(stream* ended) { delete ended; }

int enqueue_copy(stream& in, std::uintptr_t to, std::uintptr_t from, std::size_t bytes) {
  bool on_device = false;
  if (bytes_behind(to, bytes, on_device) == nullptr ||
      bytes_behind(from, bytes, on_device) == nullptr)
    return invalid_value;
  in.put({.to = to, .from = from, .bytes = bytes, .mark = nullptr, .begin = clock::now()});
  return success;
}

event* make_event() { return new event; }
void end_event(event* ended) { delete ended; }

void record(event& mark, stream& in) {
  mark.state.store(not_ready, std::memory_order_relaxed);
  in.put({.to = 0, .from = 0, .bytes = 0, .mark = &mark, .begin = {}});
}

int query(const event& mark) { return mark.state.load(std::memory_order_acquire); }

}  // namespace simulated
