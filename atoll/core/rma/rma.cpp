// SPDX-License-Identifier: BSD-3-Clause
//
// Transfers that inline code does not do: the out-of-line halves of rma.hpp.
#include <atoll/core/rma/rma.hpp>

#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/job/starting.hpp>
#include <atoll/core/segment/segment_access.hpp>

namespace atl {

/// Does a direct put that inline code has left to the library; false when it is not direct. The put
/// is complete on return, and later stores are seen after it.
bool put_mapped_out_of_line(segment& memory, rank_id target, void* to, const void* from,
                            std::size_t bytes) noexcept {
  if (target >= memory.ranks()) return false;
  std::byte* const mapped = memory.routes()[target].direct(to, bytes);
  if (mapped == nullptr) return false;
  copy_bytes(mapped, from, bytes);
  fence_stores();
  trace::count_transfer(trace::counter::puts, trace::counter::put_bytes, bytes);
  return true;
}

/// The same for a get.
bool get_mapped_out_of_line(segment& memory, void* to, rank_id target, const void* from,
                            std::size_t bytes) noexcept {
  if (target >= memory.ranks()) return false;
  const std::byte* const mapped = memory.routes()[target].direct(from, bytes);
  if (mapped == nullptr) return false;
  copy_bytes(to, mapped, bytes);
  fence_loads();
  trace::count_transfer(trace::counter::gets, trace::counter::get_bytes, bytes);
  return true;
}

operation_status put_out_of_line(segment& memory, rank_id target, void* to, const void* from,
                                 std::size_t bytes) noexcept {
  if (put_mapped_out_of_line(memory, target, to, from, bytes)) return operation_status::done;
  refuse_in_handler(memory, "put", target);
  return complete_blocking(memory, [&](operation& record) {
    segment_access::start_put(memory, target, to, from, bytes, record,
                              {.keeps_source = true, .alone = true});
  });
}

operation_status get_out_of_line(segment& memory, void* to, rank_id target, const void* from,
                                 std::size_t bytes) noexcept {
  if (get_mapped_out_of_line(memory, to, target, from, bytes)) return operation_status::done;
  refuse_in_handler(memory, "get", target);
  return complete_blocking(memory, [&](operation& record) {
    segment_access::start_get(memory, to, target, from, bytes, record, {.alone = true});
  });
}

bool put_nb_out_of_line(segment& memory, rank_id target, void* to, const void* from,
                        std::size_t bytes, transfer_options options, event& done) noexcept {
  if (options.device == nullptr && put_mapped_out_of_line(memory, target, to, from, bytes)) {
    done = event();
    return true;
  }
  refuse_in_handler(memory, "put", target);
  return start_explicit(memory, done, [&](operation& record) {
    return segment_access::start_put(memory, target, to, from, bytes, record, options);
  });
}

bool get_nb_out_of_line(segment& memory, void* to, rank_id target, const void* from,
                        std::size_t bytes, transfer_options options, event& done) noexcept {
  if (options.device == nullptr && get_mapped_out_of_line(memory, to, target, from, bytes)) {
    done = event();
    return true;
  }
  refuse_in_handler(memory, "get", target);
  return start_explicit(memory, done, [&](operation& record) {
    return segment_access::start_get(memory, to, target, from, bytes, record, options);
  });
}

bool put_nbi_out_of_line(segment& memory, rank_id target, void* to, const void* from,
                         std::size_t bytes, transfer_options options) noexcept {
  if (options.device == nullptr && put_mapped_out_of_line(memory, target, to, from, bytes))
    return true;
  refuse_in_handler(memory, "put", target);
  operation& record = *layer_access::implicit_operations(memory.owner()).record(implicit::put);
  return segment_access::start_put(memory, target, to, from, bytes, record, options);
}

bool get_nbi_out_of_line(segment& memory, void* to, rank_id target, const void* from,
                         std::size_t bytes, transfer_options options) noexcept {
  if (options.device == nullptr && get_mapped_out_of_line(memory, to, target, from, bytes))
    return true;
  refuse_in_handler(memory, "get", target);
  operation& record = *layer_access::implicit_operations(memory.owner()).record(implicit::get);
  return segment_access::start_get(memory, to, target, from, bytes, record, options);
}

}  // namespace atl
