// SPDX-License-Identifier: BSD-3-Clause
//
// Non-contiguous transfers: measure the transfer, refuse one that cannot be done, then loop over
// memory or hand two walkers to the packed path. The three forms differ only in the `layout` that
// each makes of its description: the size, the range at the peer, the direct copy and the walk.
#include <atoll/core/strided/strided.hpp>

#include <atoll/base/assert.hpp>
#include <atoll/base/text.hpp>
#include <atoll/core/device/device_transfers.hpp>
#include <atoll/core/job/core_access.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/rma/reference_transfers.hpp>
#include <atoll/core/segment/segment_access.hpp>
#include <atoll/core/strided/kernel_parts.hpp>
#include <atoll/core/strided/packed_transfers.hpp>
#include <atoll/core/strided/strided_access.hpp>
#include <atoll/core/strided/strided_copy.hpp>

#include <algorithm>
#include <string>

namespace atl {

namespace {

/// The lowest address and the end of the memory that a list touches. A run that wraps around
/// makes the end the highest address there is, which no segment reaches.
class extent {
 public:
  void add(const void* address, std::size_t bytes) noexcept {
    const auto begin = reinterpret_cast<std::uintptr_t>(address);
    low_ = std::min(low_, begin);
    end_ = std::max(end_, begin + bytes >= begin ? begin + bytes : UINTPTR_MAX);
  }
  address_extent range() const noexcept {
    return end_ > low_ ? address_extent{.low = low_, .bytes = end_ - low_} : address_extent{};
  }

 private:
  std::uintptr_t low_ = UINTPTR_MAX;
  std::uintptr_t end_ = 0;
};

// A sum or product that no address space holds is SIZE_MAX instead of a small number: its range is
// refused then.
std::size_t sum_of(std::size_t a, std::size_t b) noexcept { return a + b >= a ? a + b : SIZE_MAX; }
std::size_t product_of(std::size_t a, std::size_t b) noexcept {
  std::size_t product;
  return __builtin_mul_overflow(a, b, &product) ? SIZE_MAX : product;
}

std::size_t bytes_of(const run_list& list) noexcept {
  std::size_t total = 0;
  for (std::size_t i = 0; i < list.size(); ++i) total = sum_of(total, list[i].bytes);
  return total;
}

std::size_t bytes_of(const address_list& list) noexcept {
  return product_of(list.addresses.size(), list.bytes);
}

address_extent range_of(const run_list& list) noexcept {
  extent touched;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const memory_run run = list[i];
    if (run.bytes != 0) touched.add(run.address, run.bytes);
  }
  return touched.range();
}

address_extent range_of(const address_list& list) noexcept {
  std::uintptr_t low = UINTPTR_MAX, high = 0;
  for (const void* each : list.addresses) {
    const auto address = reinterpret_cast<std::uintptr_t>(each);
    low = std::min(low, address);
    high = std::max(high, address);
  }
  extent touched;
  touched.add(reinterpret_cast<const void*>(low), list.bytes);
  touched.add(reinterpret_cast<const void*>(high), list.bytes);
  return touched.range();
}

std::size_t bytes_of(std::span<const run_row> list) noexcept {
  std::size_t total = 0;
  for (const run_row& each : list) total = sum_of(total, product_of(each.bytes, each.count));
  return total;
}

address_extent range_of(std::span<const run_row> list) noexcept {
  extent touched;
  for (const run_row& each : list) {
    const std::uintptr_t last =
        each.address + static_cast<std::uintptr_t>(each.stride) * (each.count - 1);
    touched.add(reinterpret_cast<const void*>(each.address), each.bytes);
    touched.add(reinterpret_cast<const void*>(last), each.bytes);
  }
  return touched.range();
}

/// Transfers of lists: two streams.
template <class List, class Rows>
class listed_layout {
 public:
  using rows = Rows;

  listed_layout(const List& to, const List& from) noexcept
      : to_(to), from_(from), to_bytes_(bytes_of(to)), from_bytes_(bytes_of(from)) {}

  bool overflows() const noexcept { return false; }
  bool sides_agree() const noexcept { return to_bytes_ == from_bytes_; }
  std::size_t to_bytes() const noexcept { return to_bytes_; }
  std::size_t from_bytes() const noexcept { return from_bytes_; }
  address_extent to_range() const noexcept { return range_of(to_); }
  address_extent from_range() const noexcept { return range_of(from_); }
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
  static std::size_t size_of(std::span<const run_row> list) noexcept { return list.size(); }

  List to_;
  List from_;
  std::size_t to_bytes_;
  std::size_t from_bytes_;
};

class strided_layout {
 public:
  using rows = plan_rows;

  explicit strided_layout(const strided_transfer& transfer) noexcept : plan_(transfer) {}

  bool overflows() const noexcept { return plan_.overflows(); }
  bool sides_agree() const noexcept { return true; }
  std::size_t to_bytes() const noexcept { return plan_.total_bytes(); }
  std::size_t from_bytes() const noexcept { return plan_.total_bytes(); }
  address_extent to_range() const noexcept { return plan_.to_range(); }
  address_extent from_range() const noexcept { return plan_.from_range(); }
  std::size_t row_count() const noexcept {
    const auto dimensions = plan_.dimensions();
    const std::size_t runs = plan_.total_bytes() / plan_.run_bytes();
    return dimensions.empty() ? runs : runs / dimensions.front().count;
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

using vector_layout = listed_layout<run_list, run_rows>;
using indexed_layout = listed_layout<address_list, address_rows>;
using rows_layout = listed_layout<std::span<const run_row>, listed_rows>;

vector_layout layout_of(const vector_transfer& transfer) noexcept {
  return {transfer.to, transfer.from};
}
indexed_layout layout_of(const indexed_transfer& transfer) noexcept {
  return {transfer.to, transfer.from};
}
strided_layout layout_of(const strided_transfer& transfer) noexcept {
  return strided_layout(transfer);
}
rows_layout layout_of(const rows_transfer& transfer) noexcept {
  return {transfer.to, transfer.from};
}

constexpr const char* name_of(const vector_transfer*) noexcept { return "vector"; }
constexpr const char* name_of(const indexed_transfer*) noexcept { return "indexed"; }
constexpr const char* name_of(const strided_transfer*) noexcept { return "strided"; }
constexpr const char* name_of(const rows_transfer*) noexcept { return "non-contiguous"; }

// --- refusals ------------------------------------------------------------------------------------

/// The call, as error messages name it: "strided put, rank 0 to rank 1".
struct call_description {
  const char* form;
  direction way;
  segment& memory;
  rank_id peer;

  std::string text() const {
    return atl::text(form, way == direction::put ? " put" : " get", ", rank ",
                     memory.owner().rank(), way == direction::put ? " to rank " : " from rank ",
                     peer);
  }
  [[noreturn, gnu::cold, gnu::noinline]] void refuse(std::string_view cause,
                                                     std::string_view remedy) const noexcept {
    memory.owner().fail(text(), cause, remedy);
  }
};

[[noreturn, gnu::cold, gnu::noinline]] void refuse_range(const call_description& from,
                                                         address_extent range,
                                                         std::size_t bytes) noexcept {
  const route& row = from.memory.routes()[from.peer];
  const std::string object = text(from.text(), ", ", bytes, " bytes in [", hex(range.low), ", ",
                                  hex(range.low + range.bytes), ")");
  if (row.bytes == 0) {
    from.memory.owner().fail(object, text("rank ", from.peer, " has no memory in this segment"),
                             "attach or bind a segment on every rank first");
  }
  from.memory.owner().fail(
      object,
      text("outside the segment of rank ", from.peer, ", [", hex(row.remote()), ", ",
           hex(row.remote() + row.bytes), ")"),
      "addresses are those of the other rank; check strides, counts and lengths");
}

template <class Layout>
void check(const call_description& from, const Layout& layout,
           const scattered_options& options) noexcept {
  if (current_handler != handler_context::outside) [[unlikely]] {
    from.refuse("called inside a handler, which may only reply",
                "note the work and do it after the handler has returned");
  }
  if (layout.overflows()) [[unlikely]] {
    from.refuse("counts and strides leave the address space", "check them: strides are in bytes");
  }
  if (!layout.sides_agree()) [[unlikely]] {
    from.refuse(text("the target side has ", layout.to_bytes(), " bytes, the source side ",
                     layout.from_bytes()),
                "describe as many bytes on both sides");
  }
  if (options.notice != nullptr && options.notice->bytes > put_notice::bytes_max) [[unlikely]] {
    from.refuse(text("a notice of ", options.notice->bytes, " bytes"),
                text("the most is ", put_notice::bytes_max));
  }
}

void check_peer(const call_description& from) noexcept {
  if (from.peer < from.memory.ranks()) [[likely]]
    return;
  from.refuse(text("there are ranks 0 to ", from.memory.ranks() - 1), "use a rank of the job");
}

// --- moving --------------------------------------------------------------------------------------

template <direction Way, class Layout>
bool move_directly(segment& memory, rank_id peer, const Layout& layout) noexcept {
  constexpr bool puts = Way == direction::put;
  const address_extent remote = puts ? layout.to_range() : layout.from_range();
  const std::byte* const mapped =
      memory.routes()[peer].direct(reinterpret_cast<const void*>(remote.low), remote.bytes);
  if (mapped == nullptr) [[unlikely]]
    return false;
  const std::uintptr_t shift = reinterpret_cast<std::uintptr_t>(mapped) - remote.low;
  using trace::counter;
  trace::count_transfer(puts ? counter::puts : counter::gets,
                        puts ? counter::put_bytes : counter::get_bytes, layout.to_bytes());
  if constexpr (puts) {
    layout.copy(shift, 0);
    fence_stores();  // a later store of this thread (a flag) is not seen before the data
  } else {
    layout.copy(0, shift);
    fence_loads();
  }
  return true;
}

/// Runs after move_directly() where the peer's memory is not mapped: refuses ranges outside of the
/// peer's segment, and counts the transfer.
template <direction Way, class Layout>
void begin_unmapped(const call_description& from, const Layout& layout) noexcept {
  constexpr bool puts = Way == direction::put;
  const address_extent remote = puts ? layout.to_range() : layout.from_range();
  if (!from.memory.routes()[from.peer].contains(reinterpret_cast<const void*>(remote.low),
                                                remote.bytes)) [[unlikely]] {
    refuse_range(from, remote, layout.to_bytes());
  }
  trace::count_transfer(puts ? trace::counter::puts : trace::counter::gets,
                        puts ? trace::counter::put_bytes : trace::counter::get_bytes,
                        layout.to_bytes());
}

/// Lets the kernel copy; false when it may not or cannot.
template <direction Way, class Layout>
bool move_by_kernel(const call_description& from, const Layout& layout, bool alone) noexcept {
  if (!segment_access::goes_by_kernel(from.memory, from.peer, layout.to_bytes(), layout.run_count(),
                                      alone))
    return false;
  memory::kernel_copy& kernel = core_access::kernel_copy(from.memory.owner());
  constexpr bool puts = Way == direction::put;
  using walker = row_walker<typename Layout::rows>;
  const auto move = [&](auto remote_parts, auto local_parts, std::size_t bytes) {
    return puts ? kernel.write(from.peer, remote_parts, local_parts, bytes)
                : kernel.read(from.peer, remote_parts, local_parts, bytes);
  };
  const bool moved =
      puts ? move_in_parts(walker(layout.to_rows()), walker(layout.from_rows()), move)
           : move_in_parts(walker(layout.from_rows()), walker(layout.to_rows()), move);
  if (moved) {
    trace::count(trace::counter::kernel_copies);
  } else {
    segment_access::check_kernel_copy(from.memory, from.peer);
  }
  return moved;
}

template <direction Way, class Layout>
bool move_packed(const call_description& from, const Layout& layout, const packed_order& order,
                 operation& record) noexcept {
  constexpr bool puts = Way == direction::put;
  packed_transfers& packed = core_access::reference(from.memory.owner()).packed();
  using walker = row_walker<typename Layout::rows>;
  if constexpr (puts) {
    return packed.start_put(order, walker(layout.to_rows()), walker(layout.from_rows()), record);
  } else {
    return packed.start_get(order, walker(layout.from_rows()), walker(layout.to_rows()), record);
  }
}

/// The rows of a transfer, for devices.
template <class Rows>
class walked_rows final : public device_row_source {
 public:
  walked_rows(row_walker<Rows> remote, row_walker<Rows> local) noexcept
      : remote_(remote), local_(local) {}

  bool next(device_rows& into, std::size_t most) override {
    while (!remote_.done() && !local_.done() && into.bytes < most && !into.is_wide(most)) {
      const row_piece piece = common_piece(remote_.now(), local_.now(), most - into.bytes);
      into.add(part_of(remote_.now(), piece), part_of(local_.now(), piece));
      remote_.take(piece);
      local_.take(piece);
    }
    return into.bytes != 0;
  }

 private:
  row_walker<Rows> remote_;
  row_walker<Rows> local_;
};

/// Has a device copy, which reads the source of a put until that is complete. A put with a notice
/// is waited for, because the notice follows the data.
template <direction Way, class Layout>
void move_by_device(const call_description& from, const Layout& layout,
                    const scattered_options& options, operation& record) noexcept {
  constexpr bool puts = Way == direction::put;
  const address_extent remote = puts ? layout.to_range() : layout.from_range();
  const address_extent local = puts ? layout.from_range() : layout.to_range();
  using walker = row_walker<typename Layout::rows>;
  walked_rows<typename Layout::rows> rows(walker(puts ? layout.to_rows() : layout.from_rows()),
                                          walker(puts ? layout.from_rows() : layout.to_rows()));
  layer_access::devices(from.memory.owner())
      .start_rows({.is_put = puts,
                   .memory = from.memory,
                   .peer = from.peer,
                   .remote = reinterpret_cast<std::byte*>(remote.low),
                   .local = reinterpret_cast<std::byte*>(local.low),
                   .bytes = remote.bytes,
                   .device = options.device},
                  local.bytes, rows, record, !puts || (options.keeps_source && !options.notice));
}

/// The remote side of a transfer, and the endpoint whose handler a notice is for.
struct remote_side {
  segment& memory;
  rank_id rank;
  std::uint8_t endpoint = 0;
};
remote_side place_of(endpoint& local, rank_id peer) noexcept {
  return {local.bound(), peer, local.index()};
}

/// Does the transfer at once (true and no record taken), or starts it on a record that
/// `lend_record` lends to the function it is given; false: refused. `alone`: the caller waits for
/// it.
template <direction Way, bool alone, class Transfer, class With>
bool start(const remote_side& peer_memory, const Transfer& transfer,
           const scattered_options& options, With lend_record) noexcept {
  const auto& [memory, peer, endpoint_index] = peer_memory;
  const auto layout = layout_of(transfer);
  const call_description from{name_of(&transfer), Way, memory, peer};
  check(from, layout, options);
  packed_order order{.peer = peer,
                     .bytes = layout.to_bytes(),
                     .rows = 0,
                     .immediate = options.immediate,
                     .endpoint = endpoint_index,
                     .notice = Way == direction::put ? options.notice : nullptr};
  if (layout.to_bytes() != 0) {
    check_peer(from);
    if (options.device != nullptr || !move_directly<Way>(memory, peer, layout)) {
      begin_unmapped<Way>(from, layout);
      if (options.device != nullptr || segment_access::is_on_device(memory, peer)) {
        lend_record([&](operation& record) {
          move_by_device<Way>(from, layout, options, record);
          return true;
        });
      } else if (!move_by_kernel<Way>(from, layout, alone)) {
        order.rows = layout.row_count();
        return lend_record(
            [&](operation& record) { return move_packed<Way>(from, layout, order, record); });
      }
    }
  }
  if (order.notice != nullptr) {
    check_peer(from);
    core_access::reference(memory.owner()).packed().notify(order);
  }
  return true;
}

template <direction Way, class Transfer>
operation_status blocking(endpoint& local, rank_id peer, const Transfer& transfer,
                          scattered_options options) noexcept {
  options.immediate = false;
  operation_status status = operation_status::done;
  start<Way, true>(place_of(local, peer), transfer, options, [&](auto go) {
    operation record;
    go(record);
    local.owner().wait_until([&] { return record.complete(); });
    status = record.take_status();
    return true;
  });
  return status;
}

template <direction Way, class Transfer>
bool explicit_event(endpoint& local, rank_id peer, const Transfer& transfer, event& done,
                    const scattered_options& options) noexcept {
  done = event();
  return start<Way, false>(place_of(local, peer), transfer, options, [&](auto go) {
    operation* const record = layer_access::operations(local.owner()).take();
    ATOLL_ASSERT(record != nullptr, "out of memory for an operation record");
    if (!go(*record)) {
      layer_access::operations(local.owner()).give_back(record);
      return false;
    }
    done = event(record);
    return true;
  });
}

template <direction Way, class Transfer>
bool implicitly(endpoint& local, rank_id peer, const Transfer& transfer,
                const scattered_options& options) noexcept {
  return start<Way, false>(place_of(local, peer), transfer, options, [&](auto go) {
    constexpr implicit kind = Way == direction::put ? implicit::put : implicit::get;
    return go(*layer_access::implicit_operations(local.owner()).record(kind));
  });
}

template <direction Way, class Transfer>
void count_in(segment& memory, rank_id peer, const Transfer& transfer, operation& record) noexcept {
  start<Way, false>({memory, peer}, transfer, {}, [&](auto go) { return go(record); });
}

}  // namespace

template <scattered Transfer>
operation_status put(endpoint& local, rank_id target, const Transfer& transfer,
                     const scattered_options& options) noexcept {
  return blocking<direction::put>(local, target, transfer, options);
}

template <scattered Transfer>
bool put_nb(endpoint& local, rank_id target, const Transfer& transfer, event& done,
            const scattered_options& options) noexcept {
  return explicit_event<direction::put>(local, target, transfer, done, options);
}

template <scattered Transfer>
bool put_nbi(endpoint& local, rank_id target, const Transfer& transfer,
             const scattered_options& options) noexcept {
  return implicitly<direction::put>(local, target, transfer, options);
}

template <scattered Transfer>
operation_status get(endpoint& local, rank_id source, const Transfer& transfer,
                     const scattered_options& options) noexcept {
  return blocking<direction::get>(local, source, transfer, options);
}

template <scattered Transfer>
bool get_nb(endpoint& local, rank_id source, const Transfer& transfer, event& done,
            const scattered_options& options) noexcept {
  return explicit_event<direction::get>(local, source, transfer, done, options);
}

template <scattered Transfer>
bool get_nbi(endpoint& local, rank_id source, const Transfer& transfer,
             const scattered_options& options) noexcept {
  return implicitly<direction::get>(local, source, transfer, options);
}

template <scattered Transfer>
void start_put(segment& memory, rank_id target, const Transfer& transfer,
               operation& record) noexcept {
  count_in<direction::put>(memory, target, transfer, record);
}

template <scattered Transfer>
void start_get(segment& memory, rank_id source, const Transfer& transfer,
               operation& record) noexcept {
  count_in<direction::get>(memory, source, transfer, record);
}

#define ATOLL_SCATTERED(Transfer)                                                                \
  template operation_status put(endpoint&, rank_id, const Transfer&,                             \
                                const scattered_options&) noexcept;                              \
  template bool put_nb(endpoint&, rank_id, const Transfer&, event&,                              \
                       const scattered_options&) noexcept;                                       \
  template bool put_nbi(endpoint&, rank_id, const Transfer&, const scattered_options&) noexcept; \
  template operation_status get(endpoint&, rank_id, const Transfer&,                             \
                                const scattered_options&) noexcept;                              \
  template bool get_nb(endpoint&, rank_id, const Transfer&, event&,                              \
                       const scattered_options&) noexcept;                                       \
  template bool get_nbi(endpoint&, rank_id, const Transfer&, const scattered_options&) noexcept; \
  template void start_put(segment&, rank_id, const Transfer&, operation&) noexcept;              \
  template void start_get(segment&, rank_id, const Transfer&, operation&) noexcept;
ATOLL_SCATTERED(vector_transfer)
ATOLL_SCATTERED(indexed_transfer)
ATOLL_SCATTERED(strided_transfer)
ATOLL_SCATTERED(rows_transfer)
#undef ATOLL_SCATTERED

}  // namespace atl
