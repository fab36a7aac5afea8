// SPDX-License-Identifier: BSD-3-Clause
//
// Sending, and binding segments. Sending is: check, hand to the transport of the target's row, and
// if that has no room, poll and try again. While a request waits, anything that arrives is handled,
// so ranks that flood each other in a ring all move on; while a reply waits, only replies are (they
// never send), so a handler cannot be entered from within a handler of the same kind.
#include <atoll/core/endpoint.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>
#include <atoll/core/reference_transfers.hpp>
#include <atoll/core/runtime.hpp>

#include <algorithm>
#include <cstring>

namespace atl {

endpoint::endpoint(runtime& owner, std::uint8_t index)
    : owner_(owner),
      index_(index),
      ranks_(owner.size()),
      inline_ranks_(owner.configuration().flag(setting::counters) ? 0 : owner.size()),
      medium_max_(owner.medium_max()),
      paths_(owner.size()) {}

// --- segments ------------------------------------------------------------------------------------

void endpoint::bind(segment mine) {
  memory::host_memory& host = owner_.host_memory();
  std::byte* const shared = host.shared(owner_.rank());
  const std::size_t limit = host.layout().shared_bytes();
  const auto offset = static_cast<std::size_t>(mine.base - shared);
  if (mine.bytes != 0 && (mine.base < shared || offset > limit || mine.bytes > limit - offset)) {
    throw error(text("segment at ", hex(mine.base), " of ", bytes_text(mine.bytes)),
                text("not inside this rank's heaps [", hex(shared), ", +", bytes_text(limit), ")"),
                "allocate it with the runtime's heap");
  }
  bind_here(mine);
  const published_segment own = publish();
  const auto blobs = owner_.boot().exchange(std::as_bytes(std::span(&own, 1)));
  for (rank_id rank = 0; rank < ranks_; ++rank) {
    published_segment theirs;
    std::memcpy(&theirs, blobs.at(rank).data(), sizeof theirs);
    learn(rank, theirs);
  }
}

void endpoint::bind_here(segment mine) noexcept {
  mine_ = mine;
  const published_segment own = publish();
  if (own.bytes != 0 && own.shared_offset == published_segment::private_memory)
    owner_.offer_memory();
  learn(owner_.rank(), own);
}

// In place: others keep the address of the rows.
void endpoint::bind_as(const endpoint& other) noexcept {
  mine_ = other.mine_;
  std::copy(other.paths_.begin(), other.paths_.end(), paths_.begin());
}

published_segment endpoint::publish() const noexcept {
  const memory::host_memory& host = owner_.host_memory();
  const std::byte* const shared = host.shared(owner_.rank());
  const std::size_t limit = host.layout().shared_bytes();
  const auto offset = static_cast<std::size_t>(mine_.base - shared);
  const bool is_shared = mine_.base >= shared && offset <= limit && mine_.bytes <= limit - offset;
  return {.address = reinterpret_cast<std::uintptr_t>(mine_.base),
          .bytes = mine_.bytes,
          .shared_offset = is_shared ? offset : published_segment::private_memory};
}

void endpoint::learn(rank_id rank, const published_segment& theirs) noexcept {
  path& to = paths_[rank];
  to.remote_base = theirs.address;
  to.segment_bytes = theirs.bytes;
  const bool is_shared = theirs.shared_offset != published_segment::private_memory;
  if (theirs.bytes == 0) {
    to.local_base = nullptr;
  } else if (is_shared && owner_.is_neighbour(rank)) {
    to.local_base = owner_.host_memory().shared(rank) + theirs.shared_offset;
  } else {
    to.local_base = rank == owner_.rank() ? mine_.base : nullptr;
  }
  const bool direct = to.local_base != nullptr && owner_.direct_allowed();
  to.direct_bytes = direct ? theirs.bytes : 0;
}

// A neighbour's row without a mapping is one of memory outside of its heaps.
bool endpoint::goes_by_kernel(rank_id peer, std::size_t bytes, std::size_t pieces,
                              bool alone) const noexcept {
  if (!owner_.is_neighbour(peer) || paths_[peer].local_base != nullptr) return false;
  memory::kernel_copy& kernel = owner_.kernel_copy();
  if (!kernel.pays(bytes, pieces, alone)) return false;
  const bool reached = kernel.reaches(peer);
  if (!reached) check_kernel_copy(peer);
  return reached;
}

void endpoint::check_kernel_copy(rank_id peer) const noexcept {
  const memory::kernel_copy& kernel = owner_.kernel_copy();
  if (!kernel.is_forced()) [[likely]]
    return;
  owner_.fail(text("copy by the kernel between ranks ", owner_.rank(), " and ", peer),
              text("the kernel refuses it: ", errno_text(kernel.last_error())),
              "unset ATOLL_KERNEL_COPY to use messages, or see what `atoll doctor` says of it");
}

void endpoint::check_target(rank_id target, const char* what) const noexcept {
  if (target < ranks_) [[likely]]
    return;
  owner_.fail(text(what, " from rank ", owner_.rank(), " to rank ", target),
              text("there are ranks 0 to ", ranks_ - 1), "use a rank of the job");
}

void endpoint::check_range(const char* what, rank_id target, const void* there,
                           std::size_t bytes) const noexcept {
  check_target(target, what);
  const path& row = paths_[target];
  if (row.contains(there, bytes)) [[likely]]
    return;
  const std::string object = text(what, " of ", bytes, " bytes, rank ", owner_.rank(), " to rank ",
                                  target, " at ", hex(there));
  if (row.segment_bytes == 0) {
    owner_.fail(object, text("rank ", target, " has no segment bound to this endpoint"),
                "attach or bind a segment on every rank first");
  }
  owner_.fail(
      object,
      text("outside the segment of rank ", target, ", [", hex(row.remote_base), ", ",
           hex(row.remote_base + row.segment_bytes), ") of ", bytes_text(row.segment_bytes)),
      "addresses are those of the target rank; check the offset and the size");
}

// --- messages ------------------------------------------------------------------------------------

void endpoint::refuse_request(const am_message& out) const noexcept {
  check_target(out.target, "AM request");
  owner_.fail(text("AM request from rank ", owner_.rank(), " to rank ", out.target),
              "sent inside a handler, which may only reply",
              "note the work and send it after the handler has returned");
}

bool endpoint::send(am_message& out, bool immediate) noexcept {
  out.endpoint = index_;
  if (out.nargs > transport::max_args) [[unlikely]]
    refuse_size(out);
  if (out.kind == am_category::long_) return send_long(out, immediate);
  if (out.bytes > medium_max_) [[unlikely]]
    refuse_size(out);
  return post(out, immediate);
}

bool endpoint::post(am_message& out, bool immediate) noexcept {
  if (owner_.via(out.target).send(out) != transport::post::done) [[unlikely]] {
    if (immediate) {
      trace::count(trace::counter::refusals);
      return false;
    }
    wait_for_room(out.via,
                  [&] { return owner_.via(out.target).send(out) == transport::post::done; });
  }
  count_sent(out);
  // To oneself the handler has run already, on this thread; others of this rank may wait for it.
  if (out.target == owner_.rank() && owner_.threaded()) owner_.wake_own_threads();
  return true;
}

void endpoint::refuse_size(const am_message& out) const noexcept {
  if (out.nargs > transport::max_args) {
    owner_.fail(text("AM of ", unsigned{out.nargs}, " arguments to rank ", out.target),
                text("the most is ", transport::max_args), "put the others into the payload");
  }
  owner_.fail(text("medium AM of ", out.bytes, " bytes to rank ", out.target),
              text("the most is ", medium_max_, " bytes"),
              "ask for the maximum, or send a long message");
}

void endpoint::count_sent(const am_message& out) const noexcept {
  const bool is_request = out.via == transport::channel::request;
  trace::count(is_request ? trace::counter::requests : trace::counter::replies);
  if (out.bytes != 0) trace::count(trace::counter::am_bytes, out.bytes);
}

bool endpoint::send_long(am_message& out, bool immediate) noexcept {
  if (out.bytes != 0) {
    void* const there = reinterpret_cast<void*>(out.address);
    std::byte* const at = paths_[out.target].direct(there, out.bytes);
    if (at == nullptr) {
      check_range("long AM", out.target, there, out.bytes);
      if (goes_by_kernel(out.target, out.bytes, 1, false))
        return send_long_by_kernel(out, immediate);
      return send_long_in_pieces(out, immediate);
    }
    if (immediate && !owner_.via(out.target).has_room(out.target, out.via)) {
      trace::count(trace::counter::refusals);
      return false;
    }
    copy_bytes(at, out.payload, out.bytes);
    // The payload is written and cannot be withdrawn, so from here on the message goes even if
    // other threads have taken the room meanwhile.
    return post(out, false);
  }
  return post(out, immediate);
}

bool endpoint::send_long_by_kernel(am_message& out, bool immediate) noexcept {
  if (immediate && !owner_.via(out.target).has_room(out.target, out.via)) {
    trace::count(trace::counter::refusals);
    return false;
  }
  // A copy that failed may have written a part, so from here on the message goes in any case.
  if (!put_by_kernel(out.target, out.address, out.payload, out.bytes))
    return send_long_in_pieces(out, false);
  return post(out, false);
}

bool endpoint::send_long_in_pieces(am_message& out, bool immediate) noexcept {
  if (!owner_.reference().send_long(out, immediate)) return false;
  count_sent(out);
  return true;
}

template <class Attempt>
void endpoint::wait_for_room(transport::channel via, Attempt attempt) noexcept {
  const bool is_request = via == transport::channel::request;
  trace::count(is_request ? trace::counter::request_stalls : trace::counter::reply_stalls);
  // Room comes without a bell (the receiver just moves on), so the sleeps are short.
  owner_.wait_while([&] { return is_request ? owner_.progress() : owner_.progress_replies(); },
                    attempt, runtime::silent_sleep_ns);
}

transport::staging endpoint::prepare(const am_message& out, bool immediate) noexcept {
  check_target(out.target, "AM prepare");
  if (out.via == transport::channel::request && current_handler != handler_context::none) {
    refuse_request(out);
  }
  if (out.bytes > medium_max_) refuse_size(out);
  transport::transport& via = owner_.via(out.target);
  transport::staging buffer = via.prepare(out.via, out.bytes);
  if (buffer.data != nullptr) return buffer;
  if (immediate) {
    trace::count(trace::counter::refusals);
    return buffer;
  }
  wait_for_room(out.via, [&] {
    buffer = via.prepare(out.via, out.bytes);
    return buffer.data != nullptr;
  });
  return buffer;
}

bool endpoint::commit(const transport::staging& buffer, const am_message& message,
                      bool immediate) noexcept {
  am_message out = message;
  check_target(out.target, "AM commit");
  if (out.bytes > buffer.bytes || out.nargs > transport::max_args) refuse_size(out);
  if (out.via == transport::channel::request && current_handler != handler_context::none) {
    refuse_request(out);
  }
  if (out.kind == am_category::long_) {
    out.payload = buffer.data;
    if (!send(out, immediate)) return false;
    cancel(out.target, buffer);
    return true;
  }
  out.endpoint = index_;
  transport::transport& via = owner_.via(out.target);
  if (via.commit(buffer, out) != transport::post::done) {
    if (immediate) {
      trace::count(trace::counter::refusals);
      return false;
    }
    wait_for_room(out.via, [&] { return via.commit(buffer, out) == transport::post::done; });
  }
  count_sent(out);
  if (out.target == owner_.rank() && owner_.threaded()) owner_.wake_own_threads();
  return true;
}

void endpoint::cancel(rank_id target, const transport::staging& buffer) noexcept {
  owner_.via(target).cancel(buffer);
}

// --- transfers -----------------------------------------------------------------------------------

// Posts a native transfer in pieces, counting those under way in `record`.
template <class Post>
bool endpoint::start_native(transport::transfer all, std::size_t piece_max, operation& record,
                            bool immediate, Post post) noexcept {
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
      wait_for_room(transport::channel::request, [&] {
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

// A caller who does not keep the source gets back from here when it may be reused: a transport
// copies what fits into a message; more than that is waited for.
bool endpoint::put_native(const transport::transfer& all, operation& record,
                          bool immediate) noexcept {
  transport::transport& via = owner_.via(all.target);
  const std::size_t most = via.describe().transfer_max;
  const auto put = [&](const transport::transfer& piece) { return via.put(piece); };
  if (all.keeps_source || all.bytes <= medium_max_) {
    return start_native(all, most, record, immediate, put);
  }
  operation whole;
  transport::transfer kept = all;
  kept.keeps_source = true;
  if (!start_native(kept, most, whole, immediate, put)) return false;
  owner_.wait_until([&] { return whole.complete(); });
  return true;
}

bool endpoint::put_by_kernel(rank_id target, std::uintptr_t there, const void* from,
                             std::size_t bytes) noexcept {
  if (!owner_.kernel_copy().write(target, there, from, bytes)) {
    check_kernel_copy(target);
    return false;
  }
  trace::count(trace::counter::kernel_copies);
  return true;
}

bool endpoint::get_by_kernel(void* to, rank_id target, std::uintptr_t there,
                             std::size_t bytes) noexcept {
  if (!owner_.kernel_copy().read(target, there, to, bytes)) {
    check_kernel_copy(target);
    return false;
  }
  trace::count(trace::counter::kernel_copies);
  return true;
}

// Small ones that others may follow go together with those, as messages, where that is better.
bool endpoint::goes_native(rank_id target, std::uintptr_t there, std::size_t bytes,
                           bool alone) const noexcept {
  const transport::transport& via = owner_.via(target);
  return owner_.direct_allowed() && via.reaches(target, there, bytes) &&
         (alone || bytes >= via.describe().transfer_min);
}

bool endpoint::start_put(rank_id target, void* to, const void* from, std::size_t bytes,
                         operation& record, transfer_options how) noexcept {
  check_range("put", target, to, bytes);
  trace::count(trace::counter::puts);
  trace::count(trace::counter::put_bytes, bytes);
  const auto there = reinterpret_cast<std::uintptr_t>(to);
  if (goes_by_kernel(target, bytes, 1, how.alone) && put_by_kernel(target, there, from, bytes))
    return true;
  if (goes_native(target, there, bytes, how.alone)) {
    auto* const here = const_cast<std::byte*>(static_cast<const std::byte*>(from));  // only read
    return put_native({.target = target,
                       .here = here,
                       .there = there,
                       .bytes = bytes,
                       .keeps_source = how.keeps_source},
                      record, how.immediate);
  }
  return owner_.reference().start_put(target, to, from, bytes, record, how.immediate);
}

bool endpoint::start_get(void* to, rank_id target, const void* from, std::size_t bytes,
                         operation& record, transfer_options how) noexcept {
  check_range("get", target, from, bytes);
  trace::count(trace::counter::gets);
  trace::count(trace::counter::get_bytes, bytes);
  transport::transport& via = owner_.via(target);
  const auto there = reinterpret_cast<std::uintptr_t>(from);
  if (goes_by_kernel(target, bytes, 1, how.alone) && get_by_kernel(to, target, there, bytes))
    return true;
  if (goes_native(target, there, bytes, how.alone)) {
    return start_native(
        {.target = target, .here = static_cast<std::byte*>(to), .there = there, .bytes = bytes},
        via.describe().transfer_max, record, how.immediate,
        [&](const transport::transfer& piece) { return via.get(piece); });
  }
  return owner_.reference().start_get(to, target, from, bytes, record, how.immediate);
}

bool endpoint::start_atomic(transport::atomic_transfer what, operation& record,
                            bool immediate) noexcept {
  transport::transport& network = *owner_.network();
  what.context = &record;
  record.add_piece();
  transport::post result = network.atomic(what);
  if (result == transport::post::retry && immediate) {
    record.end_piece();
    trace::count(trace::counter::refusals);
    return false;
  }
  if (result == transport::post::retry) {
    wait_for_room(transport::channel::request, [&] {
      result = network.atomic(what);
      return result != transport::post::retry;
    });
  }
  if (result == transport::post::done) record.end_piece();
  return true;
}

}  // namespace atl
