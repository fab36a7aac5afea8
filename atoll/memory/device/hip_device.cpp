// SPDX-License-Identifier: BSD-3-Clause
//
// HIP's devices: stream_device over its library. A thread has one current device, by number, which
// is set before calls and set back after them.
#include <atoll/memory/device/hip_device.hpp>

#include <atoll/memory/device/hip_driver.hpp>
#include <atoll/memory/device/stream_device.hpp>

#include <array>
#include <cstring>

namespace atl::memory {

namespace {

/// The device of this thread, as long as this object lives.
class current_device {
 public:
  current_device(const hip::driver& driver, int device) : driver_(driver) {
    const bool is_known = driver_.current_device(&before_) == hip::success;
    if (!is_known || before_ != device) code_ = driver_.set_device(device);
    is_changed_ = is_known && before_ != device && code_ == hip::success;
  }
  current_device(const current_device&) = delete;
  current_device& operator=(const current_device&) = delete;
  ~current_device() {
    if (is_changed_) driver_.set_device(before_);
  }
  hip::result code() const noexcept { return code_; }

 private:
  const hip::driver& driver_;
  int before_ = 0;
  bool is_changed_ = false;
  hip::result code_ = hip::success;
};

struct hip_calls {
  using driver = hip::driver;
  using result = hip::result;
  using device_number = hip::device_number;
  using address = hip::address;
  using context = hip::device_number;
  using stream = hip::stream;
  using event = hip::event;
  using ipc_handle = hip::ipc_handle;
  using current = current_device;

  static constexpr memory_kind kind = memory_kind::hip;
  static constexpr result success = hip::success;
  static constexpr result not_ready = hip::not_ready;
  static constexpr int device_ordinal = hip::device_ordinal;
  static constexpr unsigned stream_non_blocking = hip::stream_non_blocking;
  static constexpr unsigned event_no_timing = hip::event_no_timing;
  static constexpr unsigned pinned_portable = hip::pinned_portable;
  static constexpr unsigned registered_portable = hip::registered_portable;
  static constexpr unsigned ipc_peer_access = hip::ipc_peer_access;
  static constexpr const char* begin_name = driver::set_device_name;
  static constexpr const char* enter_name = driver::set_device_name;
  static constexpr const char* remedy = "see rocm-smi for what uses the device";
  static constexpr const char* newer_driver = "install a later HIP";

  static const driver& open_driver() { return hip::open_driver(); }
  static const char* remedy_of(result code) noexcept { return hip::remedy_of(code); }
  static result begin(const driver& calls, device_number number, context& made) noexcept {
    int before = 0;
    made = number;
    const bool is_known = calls.current_device(&before) == success;
    const result set = calls.set_device(number);
    if (is_known) calls.set_device(before);
    return set;
  }
  static void end(const driver&, device_number) noexcept {}
  // The attribute for that has other values in other releases.
  static bool is_of_device(const driver&, address) noexcept { return true; }
  static result copy(const driver& calls, void* to, const void* from, std::size_t bytes,
                     stream along) noexcept {
    return calls.copy(to, from, bytes, hip::copy_default, along);
  }
  // The largest that the documentation names for any device; an engine that takes less refuses.
  static std::ptrdiff_t pitch_most(const driver&, device_number) noexcept { return 0x7fffffff; }
  static result copy_rows(const driver& calls, const row_copy& rows, stream along) noexcept {
    return calls.copy_rows(rows.to, static_cast<std::size_t>(rows.to_stride), rows.from,
                           static_cast<std::size_t>(rows.from_stride), rows.bytes, rows.rows,
                           hip::copy_default, along);
  }
  static result wait_value(const driver& calls, stream stalled, std::uint32_t* word,
                           std::uint32_t least) noexcept {
    return calls.wait_value(stalled, word, least, hip::wait_for_least, ~std::uint32_t{0});
  }
  static address number_of(const void* pointer) noexcept {
    return const_cast<void*>(pointer);  // the library takes all addresses so
  }
  static std::byte* pointer_to(address number) noexcept { return static_cast<std::byte*>(number); }
};

device_description describe_device(const hip::driver& driver, int index) {
  device_description found{.kind = memory_kind::hip, .index = index, .name = {}, .uuid = {}};
  hip::device_number number = 0;
  if (driver.device_get(&number, index) != hip::success) return found;
  std::array<char, 128> name{};
  if (driver.device_name(name.data(), static_cast<int>(name.size()) - 1, number) == hip::success)
    found.name = name.data();
  if (driver.device_bytes(&found.bytes, number) != hip::success) found.bytes = 0;
  hip::uuid uuid{};
  if (driver.device_uuid(&uuid, number) == hip::success)
    std::memcpy(found.uuid.data(), uuid.bytes.data(), uuid.bytes.size());
  return found;
}

}  // namespace

driver_state describe_hip() {
  const hip::driver& driver = hip::open_driver();
  driver_state state{.kind = memory_kind::hip,
                     .usable = driver.refusal.empty(),
                     .library = driver.library,
                     .version = {},
                     .reason = driver.refusal,
                     .devices = {}};
  if (!state.usable) return state;
  state.version =
      text("HIP ", driver.version / 10'000'000, ".", driver.version % 10'000'000 / 100'000);
  int count = 0;
  if (const hip::result code = driver.device_count(&count); code != hip::success) {
    state.reason = text(hip::driver::device_count_name, ": ", driver.message(code));
    count = 0;
  }
  for (int index = 0; index < count; ++index)
    state.devices.push_back(describe_device(driver, index));
  return state;
}

std::unique_ptr<device> open_hip(const device_description& description) {
  return std::make_unique<stream_device<hip_calls>>(description);
}

bool is_hip_peer(int index, int other) {
  const hip::driver& driver = hip::open_driver();
  int can = 0;
  return driver.refusal.empty() && driver.can_access_peer(&can, index, other) == hip::success &&
         can != 0;
}

}  // namespace atl::memory
