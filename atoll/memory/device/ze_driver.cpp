// SPDX-License-Identifier: BSD-3-Clause
//
// Opening Level Zero's loader, which finds the drivers by itself, and asking it for GPUs. A driver
// that refuses to describe its devices does not hide those of others; its words are kept for
// messages.
#include <atoll/memory/device/ze_driver.hpp>

#include <atoll/base/system/kept_signals.hpp>
#include <atoll/base/text.hpp>

#include <dlfcn.h>

namespace atl::memory::ze {

namespace {

/// Finds all calls; returns the name of one that is missing.
std::string find_calls(void* library, driver& calls) {
#define ATOLL_ZE_FIND(member, symbol, section, parameters)                            \
  calls.member = reinterpret_cast<decltype(calls.member)>(::dlsym(library, #symbol)); \
  if (calls.member == nullptr) return #symbol;
  ATOLL_ZE_CALLS(ATOLL_ZE_FIND)
#undef ATOLL_ZE_FIND
  return {};
}

// Fills a list as this interface does: ask how many there are, then ask for that number.
template <class Item, class Call>
result fill(std::vector<Item>& list, Call call) {
  std::uint32_t count = 0;
  result code = call(&count, nullptr);
  if (code != success || count == 0) return code;
  list.resize(count);
  code = call(&count, list.data());
  list.resize(code == success ? count : 0);
  return code;
}

void note(driver& calls, const char* call, result code) {
  if (code != success) calls.problem = text(call, ": ", driver::message(code));
}

result find_devices(driver& calls) {
  std::vector<driver_handle> drivers;
  const result listed = fill(drivers, [&](std::uint32_t* count, driver_handle* handles) {
    return calls.drivers(count, handles);
  });
  if (listed != success) return listed;
  for (driver_handle const each : drivers) {
    std::vector<device_handle> devices;
    const result found = fill(devices, [&](std::uint32_t* count, device_handle* handles) {
      return calls.devices(each, count, handles);
    });
    note(calls, driver::devices_name, found);
    if (calls.version == 0) calls.api_version(each, &calls.version);
    for (device_handle const device : devices) {
      place seen{.driver = each, .device = device, .properties = {}};
      const result described = calls.describe(device, &seen.properties);
      note(calls, driver::describe_name, described);
      if (described == success && seen.properties.type == type_gpu)
        calls.devices_found.push_back(seen);
    }
  }
  return success;
}

driver open_once() {
  driver opened;
  const kept_signals kept;
  void* const library = ::dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    opened.refusal = text(::dlerror(), "; install Level Zero's loader and the device's driver");
    return opened;
  }
  if (const std::string missing = find_calls(library, opened); !missing.empty()) {
    opened.refusal = text(library_name, " has no ", missing, "; install a later one");
    return opened;
  }
  if (const result started = opened.init(init_gpu_only); started != success) {
    opened.refusal = text("zeInit: ", driver::message(started),
                          "; install the device's driver, and see whether this process may open "
                          "/dev/dri/renderD*");
  } else if (const result found = find_devices(opened); found != success) {
    opened.refusal = text("zeDriverGet: ", driver::message(found), "; install the device's driver");
  }
  return opened;
}

struct named_code {
  result code;
  const char* name;
};
constexpr std::array codes{
    named_code{1, "ZE_RESULT_NOT_READY"},
    named_code{0x70000001, "ZE_RESULT_ERROR_DEVICE_LOST"},
    named_code{0x70000002, "ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY"},
    named_code{0x70000003, "ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY"},
    named_code{0x70000006, "ZE_RESULT_ERROR_DEVICE_REQUIRES_RESET"},
    named_code{0x70010000, "ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS"},
    named_code{0x70010001, "ZE_RESULT_ERROR_NOT_AVAILABLE"},
    named_code{0x70020000, "ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE"},
    named_code{0x78000001, "ZE_RESULT_ERROR_UNINITIALIZED"},
    named_code{0x78000002, "ZE_RESULT_ERROR_UNSUPPORTED_VERSION"},
    named_code{0x78000003, "ZE_RESULT_ERROR_UNSUPPORTED_FEATURE"},
    named_code{0x78000004, "ZE_RESULT_ERROR_INVALID_ARGUMENT"},
    named_code{0x78000005, "ZE_RESULT_ERROR_INVALID_NULL_HANDLE"},
    named_code{0x78000008, "ZE_RESULT_ERROR_INVALID_SIZE"},
    named_code{0x78000009, "ZE_RESULT_ERROR_UNSUPPORTED_SIZE"},
    named_code{0x7800000b, "ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT"},
    named_code{0x7ffffffe, "ZE_RESULT_ERROR_UNKNOWN"},
};

}  // namespace

std::string driver::message(result code) {
  for (const named_code& each : codes)
    if (each.code == code) return each.name;
  return text("error ", hex(code));
}

// The numbers are those of the list above.
const char* driver::remedy_of(result code) noexcept {
  switch (code) {
    case 0x70000001:
    case 0x70000006:
      return "a kernel of the program has faulted, or the device was reset or is gone: see the "
             "kernel's log (dmesg), and start the job again";
    case 0x70000002:
    case 0x70000003:
      return "free memory, or use less of it";
    case 0x78000004:
    case 0x78000005:
      return "a rank has freed memory that this rank still used; keep segments until all ranks "
             "have passed a barrier";
    default:
      return "see the kernel's log (dmesg)";
  }
}

const driver& open_driver() {
  static const driver opened = open_once();
  return opened;
}

}  // namespace atl::memory::ze
