// SPDX-License-Identifier: BSD-3-Clause
//
// Opening AMD's HIP library. Each release has a number of its own in the name; the name without one
// comes with the development package, or with a complete installation.
#include <atoll/memory/device/hip_driver.hpp>

#include <atoll/base/system/kept_signals.hpp>
#include <atoll/base/text.hpp>

#include <dlfcn.h>

namespace atl::memory::hip {

namespace {

constexpr std::array names{"libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6",
                           "libamdhip64.so.5"};

std::string version_words(int version) {
  return text(version / 10'000'000, ".", version % 10'000'000 / 100'000);
}

/// Opens the library under the first name that is found; null, and the reason for the first name.
void* open_library(driver& opened) {
  for (const char* const name : names) {
    if (void* const library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL); library != nullptr) {
      opened.library = name;
      return library;
    }
    if (const char* const cause = ::dlerror(); opened.refusal.empty()) opened.refusal = cause;
  }
  return nullptr;
}

/// Finds all calls; returns the name of one that is missing.
std::string find_calls(void* library, driver& calls) {
#define ATOLL_HIP_FIND(member, returns, symbol, page, parameters)                     \
  calls.member = reinterpret_cast<decltype(calls.member)>(::dlsym(library, #symbol)); \
  if (calls.member == nullptr) return #symbol;
  ATOLL_HIP_CALLS(ATOLL_HIP_FIND)
#undef ATOLL_HIP_FIND
  return {};
}

driver open_once() {
  driver opened;
  opened.library = names.front();
  const kept_signals kept;
  void* const library = open_library(opened);
  if (library == nullptr) {
    opened.refusal += "; install ROCm's HIP runtime where there is such a device";
    return opened;
  }
  opened.refusal.clear();
  if (const std::string missing = find_calls(library, opened); !missing.empty()) {
    opened.refusal = text(opened.library, " has no ", missing, "; install HIP ",
                          version_words(oldest_version), " or later");
    return opened;
  }
  if (opened.library_version(&opened.version) == success && opened.version < oldest_version) {
    opened.refusal = text("the library is too old: HIP ", version_words(opened.version),
                          "; install HIP ", version_words(oldest_version), " or later");
  } else if (const result started = opened.init(0); started != success) {
    opened.refusal = text("hipInit: ", opened.message(started),
                          "; see rocminfo, and whether this process may open /dev/kfd");
  }
  return opened;
}

}  // namespace

std::string driver::message(result code) const {
  const char* const name = error_name(code);
  const char* const description = error_string(code);
  if (name == nullptr) return text("error ", code);
  return description != nullptr ? text(name, ": ", description) : name;
}

// The numbers are those of hip_runtime_api.h, and the causes those that it names for them.
const char* remedy_of(result code) noexcept {
  switch (code) {
    case 1:    // hipErrorInvalidValue
    case 400:  // hipErrorInvalidHandle
      return "a rank has freed memory that this rank still used; keep segments until all ranks "
             "have passed a barrier";
    case 2:  // hipErrorOutOfMemory
      return "free memory of the device, or use less of it; rocm-smi shows what it has";
    case 700:  // hipErrorIllegalAddress
    case 702:  // hipErrorLaunchTimeOut
    case 710:  // hipErrorAssert
    case 719:  // hipErrorLaunchFailure
      return "a kernel of the program has faulted (AMD_LOG_LEVEL=3 shows which), or a rank has "
             "freed memory that others still used; start the job again";
    case 100:  // hipErrorNoDevice
    case 101:  // hipErrorInvalidDevice
    case 214:  // hipErrorECCNotCorrectable
    case 999:  // hipErrorUnknown
      return "the device is gone or broken: see the kernel's log (dmesg, amdgpu) and rocm-smi";
    default:
      return "see rocm-smi and the kernel's log (dmesg)";
  }
}

const driver& open_driver() {
  static const driver opened = open_once();
  return opened;
}

}  // namespace atl::memory::hip
