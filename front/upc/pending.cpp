// SPDX-License-Identifier: BSD-3-Clause
//
// Transfers of UPC's own groups with threads whose memory is not mapped here.
#include <front/upc/pending.hpp>

#include <atoll/core/job/starting.hpp>
#include <atoll/core/segment/segment_access.hpp>

namespace atl::upc {

void put_remote(segment& memory, rank_id target, void* to, const void* from, std::size_t bytes,
                operation_group& group, bool keeps_source) noexcept {
  refuse_in_handler(memory, "put", target);
  segment_access::start_put(memory, target, to, from, bytes, group.current(),
                            {.keeps_source = keeps_source});
}

void get_remote(segment& memory, void* to, rank_id target, const void* from, std::size_t bytes,
                operation_group& group) noexcept {
  refuse_in_handler(memory, "get", target);
  segment_access::start_get(memory, to, target, from, bytes, group.current(), {});
}

}  // namespace atl::upc
