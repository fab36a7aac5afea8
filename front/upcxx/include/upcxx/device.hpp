// SPDX-License-Identifier: BSD-3-Clause
//
// Devices with memory of their own: CUDA, HIP and Level Zero. A device object is this process's
// part of a device that all ranks open together; parts may be inactive, and on a machine without
// such a device all are. The driver is opened when the program first asks; where it cannot be used
// device_n() is 0, and to open a device ends the job with a message that says why. Spec: 16.2.1.
#pragma once

#include <upcxx/global_ptr.hpp>
#include <upcxx/team.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

// Named as in the headers of Level Zero, whose handles point to these.
struct _ze_context_handle_t;
struct _ze_driver_handle_t;
struct _ze_device_handle_t;

namespace atl::upcxx_front {

/// A device that this process has opened, and the segment of its allocator, once there is one. A
/// device object and its allocator share it; what one destroys is gone for the other.
struct device_heap;
using device_heap_ptr = std::shared_ptr<device_heap>;
struct device_access;
/// The number of the device; invalid_device_id when it is not open.
int device_of_heap(const device_heap_ptr& heap) noexcept;

}  // namespace atl::upcxx_front

namespace upcxx {

/// The base class of devices of all kinds.
class gpu_device {
 public:
  using id_type = int;
  template <class T>
  using pointer = T*;
  static constexpr id_type invalid_device_id = -1;
  /// For make_gpu_allocator(): a device that suits this rank.
  static constexpr id_type auto_device_id = -2;

  template <class T>
  static constexpr T* null_pointer() noexcept {
    return nullptr;
  }

  gpu_device(const gpu_device&) = delete;
  gpu_device& operator=(const gpu_device&) = delete;
  virtual ~gpu_device();

  memory_kind kind() const noexcept { return kind_; }
  id_type device_id() const noexcept { return atl::upcxx_front::device_of_heap(heap_); }
  bool is_active() const noexcept { return device_id() != invalid_device_id; }
  /// A text for people: the devices of this kind as this process knows them.
  std::string kind_info() const;

  /// Ends the device; it and its allocator become inactive. Collective over world(), also for
  /// processes whose part is inactive.
  virtual void destroy(entry_barrier entry = entry_barrier::user);

 protected:
  explicit gpu_device(memory_kind kind) noexcept : kind_(kind) {}
  /// Collective over world().
  gpu_device(memory_kind kind, id_type id);
  gpu_device(gpu_device&& other) noexcept
      : kind_(other.kind_), heap_(std::exchange(other.heap_, nullptr)) {}
  gpu_device& operator=(gpu_device&& other) noexcept;

 private:
  friend struct atl::upcxx_front::device_access;

  memory_kind kind_;
  atl::upcxx_front::device_heap_ptr heap_;
};

}  // namespace upcxx

namespace atl::upcxx_front {

/// How many devices of a kind this process can open.
int devices_of(upcxx::memory_kind kind) noexcept;
std::string info_of(upcxx::memory_kind kind);
std::string uuid_of(upcxx::memory_kind kind, int id);
[[noreturn, gnu::cold]] void refuse_device(upcxx::memory_kind kind, int id,
                                           const char* call) noexcept;

/// For the parts of this front.
struct device_access {
  static device_heap_ptr& heap_of(upcxx::gpu_device& device) noexcept { return device.heap_; }
};

template <class T>
constexpr std::size_t default_device_alignment() noexcept {
  constexpr std::size_t usual = 256;
  return alignof(T) < usual ? usual : alignof(T);
}

/// A device of one kind; each class below is one.
template <class Device, upcxx::memory_kind Kind>
class device_of_kind : public upcxx::gpu_device {
 public:
  static constexpr upcxx::memory_kind kind = Kind;

  /// An inactive device. May be made at any time, also before init().
  device_of_kind() noexcept : gpu_device(Kind) {}
  /// Opens a device. Collective over world(); inactive for invalid_device_id.
  device_of_kind(id_type id) : gpu_device(Kind, id) {}
  device_of_kind(device_of_kind&&) noexcept = default;
  /// The target must be inactive.
  device_of_kind& operator=(device_of_kind&&) noexcept = default;

  static id_type device_n() noexcept { return devices_of(Kind); }
  static std::string kind_info() { return info_of(Kind); }
  /// The vendor's number of a device, the same in all processes.
  static std::string uuid(id_type id) { return uuid_of(Kind, id); }

  template <class T>
  static constexpr std::size_t default_alignment() noexcept {
    return default_device_alignment<T>();
  }
};

}  // namespace atl::upcxx_front

namespace upcxx {

class cuda_device final
    : public atl::upcxx_front::device_of_kind<cuda_device, memory_kind::cuda_device> {
 public:
  using device_of_kind::device_of_kind;
};
class hip_device final
    : public atl::upcxx_front::device_of_kind<hip_device, memory_kind::hip_device> {
 public:
  using device_of_kind::device_of_kind;
};
class ze_device final : public atl::upcxx_front::device_of_kind<ze_device, memory_kind::ze_device> {
 public:
  using device_of_kind::device_of_kind;

  /// The handles of Level Zero, which its headers call ze_context_handle_t and so on.
  using context_handle_t = _ze_context_handle_t*;
  using driver_handle_t = _ze_driver_handle_t*;
  using device_handle_t = _ze_device_handle_t*;

  /// From Level Zero's devices to ours and back; invalid_device_id for others. Spec: 16.3.
  static id_type device_handle_to_device_id(device_handle_t device) noexcept;
  static device_handle_t device_id_to_device_handle(id_type id);
  static driver_handle_t device_id_to_driver_handle(id_type id);

  /// The context in which memory on a driver's devices is made; of device 0 if none is named. A
  /// program that sets it does so before it is asked for and before a device of that driver opens.
  static context_handle_t get_driver_context(driver_handle_t driver);
  static context_handle_t get_driver_context(device_handle_t device = {});
  static void set_driver_context(context_handle_t context, driver_handle_t driver);
  static void set_driver_context(context_handle_t context, device_handle_t device = {});
};

/// The kind for programs that name none; UPCXX_GPU_DEFAULT_DEVICE_HIP or _ZE set to 1 before the
/// first include choose another.
#if defined(UPCXX_GPU_DEFAULT_DEVICE_HIP) && UPCXX_GPU_DEFAULT_DEVICE_HIP
using gpu_default_device = hip_device;
#elif defined(UPCXX_GPU_DEFAULT_DEVICE_ZE) && UPCXX_GPU_DEFAULT_DEVICE_ZE
using gpu_default_device = ze_device;
#else
using gpu_default_device = cuda_device;
#endif

}  // namespace upcxx
