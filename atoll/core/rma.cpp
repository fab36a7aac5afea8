// SPDX-License-Identifier: BSD-3-Clause
//
// Transfers that are not direct: the out-of-line halves of rma.hpp.
#include <atoll/core/rma.hpp>

#include <atoll/core/runtime.hpp>
#include <atoll/core/starting.hpp>

namespace atl {

void put_elsewhere(endpoint& at, rank_id target, void* to, const void* from,
                   std::size_t bytes) noexcept {
  refuse_in_handler(at, "put", target);
  complete_blocking(at, [&](operation& record) {
    at.start_put(target, to, from, bytes, record, {.keeps_source = true, .alone = true});
  });
}

void get_elsewhere(endpoint& at, void* to, rank_id target, const void* from,
                   std::size_t bytes) noexcept {
  refuse_in_handler(at, "get", target);
  complete_blocking(at, [&](operation& record) {
    at.start_get(to, target, from, bytes, record, {.alone = true});
  });
}

bool put_nb_elsewhere(endpoint& at, rank_id target, void* to, const void* from, std::size_t bytes,
                      transfer_options how, event& done) noexcept {
  refuse_in_handler(at, "put", target);
  return start_explicit(at, done, [&](operation& record) {
    return at.start_put(target, to, from, bytes, record, how);
  });
}

bool get_nb_elsewhere(endpoint& at, void* to, rank_id target, const void* from, std::size_t bytes,
                      transfer_options how, event& done) noexcept {
  refuse_in_handler(at, "get", target);
  return start_explicit(at, done, [&](operation& record) {
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
