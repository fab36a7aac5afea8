// SPDX-License-Identifier: BSD-3-Clause
//
// Finding the barrier that a message is for.
#include <atoll/core/team/barrier_table.hpp>

#include <atoll/base/assert.hpp>
#include <atoll/base/halves.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/job/system_handlers.hpp>
#include <atoll/core/team/message_barrier.hpp>

namespace atl {

barrier_table::barrier_table(runtime& owner) {
  const auto run = [](void* context, am_token&, const std::uint32_t* args, unsigned, void*,
                      std::size_t) {
    static_cast<barrier_table*>(context)->receive(join_halves(args),
                                                  {args[2], args[3], join_halves(args + 4)});
  };
  const bool registered = layer_access::system_endpoint(owner).handlers().set(
      system_handler::barrier, {.run = run, .context = this, .nargs = 6, .name = "barrier"});
  ATOLL_ASSERT(registered, "the barrier's handler is taken");
}

void barrier_table::add(std::uint64_t key, message_barrier& added) {
  const std::lock_guard hold(guard_);
  made_[key] = &added;
  const auto waiting = early_.find(key);
  if (waiting == early_.end()) return;
  for (const message& in : waiting->second) added.receive(in.epoch, in.round, in.tag);
  early_.erase(waiting);
}

void barrier_table::remove(std::uint64_t key) noexcept {
  const std::lock_guard hold(guard_);
  made_.erase(key);
}

void barrier_table::receive(std::uint64_t key, const message& in) {
  const std::lock_guard hold(guard_);
  const auto found = made_.find(key);
  if (found != made_.end()) {
    found->second->receive(in.epoch, in.round, in.tag);
  } else {
    early_[key].push_back(in);
  }
}

}  // namespace atl
