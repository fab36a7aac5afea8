// SPDX-License-Identifier: BSD-3-Clause
//
// Remote atomics: read-modify-write of one number in the segment of any rank (segment.hpp),
// addressed as its owner addresses it. If the rank's memory is mapped here, this processor's atomic
// operation does it, inline: the test of locality (route.hpp) and the instruction; it is complete
// on return, and not counted. Otherwise a request goes to the target, whose progress executes the
// same instruction and replies. So operations of both kinds on one number are atomic with respect
// to each other. The network may do all operations of a domain instead, see atomics_by_network().
//
//   atomic        blocking; returns the old value (atomic_into: the status)
//   atomic_nb     explicit: an event, empty when already complete
//   atomic_nbi    implicit: completed by runtime::wait_implicit or by an access region
//
// An operation that fetches writes the old value of the number to `result`, which must live until
// the operation is complete; the others leave `result` alone, and it may be null. Order: see
// atomic_op.hpp. Errors end the job with a message: a number outside of the target's segment or not
// aligned to its size, an operation that the type does not have, a bad rank. Threads: any, in mode
// `any`; implicit forms belong to the calling thread. Handlers must not call these functions.
#pragma once

#include <atoll/core/am/endpoint.hpp>
#include <atoll/core/atomic/atomic_op.hpp>
#include <atoll/core/segment/segment.hpp>
#include <atoll/core/team/team.hpp>

#include <cstdint>

namespace atl {

/// An atomic operation as it travels: the number's address at the target, operands as bits.
struct atomic_call {
  atomic_op op;
  data_type type;
  void* address;
  void* result;
  std::uint64_t operand;
  std::uint64_t operand2;
  bool by_network = false;  // of a domain for which atomics_by_network() holds
};

/// Whether the network does these operations among the members. It does all of them or none,
/// also those of a rank on itself and on its neighbours, because the network's atomics are not
/// atomic with respect to the processor's, nor those of two networks with each other: so it must be
/// the first network of all members. Every member gets the same answer, since all know what each
/// one's network can do.
bool atomics_by_network(const team& members, data_type type, atomic_ops ops) noexcept;

/// Out-of-line halves, for operations that inline code does not do. They send a request, or have it
/// done by the network where the call says so and reaches the number. Direct operations are done by
/// them, too: inline code leaves to them all when they are counted (ATOLL_COUNTERS), and always
/// those on small numbers in the last bytes of a part.
operation_status atomic_out_of_line(segment& memory, rank_id target,
                                    const atomic_call& call) noexcept;
bool atomic_nb_out_of_line(segment& memory, rank_id target, const atomic_call& call,
                           atomic_options options, event& done) noexcept;
bool atomic_nbi_out_of_line(segment& memory, rank_id target, const atomic_call& call,
                            atomic_options options) noexcept;

/// Starts an operation that is not direct. It counts in the caller's record, which must live until
/// the operation is complete.
void start_atomic(segment& memory, rank_id target, const atomic_call& call,
                  operation& record) noexcept;

template <class T>
std::uint64_t bits_of(T value) noexcept {
  if constexpr (sizeof(T) == 4) {
    return bits_as<std::uint32_t>(value);
  } else {
    return bits_as<std::uint64_t>(value);
  }
}

/// The number with these bits; a small type uses the low half.
template <class T>
T value_of_bits(std::uint64_t bits) noexcept {
  if constexpr (sizeof(T) == 4) {
    return bits_as<T>(static_cast<std::uint32_t>(bits));
  } else {
    return bits_as<T>(bits);
  }
}

template <class T>
atomic_call call_of(T* address, const atomic_request<T>& request, T* result) noexcept {
  atomic_call call;
  call.op = request.op;
  call.type = data_type_of<T>();
  call.address = address;
  call.result = result;
  call.operand = bits_of(request.operand);
  call.operand2 = bits_of(request.operand2);
  return call;
}

/// A complete direct operation; false when the number is not mapped here, or when the call is
/// wrong, which the out-of-line halves report.
template <class T>
bool atomic_direct(segment& memory, rank_id target, T* address, const atomic_request<T>& request,
                   T* result, atomic_options options) noexcept {
  if (target >= memory.inline_ranks() || !ops_of(data_type_of<T>()).contains(request.op))
      [[unlikely]]
    return false;
  std::byte* const mapped = memory.routes()[target].direct_inline(address, sizeof(T));
  if (mapped == nullptr || reinterpret_cast<std::uintptr_t>(mapped) % sizeof(T) != 0) [[unlikely]]
    return false;
  const T old_value = perform(reinterpret_cast<T*>(mapped), request, options);
  if (fetches(request.op)) *result = old_value;
  return true;
}

/// Blocking; an operation that fetches writes the old value to `result`. The status is done, or
/// peer_lost where the program watches for that (runtime::on_peer_lost).
template <class T>
operation_status atomic_into(segment& memory, rank_id target, T* address,
                             const not_deduced<atomic_request<T>>& request, not_deduced<T>* result,
                             atomic_options options = {}) noexcept {
  if (atomic_direct(memory, target, address, request, result, options)) [[likely]]
    return operation_status::done;
  return atomic_out_of_line(memory, target, call_of(address, request, result));
}

/// Blocking; returns the old value of the number, and 0 when the operation does not fetch or
/// `target` is lost.
template <class T>
T atomic(segment& memory, rank_id target, T* address, const not_deduced<atomic_request<T>>& request,
         atomic_options options = {}) noexcept {
  T old_value{};
  atomic_into(memory, target, address, request, &old_value, options);
  return old_value;
}

/// Explicit event; `done` becomes empty or holds the operation. False: `immediate` was asked for
/// and there was no room; nothing happened.
template <class T>
bool atomic_nb(segment& memory, rank_id target, T* address,
               const not_deduced<atomic_request<T>>& request, not_deduced<T>* result, event& done,
               atomic_options options = {}) noexcept {
  if (atomic_direct(memory, target, address, request, result, options)) [[likely]] {
    done = event();
    return true;
  }
  return atomic_nb_out_of_line(memory, target, call_of(address, request, result), options, done);
}

/// Implicit; false as above. Counts as a put when it sets, as a get when it gets, else as atomic.
template <class T>
bool atomic_nbi(segment& memory, rank_id target, T* address,
                const not_deduced<atomic_request<T>>& request, not_deduced<T>* result,
                atomic_options options = {}) noexcept {
  if (atomic_direct(memory, target, address, request, result, options)) [[likely]]
    return true;
  return atomic_nbi_out_of_line(memory, target, call_of(address, request, result), options);
}

/// Atomics of one type and a set of operations among the members of a team: what the standards
/// call an atomic domain. Announcing the operations lets a network do them all, where
/// atomics_by_network(); an operation that was not announced ends the job with a message. While any
/// operation of a domain is under way, nothing else may change the numbers.
///
/// The numbers lie in the heaps of the members. Making a domain needs no communication; every
/// member makes its own, alike. The team outlives it.
class atomic_domain {
 public:
  /// Throws `atl::error` when the type has not all of these operations, or there are none.
  atomic_domain(team& members, data_type type, atomic_ops ops);

  team& members() const noexcept { return members_; }
  data_type type() const noexcept { return type_; }
  atomic_ops ops() const noexcept { return ops_ | network_ops_; }
  bool by_network() const noexcept { return !network_ops_.empty(); }

  /// As the functions above; `member` is a rank of the team.
  template <class T>
  T apply(rank_id member, T* address, const not_deduced<atomic_request<T>>& request,
          atomic_options options = {}) const noexcept {
    T old_value{};
    apply_into(member, address, request, &old_value, options);
    return old_value;
  }
  template <class T>
  operation_status apply_into(rank_id member, T* address,
                              const not_deduced<atomic_request<T>>& request, not_deduced<T>* result,
                              atomic_options options = {}) const noexcept {
    if (!is_plain<T>(member, request.op)) [[unlikely]] {
      return atomic_out_of_line(heaps_, members_.job_rank(member),
                                network_call(address, request, result));
    }
    return atomic_into(heaps_, members_.job_rank(member), address, request, result, options);
  }
  template <class T>
  bool apply_nb(rank_id member, T* address, const not_deduced<atomic_request<T>>& request,
                T* result, event& done) const noexcept {
    if (!is_plain<T>(member, request.op)) [[unlikely]] {
      return atomic_nb_out_of_line(heaps_, members_.job_rank(member),
                                   network_call(address, request, result), {}, done);
    }
    return atomic_nb(heaps_, members_.job_rank(member), address, request, result, done);
  }
  template <class T>
  bool apply_nbi(rank_id member, T* address, const not_deduced<atomic_request<T>>& request,
                 T* result) const noexcept {
    if (!is_plain<T>(member, request.op)) [[unlikely]] {
      return atomic_nbi_out_of_line(heaps_, members_.job_rank(member),
                                    network_call(address, request, result), {});
    }
    return atomic_nbi(heaps_, members_.job_rank(member), address, request, result);
  }

 private:
  /// Whether the operation is done as without a domain; false: by the network. Ends the job when
  /// the domain does not have it.
  template <class T>
  bool is_plain(rank_id member, atomic_op op) const noexcept {
    if (data_type_of<T>() == type_ && ops_.contains(op) && member < members_.size()) [[likely]]
      return true;
    need_network_op(member, data_type_of<T>(), op);
    return false;
  }
  template <class T>
  static atomic_call network_call(T* address, const atomic_request<T>& request,
                                  T* result) noexcept {
    atomic_call call = call_of(address, request, result);
    call.by_network = true;
    return call;
  }
  [[gnu::cold]] void need_network_op(rank_id member, data_type type, atomic_op op) const noexcept;

  team& members_;
  segment& heaps_;
  data_type type_;
  atomic_ops ops_;          // done by loads and stores, or by messages
  atomic_ops network_ops_;  // done by the network; one of the two is empty
};

}  // namespace atl
