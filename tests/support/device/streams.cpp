// SPDX-License-Identifier: BSD-3-Clause
//
// The simulated device's streams. Each has a thread that does its copies in order. There is an
// engine per device and direction: a copy begins the latency after its call, or when the engine has
// done the copy before, and takes the time that the bandwidth gives.
#include <tests/support/device/simulated.hpp>

#include <sched.h>
#include <sys/prctl.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace simulated {

namespace {

using clock = std::chrono::steady_clock;

struct work {
  copy_order copy;
  event* mark = nullptr;                // instead of a copy
  const std::uint32_t* word = nullptr;  // to wait for, instead of a copy
  std::uint32_t least = 0;
  const event* awaited = nullptr;  // instead of all of these
  void (*call)(void*) = nullptr;   // with `context`, instead of all of these
  void* context = nullptr;
  clock::time_point begin;
};

std::mutex engines_guard;
std::map<std::pair<int, int>, clock::time_point> engines;  // (device, direction): when it is free

/// When an engine will have done a copy that it is given now.
clock::time_point end_of_copy(int device, int direction, const work& item) {
  const options& setting = chosen();
  const std::lock_guard hold(engines_guard);
  clock::time_point& free = engines[{device, direction}];
  const auto takes = setting.bandwidth == 0
                         ? std::chrono::nanoseconds(0)
                         : std::chrono::nanoseconds(static_cast<std::int64_t>(
                               static_cast<double>(item.copy.bytes * item.copy.rows) * 1e9 /
                               static_cast<double>(setting.bandwidth)));
  free = std::max(free, item.begin + std::chrono::nanoseconds(setting.latency_ns)) + takes;
  return free;
}

/// Lets an engine's thread run on any core, whatever the program is bound to. An engine that keeps
/// time must not wait for a core: its thread gets priority where the system allows that. Without a
/// clock it is an ordinary thread, for which waiting ranks yield their core.
void be_an_engine() {
  cpu_set_t cores;
  std::memset(&cores, 0xff, sizeof cores);
  ::sched_setaffinity(0, sizeof cores, &cores);
  if (chosen().bandwidth == 0 && chosen().latency_ns == 0) return;
  ::prctl(PR_SET_TIMERSLACK, 1UL);
  const sched_param priority{.sched_priority = 2};
  ::sched_setscheduler(0, SCHED_FIFO, &priority);
}

/// The bytes from the first row to the end of the last.
std::size_t extent(const copy_order& order, std::size_t pitch) {
  return order.rows == 0 ? 0 : (order.rows - 1) * pitch + order.bytes;
}

/// 0: from the device, 1: to it, 2: between devices.
int direction_of(const copy_order& order) {
  bool to_device = false;
  bool from_device = false;
  bytes_behind(order.to, order.bytes, to_device);
  bytes_behind(order.from, order.bytes, from_device);
  return to_device && from_device ? 2 : to_device ? 1 : 0;
}

}  // namespace

struct event {
  std::atomic<int> state = success;  // release: copies before it are seen
  std::atomic<clock::rep> due = {};  // the time of completion, where nothing is moved; relaxed
};

struct stream {
  explicit stream(int number) : device(number), thread([this] { run(); }) {}
  ~stream() {
    {
      const std::lock_guard hold(guard);
      ending = true;
    }
    arrived.notify_one();
    thread.join();
  }

  // Where nothing is moved, the end of all work on the stream is known at once.
  void put_timed(const work& item) {
    const std::lock_guard hold(guard);
    if (item.mark == nullptr) {
      due = end_of_copy(device, direction_of(item.copy), item);
    } else {
      item.mark->due.store(due.time_since_epoch().count(), std::memory_order_relaxed);
    }
  }

  void put(work item) {
    if (!chosen().moves) return put_timed(item);
    {
      const std::lock_guard hold(guard);
      queue.push_back(item);
    }
    arrived.notify_one();
  }

  // A device polls the word, and so does this thread.
  void wait_for(const std::uint32_t& word, std::uint32_t least) {
    const std::atomic_ref value(const_cast<std::uint32_t&>(word));  // only read
    // Acquire: work that follows on the stream sees what was written before the word.
    while (static_cast<std::int32_t>(value.load(std::memory_order_acquire) - least) < 0) {
      std::this_thread::sleep_for(std::chrono::microseconds(5));
      const std::lock_guard hold(guard);
      if (ending) return;
    }
  }

  void run() {
    be_an_engine();
    std::unique_lock hold(guard);
    for (;;) {
      arrived.wait(hold, [this] { return ending || !queue.empty(); });
      if (queue.empty()) return;
      const work next = queue.front();
      queue.pop_front();
      hold.unlock();
      if (next.call != nullptr) {
        next.call(next.context);
      } else if (next.awaited != nullptr) {
        next.awaited->state.wait(not_ready, std::memory_order_acquire);
      } else if (next.mark != nullptr) {
        next.mark->state.store(error, std::memory_order_release);
        next.mark->state.notify_all();
      } else if (next.word != nullptr) {
        wait_for(*next.word, next.least);
      } else if (error == success) {
        error = copy(next);
      }
      hold.lock();
    }
  }

  int copy(const work& next) const {
    const copy_order& order = next.copy;
    bool to_device = false;
    bool from_device = false;
    std::byte* const to = bytes_behind(order.to, extent(order, order.to_pitch), to_device);
    const std::byte* const from =
        bytes_behind(order.from, extent(order, order.from_pitch), from_device);
    if (to == nullptr || from == nullptr) return illegal_address;
    const int direction = to_device && from_device ? 2 : to_device ? 1 : 0;
    const clock::time_point end = end_of_copy(device, direction, next);
    for (std::size_t row = 0; row < order.rows; ++row)
      std::memmove(to + row * order.to_pitch, from + row * order.from_pitch, order.bytes);
    std::this_thread::sleep_until(end);
    return success;
  }

  int device;
  std::mutex guard;  // of the queue
  std::condition_variable arrived;
  std::deque<work> queue;
  bool ending = false;
  int error = success;    // of the thread alone
  clock::time_point due;  // the end of the last work, where nothing is moved
  std::thread thread;
};

void testdev_launch(void* in, void (*run)(void*), void* context) {
  static_cast<stream*>(in)->put({.copy = {}, .call = run, .context = context, .begin = {}});
}

stream* make_stream(int device) { return new stream(device); }
void end_stream(stream* ended) { delete ended; }

stream& stream_of(void* handle, int device) {
  if (handle != nullptr) return *static_cast<stream*>(handle);
  static std::mutex guard;
  static std::map<int, std::unique_ptr<stream>> first;
  const std::lock_guard hold(guard);
  std::unique_ptr<stream>& found = first[device];
  if (found == nullptr) found = std::make_unique<stream>(device);
  return *found;
}

namespace {

/// One end of a copy.
struct copy_end {
  copy_end(std::uintptr_t address, std::size_t bytes) {
    is_allocated = bytes_behind(address, bytes, is_on_device) != nullptr;
    if (!is_on_device) host = pinning_of(address, bytes);
  }
  bool may_be_copied() const { return is_allocated && host != pinning::part; }
  bool is_pageable() const { return !is_on_device && host == pinning::none; }

  bool is_allocated = false;
  bool is_on_device = false;
  pinning host = pinning::whole;
};

void wait_for_all(stream& in) {
  event end;
  record(end, in);
  if (chosen().moves) return end.state.wait(not_ready, std::memory_order_acquire);
  while (query(end) == not_ready) std::this_thread::yield();
}

}  // namespace

int enqueue_copy(stream& in, const copy_order& order) {
  const copy_end to(order.to, extent(order, order.to_pitch));
  const copy_end from(order.from, extent(order, order.from_pitch));
  if (!to.may_be_copied() || !from.may_be_copied()) return invalid_value;
  in.put({.copy = order, .begin = clock::now()});
  return success;
}

int enqueue_copy_as_call(stream& in, const copy_order& order) {
  constexpr std::size_t sent_with_the_call = std::size_t{64} << 10;
  const int code = enqueue_copy(in, order);
  if (code != success) return code;
  const std::size_t from_bytes = extent(order, order.from_pitch);
  const bool waits = copy_end(order.to, extent(order, order.to_pitch)).is_pageable() ||
                     (copy_end(order.from, from_bytes).is_pageable() &&
                      order.bytes * order.rows > sent_with_the_call);
  if (waits) wait_for_all(in);
  return success;
}

void enqueue_wait(stream& in, const std::uint32_t* word, std::uint32_t least) {
  in.put({.copy = {}, .word = word, .least = least, .begin = {}});
}

event* make_event() { return new event; }
void end_event(event* ended) { delete ended; }

void record(event& mark, stream& in) {
  mark.state.store(not_ready, std::memory_order_relaxed);
  in.put({.copy = {}, .mark = &mark, .begin = {}});
}

void enqueue_wait(stream& in, const event& awaited) {
  in.put({.copy = {}, .awaited = &awaited, .begin = {}});
}

void reset(event& mark) {
  mark.state.store(not_ready, std::memory_order_relaxed);
  mark.due.store(std::numeric_limits<clock::rep>::max(), std::memory_order_relaxed);
}

void set(event& mark) {
  mark.due.store(0, std::memory_order_relaxed);
  mark.state.store(success, std::memory_order_release);
  mark.state.notify_all();
}

int query(const event& mark) {
  if (chosen().moves) return mark.state.load(std::memory_order_acquire);
  const clock::rep due = mark.due.load(std::memory_order_relaxed);
  return clock::now().time_since_epoch().count() >= due ? success : not_ready;
}

}  // namespace simulated
