// SPDX-License-Identifier: BSD-3-Clause
//
// The declarations of cuda_driver.hpp, compared with those of the vendor's cuda.h while this is
// compiled. It calls nothing, so it needs no driver.
#include <atoll/memory/device/cuda_driver.hpp>
#include <tests/conformance/device/alike.hpp>

#include <cuda.h>

#include <cstddef>
#include <cstdio>

namespace {

namespace cuda = atl::memory::cuda;
using atl::tests::alike;

#define COMPARE(member, symbol, page, parameters) \
  static_assert(alike<decltype(cuda::driver::member), decltype(&::symbol)>, #symbol);
ATOLL_CUDA_CALLS(COMPARE)
ATOLL_CUDA_NEWER_CALLS(COMPARE)
#undef COMPARE

static_assert(cuda::success == CUDA_SUCCESS);
static_assert(cuda::not_ready == CUDA_ERROR_NOT_READY);
static_assert(cuda::peer_access_already_enabled == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
static_assert(cuda::unified_addressing == CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING);
static_assert(cuda::pitch_most == CU_DEVICE_ATTRIBUTE_MAX_PITCH);
static_assert(cuda::any_memory == CU_MEMORYTYPE_UNIFIED);
static_assert(cuda::wait_for_least == CU_STREAM_WAIT_VALUE_GEQ);
static_assert(sizeof(cuda::rows_copy) == sizeof(CUDA_MEMCPY2D));
static_assert(offsetof(cuda::rows_copy, to) == offsetof(CUDA_MEMCPY2D, dstXInBytes));
static_assert(offsetof(cuda::rows_copy, from.at) == offsetof(CUDA_MEMCPY2D, srcDevice));
static_assert(offsetof(cuda::rows_copy, from.pitch) == offsetof(CUDA_MEMCPY2D, srcPitch));
static_assert(offsetof(cuda::rows_copy, bytes) == offsetof(CUDA_MEMCPY2D, WidthInBytes));
static_assert(offsetof(cuda::rows_copy, rows) == offsetof(CUDA_MEMCPY2D, Height));
static_assert(cuda::device_ordinal == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL);
static_assert(cuda::memory_type == CU_POINTER_ATTRIBUTE_MEMORY_TYPE);
static_assert(cuda::device_memory == CU_MEMORYTYPE_DEVICE);
static_assert(cuda::registered_portable == CU_MEMHOSTREGISTER_PORTABLE);
static_assert(cuda::stream_non_blocking == CU_STREAM_NON_BLOCKING);
static_assert(cuda::event_no_timing == CU_EVENT_DISABLE_TIMING);
static_assert(cuda::pinned_portable == CU_MEMHOSTALLOC_PORTABLE);
static_assert(cuda::ipc_peer_access == CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);

}  // namespace

int main() { std::printf("as cuda.h of CUDA %d has it\n", CUDA_VERSION); }
