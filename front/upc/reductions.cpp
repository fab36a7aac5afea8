// SPDX-License-Identifier: BSD-3-Clause
//
// Reductions and prefix reductions (UPC required library specification 1.3, 7.4.3). A thread folds
// each of its blocks in its own memory. A commutative reduction then combines one number of each
// thread by a reduction of the core; a thread without elements contributes none. For functions that
// do not commute, and for prefixes, the results of blocks are gathered and combined in the order of
// the blocks, which go round the threads.
#include <bupc_extensions.h>
#include <upc_collective.h>

#include <atoll/base/text.hpp>
#include <atoll/coll/collectives.hpp>
#include <front/upc/collective.hpp>
#include <front/upc/operations.hpp>

#include <algorithm>
#include <type_traits>
#include <vector>

namespace atl::upc {
namespace {

/// The layout of an array's blocks over threads: block b is on thread (first + b) mod THREADS.
/// Where each thread has at most one block, nothing here divides.
struct block_view {
  rank_id threads;
  rank_id thread;  // this one
  atoll_upc_pointer begin;
  std::size_t element_bytes;
  std::size_t count;
  std::size_t block;   // elements; never 0
  std::size_t blocks;  // that have elements

  std::size_t rows() const noexcept { return (blocks + threads - 1) / threads; }
  rank_id owner(std::size_t number) const noexcept {
    return static_cast<rank_id>((begin.thread + number) % threads);
  }
  std::size_t first_own() const noexcept {
    return std::size_t{thread} - begin.thread + (thread < begin.thread ? threads : 0);
  }

  /// The begin of the elements of a block of this thread, and their number.
  struct run {
    std::uint64_t offset;
    std::size_t count;
  };
  run own_run(std::size_t number) const noexcept {
    const std::size_t first = std::max<std::size_t>(number * block, begin.phase);
    const std::size_t end = std::min<std::size_t>((number + 1) * block, begin.phase + count);
    const std::size_t position = row_of(number) * block + (first - number * block);
    return {begin.offset + (position - begin.phase) * element_bytes, end - first};
  }

  /// All elements of this thread: its blocks follow each other in its memory.
  run all_own() const noexcept {
    const std::size_t first = first_own();
    if (first >= blocks) return {0, 0};
    const run begins = own_run(first);
    if (blocks - first <= threads) return begins;
    const run ends = own_run(first + (blocks - 1 - first) / threads * threads);
    return {begins.offset, (ends.offset - begins.offset) / element_bytes + ends.count};
  }

 private:
  std::size_t row_of(std::size_t number) const noexcept {
    const std::size_t place = begin.thread + number;
    if (place < threads) return 0;
    return place < 2 * std::size_t{threads} ? 1 : place / threads;
  }
};

block_view view_of(const process_state& us, atoll_upc_pointer src, std::size_t element_bytes,
                   std::size_t count, std::size_t block) {
  if (block == 0) {  // all on one thread
    src.phase = 0;
    block = std::max<std::size_t>(count, 1);
  }
  const std::size_t end = src.phase + count;
  const std::size_t blocks = block == 1 ? end : (end + block - 1) / block;
  return {us.size(), us.rank(), src, element_bytes, count, block, blocks};
}

/// A number, or no number.
template <class T>
struct partial {
  T value;
  bool exists;
};

template <class T, class Operation>
void append(partial<T>& to, T value, Operation operation) {
  to = {to.exists ? operation(to.value, value) : value, true};
}

template <class T, class Operation>
partial<T> fold(const process_state& us, const block_view::run& elements, Operation operation) {
  const T* const begin = reinterpret_cast<const T*>(us.own_address(elements.offset));
  T value = begin[0];
  for (std::size_t i = 1; i < elements.count; ++i) value = operation(value, begin[i]);
  return {value, true};
}

template <class T, class Operation>
std::vector<partial<T>> fold_blocks(const process_state& us, const block_view& view,
                                    Operation operation) {
  std::vector<partial<T>> results(view.rows(), partial<T>{});
  for (std::size_t number = view.first_own(); number < view.blocks; number += view.threads) {
    results[number / view.threads] = fold<T>(us, view.own_run(number), operation);
  }
  return results;
}

/// For the core: b = a OP b, where either number may be missing.
template <class T, class Operation>
void combine(const void* a, void* b_and_out, std::size_t count, const void* context) {
  const auto* const first = static_cast<const partial<T>*>(a);
  auto* const second = static_cast<partial<T>*>(b_and_out);
  const Operation& operation = *static_cast<const Operation*>(context);
  for (std::size_t i = 0; i < count; ++i) {
    if (!first[i].exists) continue;
    second[i] = {second[i].exists ? operation(first[i].value, second[i].value) : first[i].value,
                 true};
  }
}

/// The same where every thread has a number: half as many bytes travel.
template <class T, class Operation>
void combine_values(const void* a, void* b_and_out, std::size_t count, const void* context) {
  const T* const first = static_cast<const T*>(a);
  T* const second = static_cast<T*>(b_and_out);
  const Operation& operation = *static_cast<const Operation*>(context);
  for (std::size_t i = 0; i < count; ++i) second[i] = operation(first[i], second[i]);
}

/// Reduces a value of each thread in any order; `to` is written at the root, and may be `own`
/// there.
template <class T, class Operation>
void reduce_values(process_state& us, rank_id root, T* to, const T* own, Operation operation) {
  coll::reduce(*us.world, root, to, own, 1,
               {.element_bytes = sizeof *own,
                .combine = combine_values<T, Operation>,
                .context = &operation,
                .commutative = true});
}

template <class T, class Operation>
partial<T> reduce_in_any_order(process_state& us, const block_view& view, rank_id root,
                               Operation operation) {
  const block_view::run elements = view.all_own();
  if (view.blocks >= view.threads) {
    const T own = fold<T>(us, elements, operation).value;
    T result{};
    reduce_values(us, root, &result, &own, operation);
    return {result, true};
  }
  const partial<T> own = elements.count != 0 ? fold<T>(us, elements, operation) : partial<T>{};
  partial<T> result{};
  coll::reduce(*us.world, root, &result, &own, 1,
               {.element_bytes = sizeof own,
                .combine = combine<T, Operation>,
                .context = &operation,
                .commutative = true});
  return result;
}

template <class T, class Operation>
partial<T> reduce_in_order(process_state& us, const block_view& view, rank_id root,
                           Operation operation) {
  const std::vector<partial<T>> own = fold_blocks<T>(us, view, operation);
  std::vector<partial<T>> blocks(us.rank() == root ? own.size() * us.size() : 0);
  coll::gather(*us.world, root, blocks.data(), own.data(), own.size() * sizeof own[0]);
  partial<T> result{};
  if (us.rank() != root) return result;
  for (std::size_t number = 0; number < view.blocks; ++number) {
    append(result, blocks[view.owner(number) * own.size() + number / view.threads].value,
           operation);
  }
  return result;
}

struct reduction_call {
  const char* name;
  atoll_upc_pointer dst;
  atoll_upc_pointer src;
  upc_op_t op;
  std::size_t count;
  std::size_t block;
};

inline void need_pointer(const reduction_call& call, atoll_upc_pointer p, const process_state& us) {
  if (p.offset != 0 && p.thread < us.size()) [[likely]]
    return;
  refuse(call.name, text("the pointer is ", text_of(p)), "let it point to an object");
}

/// Whether there is one element on each thread, as in most programs.
bool has_one_each(const process_state& us, const reduction_call& call) noexcept {
  return call.block == 1 && call.count == us.size() && call.src.thread == 0 && call.src.phase == 0;
}

template <class T>
void reduce(const reduction_call& call, user_function<T> function, upc_flag_t flags) {
  const collective_frame frame(call.name, flags);
  process_state& us = frame.us();
  need_pointer(call, call.src, us);
  need_pointer(call, call.dst, us);
  if (call.count == 0) return;
  with_operation<T>(call.name, call.op, function, [&](auto operation) {
    const rank_id root = call.dst.thread;
    T* const to = reinterpret_cast<T*>(us.own_address(call.dst.offset));
    if (has_one_each(us, call) && call.op != UPC_NONCOMM_FUNC) {
      const T* const own = reinterpret_cast<const T*>(us.own_address(call.src.offset));
      return reduce_values(us, root, to, own, operation);
    }
    const block_view view = view_of(us, call.src, sizeof(T), call.count, call.block);
    const partial<T> result = call.op == UPC_NONCOMM_FUNC
                                  ? reduce_in_order<T>(us, view, root, operation)
                                  : reduce_in_any_order<T>(us, view, root, operation);
    if (us.rank() == root) *to = result.value;
  });
}

/// Gives the result to every thread, by way of thread 0, whether the order matters or not.
template <class T>
void reduce_all(const reduction_call& call, user_function<T> function, upc_flag_t flags) {
  const collective_frame frame(call.name, flags);
  process_state& us = frame.us();
  frame.need_thread_0("dst", call.dst);
  need_pointer(call, call.src, us);
  if (call.count == 0) return;
  const block_view view = view_of(us, call.src, sizeof(T), call.count, call.block);
  T* const own_result = reinterpret_cast<T*>(us.own_address(call.dst.offset));
  with_operation<T>(call.name, call.op, function, [&](auto operation) {
    partial<T> result = call.op == UPC_NONCOMM_FUNC
                            ? reduce_in_order<T>(us, view, 0, operation)
                            : reduce_in_any_order<T>(us, view, 0, operation);
    coll::broadcast(*us.world, 0, own_result, &result.value, sizeof(T));
  });
}

/// Writes the prefixes of one block; `prefix` is the result of all blocks before it.
template <class T, class Operation>
void write_prefixes(const process_state& us, const block_view::run& from, std::uint64_t to,
                    partial<T> prefix, Operation operation) {
  const T* const source = reinterpret_cast<const T*>(us.own_address(from.offset));
  T* const target = reinterpret_cast<T*>(us.own_address(to));
  for (std::size_t i = 0; i < from.count; ++i) {
    append(prefix, source[i], operation);
    target[i] = prefix.value;
  }
}

template <class T>
void prefix_reduce(const reduction_call& call, user_function<T> function, upc_flag_t flags) {
  const collective_frame frame(call.name, flags);
  process_state& us = frame.us();
  need_pointer(call, call.src, us);
  need_pointer(call, call.dst, us);
  if (call.dst.thread != call.src.thread || call.dst.phase != call.src.phase) {
    refuse(call.name, text("dst is ", text_of(call.dst), ", and src is ", text_of(call.src)),
           "let both have the same thread and phase");
  }
  if (call.count == 0) return;
  const block_view view = view_of(us, call.src, sizeof(T), call.count, call.block);
  with_operation<T>(call.name, call.op, function, [&](auto operation) {
    const std::vector<partial<T>> own = fold_blocks<T>(us, view, operation);
    std::vector<partial<T>> blocks(own.size() * us.size());
    coll::allgather(*us.world, blocks.data(), own.data(), own.size() * sizeof own[0]);
    partial<T> prefix{};
    for (std::size_t number = 0; number < view.blocks; ++number) {
      if (view.owner(number) == us.rank()) {
        const block_view::run elements = view.own_run(number);
        write_prefixes(us, elements, elements.offset - call.src.offset + call.dst.offset, prefix,
                       operation);
      }
      append(prefix, blocks[view.owner(number) * own.size() + number / view.threads].value,
             operation);
    }
  });
}

}  // namespace
}  // namespace atl::upc

using namespace atl;
using namespace atl::upc;

#define ATOLL_UPC_DEFINE_REDUCTION(T, TYPE)                                                       \
  void upc_all_reduce##T(atoll_upc_pointer dst, atoll_upc_pointer src, upc_op_t op,               \
                         std::size_t nelems, std::size_t blk_size, TYPE (*func)(TYPE, TYPE),      \
                         upc_flag_t flags) {                                                      \
    reduce<TYPE>({"upc_all_reduce" #T, dst, src, op, nelems, blk_size}, func, flags);             \
  }                                                                                               \
  void upc_all_prefix_reduce##T(atoll_upc_pointer dst, atoll_upc_pointer src, upc_op_t op,        \
                                std::size_t nelems, std::size_t blk_size,                         \
                                TYPE (*func)(TYPE, TYPE), upc_flag_t flags) {                     \
    prefix_reduce<TYPE>({"upc_all_prefix_reduce" #T, dst, src, op, nelems, blk_size}, func,       \
                        flags);                                                                   \
  }                                                                                               \
  void bupc_all_reduce_all##T(atoll_upc_pointer dst, atoll_upc_pointer src, upc_op_t op,          \
                              std::size_t nelems, std::size_t blk_size, TYPE (*func)(TYPE, TYPE), \
                              upc_flag_t flags) {                                                 \
    reduce_all<TYPE>({"bupc_all_reduce_all" #T, dst, src, op, nelems, blk_size}, func, flags);    \
  }
ATOLL_UPC_DEFINE_REDUCTION(C, signed char)
ATOLL_UPC_DEFINE_REDUCTION(UC, unsigned char)
ATOLL_UPC_DEFINE_REDUCTION(S, signed short)
ATOLL_UPC_DEFINE_REDUCTION(US, unsigned short)
ATOLL_UPC_DEFINE_REDUCTION(I, signed int)
ATOLL_UPC_DEFINE_REDUCTION(UI, unsigned int)
ATOLL_UPC_DEFINE_REDUCTION(L, signed long)
ATOLL_UPC_DEFINE_REDUCTION(UL, unsigned long)
ATOLL_UPC_DEFINE_REDUCTION(F, float)
ATOLL_UPC_DEFINE_REDUCTION(D, double)
ATOLL_UPC_DEFINE_REDUCTION(LD, long double)
