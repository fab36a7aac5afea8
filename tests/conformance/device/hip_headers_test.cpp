// SPDX-License-Identifier: BSD-3-Clause
//
// The declarations of hip_driver.hpp, compared with those of the vendor's hip_runtime_api.h while
// this is compiled. It calls nothing, so it needs no library.
#include <atoll/memory/device/hip_driver.hpp>
#include <tests/conformance/device/alike.hpp>

#include <hip/hip_runtime_api.h>
#include <hip/hip_version.h>

#include <cstddef>
#include <cstdio>

namespace {

namespace ours = atl::memory::hip;
using atl::tests::alike;

// The header adds templates of these names; these are the library's own.
using no_template = hipError_t (*)(void**, std::size_t);
using no_template_with_flags = hipError_t (*)(void**, std::size_t, unsigned);
namespace theirs {
[[maybe_unused]] constexpr no_template hipMalloc = &::hipMalloc;
[[maybe_unused]] constexpr no_template_with_flags hipHostMalloc = &::hipHostMalloc;

#define COMPARE(member, returns, symbol, page, parameters) \
  static_assert(alike<decltype(ours::driver::member), std::decay_t<decltype(symbol)>>, #symbol);
ATOLL_HIP_CALLS(COMPARE)
#undef COMPARE
}  // namespace theirs

static_assert(ours::success == hipSuccess);
static_assert(ours::not_ready == hipErrorNotReady);
static_assert(ours::copy_default == hipMemcpyDefault);
static_assert(ours::device_ordinal == HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL);
static_assert(ours::wait_for_least == hipStreamWaitValueGte);
static_assert(ours::stream_non_blocking == hipStreamNonBlocking);
static_assert(ours::event_no_timing == hipEventDisableTiming);
static_assert(ours::pinned_portable == hipHostMallocPortable);
static_assert(ours::registered_portable == hipHostRegisterPortable);
static_assert(ours::ipc_peer_access == hipIpcMemLazyEnablePeerAccess ||
              hipIpcMemLazyEnablePeerAccess == 0);  // before 5.3, which ignored the flag

}  // namespace

int main() {
  std::printf("as hip_runtime_api.h of HIP %d.%d has it\n", HIP_VERSION_MAJOR, HIP_VERSION_MINOR);
}
