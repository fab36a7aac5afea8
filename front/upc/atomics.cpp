// SPDX-License-Identifier: BSD-3-Clause
//
// Atomic memory operations (UPC optional library specification 1.3, 7.6). A domain is a block at
// one offset on all threads; each thread keeps in its own part the domain of the core that does the
// operations: by instructions of the processor where memory is mapped, else by messages or, where
// all threads agree, by the network.
//
// No instruction changes a pointer-to-shared of two words as UPC wants it, since a comparison
// ignores the phase; so operations on those take a word of the target's thread as a lock.
#include <upc_atomic.h>

#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>
#include <front/upc/address.hpp>
#include <front/upc/allocation.hpp>
#include <front/upc/global_heap.hpp>
#include <front/upc/relaxed.hpp>

#include <atomic>
#include <cstring>
#include <new>
#include <optional>

namespace atl::upc {
namespace {

constexpr std::uint64_t domain_mark = 0x646f6d61696e7570;

struct domain {
  std::uint64_t mark = domain_mark;
  upc_type_t type = 0;
  upc_op_t ops = 0;
  std::optional<atomic_domain> numbers;  // empty for pointers-to-shared
};

struct operation_row {
  upc_op_t op;
  atomic_op plain;
  atomic_op fetching;
  bool is_accessor;
};
constexpr operation_row operations[] = {
    {UPC_GET, atomic_op::get, atomic_op::get, true},
    {UPC_SET, atomic_op::set, atomic_op::swap, true},
    {UPC_CSWAP, atomic_op::cas, atomic_op::fetch_cas, true},
    {UPC_ADD, atomic_op::add, atomic_op::fetch_add, false},
    {UPC_SUB, atomic_op::sub, atomic_op::fetch_sub, false},
    {UPC_MULT, atomic_op::mult, atomic_op::fetch_mult, false},
    {UPC_INC, atomic_op::inc, atomic_op::fetch_inc, false},
    {UPC_DEC, atomic_op::dec, atomic_op::fetch_dec, false},
    {UPC_MIN, atomic_op::min, atomic_op::fetch_min, false},
    {UPC_MAX, atomic_op::max, atomic_op::fetch_max, false},
    {UPC_AND, atomic_op::bit_and, atomic_op::fetch_and, false},
    {UPC_OR, atomic_op::bit_or, atomic_op::fetch_or, false},
    {UPC_XOR, atomic_op::bit_xor, atomic_op::fetch_xor, false},
};

const operation_row* find_operation(upc_op_t op) noexcept {
  for (const operation_row& row : operations) {
    if (row.op == op) return &row;
  }
  return nullptr;
}

std::optional<data_type> number_type(upc_type_t type) noexcept {
  switch (type) {
    case UPC_INT:
    case UPC_INT32:
      return data_type::i32;
    case UPC_UINT:
    case UPC_UINT32:
      return data_type::u32;
    case UPC_LONG:
    case UPC_INT64:
      return data_type::i64;
    case UPC_ULONG:
    case UPC_UINT64:
      return data_type::u64;
    case UPC_FLOAT:
      return data_type::f32;
    case UPC_DOUBLE:
      return data_type::f64;
    default:
      return std::nullopt;
  }
}
static_assert(sizeof(long) == 8);

/// The operations of the core for these; empty when the core lacks one of them.
std::optional<atomic_ops> operations_of(upc_op_t ops, bool only_accessors) noexcept {
  atomic_ops found;
  for (const operation_row& row : operations) {
    if ((ops & row.op) == 0) continue;
    if (only_accessors && !row.is_accessor) return std::nullopt;
    found = found | row.plain | row.fetching;
    ops &= ~row.op;
  }
  if (ops != 0) return std::nullopt;
  return found;
}

domain& domain_of(process_state& us, const char* call, atoll_upc_pointer p) {
  if (p.offset != 0 && us.global->contains(p.offset)) {
    domain& found = *reinterpret_cast<domain*>(us.own_address(p.offset));
    if (found.mark == domain_mark) [[likely]]
      return found;
  }
  refuse(call, text("the domain (", text_of(p), ") is none"),
         "use what upc_all_atomicdomain_alloc has returned and is not freed");
}

struct atomic_arguments {
  void* fetched;
  const operation_row* row;
  atoll_upc_pointer target;
  const void* operand1;
  const void* operand2;
};

template <class T>
T value_at(const void* operand) noexcept {
  T value{};
  if (operand != nullptr) std::memcpy(&value, operand, sizeof value);
  return value;
}

template <class T>
void perform(process_state& us, const char* call, const domain& in, const atomic_arguments& asked,
             atomic_options options) {
  T* const address = reinterpret_cast<T*>(find(us, call, asked.target, sizeof(T)));
  const T old =
      in.numbers->apply<T>(asked.target.thread, address,
                           {.op = asked.fetched != nullptr ? asked.row->fetching : asked.row->plain,
                            .operand = value_at<T>(asked.operand1),
                            .operand2 = value_at<T>(asked.operand2)},
                           options);
  if (asked.fetched != nullptr) std::memcpy(asked.fetched, &old, sizeof old);
}

/// Holds the word of a thread that guards its pointers-to-shared.
class pointer_guard {
 public:
  pointer_guard(process_state& us, rank_id thread) : us_(us), thread_(thread) {
    us_.runtime.wait_until(
        [&] { return us_.atomic_at(thread_, word(), atomic_op::fetch_cas, 0, 1) == 0; },
        runtime::silent_sleep_ns);
  }
  pointer_guard(const pointer_guard&) = delete;
  pointer_guard& operator=(const pointer_guard&) = delete;
  ~pointer_guard() { us_.atomic_at(thread_, word(), atomic_op::set, 0); }

 private:
  std::uint64_t word() const noexcept {
    return us_.words_offset + offsetof(thread_words, pointer_guard);
  }
  process_state& us_;
  rank_id thread_;
};

void perform_on_pointer(process_state& us, const char* call, const atomic_arguments& asked) {
  auto* const address =
      reinterpret_cast<atoll_upc_pointer*>(find(us, call, asked.target, sizeof(atoll_upc_pointer)));
  const pointer_guard guard(us, asked.target.thread);
  const auto old = get_value(us.heaps, asked.target.thread, address);
  const auto operand1 = value_at<atoll_upc_pointer>(asked.operand1);
  if (asked.row->op == UPC_SET) put_value(us.heaps, asked.target.thread, address, operand1);
  if (asked.row->op == UPC_CSWAP && atoll_upc_equal(old, operand1) != 0) {
    put_value(us.heaps, asked.target.thread, address, value_at<atoll_upc_pointer>(asked.operand2));
  }
  if (asked.fetched != nullptr) std::memcpy(asked.fetched, &old, sizeof old);
}

void check_arguments(const char* call, const domain& in, upc_op_t op,
                     const atomic_arguments& asked) {
  if (asked.row == nullptr || (in.ops & op) != op) {
    refuse(call, text("the domain has no operation ", op, source_place()),
           "name the operation when the domain is allocated");
  }
  const unsigned operands = operands_of(asked.row->plain);
  const bool lacks_operand = (operands > 0 && asked.operand1 == nullptr) ||
                             (operands > 1 && asked.operand2 == nullptr) ||
                             (op == UPC_GET && asked.fetched == nullptr);
  if (lacks_operand) {
    refuse(call, text("a pointer that the operation needs is null", source_place()),
           "give the operands, and for UPC_GET where to fetch");
  }
}

void perform(process_state& us, const char* call, atoll_upc_pointer in, upc_op_t op,
             atomic_arguments asked, atomic_options options) {
  if (us.relaxed != nullptr) us.relaxed->make_way(asked.target, sizeof(atoll_upc_pointer));
  const domain& used = domain_of(us, call, in);
  asked.row = find_operation(op);
  check_arguments(call, used, op, asked);
  if (!used.numbers) {
    perform_on_pointer(us, call, asked);
    return;
  }
  with_type(used.numbers->type(), [&]<class T>(T) {
    if constexpr (is_atomic_number<T>) perform<T>(us, call, used, asked, options);
  });
}

void order_all() noexcept {
  if (atoll_upc_unordered != 0) atoll_upc_complete();
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

}  // namespace
}  // namespace atl::upc

using namespace atl;
using namespace atl::upc;

atoll_upc_pointer upc_all_atomicdomain_alloc(upc_type_t type, upc_op_t ops, upc_atomichint_t) {
  static constexpr const char* call = "upc_all_atomicdomain_alloc";
  process_state& us = running(call);
  const std::optional<data_type> number = number_type(type);
  const std::optional<atomic_ops> needed = operations_of(ops, type == UPC_PTS);
  if ((!number && type != UPC_PTS) || !needed || needed->empty()) {
    refuse(call, text("there are no atomic operations ", ops, " on type ", type),
           "use types and operations of upc_atomic.h, and on UPC_PTS accesses only");
  }
  const atoll_upc_pointer block = allocate_together(us, call, us.size(), sizeof(domain));
  if (block.offset == 0) return block;
  auto* const made =
      new (us.own_address(block.offset)) domain{.type = type, .ops = ops, .numbers = {}};
  if (number) {
    try {
      made->numbers.emplace(*us.world, *number, *needed);
    } catch (const error& refused) {
      refuse(call, refused.what(), "use operations that the type has");
    }
  }
  us.world->barrier();
  return block;
}

void upc_all_atomicdomain_free(atoll_upc_pointer ptr) {
  process_state& us = running("upc_all_atomicdomain_free");
  if (ptr.offset == 0) return;
  us.world->barrier();
  domain& ended = domain_of(us, "upc_all_atomicdomain_free", ptr);
  ended.mark = 0;
  ended.~domain();
  us.world->barrier();
  if (us.rank() == 0) free_shared(us, "upc_all_atomicdomain_free", ptr);
}

void upc_atomic_relaxed(atoll_upc_pointer in, void* fetch_ptr, upc_op_t op,
                        atoll_upc_pointer target, const void* operand1, const void* operand2) {
  perform(running("upc_atomic_relaxed"), "upc_atomic_relaxed", in, op,
          {fetch_ptr, nullptr, target, operand1, operand2}, {});
}

void upc_atomic_strict(atoll_upc_pointer in, void* fetch_ptr, upc_op_t op, atoll_upc_pointer target,
                       const void* operand1, const void* operand2) {
  order_all();
  perform(running("upc_atomic_strict"), "upc_atomic_strict", in, op,
          {fetch_ptr, nullptr, target, operand1, operand2}, {.acquire = true, .release = true});
  order_all();
}

int upc_atomic_isfast(upc_type_t type, upc_op_t ops, atoll_upc_pointer addr) {
  process_state& us = running("upc_atomic_isfast");
  return number_type(type) && operations_of(ops, false) && addr.thread < us.size() &&
                 us.routes[addr.thread].word_places != 0
             ? 1
             : 0;
}
