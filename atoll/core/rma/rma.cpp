// SPDX-License-Identifier: BSD-3-Clause
//
// Transfers that inline code does not do: the out-of-line halves of rma.hpp. Each is one function
// for both directions.
#include <atoll/core/rma/rma.hpp>

#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/job/starting.hpp>
#include <atoll/core/segment/segment_access.hpp>

namespace atl {

namespace {

// A transfer of either direction: `remote` is at `peer`, by its own addresses. The source is only
// read.
struct contiguous {
  segment& memory;
  rank_id peer;
  void* remote;
  void* local;
  std::size_t bytes;
};

contiguous put_of(segment& memory, rank_id target, void* to, const void* from, std::size_t bytes) {
  return {memory, target, to, const_cast<void*>(from), bytes};
}

contiguous get_of(segment& memory, void* to, rank_id target, const void* from, std::size_t bytes) {
  return {memory, target, const_cast<void*>(from), to, bytes};
}

// Does a direct transfer that inline code has left to the library; false when it is not direct. A
// put is complete on return, and later stores are seen after it.
template <direction Way>
bool copy_mapped(const contiguous& call) noexcept {
  if (call.peer >= call.memory.ranks()) return false;
  std::byte* const mapped = call.memory.routes()[call.peer].direct(call.remote, call.bytes);
  if (mapped == nullptr) return false;
  if constexpr (Way == direction::put) {
    copy_bytes(mapped, call.local, call.bytes);
    fence_stores();
    trace::count_transfer(trace::counter::puts, trace::counter::put_bytes, call.bytes);
  } else {
    copy_bytes(call.local, mapped, call.bytes);
    fence_loads();
    trace::count_transfer(trace::counter::gets, trace::counter::get_bytes, call.bytes);
  }
  return true;
}

// Starts a transfer that is not direct.
template <direction Way>
bool start_transfer(const contiguous& call, operation& record, transfer_options options) noexcept {
  if constexpr (Way == direction::put)
    return segment_access::start_put(call.memory, call.peer, call.remote, call.local, call.bytes,
                                     record, options);
  else
    return segment_access::start_get(call.memory, call.local, call.peer, call.remote, call.bytes,
                                     record, options);
}

template <direction Way>
void refuse_in_handler(const contiguous& call) noexcept {
  atl::refuse_in_handler(call.memory, Way == direction::put ? "put" : "get", call.peer);
}

template <direction Way>
operation_status complete_transfer(const contiguous& call) noexcept {
  if (copy_mapped<Way>(call)) return operation_status::done;
  refuse_in_handler<Way>(call);
  return complete_blocking(call.memory, [&](operation& record) {
    start_transfer<Way>(call, record, {.keeps_source = true, .alone = true});
  });
}

template <direction Way>
bool begin_explicit(const contiguous& call, transfer_options options, event& done) noexcept {
  if (options.device == nullptr && copy_mapped<Way>(call)) {
    done = event();
    return true;
  }
  refuse_in_handler<Way>(call);
  return start_explicit(call.memory, done, [&](operation& record) {
    return start_transfer<Way>(call, record, options);
  });
}

template <direction Way>
bool begin_implicit(const contiguous& call, transfer_options options) noexcept {
  if (options.device == nullptr && copy_mapped<Way>(call)) return true;
  refuse_in_handler<Way>(call);
  constexpr implicit kind = Way == direction::put ? implicit::put : implicit::get;
  operation& record = *layer_access::implicit_operations(call.memory.owner()).record(kind);
  return start_transfer<Way>(call, record, options);
}

}  // namespace

bool put_mapped_out_of_line(segment& memory, rank_id target, void* to, const void* from,
                            std::size_t bytes) noexcept {
  return copy_mapped<direction::put>(put_of(memory, target, to, from, bytes));
}

bool get_mapped_out_of_line(segment& memory, void* to, rank_id target, const void* from,
                            std::size_t bytes) noexcept {
  return copy_mapped<direction::get>(get_of(memory, to, target, from, bytes));
}

operation_status put_out_of_line(segment& memory, rank_id target, void* to, const void* from,
                                 std::size_t bytes) noexcept {
  return complete_transfer<direction::put>(put_of(memory, target, to, from, bytes));
}

operation_status get_out_of_line(segment& memory, void* to, rank_id target, const void* from,
                                 std::size_t bytes) noexcept {
  return complete_transfer<direction::get>(get_of(memory, to, target, from, bytes));
}

bool put_nb_out_of_line(segment& memory, rank_id target, void* to, const void* from,
                        std::size_t bytes, transfer_options options, event& done) noexcept {
  return begin_explicit<direction::put>(put_of(memory, target, to, from, bytes), options, done);
}

bool get_nb_out_of_line(segment& memory, void* to, rank_id target, const void* from,
                        std::size_t bytes, transfer_options options, event& done) noexcept {
  return begin_explicit<direction::get>(get_of(memory, to, target, from, bytes), options, done);
}

bool put_nbi_out_of_line(segment& memory, rank_id target, void* to, const void* from,
                         std::size_t bytes, transfer_options options) noexcept {
  return begin_implicit<direction::put>(put_of(memory, target, to, from, bytes), options);
}

bool get_nbi_out_of_line(segment& memory, void* to, rank_id target, const void* from,
                         std::size_t bytes, transfer_options options) noexcept {
  return begin_implicit<direction::get>(get_of(memory, to, target, from, bytes), options);
}

}  // namespace atl
