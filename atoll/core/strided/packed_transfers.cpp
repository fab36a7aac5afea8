// SPDX-License-Identifier: BSD-3-Clause
//
// Packing and unpacking. Records and addresses travel as numbers and come back untouched to the
// rank that made them, so a handler writes only to memory that its own rank has named, or that a
// put has named and checked against the target's segment.
#include <atoll/core/strided/packed_transfers.hpp>

#include <atoll/base/assert.hpp>
#include <atoll/base/halves.hpp>
#include <atoll/core/job/core_access.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/job/system_handlers.hpp>
#include <atoll/core/strided/strided_copy.hpp>

#include <algorithm>
#include <cstring>

namespace atl {

namespace {

constexpr std::size_t row_bytes = sizeof(wire_row);
constexpr std::size_t get_rows_max = 256;  // of each side, in one message

std::uintptr_t address_of(const void* pointer) noexcept {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

piece& piece_of(const std::uint32_t* pair) noexcept {
  return *reinterpret_cast<piece*>(static_cast<std::uintptr_t>(join_halves(pair)));
}

run_row dense_row(const void* pointer, row_piece piece) noexcept {
  return {.address = address_of(pointer),
          .bytes = piece.bytes,
          .count = piece.count,
          .stride = static_cast<std::ptrdiff_t>(piece.bytes)};
}

wire_row read_row(const std::byte* source) noexcept {
  wire_row row;
  std::memcpy(&row, source, sizeof row);
  return row;
}

/// Copy bytes between a row and a packed buffer.
void scatter(const wire_row& to, const std::byte* packed) noexcept {
  copy_row(to.local(), dense_row(packed, {to.bytes, to.count}));
}
void gather(std::byte* packed, const wire_row& from) noexcept {
  copy_row(dense_row(packed, {from.bytes, from.count}), from.local());
}

/// Fills a buffer with rows and their bytes, and moves both walkers on; returns how much it filled.
template <class Rows>
std::size_t pack(const transport::staging& buffer, row_walker<Rows>& remote,
                 row_walker<Rows>& local) noexcept {
  auto* const begin = static_cast<std::byte*>(buffer.data);
  const std::byte* const end = begin + buffer.bytes;
  std::byte* cursor = begin;
  std::byte* head = nullptr;  // place of the last row, which may still grow
  wire_row last{};
  while (!local.done() && static_cast<std::size_t>(end - cursor) > row_bytes) {
    const auto room = static_cast<std::size_t>(end - cursor) - row_bytes;
    const row_piece piece = common_piece(remote.now(), local.now(), room);
    const wire_row next = wire_row::from_row(part_of(remote.now(), piece));
    if (head == nullptr || !last.join(next)) {
      if (head != nullptr) std::memcpy(head, &last, sizeof last);
      last = next;
      head = cursor;
      cursor += row_bytes;
    }
    copy_row(dense_row(cursor, piece), part_of(local.now(), piece));
    cursor += piece.total();
    remote.take(piece);
    local.take(piece);
  }
  std::memcpy(head, &last, sizeof last);
  return static_cast<std::size_t>(cursor - begin);
}

/// The rows of one get: those to read at the target, then those to fill here.
class get_rows {
 public:
  /// Takes as many rows as fit, within messages of `most` bytes; moves both walkers on.
  template <class Rows>
  get_rows(std::size_t most, row_walker<Rows>& remote, row_walker<Rows>& local) noexcept {
    const std::size_t limit = std::min(get_rows_max, most / (3 * row_bytes));
    std::size_t answer = 0;  // bytes of data in the reply
    while (!local.done() && remote_count_ < limit && local_count_ < limit) {
      const std::size_t taken = answer + (local_count_ + 1) * row_bytes;
      if (taken >= most) break;
      const row_piece piece = common_piece(remote.now(), local.now(), most - taken);
      add(rows_.data(), remote_count_, part_of(remote.now(), piece));
      add(rows_.data() + get_rows_max, local_count_, part_of(local.now(), piece));
      answer += piece.total();
      remote.take(piece);
      local.take(piece);
    }
    std::copy_n(rows_.data() + get_rows_max, local_count_, rows_.data() + remote_count_);
  }

  std::size_t remote_count() const noexcept { return remote_count_; }
  std::size_t local_count() const noexcept { return local_count_; }
  const wire_row* data() const noexcept { return rows_.data(); }

 private:
  static void add(wire_row* list, std::size_t& size, const run_row& next) noexcept {
    const wire_row row = wire_row::from_row(next);
    if (size == 0 || !list[size - 1].join(row)) list[size++] = row;
  }

  std::size_t remote_count_ = 0;
  std::size_t local_count_ = 0;
  std::array<wire_row, 2 * get_rows_max> rows_;  // the first remote_count_ + local_count_ are set
};

}  // namespace

wire_row wire_row::from_row(const run_row& row) noexcept {
  const bool dense = row.count == 1 || row.stride == static_cast<std::ptrdiff_t>(row.bytes);
  return {.address = row.address,
          .stride = dense ? 0 : row.stride,
          .bytes = static_cast<std::uint32_t>(dense ? row.bytes * row.count : row.bytes),
          .count = dense ? 1 : static_cast<std::uint32_t>(row.count)};
}

bool wire_row::join(const wire_row& next) noexcept {
  if (count == 1 && next.count == 1 && address + bytes == next.address) {
    bytes += next.bytes;
    return true;
  }
  if (bytes != next.bytes) return false;
  const auto step = static_cast<std::int64_t>(next.address - address);
  const std::int64_t wanted = count != 1 ? stride : next.count != 1 ? next.stride : step;
  const bool follows = step == wanted * std::int64_t{count};
  if (!follows || (next.count != 1 && next.stride != wanted)) return false;
  stride = wanted;
  count += next.count;
  return true;
}

packed_transfers::packed_transfers(runtime& owner, endpoint& system)
    : owner_(owner), system_(system) {
  const auto add = [&](std::uint8_t index, am_handler run, unsigned nargs, std::string_view name) {
    const bool added =
        system.handlers().set(index, {.run = run, .context = this, .nargs = nargs, .name = name});
    ATOLL_ASSERT(added, "a handler of the runtime is taken", unsigned{index});
  };
  add(system_handler::packed_put, on_put, 3, "packed put");
  add(system_handler::packed_notice, on_notice, 4, "packed notice");
  add(system_handler::packed_get, on_get, 4, "packed get");
  add(system_handler::packed_get_data, on_get_data, 3, "packed get data");
}

// --- put ---------------------------------------------------------------------------------------

template <class Rows>
bool packed_transfers::start_put(const packed_order& order, row_walker<Rows> remote,
                                 row_walker<Rows> local, operation& record) noexcept {
  const std::size_t most = system_.medium_max(order.peer);
  const std::uint32_t id = order.notice != nullptr ? next_id() : 0;
  const std::size_t wanted = order.bytes + std::min(order.rows, most) * row_bytes;
  std::uint32_t messages = 0;
  for (; !local.done(); ++messages) {
    const bool may_refuse = order.immediate && id == 0 && messages == 0;
    piece* const begun = core_access::pieces(owner_).begin(record, order.peer);
    if (begun == nullptr) return true;
    const std::array<std::uint32_t, 3> args{low_half(address_of(begun)),
                                            high_half(address_of(begun)), id};
    am_message out{
        .target = order.peer,
        .via = transport::channel::request,
        .kind = am_category::medium,
        .handler = order.on_device ? system_handler::device_scatter : system_handler::packed_put,
        .nargs = args.size(),
        .args = args.data(),
        .bytes = std::min(most, wanted)};
    transport::staging buffer = system_.prepare(out, may_refuse);
    if (buffer.data == nullptr) {
      core_access::pieces(owner_).end(*begun);
      return false;
    }
    buffer.bytes = std::min(buffer.bytes, out.bytes);
    out.bytes = pack(buffer, remote, local);
    if (!system_.commit(buffer, out, may_refuse)) {
      system_.cancel(order.peer, buffer);
      core_access::pieces(owner_).end(*begun);
      return false;
    }
  }
  if (id != 0) send_notice(order, id, messages);
  return true;
}

void packed_transfers::on_put(void* context, am_token& token, const std::uint32_t* args, unsigned,
                              void* payload, std::size_t bytes) {
  const auto* cursor = static_cast<const std::byte*>(payload);
  const std::byte* const end = cursor + bytes;
  while (cursor < end) {
    const wire_row to = read_row(cursor);
    cursor += row_bytes;
    scatter(to, cursor);
    cursor += to.total();
  }
  token.reply({.handler = system_handler::put_done, .nargs = 2, .args = args});
  if (args[2] == 0) return;
  static_cast<packed_transfers*>(context)->note(token.source(), args[2],
                                                [](arriving& each) { ++each.handled; });
}

// --- notices -----------------------------------------------------------------------------------

void packed_transfers::send_notice(const packed_order& order, std::uint32_t id,
                                   std::uint32_t messages) noexcept {
  const std::array<std::uint32_t, 4> args{id, messages, order.notice->handler, order.endpoint};
  system_.request({.target = order.peer,
                   .kind = am_category::medium,
                   .handler = system_handler::packed_notice,
                   .nargs = args.size(),
                   .args = args.data(),
                   .payload = order.notice->payload,
                   .bytes = order.notice->bytes});
}

void packed_transfers::on_notice(void* context, am_token& token, const std::uint32_t* args,
                                 unsigned, void* payload, std::size_t bytes) {
  static_cast<packed_transfers*>(context)->note(token.source(), args[0], [&](arriving& each) {
    each.expected = args[1];
    each.noticed = true;
    each.handler = static_cast<handler_id>(args[2]);
    each.endpoint = static_cast<std::uint8_t>(args[3]);
    each.bytes = std::min(bytes, each.payload.size());
    if (bytes != 0) std::memcpy(each.payload.data(), payload, each.bytes);
  });
}

template <class Change>
void packed_transfers::note(rank_id source, std::uint32_t id, Change change) {
  arriving finished;
  {
    const std::lock_guard hold(guard_);
    const std::uint64_t key = join_halves(id, source);
    arriving& each = arriving_[key];
    change(each);
    if (!each.noticed || each.handled < each.expected) return;
    finished = each;
    arriving_.erase(key);
  }
  core_access::deliver(owner_, {.source = source,
                                .via = transport::channel::reply,
                                .kind = am_category::medium,
                                .handler = finished.handler,
                                .endpoint = finished.endpoint,
                                .payload = finished.payload.data(),
                                .bytes = finished.bytes});
}

// --- get ---------------------------------------------------------------------------------------

template <class Rows>
bool packed_transfers::start_get(const packed_order& order, row_walker<Rows> remote,
                                 row_walker<Rows> local, operation& record) noexcept {
  const std::size_t most = system_.medium_max(order.peer);
  for (bool first = true; !local.done(); first = false) {
    piece* const begun = core_access::pieces(owner_).begin(record, order.peer);
    if (begun == nullptr) return true;
    const get_rows rows(most, remote, local);
    const std::array<std::uint32_t, 4> args{low_half(address_of(begun)),
                                            high_half(address_of(begun)),
                                            static_cast<std::uint32_t>(rows.local_count()),
                                            static_cast<std::uint32_t>(rows.remote_count())};
    const bool sent = system_.request(
        {.target = order.peer,
         .kind = am_category::medium,
         .handler = order.on_device ? system_handler::device_gather : system_handler::packed_get,
         .nargs = args.size(),
         .args = args.data(),
         .payload = rows.data(),
         .bytes = (rows.remote_count() + rows.local_count()) * row_bytes},
        order.immediate && first);
    if (!sent) {
      core_access::pieces(owner_).end(*begun);
      return false;
    }
  }
  return true;
}

void packed_transfers::on_get(void*, am_token& token, const std::uint32_t* args, unsigned,
                              void* payload, std::size_t) {
  const auto* const rows = static_cast<const std::byte*>(payload);
  const std::size_t fill_bytes = args[2] * row_bytes;
  const std::size_t wanted_bytes = args[3] * row_bytes;
  std::size_t total = fill_bytes;
  for (std::size_t offset = 0; offset < wanted_bytes; offset += row_bytes)
    total += read_row(rows + offset).total();
  const transport::staging buffer = token.prepare_reply(total);
  auto* into = static_cast<std::byte*>(buffer.data);
  std::memcpy(into, rows + wanted_bytes, fill_bytes);
  into += fill_bytes;
  for (std::size_t offset = 0; offset < wanted_bytes; offset += row_bytes) {
    const wire_row from = read_row(rows + offset);
    gather(into, from);
    into += from.total();
  }
  token.commit_reply(buffer, {.kind = am_category::medium,
                              .handler = system_handler::packed_get_data,
                              .nargs = 3,
                              .args = args,
                              .bytes = total});
}

void packed_transfers::on_get_data(void* context, am_token&, const std::uint32_t* args, unsigned,
                                   void* payload, std::size_t) {
  const auto store = [&] {
    const auto* const rows = static_cast<const std::byte*>(payload);
    const std::byte* data = rows + args[2] * row_bytes;
    for (std::size_t i = 0; i < args[2]; ++i) {
      const wire_row to = read_row(rows + i * row_bytes);
      scatter(to, data);
      data += to.total();
    }
  };
  core_access::pieces(static_cast<packed_transfers*>(context)->owner_)
      .end_after(piece_of(args), store);
}

#define ATOLL_PACKED(Rows)                                                          \
  template bool packed_transfers::start_put(const packed_order&, row_walker<Rows>,  \
                                            row_walker<Rows>, operation&) noexcept; \
  template bool packed_transfers::start_get(const packed_order&, row_walker<Rows>,  \
                                            row_walker<Rows>, operation&) noexcept;
ATOLL_PACKED(run_rows)
ATOLL_PACKED(address_rows)
ATOLL_PACKED(plan_rows)
ATOLL_PACKED(listed_rows)
#undef ATOLL_PACKED

}  // namespace atl
