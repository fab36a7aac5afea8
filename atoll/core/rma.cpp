// SPDX-License-Identifier: BSD-3-Clause
//
// Transfers that are not direct: the out-of-line halves of rma.hpp. Blocking forms wait on a record
// on their own stack, so only the explicit forms take one from the pool.
#include <atoll/core/rma.hpp>

#include <atoll/base/assert.hpp>
#include <atoll/core/runtime.hpp>

namespace atl {

namespace {

// Blocking or communicating calls are for outside of handlers.
void refuse_in_handler(endpoint& at, const char* what, rank_id target) noexcept {
  if (current_handler == handler_context::none) [[likely]]
    return;
  at.owner().fail(text(what, " from rank ", at.owner().rank(), " to rank ", target),
                  "called inside a handler, which may only reply",
                  "note the work and do it after the handler has returned");
}

template <class Start>
void blocking(endpoint& at, Start start) noexcept {
  operation record;
  start(record);
  at.owner().wait_until([&] { return record.complete(); });
}

template <class Start>
bool explicit_event(endpoint& at, event& done, Start start) noexcept {
  operation* const record = at.owner().operations().take();
  ATOLL_ASSERT(record != nullptr, "out of memory for an operation record");
  if (!start(*record)) {
    at.owner().operations().give_back(record);
    return false;
  }
  done = event(record);
  return true;
}

}  // namespace

void put_elsewhere(endpoint& at, rank_id target, void* to, const void* from,
                   std::size_t bytes) noexcept {
  refuse_in_handler(at, "put", target);
  blocking(at, [&](operation& record) { at.start_put(target, to, from, bytes, record, {}); });
}

void get_elsewhere(endpoint& at, void* to, rank_id target, const void* from,
                   std::size_t bytes) noexcept {
  refuse_in_handler(at, "get", target);
  blocking(at, [&](operation& record) { at.start_get(to, target, from, bytes, record, {}); });
}

bool put_nb_elsewhere(endpoint& at, rank_id target, void* to, const void* from, std::size_t bytes,
                      transfer_options how, event& done) noexcept {
  refuse_in_handler(at, "put", target);
  return explicit_event(at, done, [&](operation& record) {
    return at.start_put(target, to, from, bytes, record, how);
  });
}

bool get_nb_elsewhere(endpoint& at, void* to, rank_id target, const void* from, std::size_t bytes,
                      transfer_options how, event& done) noexcept {
  refuse_in_handler(at, "get", target);
  return explicit_event(at, done, [&](operation& record) {
    return at.start_get(to, target, from, bytes, record, how);
  });
}

bool put_nbi_elsewhere(endpoint& at, rank_id target, void* to, const void* from, std::size_t bytes,
                       transfer_options how) noexcept {
  refuse_in_handler(at, "put", target);
  operation& record = *at.owner().implicit_operations().record(implicit::put);
  return at.start_put(target, to, from, bytes, record, how);
}

bool get_nbi_elsewhere(endpoint& at, void* to, rank_id target, const void* from, std::size_t bytes,
                       transfer_options how) noexcept {
  refuse_in_handler(at, "get", target);
  operation& record = *at.owner().implicit_operations().record(implicit::get);
  return at.start_get(to, target, from, bytes, record, how);
}

}  // namespace atl
