// SPDX-License-Identifier: BSD-3-Clause
//
// Collective functions on one value per thread (bupc_collectivev.h), by the collectives of the
// core. Reductions gather the values and combine them here in the order of threads, so that all
// threads have the same result to the last bit. The result lies in a buffer until the next call.
#include <bupc_extensions.h>

#include <upc_types.h>

#include <atoll/base/text.hpp>
#include <atoll/coll/collectives.hpp>
#include <front/upc/collective.hpp>
#include <front/upc/operations.hpp>

#include <cstring>
#include <vector>

namespace atl::upc {
namespace {

constexpr upc_flag_t own_synchronization = UPC_IN_MYSYNC | UPC_OUT_MYSYNC;

std::vector<std::byte>& buffer(process_state& us, std::size_t bytes) {
  us.value.assign(bytes, std::byte{});
  return us.value;
}

rank_id root_of(const char* call, const process_state& us, int root) {
  if (root >= 0 && static_cast<rank_id>(root) < us.size()) [[likely]]
    return static_cast<rank_id>(root);
  refuse(call, text("the root is thread ", root), text("use a thread from 0 to ", us.size() - 1));
}

// Combines the values of the first `count` threads.
template <class T>
void combine(const char* call, upc_op_t op, const std::byte* values, std::size_t count, T& result) {
  with_operation<T>(call, op, nullptr, [&](auto operation) {
    for (std::size_t i = 0; i < count; ++i) {
      T value;
      std::memcpy(&value, values + i * sizeof value, sizeof value);
      result = i == 0 ? value : operation(result, value);
    }
  });
}

template <class T>
void* reduced(const char* call, upc_op_t op, const void* value, rank_id last) {
  const collective_frame frame(call, own_synchronization);
  process_state& us = frame.us();
  std::vector<std::byte> values(sizeof(T) * us.size());
  coll::allgather(*us.world, values.data(), value, sizeof(T));
  T result{};
  combine(call, op, values.data(), std::size_t{last} + 1, result);
  std::vector<std::byte>& kept = buffer(us, sizeof result);
  std::memcpy(kept.data(), &result, sizeof result);
  return kept.data();
}

void* reduced_of_kind(const char* call, unsigned kind, upc_op_t op, const void* value,
                      rank_id last) {
  switch (kind) {
    case 4 * sizeof(char):
      return reduced<unsigned char>(call, op, value, last);
    case 4 * sizeof(char) + 1:
      return reduced<signed char>(call, op, value, last);
    case 4 * sizeof(short):
      return reduced<unsigned short>(call, op, value, last);
    case 4 * sizeof(short) + 1:
      return reduced<short>(call, op, value, last);
    case 4 * sizeof(int):
      return reduced<unsigned>(call, op, value, last);
    case 4 * sizeof(int) + 1:
      return reduced<int>(call, op, value, last);
    case 4 * sizeof(long):
      return reduced<unsigned long>(call, op, value, last);
    case 4 * sizeof(long) + 1:
      return reduced<long>(call, op, value, last);
    case 4 * sizeof(float) + 3:
      return reduced<float>(call, op, value, last);
    case 4 * sizeof(double) + 3:
      return reduced<double>(call, op, value, last);
    case 4 * sizeof(long double) + 3:
      return reduced<long double>(call, op, value, last);
    default:
      refuse(call, "the type is not one of numbers", "use an integer or a floating type");
  }
}

}  // namespace
}  // namespace atl::upc

using namespace atl;
using namespace atl::upc;

void* atoll_upc_value_broadcast(const void* value, std::size_t bytes, int root) {
  static constexpr const char* call = "bupc_allv_broadcast";
  const collective_frame frame(call, own_synchronization);
  std::vector<std::byte>& kept = buffer(frame.us(), bytes);
  coll::broadcast(*frame.us().world, root_of(call, frame.us(), root), kept.data(), value, bytes);
  return kept.data();
}

void* atoll_upc_value_gather(const void* value, std::size_t bytes, int root, void* to) {
  const char* const call = root == -1 ? "bupc_allv_gather_all" : "bupc_allv_gather";
  const collective_frame frame(call, own_synchronization);
  process_state& us = frame.us();
  std::vector<std::byte>& all = buffer(us, bytes * us.size());
  if (root == -1) {
    coll::allgather(*us.world, all.data(), value, bytes);
  } else {
    coll::gather(*us.world, root_of(call, us, root), all.data(), value, bytes);
  }
  const bool is_wanted = root == -1 || static_cast<rank_id>(root) == us.rank();
  if (is_wanted && to != nullptr) std::memcpy(to, all.data(), all.size());
  return to;
}

void* atoll_upc_value_scatter(std::size_t bytes, int root, const void* from) {
  static constexpr const char* call = "bupc_allv_scatter";
  const collective_frame frame(call, own_synchronization);
  std::vector<std::byte>& kept = buffer(frame.us(), bytes);
  coll::scatter(*frame.us().world, root_of(call, frame.us(), root), kept.data(), from, bytes);
  return kept.data();
}

// Each thread sends, beside the value, the thread that is to get it.
void* atoll_upc_value_permute(const void* value, std::size_t bytes, int to) {
  const collective_frame frame("bupc_allv_permute", own_synchronization);
  process_state& us = frame.us();
  const std::size_t record_bytes = sizeof to + bytes;
  std::vector<std::byte> own(record_bytes), all(record_bytes * us.size());
  std::memcpy(own.data(), &to, sizeof to);
  std::memcpy(own.data() + sizeof to, value, bytes);
  coll::allgather(*us.world, all.data(), own.data(), record_bytes);
  std::vector<std::byte>& kept = buffer(us, bytes);
  for (rank_id thread = 0; thread < us.size(); ++thread) {
    const std::byte* const record = all.data() + thread * record_bytes;
    int target = 0;
    std::memcpy(&target, record, sizeof target);
    if (target >= 0 && static_cast<rank_id>(target) == us.rank())
      std::memcpy(kept.data(), record + sizeof target, bytes);
  }
  return kept.data();
}

void* atoll_upc_value_reduce(const void* value, unsigned kind, int root, upc_op_t op) {
  const char* const call = root == -1 ? "bupc_allv_reduce_all" : "bupc_allv_reduce";
  process_state& us = running(call);
  if (root != -1) root_of(call, us, root);
  return reduced_of_kind(call, kind, op, value, us.size() - 1);
}

void* atoll_upc_value_prefix_reduce(const void* value, unsigned kind, upc_op_t op) {
  static constexpr const char* call = "bupc_allv_prefix_reduce";
  return reduced_of_kind(call, kind, op, value, running(call).rank());
}
