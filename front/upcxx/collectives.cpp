// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives of this front: thin calls of those of atoll/coll, whose events become notices.
#include <atoll/coll/collectives.hpp>
#include <front/upcxx/process.hpp>
#include <upcxx/broadcast.hpp>
#include <upcxx/reduce.hpp>

namespace atl::upcxx_front {
namespace {

void need_root(const upcxx::team& on, upcxx::intrank_t root, const char* call) noexcept {
  if (root >= 0 && root < on.rank_n()) [[likely]]
    return;
  refuse(call, "the root is no member of the team", "members are 0 to rank_n() - 1");
}

}  // namespace

void start_broadcast(const upcxx::team& on, upcxx::intrank_t root, void* buffer, std::size_t bytes,
                     event& done) noexcept {
  static constexpr const char* call = "upcxx::broadcast";
  need_collective(call);
  need_root(on, root, call);
  done = coll::start_broadcast(on.core(call), static_cast<rank_id>(root), buffer, buffer, bytes);
}

void start_reduction(const upcxx::team& on, upcxx::intrank_t root, const reduction_call& what,
                     event& done) noexcept {
  const char* const call = root < 0 ? "upcxx::reduce_all" : "upcxx::reduce_one";
  need_collective(call);
  const coll::reduction with{.element_bytes = what.element_bytes,
                             .combine = what.combine,
                             .context = what.operation,
                             .commutative = true};
  if (root < 0) {
    done = coll::start_allreduce(on.core(call), what.to, what.from, what.count, with);
    return;
  }
  need_root(on, root, call);
  done = coll::start_reduce(on.core(call), static_cast<rank_id>(root), what.to, what.from,
                            what.count, with);
}

}  // namespace atl::upcxx_front
