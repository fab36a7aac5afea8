// SPDX-License-Identifier: BSD-3-Clause
//
// Reductions and scans. The core combines integers, float and double itself; long double and
// complex numbers are combined here. An exclusive scan of no elements is zero, which the core
// leaves to its callers.
#include <atoll/coll/collectives.hpp>
#include <atoll/coll/reduction.hpp>
#include <front/shmem/active_set.hpp>
#include <front/shmem/checks.hpp>

#include <cstring>
#include <type_traits>

namespace atl::shmem {
namespace {

using coll::reduce_operation;

template <class T>
constexpr bool is_core_type =
    std::is_integral_v<T> || std::is_same_v<T, float> || std::is_same_v<T, double>;

template <class T>
constexpr data_type core_type() noexcept {
  if constexpr (std::is_floating_point_v<T>) {
    return sizeof(T) == 4 ? data_type::f32 : data_type::f64;
  } else {
    constexpr data_type signed_types[] = {data_type::i8, data_type::i16, data_type::i32,
                                          data_type::i64};
    constexpr data_type unsigned_types[] = {data_type::u8, data_type::u16, data_type::u32,
                                            data_type::u64};
    constexpr int log = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return std::is_signed_v<T> ? signed_types[log] : unsigned_types[log];
  }
}

/// Combines numbers that the core does not know.
template <reduce_operation What, class T>
void combine(const void* a, void* b_and_out, std::size_t count, const void*) {
  const T* const first = static_cast<const T*>(a);
  T* const second = static_cast<T*>(b_and_out);
  for (std::size_t i = 0; i < count; ++i) {
    if constexpr (What == reduce_operation::add) {
      second[i] = first[i] + second[i];
    } else if constexpr (What == reduce_operation::mult) {
      second[i] = first[i] * second[i];
    } else if constexpr (What == reduce_operation::min) {
      second[i] = second[i] < first[i] ? second[i] : first[i];
    } else {
      second[i] = first[i] < second[i] ? second[i] : first[i];
    }
  }
}

template <reduce_operation What, class T>
coll::reduction reduction_of() noexcept {
  if constexpr (is_core_type<T>) {
    return coll::built_in(What, core_type<T>());
  } else {
    return {.element_bytes = sizeof(T), .combine = combine<What, T>};
  }
}

template <reduce_operation What, class T>
void reduce(const char* call, atl::team& among, T* dest, const T* source, std::size_t count) {
  const std::size_t bytes = count * sizeof(T);
  check_collective(*the_process, among,
                   {.name = call,
                    .dest = dest,
                    .dest_bytes = bytes,
                    .source = source,
                    .source_bytes = bytes,
                    .agreed_bytes = bytes});
  coll::allreduce(among, dest, source, count, reduction_of<What, T>());
}

template <reduce_operation What, class T>
int reduce_team(const char* call, shmem_team_t team, T* dest, const T* source, std::size_t count) {
  running(call);
  reduce<What>(call, *team_of(call, team).core, dest, source, count);
  return 0;
}

template <reduce_operation What, class T>
void reduce_set(const char* call, const active_set_name& set, T* dest, const T* source, int count) {
  atl::team* const among = find_active_set(call, set);
  if (among == nullptr || count <= 0) return;
  reduce<What>(call, *among, dest, source, static_cast<std::size_t>(count));
}

template <class T>
int scan(const char* call, shmem_team_t team, T* dest, const T* source, std::size_t count,
         coll::scan_kind kind) {
  running(call);
  atl::team& among = *team_of(call, team).core;
  const std::size_t bytes = count * sizeof(T);
  check_collective(*the_process, among,
                   {.name = call,
                    .dest = dest,
                    .dest_bytes = bytes,
                    .source = source,
                    .source_bytes = bytes,
                    .agreed_bytes = bytes});
  coll::scan(among, dest, source, count, reduction_of<reduce_operation::add, T>(), kind);
  if (kind == coll::scan_kind::exclusive && among.rank() == 0 && count != 0)
    std::memset(static_cast<void*>(dest), 0, count * sizeof(T));
  return 0;
}

}  // namespace
}  // namespace atl::shmem

using namespace atl::shmem;
using atl::coll::scan_kind;

// clang-format off

#define REDUCE(T, TYPE, NAME, OPERATION)                                                           \
  ATOLL_SHMEM_ENTRY(int, T##_##NAME,                                                               \
                    (shmem_team_t team, TYPE* dest, const TYPE* source, size_t nreduce),           \
                    return reduce_team<reduce_operation::OPERATION>("shmem_" #NAME, team, dest,    \
                                                                    source, nreduce))
#define BITS(P, T, TYPE)                                                                           \
  REDUCE(T, TYPE, and_reduce, and_)                                                                \
  REDUCE(T, TYPE, or_reduce, or_)                                                                  \
  REDUCE(T, TYPE, xor_reduce, xor_)
#define ORDER(P, T, TYPE) REDUCE(T, TYPE, min_reduce, min) REDUCE(T, TYPE, max_reduce, max)
#define SUM(P, T, TYPE)                                                                            \
  REDUCE(T, TYPE, sum_reduce, add)                                                                 \
  REDUCE(T, TYPE, prod_reduce, mult)                                                               \
  ATOLL_SHMEM_ENTRY(int, T##_sum_inscan,                                                           \
                    (shmem_team_t team, TYPE* dest, const TYPE* source, size_t nelems),            \
                    return scan("shmem_sum_inscan", team, dest, source, nelems,                    \
                                scan_kind::inclusive))                                             \
  ATOLL_SHMEM_ENTRY(int, T##_sum_exscan,                                                           \
                    (shmem_team_t team, TYPE* dest, const TYPE* source, size_t nelems),            \
                    return scan("shmem_sum_exscan", team, dest, source, nelems,                    \
                                scan_kind::exclusive))
ATOLL_SHMEM_REDUCE_BITS(BITS, )
ATOLL_SHMEM_RMA(ORDER, )
ATOLL_SHMEM_REDUCE_SUM(SUM, )

#define TO_ALL(T, TYPE, NAME, OPERATION)                                                           \
  ATOLL_SHMEM_ENTRY(void, T##_##NAME,                                                              \
                    (TYPE* dest, const TYPE* source, int nreduce, int PE_start, int logPE_stride,  \
                     int PE_size, TYPE*, long* pSync),                                             \
                    reduce_set<reduce_operation::OPERATION>(                                       \
                        "shmem_" #NAME, {PE_start, logPE_stride, PE_size, pSync}, dest, source, nreduce))
#define TO_ALL_BITS(P, T, TYPE)                                                                    \
  TO_ALL(T, TYPE, and_to_all, and_)                                                                \
  TO_ALL(T, TYPE, or_to_all, or_)                                                                  \
  TO_ALL(T, TYPE, xor_to_all, xor_)
#define TO_ALL_ORDER(P, T, TYPE) TO_ALL(T, TYPE, min_to_all, min) TO_ALL(T, TYPE, max_to_all, max)
#define TO_ALL_SUM(P, T, TYPE) TO_ALL(T, TYPE, sum_to_all, add) TO_ALL(T, TYPE, prod_to_all, mult)
ATOLL_SHMEM_TO_ALL_BITS(TO_ALL_BITS, )
ATOLL_SHMEM_TO_ALL_ORDER(TO_ALL_ORDER, )
ATOLL_SHMEM_TO_ALL_SUM(TO_ALL_SUM, )

// clang-format on
