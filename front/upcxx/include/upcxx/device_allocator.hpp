// SPDX-License-Identifier: BSD-3-Clause
//
// Allocators of device memory. Each manages a segment on one device of this process; all ranks make
// theirs together, and one whose device is inactive is inactive too. As long as Atoll has no memory
// of devices (device.hpp) that is all of them: they can be made, moved, asked and destroyed, and a
// call that would need memory ends the job with a message. Spec: 16.2.2.
#pragma once

#include <upcxx/device.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace upcxx {

/// No memory for a device segment.
class bad_segment_alloc : public std::bad_alloc {
 public:
  const char* what() const noexcept override {
    return "upcxx::bad_segment_alloc: a device has no memory for the segment";
  }
};

}  // namespace upcxx

namespace atl::upcxx_front {

/// Ends the job: the allocator is inactive.
[[noreturn, gnu::cold]] void refuse_inactive_allocator(upcxx::memory_kind kind,
                                                       const char* call) noexcept;
/// Ends the job: this device pointer can come from no allocator here.
[[noreturn, gnu::cold]] void refuse_device_pointer(const place& location,
                                                   const char* call) noexcept;
/// The collective part of making and ending an allocator or device.
void begin_device_collective(const char* call) noexcept;
void end_device_collective(const char* call, upcxx::entry_barrier entry) noexcept;
/// The device that make_gpu_allocator() takes.
int choose_device(upcxx::memory_kind kind, int wanted, bool has_base) noexcept;

}  // namespace atl::upcxx_front

namespace upcxx {

/// An allocator of any kind of device memory.
class heap_allocator {
 public:
  heap_allocator(const heap_allocator&) = delete;
  heap_allocator& operator=(const heap_allocator&) = delete;
  virtual ~heap_allocator() = default;

  memory_kind kind() const noexcept { return kind_; }
  virtual bool is_active() const = 0;
  /// Bytes of the segment, and of those that are in use; 0 when inactive.
  virtual std::int64_t segment_size() const = 0;
  virtual std::int64_t segment_used() const = 0;
  virtual void destroy(entry_barrier entry = entry_barrier::user) = 0;

  /// `align` of 0: the default of the device and type. Null when there is no room.
  template <class T>
  [[nodiscard]] global_ptr<T, memory_kind::any> allocate(std::size_t count = 1,
                                                         std::size_t align = 0) {
    return reinterpret_pointer_cast<T>(allocate_bytes(count * sizeof(T), align));
  }
  template <class T, memory_kind Kind>
  void deallocate(global_ptr<T, Kind> pointer) {
    if (pointer.is_null()) return;
    deallocate_bytes(atl::upcxx_front::pointer_access::place_of(pointer));
  }

 protected:
  explicit heap_allocator(memory_kind kind) noexcept : kind_(kind) {}

 private:
  virtual global_ptr<char, memory_kind::any> allocate_bytes(std::size_t bytes,
                                                            std::size_t align) = 0;
  virtual void deallocate_bytes(const atl::upcxx_front::place& location) = 0;

  memory_kind kind_;
};

template <class Device>
class device_allocator final : public heap_allocator {
 public:
  using device_type = Device;
  using id_type = typename Device::id_type;
  template <class T>
  using pointer = typename Device::template pointer<T>;
  static constexpr memory_kind kind = Device::kind;

  /// Inactive; any time, also before init().
  device_allocator() noexcept : heap_allocator(kind) {}

  /// Collective over world(). Inactive when the device is; otherwise with a segment of `bytes`, at
  /// `base` when that is given. Throws bad_segment_alloc on all ranks when one has no memory.
  device_allocator(Device& device, std::size_t bytes, pointer<void> base = nullptr)
      : heap_allocator(kind) {
    static_cast<void>(bytes), static_cast<void>(base);
    atl::upcxx_front::begin_device_collective("device_allocator::device_allocator");
    if (device.is_active()) refuse(device.device_id());
  }
  /// As revisions before 2022.3 order the arguments.
  device_allocator(Device& device, pointer<void> base, std::size_t bytes)
      : device_allocator(device, bytes, base) {}

  device_allocator(device_allocator&&) noexcept : heap_allocator(kind) {}
  device_allocator& operator=(device_allocator&&) noexcept { return *this; }

  /// Ends it, and its device. Collective over world(); also by those that are inactive.
  void destroy(entry_barrier entry = entry_barrier::user) override {
    atl::upcxx_front::end_device_collective("device_allocator::destroy", entry);
  }

  bool is_active() const override { return false; }
  std::int64_t segment_size() const override { return 0; }
  std::int64_t segment_used() const override { return 0; }
  id_type device_id() const noexcept { return Device::invalid_device_id; }

  /// `count` objects, uninitialized; null when there is no room. Only of an active allocator.
  template <class T>
  [[nodiscard]] global_ptr<T, kind> allocate(
      std::size_t count = 1, std::size_t align = Device::template default_alignment<T>()) {
    static_cast<void>(count), static_cast<void>(align);
    atl::upcxx_front::refuse_inactive_allocator(kind, "allocate");
  }
  /// Nothing for null.
  template <class T, memory_kind Kind>
  void deallocate(global_ptr<T, Kind> from) {
    static_assert(Kind == kind || Kind == memory_kind::any,
                  "device_allocator::deallocate: the pointer is of another kind of memory");
    if (!from.is_null()) atl::upcxx_front::refuse_inactive_allocator(kind, "deallocate");
  }
  template <class T>
  global_ptr<T, kind> to_global_ptr(T* from) const {
    if (from != nullptr) atl::upcxx_front::refuse_inactive_allocator(kind, "to_global_ptr");
    return nullptr;
  }

  /// The device's own pointer, and its number, of memory that an allocator of this rank gave.
  template <class T>
  static pointer<T> local(global_ptr<T, kind> from) {
    if (!from.is_null()) refuse_foreign(from, "device_allocator::local");
    return Device::template null_pointer<T>();
  }
  template <class T>
  static id_type device_id(global_ptr<T, kind> from) {
    if (!from.is_null()) refuse_foreign(from, "device_allocator::device_id");
    return Device::invalid_device_id;
  }

 private:
  [[noreturn]] static void refuse(id_type id) {
    atl::upcxx_front::refuse_device(kind, id, "device_allocator");
  }
  template <class T>
  [[noreturn]] static void refuse_foreign(const global_ptr<T, kind>& from, const char* call) {
    atl::upcxx_front::refuse_device_pointer(atl::upcxx_front::pointer_access::place_of(from), call);
  }
  global_ptr<char, memory_kind::any> allocate_bytes(std::size_t, std::size_t) override {
    atl::upcxx_front::refuse_inactive_allocator(kind, "allocate");
  }
  void deallocate_bytes(const atl::upcxx_front::place&) override {
    atl::upcxx_front::refuse_inactive_allocator(kind, "deallocate");
  }
};

using gpu_heap_allocator = device_allocator<gpu_default_device>;

/// An allocator with a device of its own: number `id`, or one that suits this rank. Inactive where
/// there is none. Collective over world().
template <class Device = gpu_default_device>
device_allocator<Device> make_gpu_allocator(
    std::size_t bytes, typename Device::id_type id = Device::auto_device_id,
    typename Device::template pointer<void> base = nullptr) {
  Device device(atl::upcxx_front::choose_device(Device::kind, id, base != nullptr));
  return device_allocator<Device>(device, bytes, base);
}

}  // namespace upcxx
