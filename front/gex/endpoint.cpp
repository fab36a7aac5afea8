// SPDX-License-Identifier: BSD-3-Clause
//
// Endpoints and segments that the client makes beside the primordial ones. Making and binding are
// local; publishing is one gathering over a team, after which every member has the rows of the
// published segments. Memory that the library allocates lies in the shared heap.
#include <gasnetex_identity.h>
#include <gasnetex_kinds.h>
#include <gasnetex_objects.h>
#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>
#include <atoll/coll/collectives.hpp>
#include <atoll/core/device/device_transfers.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/segment/segment_access.hpp>
#include <atoll/memory/device/device_list.hpp>
#include <atoll/memory/device/ze_device.hpp>
#include <front/gex/context.hpp>
#include <front/gex/objects.hpp>

#include <vector>

using namespace atl::gex;

namespace {

// A published segment and the endpoint it is bound to; index_none: this member has no more.
struct notice {
  static constexpr std::uint64_t index_none = ~std::uint64_t{0};
  std::uint64_t index = index_none;
  atl::published_part part;
};

const atl::route& row_of(gex_TM_t tm, gex_Rank_t rank) noexcept {
  const peer_endpoint target = peer_of(tm, rank);
  return target.endpoint.bound().routes()[target.rank];
}

void take_note(const atl::team& team, atl::rank_id member, const notice& published) {
  if (published.index == notice::index_none || member == team.rank()) return;
  atl::segment_access::learn(the_process->core_endpoint(published.index).bound(),
                             team.job_rank(member), published.part);
}

// The largest number of endpoints that a member publishes.
std::uint64_t max_over_members(atl::team& team, std::uint64_t count) {
  std::uint64_t most = 0;
  const auto use = atl::coll::built_in(atl::coll::reduce_operation::max, atl::data_type::u64);
  atl::coll::allreduce(team, &most, &count, 1, use);
  return most;
}

void* allocate(process_state& process, std::size_t bytes, atl::memory::device* device) {
  if (device != nullptr) return device->allocate(bytes);
  return process.runtime->heap().allocate(bytes, GASNET_PAGESIZE);
}

// Makes all transfers by pairs of this endpoint, whose memory is a device's, go to the library:
// headers copy only between memories that the processor reaches.
void leave_pairs_to_library(process_state& process, const atoll_gex_endpoint& local) noexcept {
  for (std::size_t remote = 0; remote < GASNET_MAXEPS; ++remote) {
    const std::size_t index = process.index_of(*local.core) * std::size_t{GASNET_MAXEPS} + remote;
    team_member* const pair = process.pairs[index].load(std::memory_order_acquire);
    if (pair != nullptr) pair->leave_transfers_to_library();
  }
}

}  // namespace

// --- segments --------------------------------------------------------------------------------

int gex_Segment_Create(gex_Segment_t* segment_p, gex_Client_t client, gex_Addr_t address,
                       uintptr_t length, gex_MK_t kind, gex_Flags_t flags) {
  static constexpr const char* call = "gex_Segment_Create";
  process_state& process = started(call);
  if (flags != 0) return complain(GASNET_ERR_BAD_ARG, call, "flags must be 0");
  if (segment_p == nullptr || client != &process.client || length == 0) {
    return complain(GASNET_ERR_BAD_ARG, call, "needs an output, the client, and a length");
  }
  if (kind == GEX_MK_INVALID) {
    return complain(GASNET_ERR_BAD_ARG, call,
                    "the kind is GEX_MK_HOST, or one that gex_MK_Create() has made");
  }
  atl::memory::device* const device = kind == GEX_MK_HOST ? nullptr : kind->device;
  if (device != nullptr && address != nullptr && !device->owns(address, length)) {
    return complain(GASNET_ERR_BAD_ARG, call,
                    atl::text(length, " bytes at ", atl::hex(address), " are not all memory of ",
                              atl::memory::text_of(device->description())));
  }
  void* memory = address;
  if (memory == nullptr) memory = allocate(process, length, device);
  if (memory == nullptr) {
    return complain(GASNET_ERR_RESOURCE, call,
                    atl::text("no memory for ", atl::bytes_text(length)));
  }
  auto* const segment = new atoll_gex_segment;
  segment->client = client;
  segment->address = static_cast<std::byte*>(memory);
  segment->size = length;
  segment->is_own = address == nullptr;
  segment->device = device;
  *segment_p = segment;
  return GASNET_OK;
}

void gex_Segment_Destroy(gex_Segment_t segment, gex_Flags_t) {
  static constexpr const char* call = "gex_Segment_Destroy";
  process_state& process = started(call);
  if (segment == GEX_SEGMENT_INVALID || segment == &process.segment) {
    refuse(call, "the segment was not made by gex_Segment_Create()",
           "the attached segment lasts as long as the job");
  }
  for (std::size_t index = 0; index < GASNET_MAXEPS; ++index) {
    const gex_EP_t ep = endpoint_of_index(index);
    if (ep == GEX_EP_INVALID || ep->segment != segment) continue;
    ep->segment = GEX_SEGMENT_INVALID;
    ep->core->bound().place({});
  }
  if (segment->is_own && segment->device != nullptr) segment->device->free(segment->address);
  if (segment->is_own && segment->device == nullptr) process.runtime->heap().free(segment->address);
  delete segment;
}

// --- endpoints -------------------------------------------------------------------------------

int gex_EP_Create(gex_EP_t* ep_p, gex_Client_t client, gex_EP_Capabilities_t capabilities,
                  gex_Flags_t flags) {
  static constexpr const char* call = "gex_EP_Create";
  process_state& process = started(call);
  if (ep_p == nullptr || client != &process.client ||
      (capabilities & GEX_EP_CAPABILITY_ALL) != capabilities || capabilities == 0) {
    return complain(GASNET_ERR_BAD_ARG, call, "needs an output, the client, and capabilities");
  }
  const std::lock_guard hold(process.making_endpoints);
  for (std::size_t index = 1; index < GASNET_MAXEPS; ++index) {
    if (process.endpoints[index] != nullptr) continue;
    auto endpoint = std::make_unique<atoll_gex_endpoint>();
    endpoint->client = client;
    endpoint->capabilities = capabilities;
    endpoint->flags = flags;
    endpoint->core = &process.core_endpoint(index);
    process.endpoints[index] = std::move(endpoint);
    *ep_p = process.endpoints[index].get();
    return GASNET_OK;
  }
  return complain(GASNET_ERR_RESOURCE, call,
                  atl::text("this process has ", GASNET_MAXEPS, " endpoints already"));
}

int gex_EP_BindSegment(gex_EP_t ep, gex_Segment_t segment, gex_Flags_t flags) {
  static constexpr const char* call = "gex_EP_BindSegment";
  process_state& process = started(call);
  if (flags != 0) return complain(GASNET_ERR_BAD_ARG, call, "flags must be 0");
  if (ep == GEX_EP_INVALID || segment == GEX_SEGMENT_INVALID) {
    return complain(GASNET_ERR_BAD_ARG, call, "needs an endpoint and a segment");
  }
  if (ep->segment != GEX_SEGMENT_INVALID) {
    return complain(
        GASNET_ERR_BAD_ARG, call,
        atl::text("endpoint ", unsigned{process.index_of(*ep->core)}, " has a segment already"));
  }
  ep->segment = segment;
  ep->core->bound().place({segment->address, segment->size, segment->device});
  if (segment->device != nullptr) leave_pairs_to_library(process, *ep);
  return GASNET_OK;
}

int gex_EP_PublishBoundSegment(gex_TM_t tm, gex_EP_t* eps, size_t num_eps, gex_Flags_t flags) {
  static constexpr const char* call = "gex_EP_PublishBoundSegment";
  may_communicate(call);
  atl::team& team = team_of(tm, call);
  if (flags != 0) return complain(GASNET_ERR_BAD_ARG, call, "flags must be 0");
  // A member that passes something wrong still takes part: the others wait for it.
  int result = GASNET_OK;
  std::vector<notice> own_notices;
  for (size_t i = 0; i < num_eps; ++i) {
    if (eps[i] == GEX_EP_INVALID) {
      result = complain(GASNET_ERR_BAD_ARG, call, atl::text("entry ", i, " is not an endpoint"));
    } else if (eps[i]->segment != GEX_SEGMENT_INVALID) {
      own_notices.push_back({the_process->index_of(*eps[i]->core),
                             atl::segment_access::publish(eps[i]->core->bound())});
    }
  }
  own_notices.resize(max_over_members(team, own_notices.size()));
  std::vector<notice> all_notices(own_notices.size() * team.size());
  atl::coll::allgather(team, all_notices.data(), own_notices.data(),
                       own_notices.size() * sizeof(notice));
  for (atl::rank_id member = 0; member < team.size(); ++member) {
    for (std::size_t i = 0; i < own_notices.size(); ++i) {
      take_note(team, member, all_notices[member * own_notices.size() + i]);
    }
  }
  team.barrier();
  return result;
}

gex_Event_t gex_EP_QueryBoundSegmentNB(gex_TM_t tm, gex_Rank_t rank, void** owneraddr_p,
                                       void** localaddr_p, uintptr_t* size_p, gex_Flags_t flags) {
  static constexpr const char* call = "gex_EP_QueryBoundSegmentNB";
  if ((flags & GEX_FLAG_IMMEDIATE) == 0) may_communicate(call);
  check_rank(call, tm, rank);
  const atl::route& row = row_of(tm, rank);
  if (owneraddr_p != nullptr) *owneraddr_p = row.base();
  if (localaddr_p != nullptr) *localaddr_p = row.local;
  if (size_p != nullptr) *size_p = row.bytes;
  return GEX_EVENT_INVALID;
}

int gex_Segment_QueryBound(gex_TM_t tm, gex_Rank_t rank, void** owneraddr_p, void** localaddr_p,
                           uintptr_t* size_p) {
  static constexpr const char* call = "gex_Segment_QueryBound";
  may_communicate(call);
  check_rank(call, tm, rank);
  if (row_of(tm, rank).bytes == 0) return GASNET_ERR_NOT_READY;  // outputs are not written
  return gex_EP_QueryBoundSegmentNB(tm, rank, owneraddr_p, localaddr_p, size_p, 0) ==
                 GEX_EVENT_INVALID
             ? GASNET_OK
             : GASNET_ERR_NOT_READY;
}

// --- kinds -----------------------------------------------------------------------------------

namespace {

/// The device that arguments name. Throws `atl::error`.
atl::memory::device& open_device_of(process_state& process, const gex_MK_Create_args_t& args) {
  using atl::memory::memory_kind;
  atl::device_transfers& devices = atl::layer_access::devices(*process.runtime);
  const auto& given = args.gex_args;
  if (args.gex_class == GEX_MK_CLASS_CUDA_UVA)
    return devices.open(memory_kind::cuda, given.gex_class_cuda_uva.gex_CUdevice);
  if (args.gex_class == GEX_MK_CLASS_HIP)
    return devices.open(memory_kind::hip, given.gex_class_hip.gex_hipDevice);
  auto* const handle = static_cast<atl::memory::ze::device_handle>(given.gex_class_ze.gex_zeDevice);
  auto* const context =
      static_cast<atl::memory::ze::context_handle>(given.gex_class_ze.gex_zeContext);
  const int index = atl::memory::ze_index_of(handle);
  if (context != nullptr && index >= 0)
    atl::memory::set_ze_context(atl::memory::ze_place_of(index)->driver, context);
  return devices.open(memory_kind::ze, index);
}

}  // namespace

int gex_MK_Create(gex_MK_t* kind_p, gex_Client_t client, const gex_MK_Create_args_t* args,
                  gex_Flags_t flags) {
  static constexpr const char* call = "gex_MK_Create";
  process_state& process = started(call);
  if (kind_p == nullptr || client != &process.client || args == nullptr) {
    return complain(GASNET_ERR_BAD_ARG, call, "needs an output, the client, and arguments");
  }
  if (flags != 0 || args->gex_flags != 0)
    return complain(GASNET_ERR_BAD_ARG, call, "flags must be 0");
  if (args->gex_class == GEX_MK_CLASS_HOST || args->gex_class > GEX_MK_CLASS_ZE)
    return complain(GASNET_ERR_BAD_ARG, call, "the class is none of a device");
  if (args->gex_class == GEX_MK_CLASS_ZE && args->gex_args.gex_class_ze.gex_zeMemoryOrdinal != 0)
    return complain(GASNET_ERR_RESOURCE, call, "of a device's memories this library has the first");
  try {
    *kind_p = new atoll_gex_kind{client, &open_device_of(process, *args)};
  } catch (const atl::error& refused) {
    return complain(GASNET_ERR_RESOURCE, call, refused.what());
  }
  return GASNET_OK;
}

void gex_MK_Destroy(gex_MK_t kind, gex_Flags_t) {
  if (kind == GEX_MK_HOST || kind == GEX_MK_INVALID) {
    refuse("gex_MK_Destroy", "the kind was not made by gex_MK_Create()", "GEX_MK_HOST stays");
  }
  delete kind;  // the device stays open for segments that were made of it
}
