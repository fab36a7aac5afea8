// SPDX-License-Identifier: BSD-3-Clause
//
// A CUDA device. Every call of the driver runs with this device's context on the thread, and puts
// back the context that the program had. Events are kept for reuse: a lane's events in flight stand
// in the order of their copies, and only the first is asked.
#include <atoll/memory/device/cuda_device.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>
#include <atoll/memory/device/cuda_driver.hpp>

#include <cstring>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

namespace atl::memory {

namespace {

cuda::address number_of(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }
std::byte* pointer_to(cuda::address address) {
  return reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(address));
}

/// The context of a device on this thread, as long as this object lives.
class current_context {
 public:
  current_context(const cuda::driver& driver, cuda::context context) : driver_(driver) {
    pushed_ = driver.push(context) == cuda::success;
  }
  current_context(const current_context&) = delete;
  current_context& operator=(const current_context&) = delete;
  ~current_context() {
    cuda::context popped = nullptr;
    if (pushed_) driver_.pop(&popped);
  }

 private:
  const cuda::driver& driver_;
  bool pushed_;
};

class cuda_device final : public device {
 public:
  explicit cuda_device(const device_description& description)
      : device(description), driver_(cuda::open_driver()) {
    const int index = description.index;
    need("cuDeviceGet", driver_.device_get(&number_, index));
    need("cuDevicePrimaryCtxRetain", driver_.retain(&context_, number_));
    int pitch = 0;
    if (driver_.device_attribute(&pitch, cuda::pitch_most, number_) == cuda::success)
      pitch_most_ = pitch;
    const cuda::result made = make_streams();
    if (made != cuda::success) end();
    need("cuStreamCreate", made);
  }

  ~cuda_device() override { end(); }

  std::byte* allocate(std::size_t bytes) noexcept override {
    const current_context here(driver_, context_);
    cuda::address made = 0;
    return works("cuMemAlloc", driver_.allocate(&made, bytes)) ? pointer_to(made) : nullptr;
  }

  void free(std::byte* memory) noexcept override {
    const current_context here(driver_, context_);
    works("cuMemFree", driver_.free(number_of(memory)));
  }

  bool owns(const void* address, std::size_t bytes) noexcept override {
    const current_context here(driver_, context_);
    const cuda::address first = number_of(address);
    int owner = -1;
    cuda::address base = 0;
    std::size_t size = 0;
    return works("cuPointerGetAttribute",
                 driver_.pointer_attribute(&owner, cuda::device_ordinal, first)) &&
           owner == number_ &&
           works("cuMemGetAddressRange", driver_.address_range(&base, &size, first)) &&
           bytes <= size && first - base <= size - bytes;
  }

  std::byte* pin(std::size_t bytes) noexcept override {
    const current_context here(driver_, context_);
    void* made = nullptr;
    return works("cuMemHostAlloc", driver_.pin(&made, bytes, cuda::pinned_portable))
               ? static_cast<std::byte*>(made)
               : nullptr;
  }

  void unpin(std::byte* memory) noexcept override {
    const current_context here(driver_, context_);
    works("cuMemFreeHost", driver_.unpin(memory));
  }

  std::uint64_t start_copy(copy_lane lane, void* to, const void* from,
                           std::size_t bytes) noexcept override {
    return start(lane, [&](cuda::stream stream) {
      return works("cuMemcpyAsync", driver_.copy(number_of(to), number_of(from), bytes, stream));
    });
  }

  std::uint64_t start_rows(copy_lane lane, const row_copy& rows) noexcept override {
    return start(lane, [&](cuda::stream stream) {
      return copy_as_block(rows, stream) || copy_one_by_one(rows, stream);
    });
  }

  std::optional<std::uint64_t> copies_done(copy_lane which) noexcept override {
    const std::lock_guard hold(guard_);
    lane_state& lane = lanes_[static_cast<std::size_t>(which)];
    if (lane.under_way.empty()) return lane.done;
    const current_context here(driver_, context_);
    while (!lane.under_way.empty()) {
      const cuda::result state = driver_.event_query(lane.under_way.front());
      if (state == cuda::not_ready) break;
      if (!works("cuEventQuery", state)) return std::nullopt;
      free_events_.push_back(lane.under_way.front());
      lane.under_way.pop_front();
      ++lane.done;
    }
    return lane.done;
  }

  bool export_memory(const void* base, exported_memory& exported) noexcept override {
    const current_context here(driver_, context_);
    cuda::address allocation = 0;
    std::size_t size = 0;
    cuda::ipc_handle handle{};
    if (!works("cuMemGetAddressRange",
               driver_.address_range(&allocation, &size, number_of(base))) ||
        !works("cuIpcGetMemHandle", driver_.ipc_export(&handle, allocation)))
      return false;
    exported.device = description().uuid;
    exported.offset = number_of(base) - allocation;
    std::memcpy(exported.handle.data(), handle.reserved.data(), handle.reserved.size());
    return true;
  }

  std::byte* open(const exported_memory& exported) noexcept override {
    const current_context here(driver_, context_);
    cuda::ipc_handle handle{};
    std::memcpy(handle.reserved.data(), exported.handle.data(), handle.reserved.size());
    cuda::address opened = 0;
    if (!works("cuIpcOpenMemHandle", driver_.ipc_open(&opened, handle, cuda::ipc_peer_access)))
      return nullptr;
    return pointer_to(opened + exported.offset);
  }

  void close(std::byte* opened, const exported_memory& exported) noexcept override {
    const current_context here(driver_, context_);
    works("cuIpcCloseMemHandle", driver_.ipc_close(number_of(opened) - exported.offset));
  }

  bool reaches(const device_uuid& other) noexcept override {
    if (other == description().uuid) return true;
    for (const device_description& each : describe_cuda().devices)
      if (each.uuid == other) return is_cuda_peer(description().index, each.index);
    return false;
  }

  void* mark(program_stream of) noexcept override {
    const std::lock_guard hold(guard_);
    const current_context here(driver_, context_);
    cuda::event made = nullptr;
    if (!take_event(made)) return nullptr;
    if (works("cuEventRecord", driver_.event_record(made, of))) return made;
    free_events_.push_back(made);
    return nullptr;
  }

  std::optional<bool> has_passed(void* mark) noexcept override {
    const current_context here(driver_, context_);
    const cuda::result state = driver_.event_query(mark);
    if (state == cuda::not_ready) return false;
    if (!works("cuEventQuery", state)) return std::nullopt;
    return true;
  }

  void forget(void* mark) noexcept override {
    const std::lock_guard hold(guard_);
    free_events_.push_back(mark);
  }

  bool stall(program_stream stalled, std::uint32_t* flag) noexcept override {
    const current_context here(driver_, context_);
    if (driver_.wait_value == nullptr) {
      const std::lock_guard hold(problem_guard_);
      problem_ = "this driver has no cuStreamWaitValue32; install one of CUDA 11.7 or later";
      return false;
    }
    return works("cuStreamWaitValue32",
                 driver_.wait_value(stalled, number_of(flag), 1, cuda::wait_for_least));
  }

  std::string problem() const override {
    const std::lock_guard hold(problem_guard_);
    return problem_;
  }

 private:
  struct lane_state {
    cuda::stream stream = nullptr;
    std::deque<cuda::event> under_way;
    std::uint64_t done = 0;
  };

  /// Starts what `put` puts on the lane's stream, as one copy.
  template <class Put>
  std::uint64_t start(copy_lane which, Put put) noexcept {
    const std::lock_guard hold(guard_);
    const current_context here(driver_, context_);
    lane_state& lane = lanes_[static_cast<std::size_t>(which)];
    cuda::event done = nullptr;
    if (!take_event(done)) return 0;
    if (!put(lane.stream) || !works("cuEventRecord", driver_.event_record(done, lane.stream))) {
      free_events_.push_back(done);
      return 0;
    }
    lane.under_way.push_back(done);
    return lane.done + lane.under_way.size();
  }

  // The driver takes strides that go forward and leave room for a row, up to a limit. Within one
  // device it may refuse some of them.
  bool copy_as_block(const row_copy& rows, cuda::stream stream) noexcept {
    const auto fits = [&](std::ptrdiff_t stride) {
      return stride >= static_cast<std::ptrdiff_t>(rows.bytes) && stride <= pitch_most_;
    };
    if (rows.rows < 2 || !fits(rows.to_stride) || !fits(rows.from_stride)) return false;
    const auto side_of = [](const void* address, std::ptrdiff_t stride) {
      return cuda::rows_copy::side{.kind = cuda::any_memory,
                                   .at = number_of(address),
                                   .pitch = static_cast<std::size_t>(stride)};
    };
    const cuda::rows_copy block{.from = side_of(rows.from, rows.from_stride),
                                .to = side_of(rows.to, rows.to_stride),
                                .bytes = rows.bytes,
                                .rows = rows.rows};
    return works("cuMemcpy2DAsync", driver_.copy_rows(&block, stream));
  }

  bool copy_one_by_one(const row_copy& rows, cuda::stream stream) noexcept {
    cuda::address to = number_of(rows.to);
    cuda::address from = number_of(rows.from);
    for (std::size_t row = 0; row < rows.rows; ++row) {
      if (!works("cuMemcpyAsync", driver_.copy(to, from, rows.bytes, stream))) return false;
      to += static_cast<cuda::address>(rows.to_stride);
      from += static_cast<cuda::address>(rows.from_stride);
    }
    return true;
  }

  void need(const char* call, cuda::result code) const {
    if (code == cuda::success) return;
    throw error(text_of(description()), text(call, ": ", driver_.message(code)),
                "see nvidia-smi for what uses the device");
  }

  bool works(const char* call, cuda::result code) noexcept {
    if (code == cuda::success) [[likely]]
      return true;
    const std::lock_guard hold(problem_guard_);
    problem_ = text(call, ": ", driver_.message(code));
    return false;
  }

  bool take_event(cuda::event& taken) noexcept {
    if (free_events_.empty())
      return works("cuEventCreate", driver_.event_create(&taken, cuda::event_no_timing));
    taken = free_events_.back();
    free_events_.pop_back();
    return true;
  }

  cuda::result make_streams() noexcept {
    const current_context here(driver_, context_);
    cuda::result made = cuda::success;
    for (lane_state& lane : lanes_) {
      made = driver_.stream_create(&lane.stream, cuda::stream_non_blocking);
      if (made != cuda::success) break;
    }
    return made;
  }

  void end() noexcept {
    destroy_streams();
    driver_.release(number_);
  }

  void destroy_streams() noexcept {
    const current_context here(driver_, context_);
    for (lane_state& lane : lanes_) {
      for (cuda::event each : lane.under_way) driver_.event_destroy(each);
      if (lane.stream != nullptr) driver_.stream_destroy(lane.stream);
    }
    for (cuda::event each : free_events_) driver_.event_destroy(each);
  }

  const cuda::driver& driver_;
  cuda::device_number number_ = 0;
  cuda::context context_ = nullptr;
  std::ptrdiff_t pitch_most_ = 0;
  std::mutex guard_;  // of lanes and events
  std::array<lane_state, copy_lanes> lanes_;
  std::vector<cuda::event> free_events_;
  mutable std::mutex problem_guard_;
  std::string problem_;
};

device_description describe_device(const cuda::driver& driver, int index) {
  device_description found{.kind = memory_kind::cuda, .index = index, .name = {}, .uuid = {}};
  cuda::device_number number = 0;
  if (driver.device_get(&number, index) != cuda::success) return found;
  std::array<char, 128> name{};
  if (driver.device_name(name.data(), static_cast<int>(name.size()) - 1, number) == cuda::success)
    found.name = name.data();
  if (driver.device_bytes(&found.bytes, number) != cuda::success) found.bytes = 0;
  cuda::uuid uuid{};
  if (driver.device_uuid(&uuid, number) == cuda::success)
    std::memcpy(found.uuid.data(), uuid.bytes.data(), uuid.bytes.size());
  return found;
}

}  // namespace

driver_state describe_cuda() {
  const cuda::driver& driver = cuda::open_driver();
  driver_state state{.kind = memory_kind::cuda,
                     .usable = driver.refusal.empty(),
                     .library = cuda::library_name,
                     .version = {},
                     .reason = driver.refusal,
                     .devices = {}};
  if (!state.usable) return state;
  state.version = text("CUDA ", driver.version / 1000, ".", driver.version % 1000 / 10);
  int count = 0;
  if (driver.device_count(&count) != cuda::success) count = 0;
  for (int index = 0; index < count; ++index)
    state.devices.push_back(describe_device(driver, index));
  return state;
}

std::unique_ptr<device> open_cuda(const device_description& description) {
  const cuda::driver& driver = cuda::open_driver();
  int unified = 0;
  if (driver.device_attribute(&unified, cuda::unified_addressing, description.index) !=
          cuda::success ||
      unified == 0) {
    throw error(text_of(description), "it has no unified addresses",
                "use a device that shares one address space with the processor");
  }
  return std::make_unique<cuda_device>(description);
}

bool is_cuda_peer(int index, int other) {
  const cuda::driver& driver = cuda::open_driver();
  int can = 0;
  return driver.refusal.empty() && driver.can_access_peer(&can, index, other) == cuda::success &&
         can != 0;
}

}  // namespace atl::memory
