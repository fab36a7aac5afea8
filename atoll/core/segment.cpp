// SPDX-License-Identifier: BSD-3-Clause
//
// Sharing parts, and the transfers that are not direct: which of three ways one goes (the kernel's
// copy, the network's own transfers, messages) hangs on whose part it is and where that lies.
#include <atoll/core/segment.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>
#include <atoll/core/reference_transfers.hpp>
#include <atoll/core/runtime.hpp>

#include <algorithm>
#include <cstring>

namespace atl {

segment::segment(runtime& owner)
    : atoll_segment{},
      owner_(owner),
      rows_(owner.size()),
      remote_(owner.network() != nullptr ? owner.size() : 0) {
  atoll_segment::routes = rows_.data();
  atoll_segment::ranks = owner.size();
  atoll_segment::inline_ranks = owner.configuration().flag(setting::counters) ? 0 : owner.size();
  atoll_segment::number = unshared;
}

segment::~segment() {
  if (owner_.is_forked_copy()) return;
  forget_key();
  owner_.forget_segment(*this);
}

void segment::forget_key() noexcept {
  if (key_ != transport::no_memory_key) owner_.network()->unregister_memory(key_);
  key_ = transport::no_memory_key;
}

// --- parts ---------------------------------------------------------------------------------------

void segment::share(segment_part mine) {
  place(mine);
  share();
}

// Each rank proposes a number that it has not used; the highest is one that no rank has.
void segment::share() {
  published_part own = publish();
  own.number = number() != unshared ? number() : owner_.next_segment_number();
  const auto blobs = owner_.exchange(std::as_bytes(std::span(&own, 1)));
  std::uint32_t agreed = 0;
  for (rank_id rank = 0; rank < ranks(); ++rank) {
    published_part theirs;
    std::memcpy(&theirs, blobs.at(rank).data(), sizeof theirs);
    agreed = std::max(agreed, theirs.number);
    learn(rank, theirs);
  }
  atoll_segment::number = agreed;
  owner_.note_segment(*this);
}

bool segment::is_in_heaps(segment_part part) const noexcept {
  const memory::host_memory& host = owner_.host_memory();
  const std::byte* const shared = host.shared(owner_.rank());
  const std::size_t limit = host.layout().shared_bytes();
  const auto offset = static_cast<std::size_t>(part.base - shared);
  return part.base >= shared && offset <= limit && part.bytes <= limit - offset;
}

void segment::place(segment_part mine) noexcept {
  forget_key();
  mine_ = mine;
  const bool in_heaps = is_in_heaps(mine);
  const bool is_heaps = in_heaps && mine.bytes == owner_.host_memory().layout().shared_bytes();
  if (mine.bytes != 0 && !in_heaps) owner_.offer_memory();
  if (mine.bytes != 0 && (!in_heaps || is_heaps) && !remote_.empty())
    key_ = owner_.network()->register_memory({mine.base, mine.bytes});
  learn(owner_.rank(), publish());
}

published_part segment::publish() const noexcept {
  published_part own{
      .address = reinterpret_cast<std::uintptr_t>(mine_.base), .bytes = mine_.bytes, .key = key_};
  if (is_in_heaps(mine_))
    own.heap_offset =
        static_cast<std::uint64_t>(mine_.base - owner_.host_memory().shared(owner_.rank()));
  return own;
}

void segment::learn(rank_id rank, const published_part& theirs) noexcept {
  route& to = rows_[rank];
  to.there = theirs.address;
  to.bytes = theirs.bytes;
  const bool is_shared = theirs.heap_offset != published_part::outside_of_heaps;
  std::byte* here = nullptr;
  if (theirs.bytes == 0) {
    here = nullptr;
  } else if (is_shared && owner_.is_neighbour(rank)) {
    here = owner_.host_memory().shared(rank) + theirs.heap_offset;
  } else if (rank == owner_.rank()) {
    here = mine_.base;
  }
  to.here = reinterpret_cast<char*>(here);
  to.direct_bytes = here != nullptr && owner_.direct_allowed() ? theirs.bytes : 0;
  if (!remote_.empty()) note_memory(rank, theirs);
}

// Memory in the heaps was registered together with them.
void segment::note_memory(rank_id rank, const published_part& theirs) noexcept {
  transport::remote_memory& memory = remote_[rank];
  memory = {.base = theirs.address, .key = theirs.key};
  const bool is_shared = theirs.heap_offset != published_part::outside_of_heaps;
  if (theirs.key == transport::no_memory_key && is_shared && &owner_.heaps() != this)
    memory = owner_.heaps().remote_[rank];
}

void segment::check_rank(const char* what, rank_id target) const noexcept {
  if (target < ranks()) [[likely]]
    return;
  owner_.fail(text(what, " from rank ", owner_.rank(), " to rank ", target),
              text("there are ranks 0 to ", ranks() - 1), "use a rank of the job");
}

void segment::check_range(const char* what, rank_id target, const void* there,
                          std::size_t bytes) const noexcept {
  check_rank(what, target);
  const route& row = rows_[target];
  if (row.contains(there, bytes)) [[likely]]
    return;
  const std::string object = text(what, " of ", bytes, " bytes, rank ", owner_.rank(), " to rank ",
                                  target, " at ", hex(there));
  if (row.bytes == 0) {
    owner_.fail(object, text("rank ", target, " has no segment bound to this endpoint"),
                "attach or bind a segment on every rank first");
  }
  owner_.fail(object,
              text("outside the segment of rank ", target, ", [", hex(row.there), ", ",
                   hex(row.there + row.bytes), ") of ", bytes_text(row.bytes)),
              "addresses are those of the target rank; check the offset and the size");
}

// --- by the kernel -------------------------------------------------------------------------------

// A neighbour's row without a mapping is one of memory outside of its heaps.
bool segment::goes_by_kernel(rank_id peer, std::size_t bytes, std::size_t pieces,
                             bool alone) const noexcept {
  if (!owner_.is_neighbour(peer) || rows_[peer].here != nullptr) return false;
  memory::kernel_copy& kernel = owner_.kernel_copy();
  if (!kernel.pays(bytes, pieces, alone)) return false;
  const bool reached = kernel.reaches(peer);
  if (!reached) check_kernel_copy(peer);
  return reached;
}

void segment::check_kernel_copy(rank_id peer) const noexcept {
  const memory::kernel_copy& kernel = owner_.kernel_copy();
  if (!kernel.is_forced()) [[likely]]
    return;
  owner_.fail(text("copy by the kernel between ranks ", owner_.rank(), " and ", peer),
              text("the kernel refuses it: ", errno_text(kernel.last_error())),
              "unset ATOLL_KERNEL_COPY to use messages, or see what `atoll doctor` says of it");
}

bool segment::put_by_kernel(rank_id target, std::uintptr_t there, const void* from,
                            std::size_t bytes) noexcept {
  if (!owner_.kernel_copy().write(target, there, from, bytes)) {
    check_kernel_copy(target);
    return false;
  }
  trace::count(trace::counter::kernel_copies);
  return true;
}

bool segment::get_by_kernel(void* to, rank_id target, std::uintptr_t there,
                            std::size_t bytes) noexcept {
  if (!owner_.kernel_copy().read(target, there, to, bytes)) {
    check_kernel_copy(target);
    return false;
  }
  trace::count(trace::counter::kernel_copies);
  return true;
}

// --- by the network ------------------------------------------------------------------------------

bool segment::network_reaches(rank_id target) const noexcept {
  return !remote_.empty() && remote_[target].key != transport::no_memory_key;
}

// Small ones that others may follow go together with those, as messages, where that is better.
bool segment::goes_native(rank_id target, std::size_t bytes, bool alone) const noexcept {
  if (!network_reaches(target) || !owner_.direct_allowed()) return false;
  const transport::transport& via = owner_.via(target);
  return &via == owner_.network() && (alone || bytes >= via.describe().transfer_min);
}

// Posts a native transfer in pieces, counting those under way in `record`.
template <class Post>
bool segment::start_native(transport::transfer all, std::size_t piece_max, operation& record,
                           bool immediate, Post post) noexcept {
  all.memory = remote_[all.target];
  all.context = &record;
  for (std::size_t left = all.bytes; left != 0; left -= all.bytes) {
    all.bytes = std::min(left, piece_max);
    record.add_piece();
    transport::post result = post(all);
    if (result == transport::post::retry) {
      if (immediate) {
        record.end_piece();
        trace::count(trace::counter::refusals);
        return false;
      }
      owner_.wait_for_room(transport::channel::request, [&] {
        result = post(all);
        return result != transport::post::retry;
      });
    }
    if (result == transport::post::done) record.end_piece();
    immediate = false;
    all.here += all.bytes;
    all.there += all.bytes;
  }
  return true;
}

// A caller that does not keep the source may reuse it as soon as this returns: a transport copies a
// source that fits into a message, and a larger put is waited for.
bool segment::put_native(const transport::transfer& all, operation& record,
                         bool immediate) noexcept {
  transport::transport& via = owner_.via(all.target);
  const std::size_t most = via.describe().transfer_max;
  const auto put = [&](const transport::transfer& piece) { return via.put(piece); };
  if (all.keeps_source || all.bytes <= owner_.medium_max()) {
    return start_native(all, most, record, immediate, put);
  }
  operation whole;
  transport::transfer kept = all;
  kept.keeps_source = true;
  if (!start_native(kept, most, whole, immediate, put)) return false;
  owner_.wait_until([&] { return whole.complete(); });
  return true;
}

bool segment::start_atomic(transport::atomic_transfer what, operation& record,
                           bool immediate) noexcept {
  transport::transport& network = *owner_.network();
  what.memory = remote_[what.target];
  what.context = &record;
  record.add_piece();
  transport::post result = network.atomic(what);
  if (result == transport::post::retry && immediate) {
    record.end_piece();
    trace::count(trace::counter::refusals);
    return false;
  }
  if (result == transport::post::retry) {
    owner_.wait_for_room(transport::channel::request, [&] {
      result = network.atomic(what);
      return result != transport::post::retry;
    });
  }
  if (result == transport::post::done) record.end_piece();
  return true;
}

// --- whichever way -------------------------------------------------------------------------------

bool segment::start_put(rank_id target, void* to, const void* from, std::size_t bytes,
                        operation& record, transfer_options how) noexcept {
  check_range("put", target, to, bytes);
  trace::count(trace::counter::puts);
  trace::count(trace::counter::put_bytes, bytes);
  const auto there = reinterpret_cast<std::uintptr_t>(to);
  if (goes_by_kernel(target, bytes, 1, how.alone) && put_by_kernel(target, there, from, bytes))
    return true;
  if (goes_native(target, bytes, how.alone)) {
    auto* const here = const_cast<std::byte*>(static_cast<const std::byte*>(from));  // only read
    return put_native({.target = target,
                       .memory = {},
                       .here = here,
                       .there = there,
                       .bytes = bytes,
                       .keeps_source = how.keeps_source},
                      record, how.immediate);
  }
  return owner_.reference().start_put(target, to, from, bytes, record, how.immediate);
}

bool segment::start_get(void* to, rank_id target, const void* from, std::size_t bytes,
                        operation& record, transfer_options how) noexcept {
  check_range("get", target, from, bytes);
  trace::count(trace::counter::gets);
  trace::count(trace::counter::get_bytes, bytes);
  transport::transport& via = owner_.via(target);
  const auto there = reinterpret_cast<std::uintptr_t>(from);
  if (goes_by_kernel(target, bytes, 1, how.alone) && get_by_kernel(to, target, there, bytes))
    return true;
  if (goes_native(target, bytes, how.alone)) {
    return start_native({.target = target,
                         .memory = {},
                         .here = static_cast<std::byte*>(to),
                         .there = there,
                         .bytes = bytes},
                        via.describe().transfer_max, record, how.immediate,
                        [&](const transport::transfer& piece) { return via.get(piece); });
  }
  return owner_.reference().start_get(to, target, from, bytes, record, how.immediate);
}

}  // namespace atl
