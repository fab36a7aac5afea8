// SPDX-License-Identifier: BSD-3-Clause
//
// Opening CUDA's driver library. It stays open: the driver has threads of its own, and is not made
// to be unloaded.
#include <atoll/memory/device/cuda_driver.hpp>

#include <atoll/base/system/kept_signals.hpp>
#include <atoll/base/text.hpp>

#include <dlfcn.h>

namespace atl::memory::cuda {

namespace {

std::string version_words(int version) { return text(version / 1000, ".", version % 1000 / 10); }

/// Finds all calls; returns the name of a missing one that every driver has.
std::string find_calls(void* library, driver& calls) {
#define ATOLL_CUDA_LOOK(member, symbol, page, parameters) \
  calls.member = reinterpret_cast<decltype(calls.member)>(::dlsym(library, #symbol));
  ATOLL_CUDA_NEWER_CALLS(ATOLL_CUDA_LOOK)
#undef ATOLL_CUDA_LOOK
#define ATOLL_CUDA_FIND(member, symbol, page, parameters)                             \
  calls.member = reinterpret_cast<decltype(calls.member)>(::dlsym(library, #symbol)); \
  if (calls.member == nullptr) return #symbol;
  ATOLL_CUDA_CALLS(ATOLL_CUDA_FIND)
#undef ATOLL_CUDA_FIND
  return {};
}

driver open_once() {
  driver opened;
  const kept_signals kept;
  void* const library = ::dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    opened.refusal = text(::dlerror(), "; install NVIDIA's driver where there is such a device");
    return opened;
  }
  if (const std::string missing = find_calls(library, opened); !missing.empty()) {
    opened.refusal = text(library_name, " has no ", missing, "; install a driver of CUDA ",
                          version_words(oldest_version), " or later");
    return opened;
  }
  if (opened.driver_version(&opened.version) == success && opened.version < oldest_version) {
    opened.refusal = text("the driver is too old: of CUDA ", version_words(opened.version),
                          "; install one of CUDA ", version_words(oldest_version), " or later");
  } else if (const result started = opened.init(0); started != success) {
    opened.refusal = text("cuInit: ", opened.message(started),
                          "; see nvidia-smi, and whether this container was given the device");
  }
  return opened;
}

}  // namespace

std::string driver::message(result code) const {
  const char* name = nullptr;
  const char* words = nullptr;
  if (error_name(code, &name) != success || name == nullptr) return text("error ", code);
  if (error_string(code, &words) != success || words == nullptr) return name;
  return text(name, ": ", words);
}

// The numbers are those of cuda.h, and the causes those that it names for them.
const char* remedy_of(result code) noexcept {
  switch (code) {
    case 1:    // CUDA_ERROR_INVALID_VALUE
    case 400:  // CUDA_ERROR_INVALID_HANDLE
      return "a rank has freed memory that this rank still used; keep segments until all ranks "
             "have passed a barrier";
    case 2:  // CUDA_ERROR_OUT_OF_MEMORY
      return "free memory of the device, or use less of it; nvidia-smi shows what it has";
    case 700:  // CUDA_ERROR_ILLEGAL_ADDRESS
    case 702:  // CUDA_ERROR_LAUNCH_TIMEOUT
    case 710:  // CUDA_ERROR_ASSERT
    case 714:  // CUDA_ERROR_HARDWARE_STACK_ERROR
    case 715:  // CUDA_ERROR_ILLEGAL_INSTRUCTION
    case 716:  // CUDA_ERROR_MISALIGNED_ADDRESS
    case 717:  // CUDA_ERROR_INVALID_ADDRESS_SPACE
    case 718:  // CUDA_ERROR_INVALID_PC
    case 719:  // CUDA_ERROR_LAUNCH_FAILED
      return "a kernel of the program has faulted (compute-sanitizer finds it), or a rank has "
             "freed memory that others still used; the context is lost, so start the job again";
    case 46:   // CUDA_ERROR_DEVICE_UNAVAILABLE
    case 100:  // CUDA_ERROR_NO_DEVICE
    case 101:  // CUDA_ERROR_INVALID_DEVICE
    case 214:  // CUDA_ERROR_ECC_UNCORRECTABLE
    case 220:  // CUDA_ERROR_NVLINK_UNCORRECTABLE
    case 999:  // CUDA_ERROR_UNKNOWN
      return "the device is gone or broken: see the kernel's log (dmesg, Xid) and nvidia-smi";
    default:
      return "see nvidia-smi and the kernel's log (dmesg)";
  }
}

const driver& open_driver() {
  static const driver opened = open_once();
  return opened;
}

}  // namespace atl::memory::cuda
