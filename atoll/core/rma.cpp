// SPDX-License-Identifier: BSD-3-Clause
//
// Transfers that are not direct: the out-of-line halves of rma.hpp.
#include <atoll/core/rma.hpp>

#include <atoll/core/runtime.hpp>
#include <atoll/core/starting.hpp>

namespace atl {

namespace {

/// A direct put that inline code has left to the library because it is to be counted; false when it
/// is not direct. Complete on return, and what follows is seen after it.
bool put_counted(segment& at, rank_id target, void* to, const void* from,
                 std::size_t bytes) noexcept {
  if (target >= at.ranks()) return false;
  std::byte* const there = at.routes()[target].direct(to, bytes);
  if (there == nullptr) return false;
  copy_bytes(there, from, bytes);
  fence_stores();
  trace::count_transfer(trace::counter::puts, trace::counter::put_bytes, bytes);
  return true;
}

/// The same of a get.
bool get_counted(segment& at, void* to, rank_id target, const void* from,
                 std::size_t bytes) noexcept {
  if (target >= at.ranks()) return false;
  const std::byte* const there = at.routes()[target].direct(from, bytes);
  if (there == nullptr) return false;
  copy_bytes(to, there, bytes);
  fence_loads();
  trace::count_transfer(trace::counter::gets, trace::counter::get_bytes, bytes);
  return true;
}

}  // namespace

void put_out_of_line(segment& at, rank_id target, void* to, const void* from,
                     std::size_t bytes) noexcept {
  if (put_counted(at, target, to, from, bytes)) return;
  refuse_in_handler(at, "put", target);
  complete_blocking(at, [&](operation& record) {
    at.start_put(target, to, from, bytes, record, {.keeps_source = true, .alone = true});
  });
}

void get_out_of_line(segment& at, void* to, rank_id target, const void* from,
                     std::size_t bytes) noexcept {
  if (get_counted(at, to, target, from, bytes)) return;
  refuse_in_handler(at, "get", target);
  complete_blocking(at, [&](operation& record) {
    at.start_get(to, target, from, bytes, record, {.alone = true});
  });
}

bool put_nb_out_of_line(segment& at, rank_id target, void* to, const void* from, std::size_t bytes,
                        transfer_options how, event& done) noexcept {
  if (put_counted(at, target, to, from, bytes)) {
    done = event();
    return true;
  }
  refuse_in_handler(at, "put", target);
  return start_explicit(at, done, [&](operation& record) {
    return at.start_put(target, to, from, bytes, record, how);
  });
}

bool get_nb_out_of_line(segment& at, void* to, rank_id target, const void* from, std::size_t bytes,
                        transfer_options how, event& done) noexcept {
  if (get_counted(at, to, target, from, bytes)) {
    done = event();
    return true;
  }
  refuse_in_handler(at, "get", target);
  return start_explicit(at, done, [&](operation& record) {
    return at.start_get(to, target, from, bytes, record, how);
  });
}

bool put_nbi_out_of_line(segment& at, rank_id target, void* to, const void* from, std::size_t bytes,
                         transfer_options how) noexcept {
  if (put_counted(at, target, to, from, bytes)) return true;
  refuse_in_handler(at, "put", target);
  operation& record = *at.owner().implicit_operations().record(implicit::put);
  return at.start_put(target, to, from, bytes, record, how);
}

bool get_nbi_out_of_line(segment& at, void* to, rank_id target, const void* from, std::size_t bytes,
                         transfer_options how) noexcept {
  if (get_counted(at, to, target, from, bytes)) return true;
  refuse_in_handler(at, "get", target);
  operation& record = *at.owner().implicit_operations().record(implicit::get);
  return at.start_get(to, target, from, bytes, record, how);
}

}  // namespace atl
