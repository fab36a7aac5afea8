// SPDX-License-Identifier: BSD-3-Clause
//
// Pieces that are under way. They are few, so all of them are searched. Each start of a transfer
// calls make_way() first, so no two pieces under way have a byte in common, except that fetched
// pieces may overlap each other.
#include <front/upc/run_transfers.hpp>

#include <atoll_upc/access.h>
#include <front/upc/address.hpp>
#include <front/upc/relaxed.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

namespace atl::upc {
namespace {

constexpr transfer_options keep_source = {.keeps_source = true};

}  // namespace

run_transfers::memory run_transfers::take() {
  if (unused_.empty()) return std::make_unique_for_overwrite<std::byte[]>(piece_bytes_max);
  memory taken = std::move(unused_.back());
  unused_.pop_back();
  return taken;
}

// Takes back the memory of a piece, once no transfer writes or reads it.
void run_transfers::end(piece& ended) noexcept {
  us_.runtime.wait(ended.done);
  unused_.push_back(std::move(ended.copy));
}

run_transfers::piece run_transfers::start(atoll_upc_pointer from, std::size_t bytes) {
  us_.relaxed->make_way(from, bytes);
  piece started{.thread = from.thread,
                .offset = from.offset,
                .bytes = bytes,
                .used = 0,
                .copy = take(),
                .done = {}};
  get_nb(us_.heaps, started.copy.get(), from.thread,
         find(us_, "a read of shared memory", from, bytes), bytes, started.done, keep_source);
  return started;
}

// The piece under way that holds these bytes, or a new one.
run_transfers::piece run_transfers::take_fetched(atoll_upc_pointer from, std::size_t bytes) {
  const auto found = std::find_if(fetched_.begin(), fetched_.end(),
                                  [&](const piece& each) { return each.holds(from, bytes); });
  if (found == fetched_.end()) return start(from, bytes);
  piece taken = std::move(*found);
  fetched_.erase(found);
  return taken;
}

void run_transfers::make_room() noexcept {
  while (fetched_.size() >= pieces_at_once) {
    end(fetched_.front());
    fetched_.erase(fetched_.begin());
  }
}

bool run_transfers::holds(atoll_upc_pointer p, std::size_t bytes) const noexcept {
  return std::ranges::any_of(fetched_, [&](const piece& each) { return each.holds(p, bytes); });
}

void run_transfers::fetch_ahead(atoll_upc_pointer from, std::size_t piece_bytes,
                                std::size_t ahead) {
  const auto& row = us_.heaps.routes()[from.thread];
  for (std::size_t i = 0; i < pieces_ahead && ahead != 0; ++i) {
    std::size_t next = std::min(piece_bytes, ahead);
    const auto found = std::find_if(fetched_.begin(), fetched_.end(),
                                    [&](const piece& each) { return each.holds(from, 1); });
    if (found != fetched_.end()) {
      next = std::min<std::size_t>(found->offset + found->bytes - from.offset, ahead);
    } else {
      if (!row.contains(us_.remote_address(from.thread, from.offset), next)) return;
      if (fetched_.size() >= pieces_at_once) {
        const bool was_wanted = fetched_.front().used != 0;
        make_room();
        if (!was_wanted) return;  // more streams than pieces: fetching further ahead does not help
      }
      fetched_.push_back(start(from, next));
      atoll_upc_unordered = 1;
    }
    from.offset += next;
    ahead -= next;
  }
}

// A program that begins to read where the last loop over this thread's memory ended goes from block
// to block, so more of that memory is fetched.
std::size_t run_transfers::bytes_to_expect(atoll_upc_pointer from, std::size_t bytes,
                                           std::size_t ahead) {
  stream& last = streams_[from.thread % streams_.size()];
  const bool continues = last.thread == from.thread && last.end == from.offset;
  last.continues_behind_loops = continues && (last.continues_behind_loops || last.ended_a_loop);
  last.ended_a_loop = ahead == 0;
  last.thread = from.thread;
  last.end = from.offset + bytes;
  return last.continues_behind_loops ? std::max(ahead, piece_bytes_max) : ahead;
}

// Elements that the loop also stores are fetched in the same pieces as they are stored, since a
// store drops what was fetched.
run_transfers::memory run_transfers::read(atoll_upc_pointer from, std::size_t bytes,
                                          std::size_t ahead, bool is_written) {
  if (!is_written) ahead = bytes_to_expect(from, bytes, ahead);
  piece found = take_fetched(from, bytes);
  const std::size_t skipped = from.offset - found.offset;
  const std::size_t rest = found.bytes - skipped - bytes;
  if (ahead > rest) {
    const atoll_upc_pointer next = {from.offset + bytes + rest, from.thread, 0};
    fetch_ahead(next, is_written ? bytes : std::max(bytes, piece_bytes_min), ahead - rest);
  }
  us_.runtime.wait(found.done);
  if (skipped == 0 && rest == 0) return std::move(found.copy);
  memory part = take();
  std::memcpy(part.get(), found.copy.get() + skipped, bytes);
  if (rest != 0) {
    found.used = skipped + bytes;
    make_room();
    fetched_.push_back(std::move(found));
  } else {
    give_back(std::move(found.copy));
  }
  return part;
}

void run_transfers::store(memory copy, atoll_upc_pointer to, std::size_t bytes) {
  us_.relaxed->make_way(to, bytes);
  if (stored_.size() == pieces_at_once) {
    end(stored_.front());
    stored_.erase(stored_.begin());
  }
  piece started{.thread = to.thread,
                .offset = to.offset,
                .bytes = bytes,
                .used = 0,
                .copy = std::move(copy),
                .done = {}};
  put_nb(us_.heaps, to.thread, find(us_, "a write of shared memory", to, bytes), started.copy.get(),
         bytes, started.done, keep_source);
  stored_.push_back(std::move(started));
  atoll_upc_unordered = 1;
}

void run_transfers::make_way(atoll_upc_pointer p, std::size_t bytes) noexcept {
  for (std::vector<piece>* pieces : {&fetched_, &stored_}) {
    std::erase_if(*pieces, [&](piece& each) {
      if (!each.overlaps(p, bytes)) return false;
      if (pieces == &fetched_) streams_[p.thread % streams_.size()] = {};
      end(each);
      return true;
    });
  }
}

void run_transfers::finish_stores() noexcept {
  for (piece& each : stored_) end(each);
  stored_.clear();
}

void run_transfers::finish_stores(atoll_upc_pointer p, std::size_t bytes) noexcept {
  const auto is_touched = [&](const piece& each) { return each.overlaps(p, bytes); };
  if (std::ranges::any_of(stored_, is_touched)) finish_stores();
}

void run_transfers::complete() noexcept {
  finish_stores();
  for (piece& each : fetched_) end(each);
  fetched_.clear();
}

}  // namespace atl::upc
