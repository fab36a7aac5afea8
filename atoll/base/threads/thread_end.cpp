// SPDX-License-Identifier: BSD-3-Clause
//
// Uses the C++ runtime's own list of what to do at the end of a thread. A thread-local object with
// a destructor comes onto it as well, with a guard beside it.
#include <atoll/base/threads/thread_end.hpp>

#include <cxxabi.h>

extern "C" {
[[gnu::visibility("hidden")]] extern void* __dso_handle;  // NOLINT: the ABI's name
}

namespace atl {

void at_end_of_thread(void (*run)(void*), void* object) noexcept {
  abi::__cxa_thread_atexit(run, object, &__dso_handle);
}

}  // namespace atl
