// SPDX-License-Identifier: BSD-3-Clause
//
// Non-contiguous transfers: measure what is asked for, refuse what cannot be, then loop over memory
// or hand two walkers to the packed path. The three forms differ only in the `job` that each makes
// of its description: how much, where at the peer, how to copy directly, how to walk.
#include <atoll/core/strided.hpp>

#include <atoll/base/assert.hpp>
#include <atoll/base/text.hpp>
#include <atoll/core/kernel_parts.hpp>
#include <atoll/core/packed_transfers.hpp>
#include <atoll/core/reference_transfers.hpp>
#include <atoll/core/runtime.hpp>
#include <atoll/core/strided_copy.hpp>

#include <algorithm>
#include <string>

namespace atl {

namespace {

enum class direction : std::uint8_t { put, get };

/// The lowest address and the end of what a list touches. A run that wraps around makes the end the
/// highest address there is, which no segment reaches.
class extent {
 public:
  void add(const void* at, std::size_t bytes) noexcept {
    const auto begin = reinterpret_cast<std::uintptr_t>(at);
    low_ = std::min(low_, begin);
    end_ = std::max(end_, begin + bytes >= begin ? begin + bytes : UINTPTR_MAX);
  }
  address_range range() const noexcept {
    return end_ > low_ ? address_range{.low = low_, .bytes = end_ - low_} : address_range{};
  }

 private:
  std::uintptr_t low_ = UINTPTR_MAX;
  std::uintptr_t end_ = 0;
};

std::size_t bytes_of(const run_list& list) noexcept {
  std::size_t all = 0;
  for (std::size_t i = 0; i < list.size(); ++i) all += list[i].bytes;
  return all;
}

std::size_t bytes_of(const address_list& list) noexcept {
  return list.addresses.size() * list.bytes;
}

address_range range_of(const run_list& list) noexcept {
  extent touched;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const memory_run run = list[i];
    if (run.bytes != 0) touched.add(run.address, run.bytes);
  }
  return touched.range();
}

address_range range_of(const address_list& list) noexcept {
  std::uintptr_t low = UINTPTR_MAX, high = 0;
  for (const void* each : list.addresses) {
    const auto at = reinterpret_cast<std::uintptr_t>(each);
    low = std::min(low, at);
    high = std::max(high, at);
  }
  extent touched;
  touched.add(reinterpret_cast<const void*>(low), list.bytes);
  touched.add(reinterpret_cast<const void*>(high), list.bytes);
  return touched.range();
}

/// Vector and indexed transfers: two streams.
template <class List, class Rows>
class listed_job {
 public:
  using rows = Rows;

  listed_job(const List& to, const List& from) noexcept
      : to_(to), from_(from), to_bytes_(bytes_of(to)), from_bytes_(bytes_of(from)) {}

  bool overflows() const noexcept { return false; }
  bool sides_agree() const noexcept { return to_bytes_ == from_bytes_; }
  std::size_t to_bytes() const noexcept { return to_bytes_; }
  std::size_t from_bytes() const noexcept { return from_bytes_; }
  address_range to_range() const noexcept { return range_of(to_); }
  address_range from_range() const noexcept { return range_of(from_); }
  std::size_t row_count() const noexcept { return size_of(to_) + size_of(from_); }
  std::size_t run_count() const noexcept { return std::max(size_of(to_), size_of(from_)); }
  Rows to_rows() const noexcept { return Rows(to_); }
  Rows from_rows() const noexcept { return Rows(from_); }

  void copy(std::uintptr_t to_shift, std::uintptr_t from_shift) const noexcept {
    if constexpr (std::same_as<List, address_list>) {
      if (to_.bytes == from_.bytes) return copy_listed(to_, to_shift, from_, from_shift);
    }
    copy_streams(row_walker(to_rows(), to_shift), row_walker(from_rows(), from_shift));
  }

 private:
  static std::size_t size_of(const run_list& list) noexcept { return list.size(); }
  static std::size_t size_of(const address_list& list) noexcept { return list.addresses.size(); }

  List to_;
  List from_;
  std::size_t to_bytes_;
  std::size_t from_bytes_;
};

class strided_job {
 public:
  using rows = plan_rows;

  explicit strided_job(const strided_transfer& what) noexcept : plan_(what) {}

  bool overflows() const noexcept { return plan_.overflows(); }
  bool sides_agree() const noexcept { return true; }
  std::size_t to_bytes() const noexcept { return plan_.total_bytes(); }
  std::size_t from_bytes() const noexcept { return plan_.total_bytes(); }
  address_range to_range() const noexcept { return plan_.to_range(); }
  address_range from_range() const noexcept { return plan_.from_range(); }
  std::size_t row_count() const noexcept {
    const auto over = plan_.dimensions();
    const std::size_t runs = plan_.total_bytes() / plan_.run_bytes();
    return over.empty() ? runs : runs / over.front().count;
  }
  std::size_t run_count() const noexcept { return plan_.total_bytes() / plan_.run_bytes(); }
  plan_rows to_rows() const noexcept { return {plan_, plan_rows::side::to}; }
  plan_rows from_rows() const noexcept { return {plan_, plan_rows::side::from}; }

  void copy(std::uintptr_t to_shift, std::uintptr_t from_shift) const noexcept {
    copy_block(plan_, to_shift, from_shift);
  }

 private:
  strided_plan plan_;
};

using vector_job = listed_job<run_list, run_rows>;
using indexed_job = listed_job<address_list, address_rows>;

vector_job job_of(const vector_transfer& what) noexcept { return {what.to, what.from}; }
indexed_job job_of(const indexed_transfer& what) noexcept { return {what.to, what.from}; }
strided_job job_of(const strided_transfer& what) noexcept { return strided_job(what); }

constexpr const char* name_of(const vector_transfer*) noexcept { return "vector"; }
constexpr const char* name_of(const indexed_transfer*) noexcept { return "indexed"; }
constexpr const char* name_of(const strided_transfer*) noexcept { return "strided"; }

// --- refusals ------------------------------------------------------------------------------------

/// The call as messages begin with it: "strided put, rank 0 to rank 1".
struct call {
  const char* form;
  direction way;
  endpoint& at;
  rank_id peer;

  std::string text() const {
    return atl::text(form, way == direction::put ? " put" : " get", ", rank ", at.owner().rank(),
                     way == direction::put ? " to rank " : " from rank ", peer);
  }
  [[noreturn, gnu::cold, gnu::noinline]] void refuse(std::string_view cause,
                                                     std::string_view remedy) const noexcept {
    at.owner().fail(text(), cause, remedy);
  }
};

[[noreturn, gnu::cold, gnu::noinline]] void refuse_range(const call& from, address_range range,
                                                         std::size_t bytes) noexcept {
  const route& row = from.at.bound().routes()[from.peer];
  const std::string object = text(from.text(), ", ", bytes, " bytes in [", hex(range.low), ", ",
                                  hex(range.low + range.bytes), ")");
  if (row.bytes == 0) {
    from.at.owner().fail(object, text("rank ", from.peer, " has no segment bound to this endpoint"),
                         "attach or bind a segment on every rank first");
  }
  from.at.owner().fail(object,
                       text("outside the segment of rank ", from.peer, ", [", hex(row.there), ", ",
                            hex(row.there + row.bytes), ")"),
                       "addresses are those of the other rank; check strides, counts and lengths");
}

template <class Job>
void check(const call& from, const Job& job, const scattered_options& how) noexcept {
  if (current_handler != handler_context::none) [[unlikely]] {
    from.refuse("called inside a handler, which may only reply",
                "note the work and do it after the handler has returned");
  }
  if (job.overflows()) [[unlikely]] {
    from.refuse("counts and strides leave the address space", "check them: strides are in bytes");
  }
  if (!job.sides_agree()) [[unlikely]] {
    from.refuse(
        text("the target side has ", job.to_bytes(), " bytes, the source side ", job.from_bytes()),
        "describe as many bytes on both sides");
  }
  if (how.notice != nullptr && how.notice->bytes > put_notice::bytes_max) [[unlikely]] {
    from.refuse(text("a notice of ", how.notice->bytes, " bytes"),
                text("the most is ", put_notice::bytes_max));
  }
}

void check_peer(const call& from) noexcept {
  if (from.peer < from.at.ranks()) [[likely]]
    return;
  from.refuse(text("there are ranks 0 to ", from.at.ranks() - 1), "use a rank of the job");
}

// --- moving --------------------------------------------------------------------------------------

template <direction Way, class Job>
bool move_directly(endpoint& at, rank_id peer, const Job& job) noexcept {
  constexpr bool puts = Way == direction::put;
  const address_range there = puts ? job.to_range() : job.from_range();
  const std::byte* const mapped =
      at.bound().routes()[peer].direct(reinterpret_cast<const void*>(there.low), there.bytes);
  if (mapped == nullptr) [[unlikely]]
    return false;
  const std::uintptr_t shift = reinterpret_cast<std::uintptr_t>(mapped) - there.low;
  using trace::counter;
  trace::count_transfer(puts ? counter::puts : counter::gets,
                        puts ? counter::put_bytes : counter::get_bytes, job.to_bytes());
  if constexpr (puts) {
    job.copy(shift, 0);
    fence_stores();  // a later store of this thread (a flag) is not seen before the data
  } else {
    job.copy(0, shift);
    fence_loads();
  }
  return true;
}

/// Runs after move_directly() where the peer's memory is not mapped: refuses ranges outside of the
/// peer's segment, and counts the transfer.
template <direction Way, class Job>
void begin_unmapped(const call& from, const Job& job) noexcept {
  constexpr bool puts = Way == direction::put;
  const address_range there = puts ? job.to_range() : job.from_range();
  if (!from.at.bound().routes()[from.peer].contains(reinterpret_cast<const void*>(there.low),
                                                    there.bytes)) [[unlikely]] {
    refuse_range(from, there, job.to_bytes());
  }
  trace::count_transfer(puts ? trace::counter::puts : trace::counter::gets,
                        puts ? trace::counter::put_bytes : trace::counter::get_bytes,
                        job.to_bytes());
}

/// Lets the kernel copy; false when it is not to, or does not.
template <direction Way, class Job>
bool move_by_kernel(const call& from, const Job& job, bool alone) noexcept {
  if (!from.at.bound().goes_by_kernel(from.peer, job.to_bytes(), job.run_count(), alone))
    return false;
  memory::kernel_copy& kernel = from.at.owner().kernel_copy();
  constexpr bool puts = Way == direction::put;
  using walker = row_walker<typename Job::rows>;
  const auto move = [&](auto there, auto here, std::size_t bytes) {
    return puts ? kernel.write(from.peer, there, here, bytes)
                : kernel.read(from.peer, there, here, bytes);
  };
  const bool moved = puts ? move_in_parts(walker(job.to_rows()), walker(job.from_rows()), move)
                          : move_in_parts(walker(job.from_rows()), walker(job.to_rows()), move);
  if (moved) {
    trace::count(trace::counter::kernel_copies);
  } else {
    from.at.bound().check_kernel_copy(from.peer);
  }
  return moved;
}

template <direction Way, class Job>
bool move_packed(const call& from, const Job& job, const packed_order& order,
                 operation& record) noexcept {
  constexpr bool puts = Way == direction::put;
  packed_transfers& packed = from.at.owner().reference().packed();
  using walker = row_walker<typename Job::rows>;
  if constexpr (puts) {
    return packed.start_put(order, walker(job.to_rows()), walker(job.from_rows()), record);
  } else {
    return packed.start_get(order, walker(job.from_rows()), walker(job.to_rows()), record);
  }
}

/// Does the transfer at once (true and no record taken), or starts it on a record that `with` lends
/// to the function it is given; false: refused. `alone`: the caller waits for it.
template <direction Way, bool alone, class Transfer, class With>
bool start(endpoint& at, rank_id peer, const Transfer& what, const scattered_options& how,
           With with) noexcept {
  const auto job = job_of(what);
  const call from{name_of(&what), Way, at, peer};
  check(from, job, how);
  packed_order order{.peer = peer,
                     .bytes = job.to_bytes(),
                     .rows = 0,
                     .immediate = how.immediate,
                     .at = at.index(),
                     .notice = Way == direction::put ? how.notice : nullptr};
  if (job.to_bytes() != 0) {
    check_peer(from);
    if (!move_directly<Way>(at, peer, job)) {
      begin_unmapped<Way>(from, job);
      if (!move_by_kernel<Way>(from, job, alone)) {
        order.rows = job.row_count();
        return with([&](operation& record) { return move_packed<Way>(from, job, order, record); });
      }
    }
  }
  if (order.notice != nullptr) {
    check_peer(from);
    at.owner().reference().packed().notify(order);
  }
  return true;
}

template <direction Way, class Transfer>
void blocking(endpoint& at, rank_id peer, const Transfer& what, scattered_options how) noexcept {
  how.immediate = false;
  start<Way, true>(at, peer, what, how, [&](auto go) {
    operation record;
    go(record);
    at.owner().wait_until([&] { return record.complete(); });
    return true;
  });
}

template <direction Way, class Transfer>
bool explicit_event(endpoint& at, rank_id peer, const Transfer& what, event& done,
                    const scattered_options& how) noexcept {
  done = event();
  return start<Way, false>(at, peer, what, how, [&](auto go) {
    operation* const record = at.owner().operations().take();
    ATOLL_ASSERT(record != nullptr, "out of memory for an operation record");
    if (!go(*record)) {
      at.owner().operations().give_back(record);
      return false;
    }
    done = event(record);
    return true;
  });
}

template <direction Way, class Transfer>
bool implicitly(endpoint& at, rank_id peer, const Transfer& what,
                const scattered_options& how) noexcept {
  return start<Way, false>(at, peer, what, how, [&](auto go) {
    constexpr implicit kind = Way == direction::put ? implicit::put : implicit::get;
    return go(*at.owner().implicit_operations().record(kind));
  });
}

}  // namespace

template <scattered Transfer>
void put(endpoint& at, rank_id target, const Transfer& what,
         const scattered_options& how) noexcept {
  blocking<direction::put>(at, target, what, how);
}

template <scattered Transfer>
bool put_nb(endpoint& at, rank_id target, const Transfer& what, event& done,
            const scattered_options& how) noexcept {
  return explicit_event<direction::put>(at, target, what, done, how);
}

template <scattered Transfer>
bool put_nbi(endpoint& at, rank_id target, const Transfer& what,
             const scattered_options& how) noexcept {
  return implicitly<direction::put>(at, target, what, how);
}

template <scattered Transfer>
void get(endpoint& at, rank_id source, const Transfer& what,
         const scattered_options& how) noexcept {
  blocking<direction::get>(at, source, what, how);
}

template <scattered Transfer>
bool get_nb(endpoint& at, rank_id source, const Transfer& what, event& done,
            const scattered_options& how) noexcept {
  return explicit_event<direction::get>(at, source, what, done, how);
}

template <scattered Transfer>
bool get_nbi(endpoint& at, rank_id source, const Transfer& what,
             const scattered_options& how) noexcept {
  return implicitly<direction::get>(at, source, what, how);
}

#define ATOLL_SCATTERED(Transfer)                                                                \
  template void put(endpoint&, rank_id, const Transfer&, const scattered_options&) noexcept;     \
  template bool put_nb(endpoint&, rank_id, const Transfer&, event&,                              \
                       const scattered_options&) noexcept;                                       \
  template bool put_nbi(endpoint&, rank_id, const Transfer&, const scattered_options&) noexcept; \
  template void get(endpoint&, rank_id, const Transfer&, const scattered_options&) noexcept;     \
  template bool get_nb(endpoint&, rank_id, const Transfer&, event&,                              \
                       const scattered_options&) noexcept;                                       \
  template bool get_nbi(endpoint&, rank_id, const Transfer&, const scattered_options&) noexcept;
ATOLL_SCATTERED(vector_transfer)
ATOLL_SCATTERED(indexed_transfer)
ATOLL_SCATTERED(strided_transfer)
#undef ATOLL_SCATTERED

}  // namespace atl
