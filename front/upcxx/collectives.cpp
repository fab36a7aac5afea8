// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives of this front: thin calls of those of atoll/coll, whose events become notices.
#include <atoll/coll/collectives.hpp>
#include <front/upcxx/process_state.hpp>
#include <upcxx/broadcast.hpp>
#include <upcxx/reduce.hpp>

namespace atl::upcxx_front {
namespace {

void need_root(const upcxx::team& team, upcxx::intrank_t root, const char* call) noexcept {
  if (root >= 0 && root < team.rank_n()) [[likely]]
    return;
  refuse(call, "the root is no member of the team", "members are 0 to rank_n() - 1");
}

}  // namespace

void start_broadcast(const upcxx::team& team, upcxx::intrank_t root, void* buffer,
                     std::size_t bytes, event& done) noexcept {
  static constexpr const char* call = "upcxx::broadcast";
  need_collective(call);
  need_root(team, root, call);
  done = coll::start_broadcast(team.core(call), static_cast<rank_id>(root), buffer, buffer, bytes);
}

void start_reduction(const upcxx::team& team, upcxx::intrank_t root, const reduction_call& request,
                     event& done) noexcept {
  const char* const call = root < 0 ? "upcxx::reduce_all" : "upcxx::reduce_one";
  need_collective(call);
  const coll::reduction reduction{.element_bytes = request.element_bytes,
                                  .combine = request.combine,
                                  .context = request.operation,
                                  .commutative = true};
  if (root < 0) {
    done =
        coll::start_allreduce(team.core(call), request.to, request.from, request.count, reduction);
    return;
  }
  need_root(team, root, call);
  done = coll::start_reduce(team.core(call), static_cast<rank_id>(root), request.to, request.from,
                            request.count, reduction);
}

}  // namespace atl::upcxx_front
