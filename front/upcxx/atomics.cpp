// SPDX-License-Identifier: BSD-3-Clause
//
// The part of atomic domains that need not be inline.
#include <atoll/base/text.hpp>
#include <front/upcxx/process_state.hpp>
#include <upcxx/atomic.hpp>

namespace atl::upcxx_front {

atomic_ops ops_of_domain(const std::vector<upcxx::atomic_op>& ops, data_type type) noexcept {
  atomic_ops wanted;
  for (const upcxx::atomic_op each : ops) wanted = wanted | core_op(each);
  need_job("atomic_domain::atomic_domain");
  if (ops.empty()) {
    refuse("atomic_domain::atomic_domain", "no operations are named",
           "name all operations when the domain is made");
  }
  if (const atomic_ops wrong = wanted - ops_of(type); !wrong.empty()) {
    job.runtime->fail("atomic_domain::atomic_domain",
                      text("the type does not support the operations ", names_of(wrong)),
                      "name bit operations only for integral types");
  }
  return wanted;
}

bool domain_by_network(const upcxx::team& team, data_type type, atomic_ops ops) noexcept {
  return atomics_by_network(team.core("atomic_domain::atomic_domain"), type, ops);
}

void need_network_op(upcxx::atomic_op op, atomic_ops others, atomic_ops by_network) noexcept {
  if (by_network.contains(core_op(op))) return;
  const atomic_ops announced = others | by_network;
  job.runtime->fail(text("atomic_domain, operation ", name_of(core_op(op))),
                    text("the domain was made for: ", names_of(announced)),
                    "name all operations when the domain is made; it ends with destroy()");
}

void refuse_domain(const char* call, const char* cause) noexcept {
  refuse(call, cause,
         "call destroy() once, collectively, before a domain ends or is replaced; ask is_active()");
}

void refuse_order(std::memory_order order) noexcept {
  job.runtime->fail(text("atomic_domain, memory order ", static_cast<int>(order)),
                    "the operation cannot be asked for with this order",
                    "relaxed for all, acquire for those that read, release for those that write, "
                    "acq_rel for those that do both");
}

void need_member_of_domain(const upcxx::team& team, std::uint32_t target) noexcept {
  if (target >= job.size || team.from_world(static_cast<upcxx::intrank_t>(target), -1) >= 0) return;
  job.runtime->fail(
      text("atomic_domain on rank ", job.rank),
      text("the pointer is to memory of rank ", target, ", which is not of the domain's team"),
      "make the domain over a team of all ranks whose memory it is used on");
}

void* address_of_atomic(const place& location) noexcept {
  return owners_address(location, "atomic_domain");
}

void end_domain(const upcxx::team& team, upcxx::entry_barrier entry) noexcept {
  need_collective("atomic_domain::destroy");
  enter_by_barrier(team, entry, "atomic_domain::destroy");
}

}  // namespace atl::upcxx_front
