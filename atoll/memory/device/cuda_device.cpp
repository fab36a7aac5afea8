// SPDX-License-Identifier: BSD-3-Clause
//
// CUDA's devices: stream_device over its driver. Contexts are a stack of the thread: that of the
// device is pushed before calls, and popped after them.
#include <atoll/memory/device/cuda_device.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>
#include <atoll/memory/device/cuda_driver.hpp>
#include <atoll/memory/device/stream_device.hpp>

#include <array>
#include <cstring>
#include <utility>

namespace atl::memory {

namespace {

/// The context of a device on this thread, as long as this object lives.
class current_context {
 public:
  current_context(const cuda::driver& driver, cuda::context context) : driver_(driver) {
    code_ = driver.push(context);
  }
  current_context(const current_context&) = delete;
  current_context& operator=(const current_context&) = delete;
  ~current_context() {
    cuda::context popped = nullptr;
    if (code_ == cuda::success) driver_.pop(&popped);
  }
  cuda::result code() const noexcept { return code_; }

 private:
  const cuda::driver& driver_;
  cuda::result code_;
};

struct cuda_calls {
  using driver = cuda::driver;
  using result = cuda::result;
  using device_number = cuda::device_number;
  using address = cuda::address;
  using context = cuda::context;
  using stream = cuda::stream;
  using event = cuda::event;
  using ipc_handle = cuda::ipc_handle;
  using current = current_context;

  static constexpr memory_kind kind = memory_kind::cuda;
  static constexpr result success = cuda::success;
  static constexpr result not_ready = cuda::not_ready;
  static constexpr int device_ordinal = cuda::device_ordinal;
  static constexpr unsigned stream_non_blocking = cuda::stream_non_blocking;
  static constexpr unsigned event_no_timing = cuda::event_no_timing;
  static constexpr unsigned pinned_portable = cuda::pinned_portable;
  static constexpr unsigned registered_portable = cuda::registered_portable;
  static constexpr unsigned ipc_peer_access = cuda::ipc_peer_access;
  static constexpr const char* begin_name = driver::retain_name;
  static constexpr const char* enter_name = driver::push_name;
  static constexpr const char* remedy = "see nvidia-smi for what uses the device";
  static constexpr const char* newer_driver = "install a driver of CUDA 11.7 or later";

  static const driver& open_driver() { return cuda::open_driver(); }
  static const char* remedy_of(result code) noexcept { return cuda::remedy_of(code); }
  static result begin(const driver& calls, device_number number, context& made) noexcept {
    return calls.retain(&made, number);
  }
  static void end(const driver& calls, device_number number) noexcept { calls.release(number); }
  // Pinned memory has the number of the device whose context made it.
  static bool is_of_device(const driver& calls, address number) noexcept {
    unsigned found = 0;
    return calls.pointer_attribute(&found, cuda::memory_type, number) == success &&
           found == cuda::device_memory;
  }
  static result copy(const driver& calls, void* to, const void* from, std::size_t bytes,
                     stream along) noexcept {
    return calls.copy(number_of(to), number_of(from), bytes, along);
  }
  static std::ptrdiff_t pitch_most(const driver& calls, device_number number) noexcept {
    int pitch = 0;
    return calls.device_attribute(&pitch, cuda::pitch_most, number) == success ? pitch : 0;
  }
  static result copy_rows(const driver& calls, const row_copy& rows, stream along) noexcept {
    const auto side_of = [](const void* address, std::ptrdiff_t stride) {
      return cuda::rows_copy::side{.kind = cuda::any_memory,
                                   .at = number_of(address),
                                   .pitch = static_cast<std::size_t>(stride)};
    };
    const cuda::rows_copy block{.from = side_of(rows.from, rows.from_stride),
                                .to = side_of(rows.to, rows.to_stride),
                                .bytes = rows.bytes,
                                .rows = rows.rows};
    return calls.copy_rows(&block, along);
  }
  static result wait_value(const driver& calls, stream stalled, std::uint32_t* word,
                           std::uint32_t least) noexcept {
    return calls.wait_value(stalled, number_of(word), least, cuda::wait_for_least);
  }
  static address number_of(const void* pointer) noexcept {
    return reinterpret_cast<std::uintptr_t>(pointer);
  }
  static std::byte* pointer_to(address number) noexcept {
    return reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(number));
  }
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
  if (const cuda::result code = driver.device_count(&count); code != cuda::success) {
    state.reason = text(cuda::driver::device_count_name, ": ", driver.message(code));
    count = 0;
  }
  for (int index = 0; index < count; ++index)
    state.devices.push_back(describe_device(driver, index));
  return state;
}

std::unique_ptr<device> open_cuda(const device_description& description) {
  const cuda::driver& driver = cuda::open_driver();
  int unified = 0;
  const cuda::result code =
      driver.device_attribute(&unified, cuda::unified_addressing, description.index);
  if (code != cuda::success || unified == 0) {
    throw error(text_of(description),
                code == cuda::success
                    ? std::string("it has no unified addresses")
                    : text(cuda::driver::device_attribute_name, ": ", driver.message(code)),
                "use a device that shares one address space with the processor");
  }
  return std::make_unique<stream_device<cuda_calls>>(description);
}

bool is_cuda_peer(int index, int other) {
  const cuda::driver& driver = cuda::open_driver();
  int can = 0;
  return driver.refusal.empty() && driver.can_access_peer(&can, index, other) == cuda::success &&
         can != 0;
}

}  // namespace atl::memory
