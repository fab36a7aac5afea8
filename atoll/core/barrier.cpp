// SPDX-License-Identifier: BSD-3-Clause
//
// Which barrier to use: what the setting says, else flags where few ranks all have a core of their
// own, the counter where cores are shared, messages where memory is not.
#include <atoll/core/barrier.hpp>

#include <atoll/core/host_barrier.hpp>
#include <atoll/core/message_barrier.hpp>
#include <atoll/core/runtime.hpp>

namespace atl {

namespace {

enum class algorithm { automatic, flags, counter, am };  // the choices of ATOLL_BARRIER, in order

constexpr rank_id flags_ranks_max = 8;  // beyond, reading every line costs more than one counter

algorithm choose(runtime& owner) {
  const auto asked = static_cast<algorithm>(owner.configuration().choice(setting::barrier));
  if (asked != algorithm::automatic) return asked;
  if (!owner.direct_allowed()) return algorithm::am;
  const bool few = owner.size() <= flags_ranks_max && !owner.crowded();
  return few ? algorithm::flags : algorithm::counter;
}

}  // namespace

std::unique_ptr<barrier> make_barrier(runtime& owner, barrier_use use) {
  switch (choose(owner)) {
    case algorithm::flags:
      return std::make_unique<flags_barrier>(owner.host_memory(), owner.rank(), use);
    case algorithm::am:
      return std::make_unique<message_barrier>(owner, use);
    default:
      return std::make_unique<counter_barrier>(owner.host_memory(), owner.rank(), use);
  }
}

}  // namespace atl
