// SPDX-License-Identifier: BSD-3-Clause
//
// Remote atomics. An atomic domain says for one type which operations a program will use; each is
// then a read-modify-write of one number in the shared memory of any member. To a rank whose memory
// is mapped here it is the processor's instruction, complete when the call returns. All operations
// order as acquire and release whatever order is asked for, which costs nothing on x86.
// Making a domain is collective. Spec: chapter 13.
#pragma once

#include <atoll/base/language.hpp>
#include <upcxx/barrier.hpp>
#include <upcxx/rget.hpp>

#include <atoll/core/atomic/atomic.hpp>

#include <atomic>
#include <cstdint>
#include <iterator>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace upcxx {

/// The operations that a domain may be made for; each has a member function of its name.
enum class atomic_op : std::uint8_t {
  load,
  store,
  compare_exchange,
  add,
  fetch_add,
  sub,
  fetch_sub,
  mul,
  fetch_mul,
  min,
  fetch_min,
  max,
  fetch_max,
  bit_and,
  fetch_bit_and,
  bit_or,
  fetch_bit_or,
  bit_xor,
  fetch_bit_xor,
  inc,
  fetch_inc,
  dec,
  fetch_dec
};

}  // namespace upcxx

namespace atl::upcxx_front {

constexpr atl::atomic_op core_op(upcxx::atomic_op op) noexcept {
  using from = upcxx::atomic_op;
  using to = atl::atomic_op;
  constexpr to table[] = {
      to::get,       to::set,     to::fetch_cas,  to::add,    to::fetch_add, to::sub,
      to::fetch_sub, to::mult,    to::fetch_mult, to::min,    to::fetch_min, to::max,
      to::fetch_max, to::bit_and, to::fetch_and,  to::bit_or, to::fetch_or,  to::bit_xor,
      to::fetch_xor, to::inc,     to::fetch_inc,  to::dec,    to::fetch_dec};
  static_assert(std::size(table) == static_cast<std::size_t>(from::fetch_dec) + 1);
  return table[static_cast<std::size_t>(op)];
}

template <class T>
inline constexpr bool has_remote_atomics =
    std::is_same_v<T, float> || std::is_same_v<T, double> ||
    (std::is_integral_v<T> && std::is_same_v<T, std::remove_cv_t<T>> &&
     (sizeof(T) == 4 || sizeof(T) == 8));

/// The operations of a domain, for the core; ends the job for one that the type does not have.
atomic_ops ops_of_domain(const std::vector<upcxx::atomic_op>& ops, data_type type) noexcept;
/// Whether the network does what a domain is for; see the core's atomics_by_network().
bool domain_by_network(const upcxx::team& team, data_type type, atomic_ops ops) noexcept;
/// Ends the job for an operation that is not among `by_network`; `others` were announced, too.
[[gnu::cold]] void need_network_op(upcxx::atomic_op op, atomic_ops others,
                                   atomic_ops by_network) noexcept;
[[noreturn, gnu::cold]] void refuse_domain(const char* call, const char* cause) noexcept;
/// Ends the job when that rank of the world is not of the domain's team.
[[gnu::cold]] void need_member_of_domain(const upcxx::team& team, std::uint32_t target) noexcept;
[[noreturn, gnu::cold]] void refuse_order(std::memory_order order) noexcept;
/// The owner's address of a number; ends the job for null.
void* address_of_atomic(const place& location) noexcept;
void end_domain(const upcxx::team& team, upcxx::entry_barrier entry) noexcept;

/// The number that was at the target, once it is here.
template <class T>
struct fetched {
  core_number<T> old_value;
  std::tuple<T> take() const noexcept { return std::tuple<T>(static_cast<T>(old_value)); }
};
template <class T>
struct fetched_to {
  core_number<T>* to;
  std::tuple<> take() const noexcept { return {}; }
};

}  // namespace atl::upcxx_front

namespace upcxx {

/// Atomic operations on numbers of type T in the shared memory of a team's members.
///
/// For each operation: `p` is not null and lies aligned. `order` is relaxed, acquire, release or
/// acq_rel; a load cannot release, and a store cannot acquire. load, compare_exchange (which
/// stores `desired` where it finds `expected`) and fetch_ operations bring the old value, by
/// their future or to `dst`, which is valid until operation completion; the others bring nothing.
/// An operation that the domain was not made for ends the job with a message. Operation
/// completion only. Any thread; also in the restricted context.
template <class T>
class atomic_domain {
  static_assert(
      atl::upcxx_front::has_remote_atomics<T>,
      "atomic_domain: the type must be float, double, or an integral type of 32 or 64 bits, and "
      "neither const nor volatile");
  using number = atl::core_number<T>;

 public:
  /// An inactive domain. May be made before init() too.
  atomic_domain() noexcept = default;
  /// An active domain. Collective. The team must outlive it.
  atomic_domain(const std::vector<atomic_op>& ops, const team& team = world())
      : team_(&team.id().here()),
        ops_(atl::upcxx_front::ops_of_domain(ops, atl::data_type_of<number>())) {
    atl::upcxx_front::need_collective("atomic_domain::atomic_domain");
    if (atl::upcxx_front::domain_by_network(*team_, atl::data_type_of<number>(), ops_))
      std::swap(ops_, network_ops_);
  }
  atomic_domain(atomic_domain&& other) noexcept
      : team_(std::exchange(other.team_, nullptr)),
        ops_(std::exchange(other.ops_, {})),
        network_ops_(std::exchange(other.network_ops_, {})) {}
  atomic_domain& operator=(atomic_domain&& other) noexcept {
    if (this == &other) return *this;
    if (is_active()) [[unlikely]]
      atl::upcxx_front::refuse_domain("atomic_domain::operator=", "its target is active");
    team_ = std::exchange(other.team_, nullptr);
    ops_ = std::exchange(other.ops_, {});
    network_ops_ = std::exchange(other.network_ops_, {});
    return *this;
  }
  atomic_domain(const atomic_domain&) = delete;
  atomic_domain& operator=(const atomic_domain&) = delete;
  ~atomic_domain() {
    if (is_active() && initialized()) [[unlikely]]
      atl::upcxx_front::refuse_domain("atomic_domain::~atomic_domain", "the domain is active");
  }

  bool is_active() const noexcept { return team_ != nullptr; }

  /// Ends the domain. Collective.
  void destroy(entry_barrier entry = entry_barrier::user) {
    if (!is_active()) [[unlikely]]
      atl::upcxx_front::refuse_domain("atomic_domain::destroy", "the domain is inactive");
    atl::upcxx_front::end_domain(*team_, entry);
    team_ = nullptr;
    ops_ = {};
    network_ops_ = {};
  }

  template <class Cx = atl::upcxx_front::default_cx>
  [[nodiscard]] auto load(global_ptr<const T> p, std::memory_order order, Cx&& cxs = Cx()) const {
    need_order_of_load(order);
    return fetch(atomic_op::load, p, {}, {}, order, std::forward<Cx>(cxs));
  }
  template <class Cx = atl::upcxx_front::default_cx>
  [[nodiscard]] auto load(global_ptr<const T> p, T* dst, std::memory_order order,
                          Cx&& cxs = Cx()) const {
    need_order_of_load(order);
    return fetch_to(atomic_op::load, p, {}, {}, dst, order, std::forward<Cx>(cxs));
  }
  template <class Cx = atl::upcxx_front::default_cx>
  [[nodiscard]] auto store(global_ptr<T> p, T value, std::memory_order order,
                           Cx&& cxs = Cx()) const {
    if (order == std::memory_order_acquire || order == std::memory_order_acq_rel)
      atl::upcxx_front::refuse_order(order);
    return change(atomic_op::store, p, value, order, std::forward<Cx>(cxs));
  }
  template <class Cx = atl::upcxx_front::default_cx>
  [[nodiscard]] auto compare_exchange(global_ptr<T> p, T expected, T desired,
                                      std::memory_order order, Cx&& cxs = Cx()) const {
    return fetch(atomic_op::compare_exchange, p, expected, desired, order, std::forward<Cx>(cxs));
  }
  template <class Cx = atl::upcxx_front::default_cx>
  [[nodiscard]] auto compare_exchange(global_ptr<T> p, T expected, T desired, T* dst,
                                      std::memory_order order, Cx&& cxs = Cx()) const {
    return fetch_to(atomic_op::compare_exchange, p, expected, desired, dst, order,
                    std::forward<Cx>(cxs));
  }

  template <class Cx = atl::upcxx_front::default_cx>
  [[nodiscard]] auto add(global_ptr<T> p, T value, std::memory_order order, Cx&& cxs = Cx()) const {
    return change(atomic_op::add, p, value, order, std::forward<Cx>(cxs));
  }
  template <class Cx = atl::upcxx_front::default_cx>
  [[nodiscard]] auto fetch_add(global_ptr<T> p, T value, std::memory_order order,
                               Cx&& cxs = Cx()) const {
    return fetch(atomic_op::fetch_add, p, value, {}, order, std::forward<Cx>(cxs));
  }
  template <class Cx = atl::upcxx_front::default_cx>
  [[nodiscard]] auto fetch_add(global_ptr<T> p, T value, T* dst, std::memory_order order,
                               Cx&& cxs = Cx()) const {
    return fetch_to(atomic_op::fetch_add, p, value, {}, dst, order, std::forward<Cx>(cxs));
  }
  template <class Cx = atl::upcxx_front::default_cx>
  [[nodiscard]] auto sub(global_ptr<T> p, T value, std::memory_order order, Cx&& cxs = Cx()) const {
    return change(atomic_op::sub, p, value, order, std::forward<Cx>(cxs));
  }
  template <class Cx = atl::upcxx_front::default_cx>
  [[nodiscard]] auto fetch_sub(global_ptr<T> p, T value, std::memory_order order,
                               Cx&& cxs = Cx()) const {
    return fetch(atomic_op::fetch_sub, p, value, {}, order, std::forward<Cx>(cxs));
  }
  template <class Cx = atl::upcxx_front::default_cx>
  [[nodiscard]] auto fetch_sub(global_ptr<T> p, T value, T* dst, std::memory_order order,
                               Cx&& cxs = Cx()) const {
    return fetch_to(atomic_op::fetch_sub, p, value, {}, dst, order, std::forward<Cx>(cxs));
  }
  template <class Cx = atl::upcxx_front::default_cx>
  [[nodiscard]] auto mul(global_ptr<T> p, T value, std::memory_order order, Cx&& cxs = Cx()) const {
    return change(atomic_op::mul, p, value, order, std::forward<Cx>(cxs));
  }
  template <class Cx = atl::upcxx_front::default_cx>
  [[nodiscard]] auto fetch_mul(global_ptr<T> p, T value, std::memory_order order,
                               Cx&& cxs = Cx()) const {
    return fetch(atomic_op::fetch_mul, p, value, {}, order, std::forward<Cx>(cxs));
  }
  template <class Cx = atl::upcxx_front::default_cx>
  [[nodiscard]] auto fetch_mul(global_ptr<T> p, T value, T* dst, std::memory_order order,
                               Cx&& cxs = Cx()) const {
    return fetch_to(atomic_op::fetch_mul, p, value, {}, dst, order, std::forward<Cx>(cxs));
  }
  template <class Cx = atl::upcxx_front::default_cx>
  [[nodiscard]] auto min(global_ptr<T> p, T value, std::memory_order order, Cx&& cxs = Cx()) const {
    return change(atomic_op::min, p, value, order, std::forward<Cx>(cxs));
  }
  template <class Cx = atl::upcxx_front::default_cx>
  [[nodiscard]] auto fetch_min(global_ptr<T> p, T value, std::memory_order order,
                               Cx&& cxs = Cx()) const {
    return fetch(atomic_op::fetch_min, p, value, {}, order, std::forward<Cx>(cxs));
  }
  template <class Cx = atl::upcxx_front::default_cx>
  [[nodiscard]] auto fetch_min(global_ptr<T> p, T value, T* dst, std::memory_order order,
                               Cx&& cxs = Cx()) const {
    return fetch_to(atomic_op::fetch_min, p, value, {}, dst, order, std::forward<Cx>(cxs));
  }
  template <class Cx = atl::upcxx_front::default_cx>
  [[nodiscard]] auto max(global_ptr<T> p, T value, std::memory_order order, Cx&& cxs = Cx()) const {
    return change(atomic_op::max, p, value, order, std::forward<Cx>(cxs));
  }
  template <class Cx = atl::upcxx_front::default_cx>
  [[nodiscard]] auto fetch_max(global_ptr<T> p, T value, std::memory_order order,
                               Cx&& cxs = Cx()) const {
    return fetch(atomic_op::fetch_max, p, value, {}, order, std::forward<Cx>(cxs));
  }
  template <class Cx = atl::upcxx_front::default_cx>
  [[nodiscard]] auto fetch_max(global_ptr<T> p, T value, T* dst, std::memory_order order,
                               Cx&& cxs = Cx()) const {
    return fetch_to(atomic_op::fetch_max, p, value, {}, dst, order, std::forward<Cx>(cxs));
  }
  template <class Cx = atl::upcxx_front::default_cx>
  [[nodiscard]] auto bit_and(global_ptr<T> p, T value, std::memory_order order,
                             Cx&& cxs = Cx()) const {
    return change(atomic_op::bit_and, p, value, order, std::forward<Cx>(cxs));
  }
  template <class Cx = atl::upcxx_front::default_cx>
  [[nodiscard]] auto fetch_bit_and(global_ptr<T> p, T value, std::memory_order order,
                                   Cx&& cxs = Cx()) const {
    return fetch(atomic_op::fetch_bit_and, p, value, {}, order, std::forward<Cx>(cxs));
  }
  template <class Cx = atl::upcxx_front::default_cx>
  [[nodiscard]] auto fetch_bit_and(global_ptr<T> p, T value, T* dst, std::memory_order order,
                                   Cx&& cxs = Cx()) const {
    return fetch_to(atomic_op::fetch_bit_and, p, value, {}, dst, order, std::forward<Cx>(cxs));
  }
  template <class Cx = atl::upcxx_front::default_cx>
  [[nodiscard]] auto bit_or(global_ptr<T> p, T value, std::memory_order order,
                            Cx&& cxs = Cx()) const {
    return change(atomic_op::bit_or, p, value, order, std::forward<Cx>(cxs));
  }
  template <class Cx = atl::upcxx_front::default_cx>
  [[nodiscard]] auto fetch_bit_or(global_ptr<T> p, T value, std::memory_order order,
                                  Cx&& cxs = Cx()) const {
    return fetch(atomic_op::fetch_bit_or, p, value, {}, order, std::forward<Cx>(cxs));
  }
  template <class Cx = atl::upcxx_front::default_cx>
  [[nodiscard]] auto fetch_bit_or(global_ptr<T> p, T value, T* dst, std::memory_order order,
                                  Cx&& cxs = Cx()) const {
    return fetch_to(atomic_op::fetch_bit_or, p, value, {}, dst, order, std::forward<Cx>(cxs));
  }
  template <class Cx = atl::upcxx_front::default_cx>
  [[nodiscard]] auto bit_xor(global_ptr<T> p, T value, std::memory_order order,
                             Cx&& cxs = Cx()) const {
    return change(atomic_op::bit_xor, p, value, order, std::forward<Cx>(cxs));
  }
  template <class Cx = atl::upcxx_front::default_cx>
  [[nodiscard]] auto fetch_bit_xor(global_ptr<T> p, T value, std::memory_order order,
                                   Cx&& cxs = Cx()) const {
    return fetch(atomic_op::fetch_bit_xor, p, value, {}, order, std::forward<Cx>(cxs));
  }
  template <class Cx = atl::upcxx_front::default_cx>
  [[nodiscard]] auto fetch_bit_xor(global_ptr<T> p, T value, T* dst, std::memory_order order,
                                   Cx&& cxs = Cx()) const {
    return fetch_to(atomic_op::fetch_bit_xor, p, value, {}, dst, order, std::forward<Cx>(cxs));
  }
  template <class Cx = atl::upcxx_front::default_cx>
  [[nodiscard]] auto inc(global_ptr<T> p, std::memory_order order, Cx&& cxs = Cx()) const {
    return change(atomic_op::inc, p, {}, order, std::forward<Cx>(cxs));
  }
  template <class Cx = atl::upcxx_front::default_cx>
  [[nodiscard]] auto fetch_inc(global_ptr<T> p, std::memory_order order, Cx&& cxs = Cx()) const {
    return fetch(atomic_op::fetch_inc, p, {}, {}, order, std::forward<Cx>(cxs));
  }
  template <class Cx = atl::upcxx_front::default_cx>
  [[nodiscard]] auto fetch_inc(global_ptr<T> p, T* dst, std::memory_order order,
                               Cx&& cxs = Cx()) const {
    return fetch_to(atomic_op::fetch_inc, p, {}, {}, dst, order, std::forward<Cx>(cxs));
  }
  template <class Cx = atl::upcxx_front::default_cx>
  [[nodiscard]] auto dec(global_ptr<T> p, std::memory_order order, Cx&& cxs = Cx()) const {
    return change(atomic_op::dec, p, {}, order, std::forward<Cx>(cxs));
  }
  template <class Cx = atl::upcxx_front::default_cx>
  [[nodiscard]] auto fetch_dec(global_ptr<T> p, std::memory_order order, Cx&& cxs = Cx()) const {
    return fetch(atomic_op::fetch_dec, p, {}, {}, order, std::forward<Cx>(cxs));
  }
  template <class Cx = atl::upcxx_front::default_cx>
  [[nodiscard]] auto fetch_dec(global_ptr<T> p, T* dst, std::memory_order order,
                               Cx&& cxs = Cx()) const {
    return fetch_to(atomic_op::fetch_dec, p, {}, {}, dst, order, std::forward<Cx>(cxs));
  }

 private:
  using request = atl::atomic_request<number>;

  static void need_order_of_load(std::memory_order order) noexcept {
    if (order == std::memory_order_release || order == std::memory_order_acq_rel)
      atl::upcxx_front::refuse_order(order);
  }

  /// Whether the operation goes by instructions or messages; else it goes by the network.
  bool is_plain(atomic_op op) const noexcept {
    return ops_.contains(atl::upcxx_front::core_op(op));
  }

  // Callers need `plain` too, and look it up once for both, so that there is one test.
  request prepare(atomic_op op, bool plain, std::uint32_t target, T a, T b,
                  std::memory_order order) const noexcept {
    const atl::atomic_op core = atl::upcxx_front::core_op(op);
    if (!plain) [[unlikely]]
      atl::upcxx_front::need_network_op(op, ops_, network_ops_);
    if (order == std::memory_order_consume || order == std::memory_order_seq_cst) [[unlikely]]
      atl::upcxx_front::refuse_order(order);
    if (team_->rank_n() != static_cast<intrank_t>(atl::upcxx_front::job.size)) [[unlikely]]
      atl::upcxx_front::need_member_of_domain(*team_, target);
    return {core, static_cast<number>(a), static_cast<number>(b)};
  }
  void start(global_ptr<const T> p, const request& operation, number* result,
             atl::event& done) const noexcept {
    const auto& location = atl::upcxx_front::pointer_access::place_of(p);
    auto* const remote = static_cast<number*>(atl::upcxx_front::address_of_atomic(location));
    atl::segment& from = atl::upcxx_front::job.endpoint->bound();
    if (ops_.contains(operation.op)) {
      atl::atomic_nb(from, location.rank, remote, operation, result, done);
      return;
    }
    atl::atomic_call call = atl::call_of(remote, operation, result);
    call.by_network = true;
    atl::atomic_nb_out_of_line(from, location.rank, call, {}, done);
  }
  /// Performs the operation if the number is mapped here and aligned; returns whether it did.
  static bool do_directly(global_ptr<const T> p, const request& operation,
                          number& result) noexcept {
    const auto& location = atl::upcxx_front::pointer_access::place_of(p);
    std::byte* const mapped =
        atl::upcxx_front::job.direct(location.rank, location.offset, sizeof(T));
    if (mapped == nullptr || location.offset % sizeof(T) != 0) [[unlikely]]
      return false;
    result = atl::perform(reinterpret_cast<number*>(mapped), operation, {});
    return true;
  }

  template <class Cx>
  auto change(atomic_op op, global_ptr<T> p, T value, std::memory_order order, Cx&& cxs) const {
    namespace front = atl::upcxx_front;
    front::check_completions<Cx, false, false>();
    const auto target = static_cast<std::uint32_t>(p.where());
    const bool plain = is_plain(op);
    const request operation = prepare(op, plain, target, value, {}, order);
    using list = atl::without_cvref<Cx>;
    number unused;
    if (plain && do_directly(p, operation, unused)) [[likely]]
      return front::tell_at_once<>(std::forward<Cx>(cxs), target);
    return front::launch<>(
        list(std::forward<Cx>(cxs)), target, front::no_results(),
        [&](front::no_results&, atl::event& done) { start(p, operation, nullptr, done); });
  }
  template <class Cx>
  auto fetch(atomic_op op, global_ptr<const T> p, T a, T b, std::memory_order order,
             Cx&& cxs) const {
    namespace front = atl::upcxx_front;
    front::check_completions<Cx, false, false>();
    const auto target = static_cast<std::uint32_t>(p.where());
    const bool plain = is_plain(op);
    const request operation = prepare(op, plain, target, a, b, order);
    using list = atl::without_cvref<Cx>;
    number old_value;
    if (plain && do_directly(p, operation, old_value)) [[likely]]
      return front::tell_at_once<T>(std::forward<Cx>(cxs), target, static_cast<T>(old_value));
    return front::launch<T>(list(std::forward<Cx>(cxs)), target, front::fetched<T>(),
                            [&](front::fetched<T>& into, atl::event& done) {
                              start(p, operation, &into.old_value, done);
                            });
  }
  template <class Cx>
  auto fetch_to(atomic_op op, global_ptr<const T> p, T a, T b, T* dst, std::memory_order order,
                Cx&& cxs) const {
    namespace front = atl::upcxx_front;
    front::check_completions<Cx, false, false>();
    const auto target = static_cast<std::uint32_t>(p.where());
    const bool plain = is_plain(op);
    const request operation = prepare(op, plain, target, a, b, order);
    using list = atl::without_cvref<Cx>;
    number old_value;
    if (plain && do_directly(p, operation, old_value)) [[likely]] {
      *dst = static_cast<T>(old_value);
      return front::tell_at_once<>(std::forward<Cx>(cxs), target);
    }
    return front::launch<>(
        list(std::forward<Cx>(cxs)), target, front::fetched_to<T>{reinterpret_cast<number*>(dst)},
        [&](front::fetched_to<T>& into, atl::event& done) { start(p, operation, into.to, done); });
  }

  const team* team_ = nullptr;   // null: inactive
  atl::atomic_ops ops_;          // done by loads and stores, or by messages
  atl::atomic_ops network_ops_;  // done by the network; one of the two is empty
};

}  // namespace upcxx
