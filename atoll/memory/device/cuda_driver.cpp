// SPDX-License-Identifier: BSD-3-Clause
//
// Opening CUDA's driver library. It stays open: the driver has threads of its own, and is not made
// to be unloaded.
#include <atoll/memory/device/cuda_driver.hpp>

#include <atoll/base/kept_signals.hpp>
#include <atoll/base/text.hpp>

#include <dlfcn.h>

namespace atl::memory::cuda {

namespace {

std::string version_words(int version) { return text(version / 1000, ".", version % 1000 / 10); }

/// Finds all calls; the name of one that is missing and that every driver has.
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

const driver& open_driver() {
  static const driver opened = open_once();
  return opened;
}

}  // namespace atl::memory::cuda
