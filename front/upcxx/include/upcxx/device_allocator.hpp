// SPDX-License-Identifier: BSD-3-Clause
//
// Allocators of device memory. Each manages a segment on one device of this process; all ranks make
// theirs together, and one whose device is inactive is inactive too: it can be made, moved, asked
// and destroyed, and a call that would need memory ends the job with a message. The book-keeping
// lies in host memory, since the processor may not touch the segment. Any thread may allocate and
// deallocate; what is collective belongs to the holder of the master persona. Spec: 16.2.2.
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

/// The segment of a new allocator. Collective over world().
device_heap_ptr make_device_segment(upcxx::gpu_device& device, std::size_t bytes, void* base);
bool has_segment(const device_heap_ptr& heap) noexcept;
std::int64_t bytes_of_segment(const device_heap_ptr& heap) noexcept;
std::int64_t used_bytes_of_segment(const device_heap_ptr& heap) noexcept;
/// A block; a null place when there is no room.
place allocate_on_device(const device_heap_ptr& heap, upcxx::memory_kind kind, std::size_t bytes,
                         std::size_t align) noexcept;
void deallocate_on_device(const device_heap_ptr& heap, upcxx::memory_kind kind,
                          const place& block) noexcept;
/// The place of an address in the segment; any other address ends the job.
place place_on_device(const device_heap_ptr& heap, upcxx::memory_kind kind,
                      const void* address) noexcept;
/// The device of a place in a segment of this rank; any other place ends the job.
int device_of_place(const place& location, const char* call) noexcept;
/// Ends the segment and the device. Collective over world().
void destroy_device(const device_heap_ptr& heap, const char* call, upcxx::entry_barrier entry);
/// The device that make_gpu_allocator() takes.
int choose_device(upcxx::memory_kind kind, int wanted, bool has_base) noexcept;
/// Ends the job: an allocator would be lost by an assignment.
[[noreturn, gnu::cold]] void refuse_assignment(const char* object) noexcept;

/// The bytes of an array, or the largest number where they are too many to be counted.
constexpr std::size_t device_array_bytes(std::size_t count, std::size_t element) noexcept {
  constexpr std::size_t most = ~std::size_t{0};
  return count > most / element ? most : count * element;
}

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
    constexpr std::size_t usual = atl::upcxx_front::default_device_alignment<T>();
    return reinterpret_pointer_cast<T>(allocate_bytes(
        atl::upcxx_front::device_array_bytes(count, sizeof(T)), align == 0 ? usual : align));
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

  /// An inactive allocator. May be made at any time, also before init().
  device_allocator() noexcept : heap_allocator(kind) {}

  /// Collective over world(). Inactive when the device is; otherwise with a segment of `bytes`, at
  /// `base` when that is given: memory of the device that the program frees after destroy(). A
  /// device takes one allocator. Throws bad_segment_alloc on all ranks when one has no memory.
  device_allocator(Device& device, std::size_t bytes, pointer<void> base = nullptr)
      : heap_allocator(kind), heap_(atl::upcxx_front::make_device_segment(device, bytes, base)) {}
  /// The order of arguments of revisions before 2022.3.
  device_allocator(Device& device, pointer<void> base, std::size_t bytes)
      : device_allocator(device, bytes, base) {}

  device_allocator(device_allocator&& other) noexcept
      : heap_allocator(kind), heap_(std::exchange(other.heap_, nullptr)) {}
  /// The target must be inactive.
  device_allocator& operator=(device_allocator&& other) noexcept {
    if (is_active()) atl::upcxx_front::refuse_assignment("device_allocator");
    heap_ = std::exchange(other.heap_, nullptr);
    return *this;
  }

  /// Ends the allocator and its device. Collective over world(), also for inactive ones.
  void destroy(entry_barrier entry = entry_barrier::user) override {
    atl::upcxx_front::destroy_device(std::exchange(heap_, nullptr), "device_allocator::destroy",
                                     entry);
  }

  bool is_active() const override { return atl::upcxx_front::has_segment(heap_); }
  std::int64_t segment_size() const override { return atl::upcxx_front::bytes_of_segment(heap_); }
  std::int64_t segment_used() const override {
    return atl::upcxx_front::used_bytes_of_segment(heap_);
  }
  id_type device_id() const noexcept {
    return is_active() ? atl::upcxx_front::device_of_heap(heap_) : Device::invalid_device_id;
  }

  /// `count` objects, uninitialized; null when there is no room. Only of an active allocator.
  template <class T>
  [[nodiscard]] global_ptr<T, kind> allocate(
      std::size_t count = 1, std::size_t align = Device::template default_alignment<T>()) {
    const std::size_t bytes = atl::upcxx_front::device_array_bytes(count, sizeof(T));
    return access::make<T, kind>(atl::upcxx_front::allocate_on_device(heap_, kind, bytes, align));
  }
  /// Does nothing for null.
  template <class T, memory_kind Kind>
  void deallocate(global_ptr<T, Kind> from) {
    static_assert(Kind == kind || Kind == memory_kind::any,
                  "device_allocator::deallocate: the pointer is of another kind of memory");
    if (!from.is_null())
      atl::upcxx_front::deallocate_on_device(heap_, kind, access::place_of(from));
  }
  template <class T>
  global_ptr<T, kind> to_global_ptr(T* from) const {
    if (from == nullptr) return nullptr;
    return access::make<T, kind>(atl::upcxx_front::place_on_device(heap_, kind, from));
  }

  /// For memory that an allocator of this rank gave: the device's own pointer, and its number.
  template <class T>
  static pointer<T> local(global_ptr<T, kind> from) {
    if (from.is_null()) return Device::template null_pointer<T>();
    atl::upcxx_front::device_of_place(access::place_of(from), "device_allocator::local");
    return reinterpret_cast<T*>(access::place_of(from).offset);
  }
  template <class T>
  static id_type device_id(global_ptr<T, kind> from) {
    if (from.is_null()) return Device::invalid_device_id;
    return atl::upcxx_front::device_of_place(access::place_of(from), "device_allocator::device_id");
  }

 private:
  using access = atl::upcxx_front::pointer_access;

  global_ptr<char, memory_kind::any> allocate_bytes(std::size_t bytes, std::size_t align) override {
    return access::make<char, memory_kind::any>(
        atl::upcxx_front::allocate_on_device(heap_, kind, bytes, align));
  }
  void deallocate_bytes(const atl::upcxx_front::place& location) override {
    atl::upcxx_front::deallocate_on_device(heap_, kind, location);
  }

  atl::upcxx_front::device_heap_ptr heap_;
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
