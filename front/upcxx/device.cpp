// SPDX-License-Identifier: BSD-3-Clause
//
// Devices of a runtime that has no memory of devices: there are none, and what would open or use
// one says so. Collective calls synchronize as they do where there are devices.
#include <upcxx/device.hpp>

#include <atoll/base/text.hpp>
#include <front/upcxx/process.hpp>
#include <upcxx/barrier.hpp>
#include <upcxx/device_allocator.hpp>
#include <upcxx/progress.hpp>

#include <string>
#include <string_view>

namespace atl::upcxx_front {
namespace {

std::string_view name_of(upcxx::memory_kind kind) noexcept {
  switch (kind) {
    case upcxx::memory_kind::cuda_device:
      return "cuda_device";
    case upcxx::memory_kind::hip_device:
      return "hip_device";
    case upcxx::memory_kind::ze_device:
      return "ze_device";
    default:
      return "device";
  }
}

constexpr const char* no_devices = "this version of Atoll has no memory of devices";
constexpr const char* ask_first =
    "ask device_n() or is_active() before, and keep the data in host memory where there is none";

}  // namespace

int devices_of(upcxx::memory_kind) noexcept {
  need_job("device_n");
  return 0;
}

std::string info_of(upcxx::memory_kind kind) {
  return std::string(name_of(kind)) + ": none; " + no_devices + "\n";
}

void refuse_device(upcxx::memory_kind kind, int id, const char* call) noexcept {
  refuse(text(name_of(kind), "(", id, ") of ", call).c_str(),
         text("there is no such device: ", no_devices).c_str(), ask_first);
}

void refuse_inactive_allocator(upcxx::memory_kind kind, const char* call) noexcept {
  refuse(text("device_allocator<", name_of(kind), ">::", call).c_str(),
         text("the allocator is inactive: ", no_devices).c_str(), ask_first);
}

void refuse_device_pointer(const place& location, const char* call) noexcept {
  if (location.rank != job.rank) {
    refuse(call, text("the pointer is to memory of rank ", location.rank).c_str(),
           "ask on the rank that allocated it");
  }
  refuse(call, text("the pointer is to no allocator's memory: ", no_devices).c_str(), ask_first);
}

void begin_device_collective(const char* call) noexcept {
  need_collective(call);
  upcxx::progress();
}

void end_device_collective(const char* call, upcxx::entry_barrier entry) noexcept {
  need_collective(call);
  enter_by_barrier(upcxx::world(), entry, call);
}

int choose_device(upcxx::memory_kind kind, int wanted, bool has_base) noexcept {
  static constexpr const char* call = "upcxx::make_gpu_allocator";
  need_collective(call);
  if (wanted == upcxx::gpu_device::auto_device_id) {
    if (has_base) {
      refuse(call, "memory is given, but not of which device it is",
             "pass the device's number with the address");
    }
    return upcxx::gpu_device::invalid_device_id;  // there is none
  }
  if (wanted != upcxx::gpu_device::invalid_device_id) refuse_device(kind, wanted, call);
  return wanted;
}

}  // namespace atl::upcxx_front

namespace upcxx {

using namespace atl::upcxx_front;

gpu_device::gpu_device(memory_kind kind, id_type id) : kind_(kind) {
  begin_device_collective("a device's constructor");
  if (id != invalid_device_id) refuse_device(kind, id, "its constructor");
}

gpu_device::~gpu_device() = default;

gpu_device& gpu_device::operator=(gpu_device&& other) noexcept {
  id_ = std::exchange(other.id_, invalid_device_id);
  return *this;
}

std::string gpu_device::kind_info() const { return info_of(kind_); }

void gpu_device::destroy(entry_barrier entry) {
  end_device_collective("destroy of a device", entry);
}

}  // namespace upcxx
