// SPDX-License-Identifier: BSD-3-Clause
//
// The declarations of ze_driver.hpp, compared with those of the vendor's ze_api.h while this is
// compiled: calls, values, and the members of structures that are used. It calls nothing, so it
// needs no loader.
#include <atoll/memory/device/ze_driver.hpp>
#include <tests/conformance/device/alike.hpp>

#include <level_zero/ze_api.h>

#include <cstddef>
#include <cstdio>

namespace {

namespace ours = atl::memory::ze;
using atl::tests::alike;

#define COMPARE(member, symbol, section, parameters) \
  static_assert(alike<decltype(ours::driver::member), decltype(&::symbol)>, #symbol);
ATOLL_ZE_CALLS(COMPARE)
#undef COMPARE

#define SAME_STRUCTURE(structure, theirs, number)           \
  static_assert(sizeof(ours::structure) == sizeof(theirs)); \
  static_assert(ours::structure{}.which == number)
#define SAME_MEMBER(structure, member, theirs, their_member)                          \
  static_assert(offsetof(ours::structure, member) == offsetof(theirs, their_member)); \
  static_assert(sizeof(ours::structure::member) == sizeof(theirs::their_member))

SAME_STRUCTURE(device_properties, ze_device_properties_t, ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES);
SAME_MEMBER(device_properties, type, ze_device_properties_t, type);
SAME_MEMBER(device_properties, allocation_max, ze_device_properties_t, maxMemAllocSize);
SAME_MEMBER(device_properties, uuid, ze_device_properties_t, uuid);
SAME_MEMBER(device_properties, name, ze_device_properties_t, name);
SAME_STRUCTURE(queue_group_properties, ze_command_queue_group_properties_t,
               ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES);
SAME_MEMBER(queue_group_properties, flags, ze_command_queue_group_properties_t, flags);
SAME_MEMBER(queue_group_properties, queues, ze_command_queue_group_properties_t, numQueues);
SAME_STRUCTURE(memory_properties, ze_device_memory_properties_t,
               ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES);
SAME_MEMBER(memory_properties, bytes, ze_device_memory_properties_t, totalSize);
SAME_STRUCTURE(context_terms, ze_context_desc_t, ZE_STRUCTURE_TYPE_CONTEXT_DESC);
SAME_STRUCTURE(queue_terms, ze_command_queue_desc_t, ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC);
SAME_MEMBER(queue_terms, ordinal, ze_command_queue_desc_t, ordinal);
SAME_MEMBER(queue_terms, index, ze_command_queue_desc_t, index);
SAME_MEMBER(queue_terms, flags, ze_command_queue_desc_t, flags);
SAME_MEMBER(queue_terms, mode, ze_command_queue_desc_t, mode);
SAME_STRUCTURE(pool_terms, ze_event_pool_desc_t, ZE_STRUCTURE_TYPE_EVENT_POOL_DESC);
SAME_MEMBER(pool_terms, flags, ze_event_pool_desc_t, flags);
SAME_MEMBER(pool_terms, count, ze_event_pool_desc_t, count);
SAME_STRUCTURE(event_terms, ze_event_desc_t, ZE_STRUCTURE_TYPE_EVENT_DESC);
SAME_MEMBER(event_terms, index, ze_event_desc_t, index);
SAME_MEMBER(event_terms, signal, ze_event_desc_t, signal);
SAME_MEMBER(event_terms, wait, ze_event_desc_t, wait);
SAME_STRUCTURE(device_memory_terms, ze_device_mem_alloc_desc_t,
               ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC);
SAME_MEMBER(device_memory_terms, ordinal, ze_device_mem_alloc_desc_t, ordinal);
SAME_STRUCTURE(host_memory_terms, ze_host_mem_alloc_desc_t, ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC);
SAME_STRUCTURE(allocation_properties, ze_memory_allocation_properties_t,
               ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES);
SAME_MEMBER(allocation_properties, type, ze_memory_allocation_properties_t, type);
SAME_STRUCTURE(relaxed_limits, ze_relaxed_allocation_limits_exp_desc_t,
               ZE_STRUCTURE_TYPE_RELAXED_ALLOCATION_LIMITS_EXP_DESC);
static_assert(sizeof(ours::ipc_handle) == sizeof(ze_ipc_mem_handle_t));

static_assert(ours::success == ZE_RESULT_SUCCESS);
static_assert(ours::not_ready == ZE_RESULT_NOT_READY);
static_assert(ours::init_gpu_only == ZE_INIT_FLAG_GPU_ONLY);
static_assert(ours::type_gpu == ZE_DEVICE_TYPE_GPU);
static_assert(ours::memory_device == ZE_MEMORY_TYPE_DEVICE);
static_assert(ours::group_compute == ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE);
static_assert(ours::group_copy == ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY);
static_assert(ours::queue_explicit == ZE_COMMAND_QUEUE_FLAG_EXPLICIT_ONLY);
static_assert(ours::queue_asynchronous == ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
static_assert(ours::pool_host_visible == ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
static_assert(ours::scope_device == ZE_EVENT_SCOPE_FLAG_DEVICE);
static_assert(ours::scope_host == ZE_EVENT_SCOPE_FLAG_HOST);
static_assert(ours::limit_max_size == ZE_RELAXED_ALLOCATION_LIMITS_EXP_FLAG_MAX_SIZE);

}  // namespace

int main() {
  std::printf("as ze_api.h of Level Zero %d.%d has it\n", ZE_MAJOR_VERSION(ZE_API_VERSION_CURRENT),
              ZE_MINOR_VERSION(ZE_API_VERSION_CURRENT));
}
