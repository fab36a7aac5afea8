// SPDX-License-Identifier: BSD-3-Clause
//
// A device whose driver makes copies on streams and tells of their ends by events: CUDA's, and
// HIP's, which has the same calls under other names. `Calls` says where the two differ. Every call
// of the driver runs with this device's context on the thread, and puts back the context that the
// program had. Each lane is a stream that does not wait for the default stream; an event behind
// each copy tells when it is complete. Events are kept for reuse: a lane's events in flight stand
// in the order of their copies, and only the first is asked.
#pragma once

#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>
#include <atoll/memory/device/device_list.hpp>

#include <cstring>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

namespace atl::memory {

/// `Calls` has
///   driver, open_driver()     the table of calls (cuda_driver.hpp), whose members have the same
///                             names and parameters for each driver
///   result, address ...       the types of those parameters, and the constants that are passed
///   context, current          a context of a device, and an object that makes it the thread's
///   begin(), end()            of using a device
///   copy(), copy_rows() and wait_value(), pitch_most() of the rows
///   number_of(), pointer_to(), kind, and words for messages
template <class Calls>
class stream_device final : public device {
  using driver = typename Calls::driver;
  using result = typename Calls::result;
  using number = typename Calls::address;  // of memory
  using stream = typename Calls::stream;
  using event = typename Calls::event;
  using current = typename Calls::current;

 public:
  explicit stream_device(const device_description& description)
      : device(description), driver_(Calls::open_driver()) {
    need(driver::device_get_name, driver_.device_get(&number_, description.index));
    need(Calls::begin_name, Calls::begin(driver_, number_, context_));
    pitch_most_ = Calls::pitch_most(driver_, number_);
    const result made = make_streams();
    if (made != Calls::success) end();
    need(driver::stream_create_name, made);
  }

  ~stream_device() override { end(); }

  std::byte* allocate(std::size_t bytes) noexcept override {
    const current here(driver_, context_);
    number made{};
    return works(driver::allocate_name, driver_.allocate(&made, bytes)) ? Calls::pointer_to(made)
                                                                        : nullptr;
  }

  void free(std::byte* memory) noexcept override {
    const current here(driver_, context_);
    works(driver::free_name, driver_.free(Calls::number_of(memory)));
  }

  bool owns(const void* address, std::size_t bytes) noexcept override {
    const current here(driver_, context_);
    const number first = Calls::number_of(address);
    int owner = -1;
    number base{};
    std::size_t size = 0;
    return works(driver::pointer_attribute_name,
                 driver_.pointer_attribute(&owner, Calls::device_ordinal, first)) &&
           owner == number_ &&
           works(driver::address_range_name, driver_.address_range(&base, &size, first)) &&
           bytes <= size &&
           static_cast<std::size_t>(Calls::pointer_to(first) - Calls::pointer_to(base)) <=
               size - bytes;
  }

  std::byte* pin(std::size_t bytes) noexcept override {
    const current here(driver_, context_);
    void* made = nullptr;
    return works(driver::pin_name, driver_.pin(&made, bytes, Calls::pinned_portable))
               ? static_cast<std::byte*>(made)
               : nullptr;
  }

  void unpin(std::byte* memory) noexcept override {
    const current here(driver_, context_);
    works(driver::unpin_name, driver_.unpin(memory));
  }

  std::uint64_t start_copy(copy_lane lane, void* to, const void* from,
                           std::size_t bytes) noexcept override {
    return start(lane, [&](stream along) { return copy(to, from, bytes, along); });
  }

  std::uint64_t start_rows(copy_lane lane, const row_copy& rows) noexcept override {
    return start(lane, [&](stream along) {
      return copy_as_block(rows, along) || copy_one_by_one(rows, along);
    });
  }

  std::optional<std::uint64_t> copies_done(copy_lane which) noexcept override {
    const std::lock_guard hold(guard_);
    lane_state& lane = lanes_[static_cast<std::size_t>(which)];
    if (lane.under_way.empty()) return lane.done;
    const current here(driver_, context_);
    while (!lane.under_way.empty()) {
      const result state = driver_.event_query(lane.under_way.front());
      if (state == Calls::not_ready) break;
      if (!works(driver::event_query_name, state)) return std::nullopt;
      free_events_.push_back(lane.under_way.front());
      lane.under_way.pop_front();
      ++lane.done;
    }
    return lane.done;
  }

  bool export_memory(const void* base, exported_memory& exported) noexcept override {
    const current here(driver_, context_);
    number allocation{};
    std::size_t size = 0;
    typename Calls::ipc_handle handle{};
    if (!works(driver::address_range_name,
               driver_.address_range(&allocation, &size, Calls::number_of(base))) ||
        !works(driver::ipc_export_name, driver_.ipc_export(&handle, allocation)))
      return false;
    exported.device = description().uuid;
    exported.offset = static_cast<std::uint64_t>(static_cast<const std::byte*>(base) -
                                                 Calls::pointer_to(allocation));
    std::memcpy(exported.handle.data(), handle.reserved.data(), handle.reserved.size());
    return true;
  }

  std::byte* open(const exported_memory& exported) noexcept override {
    const current here(driver_, context_);
    typename Calls::ipc_handle handle{};
    std::memcpy(handle.reserved.data(), exported.handle.data(), handle.reserved.size());
    number opened{};
    if (!works(driver::ipc_open_name, driver_.ipc_open(&opened, handle, Calls::ipc_peer_access)))
      return nullptr;
    return Calls::pointer_to(opened) + exported.offset;
  }

  void close(std::byte* opened, const exported_memory& exported) noexcept override {
    const current here(driver_, context_);
    works(driver::ipc_close_name, driver_.ipc_close(Calls::number_of(opened - exported.offset)));
  }

  bool reaches(const device_uuid& other) noexcept override {
    if (other == description().uuid) return true;
    for (const device_description& each : describe_driver(Calls::kind).devices)
      if (each.uuid == other) return is_peer(Calls::kind, description().index, each.index);
    return false;
  }

  void* mark(program_stream marked) noexcept override {
    const std::lock_guard hold(guard_);
    const current here(driver_, context_);
    event made = nullptr;
    if (!take_event(made)) return nullptr;
    if (works(driver::event_record_name, driver_.event_record(made, marked))) return made;
    free_events_.push_back(made);
    return nullptr;
  }

  std::optional<bool> has_passed(void* mark) noexcept override {
    const current here(driver_, context_);
    const result state = driver_.event_query(mark);
    if (state == Calls::not_ready) return false;
    if (!works(driver::event_query_name, state)) return std::nullopt;
    return true;
  }

  void forget(void* mark) noexcept override {
    const std::lock_guard hold(guard_);
    free_events_.push_back(mark);
  }

  bool stall(program_stream stalled, std::uint32_t* flag) noexcept override {
    const current here(driver_, context_);
    if (driver_.wait_value == nullptr) {
      const std::lock_guard hold(problem_guard_);
      problem_ = text("this driver has no ", driver::wait_value_name, "; ", Calls::newer_driver);
      return false;
    }
    return works(driver::wait_value_name, Calls::wait_value(driver_, stalled, flag));
  }

  std::string problem() const override {
    const std::lock_guard hold(problem_guard_);
    return problem_;
  }

 private:
  struct lane_state {
    stream along = nullptr;
    std::deque<event> under_way;
    std::uint64_t done = 0;
  };

  /// Starts the work that `put` puts on the lane's stream, as one copy.
  template <class Put>
  std::uint64_t start(copy_lane which, Put put) noexcept {
    const std::lock_guard hold(guard_);
    const current here(driver_, context_);
    lane_state& lane = lanes_[static_cast<std::size_t>(which)];
    event done = nullptr;
    if (!take_event(done)) return 0;
    if (!put(lane.along) ||
        !works(driver::event_record_name, driver_.event_record(done, lane.along))) {
      free_events_.push_back(done);
      return 0;
    }
    lane.under_way.push_back(done);
    return lane.done + lane.under_way.size();
  }

  bool copy(void* to, const void* from, std::size_t bytes, stream along) noexcept {
    return works(driver::copy_name, Calls::copy(driver_, to, from, bytes, along));
  }

  // The driver takes strides that go forward and leave room for a row, up to a limit. Within one
  // device it may refuse some of them.
  bool copy_as_block(const row_copy& rows, stream along) noexcept {
    const auto fits = [&](std::ptrdiff_t stride) {
      return stride >= static_cast<std::ptrdiff_t>(rows.bytes) && stride <= pitch_most_;
    };
    if (rows.rows < 2 || !fits(rows.to_stride) || !fits(rows.from_stride)) return false;
    return works(driver::copy_rows_name, Calls::copy_rows(driver_, rows, along));
  }

  bool copy_one_by_one(const row_copy& rows, stream along) noexcept {
    auto* to = static_cast<std::byte*>(rows.to);
    const auto* from = static_cast<const std::byte*>(rows.from);
    for (std::size_t row = 0; row < rows.rows; ++row) {
      if (!copy(to, from, rows.bytes, along)) return false;
      to += rows.to_stride;
      from += rows.from_stride;
    }
    return true;
  }

  void need(const char* call, result code) const {
    if (code == Calls::success) return;
    throw error(text_of(description()), text(call, ": ", driver_.message(code)), Calls::remedy);
  }

  bool works(const char* call, result code) noexcept {
    if (code == Calls::success) [[likely]]
      return true;
    const std::lock_guard hold(problem_guard_);
    problem_ = text(call, ": ", driver_.message(code));
    return false;
  }

  bool take_event(event& taken) noexcept {
    if (free_events_.empty())
      return works(driver::event_create_name, driver_.event_create(&taken, Calls::event_no_timing));
    taken = free_events_.back();
    free_events_.pop_back();
    return true;
  }

  result make_streams() noexcept {
    const current here(driver_, context_);
    result made = Calls::success;
    for (lane_state& lane : lanes_) {
      made = driver_.stream_create(&lane.along, Calls::stream_non_blocking);
      if (made != Calls::success) break;
    }
    return made;
  }

  void end() noexcept {
    destroy_streams();
    Calls::end(driver_, number_);
  }

  void destroy_streams() noexcept {
    const current here(driver_, context_);
    for (lane_state& lane : lanes_) {
      for (event each : lane.under_way) driver_.event_destroy(each);
      if (lane.along != nullptr) driver_.stream_destroy(lane.along);
    }
    for (event each : free_events_) driver_.event_destroy(each);
  }

  const driver& driver_;
  typename Calls::device_number number_ = 0;
  typename Calls::context context_{};
  std::ptrdiff_t pitch_most_ = 0;
  std::mutex guard_;  // of lanes and events
  std::array<lane_state, copy_lanes> lanes_;
  std::vector<event> free_events_;
  mutable std::mutex problem_guard_;
  std::string problem_;
};

}  // namespace atl::memory
