// SPDX-License-Identifier: BSD-3-Clause
//
// Finding and opening devices. The runtime keeps what is open until it ends, so a device that is
// opened twice is opened once there. Where no driver can be used there are no devices, and a call
// that would open one says why.
#include <upcxx/device.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>
#include <atoll/core/device/device_transfers.hpp>
#include <atoll/memory/device/device_list.hpp>
#include <atoll/memory/device/ze_device.hpp>
#include <front/upcxx/device_heap.hpp>
#include <front/upcxx/process_state.hpp>
#include <upcxx/barrier.hpp>
#include <upcxx/progress.hpp>

#include <sstream>
#include <string>

namespace atl::upcxx_front {
namespace {

memory::memory_kind core_kind(upcxx::memory_kind kind) noexcept {
  using upcxx::memory_kind;
  static_assert(static_cast<int>(memory::memory_kind::cuda) ==
                static_cast<int>(memory_kind::cuda_device));
  static_assert(static_cast<int>(memory::memory_kind::hip) ==
                static_cast<int>(memory_kind::hip_device));
  static_assert(static_cast<int>(memory::memory_kind::ze) ==
                static_cast<int>(memory_kind::ze_device));
  return static_cast<memory::memory_kind>(kind);
}

/// A UUID as the vendor's tools write it: "GPU-" and groups of hexadecimal digits.
std::string text_of(const memory::device_uuid& uuid) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string made = "GPU-";
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) made += '-';
    const auto byte = std::to_integer<unsigned>(uuid[i]);
    made += {digits[byte >> 4], digits[byte & 15]};
  }
  return made;
}

bool has_device(const memory::driver_state& driver, int id) noexcept {
  return id >= 0 && static_cast<std::size_t>(id) < driver.devices.size();
}

}  // namespace

std::string name_of(upcxx::memory_kind kind) {
  std::ostringstream name;
  name << kind;
  return name.str();
}

int devices_of(upcxx::memory_kind kind) noexcept {
  need_job("device_n");
  return static_cast<int>(memory::describe_driver(core_kind(kind)).devices.size());
}

std::string info_of(upcxx::memory_kind kind) {
  const memory::driver_state driver = memory::describe_driver(core_kind(kind));
  if (!driver.usable) return text(name_of(kind), ": none; ", driver.reason, "\n");
  std::string info = text(name_of(kind), ": ", driver.devices.size(), " by ", driver.library, ", ",
                          driver.version, "\n");
  for (const memory::device_description& each : driver.devices) {
    info += text("  ", each.index, ": ", each.name, ", ", bytes_text(each.bytes), ", ",
                 text_of(each.uuid), "\n");
  }
  return info;
}

std::string uuid_of(upcxx::memory_kind kind, int id) {
  const memory::driver_state driver = memory::describe_driver(core_kind(kind));
  if (!has_device(driver, id)) refuse_device(kind, id, "uuid");
  return text_of(driver.devices[static_cast<std::size_t>(id)].uuid);
}

void refuse_device(upcxx::memory_kind kind, int id, const char* call) noexcept {
  const memory::driver_state driver = memory::describe_driver(core_kind(kind));
  const std::string cause =
      driver.usable ? text("this process sees ", driver.devices.size(), " devices of that kind")
                    : driver.reason;
  refuse(text(name_of(kind), "(", id, ") of ", call).c_str(),
         text("there is no such device: ", cause).c_str(),
         "ask device_n() or is_active() before, and keep the data in host memory where there is "
         "none");
}

void refuse_assignment(const char* object) noexcept {
  refuse(text("assignment to a ", object).c_str(), "the object is active, and would be lost",
         "destroy it before");
}

int choose_device(upcxx::memory_kind kind, int wanted, bool has_base) noexcept {
  static constexpr const char* call = "upcxx::make_gpu_allocator";
  need_collective(call);
  if (wanted != upcxx::gpu_device::auto_device_id) return wanted;
  if (has_base) {
    refuse(call, "memory is given, but not of which device it is",
           "pass the device's number with the address");
  }
  const int count = devices_of(kind);
  if (count == 0) return upcxx::gpu_device::invalid_device_id;
  // The ranks of a host take its devices in turn.
  const job_hosts& hosts = job.runtime->hosts();
  const rank_id first = hosts.ranks_of(hosts.host_of(job.rank)).first;
  return static_cast<int>(job.rank - first) % count;
}

int device_of_heap(const device_heap_ptr& heap) noexcept {
  return heap != nullptr ? heap->id : upcxx::gpu_device::invalid_device_id;
}

}  // namespace atl::upcxx_front

namespace upcxx {

using namespace atl::upcxx_front;

gpu_device::gpu_device(memory_kind kind, id_type id) : kind_(kind) {
  need_collective("a device's constructor");
  upcxx::progress();
  heap_ = std::make_shared<device_heap>();
  if (id == invalid_device_id) return;
  if (id < 0 || id >= devices_of(kind)) refuse_device(kind, id, "its constructor");
  try {
    heap_->device = &job.runtime->open_device(core_kind(kind), id);
  } catch (const atl::error& refused) {
    refuse(refused.object().c_str(), refused.cause().c_str(), refused.remedy().c_str());
  }
  heap_->id = id;
  the_process->devices.push_back(heap_);
}

gpu_device::~gpu_device() = default;

gpu_device& gpu_device::operator=(gpu_device&& other) noexcept {
  if (is_active()) refuse_assignment("device");
  heap_ = std::exchange(other.heap_, nullptr);
  return *this;
}

std::string gpu_device::kind_info() const { return info_of(kind_); }

void gpu_device::destroy(entry_barrier entry) {
  destroy_device(std::exchange(heap_, nullptr), "destroy of a device", entry);
}

// --- calls of Level Zero programs --------------------------------------------------------------

namespace {

namespace ze = atl::memory::ze;

// The core has names of its own for what the vendor's handles point to.
ze::device_handle core_handle(ze_device::device_handle_t device) {
  return reinterpret_cast<ze::device_handle>(device);
}
ze::driver_handle core_handle(ze_device::driver_handle_t driver) {
  return reinterpret_cast<ze::driver_handle>(driver);
}
ze::context_handle core_handle(ze_device::context_handle_t context) {
  return reinterpret_cast<ze::context_handle>(context);
}

const ze::place& place_of(ze_device::id_type id, const char* call) {
  need_job(call);
  const ze::place* const found = atl::memory::ze_place_of(id);
  if (found == nullptr) refuse_device(memory_kind::ze_device, id, call);
  return *found;
}

ze_device::driver_handle_t driver_of(ze_device::device_handle_t device, const char* call) {
  need_job(call);
  const int id = device == nullptr ? 0 : atl::memory::ze_index_of(core_handle(device));
  return reinterpret_cast<ze_device::driver_handle_t>(place_of(id, call).driver);
}

}  // namespace

ze_device::id_type ze_device::device_handle_to_device_id(device_handle_t device) noexcept {
  need_job("device_handle_to_device_id");
  return atl::memory::ze_index_of(core_handle(device));
}

ze_device::device_handle_t ze_device::device_id_to_device_handle(id_type id) {
  return reinterpret_cast<device_handle_t>(place_of(id, "device_id_to_device_handle").device);
}

ze_device::driver_handle_t ze_device::device_id_to_driver_handle(id_type id) {
  return reinterpret_cast<driver_handle_t>(place_of(id, "device_id_to_driver_handle").driver);
}

ze_device::context_handle_t ze_device::get_driver_context(driver_handle_t driver) {
  need_job("get_driver_context");
  try {
    return reinterpret_cast<context_handle_t>(atl::memory::ze_context_of(core_handle(driver)));
  } catch (const atl::error& refused) {
    refuse(refused.object().c_str(), refused.cause().c_str(), refused.remedy().c_str());
  }
}

ze_device::context_handle_t ze_device::get_driver_context(device_handle_t device) {
  return get_driver_context(driver_of(device, "get_driver_context"));
}

void ze_device::set_driver_context(context_handle_t context, driver_handle_t driver) {
  need_job("set_driver_context");
  try {
    atl::memory::set_ze_context(core_handle(driver), core_handle(context));
  } catch (const atl::error& refused) {
    refuse(refused.object().c_str(), refused.cause().c_str(), refused.remedy().c_str());
  }
}

void ze_device::set_driver_context(context_handle_t context, device_handle_t device) {
  set_driver_context(context, driver_of(device, "set_driver_context"));
}

}  // namespace upcxx
