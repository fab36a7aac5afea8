// SPDX-License-Identifier: BSD-3-Clause
//
// Pieces that are under way. They are few, so all of them are looked at. Each start of a transfer
// makes way for itself first, so no two pieces under way have a byte in common, but for fetched
// ones among themselves.
#include <front/upc/run_transfers.hpp>

#include <atoll_upc/access.h>
#include <front/upc/address.hpp>
#include <front/upc/relaxed.hpp>

#include <algorithm>
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

// The memory of a piece is used again, once nothing writes or reads it.
void run_transfers::end(piece& ended) noexcept {
  us_.runtime.wait(ended.done);
  unused_.push_back(std::move(ended.copy));
}

run_transfers::piece run_transfers::start(atoll_upc_pointer from, std::size_t bytes) {
  us_.relaxed->make_way(from, bytes);
  piece started{
      .thread = from.thread, .offset = from.offset, .bytes = bytes, .copy = take(), .done = {}};
  get_nb(us_.heaps, started.copy.get(), from.thread,
         find(us_, "a read of shared memory", from, bytes), bytes, started.done, keep_source);
  return started;
}

bool run_transfers::is_fetched(atoll_upc_pointer from) const noexcept {
  return std::any_of(fetched_.begin(), fetched_.end(), [&](const piece& each) {
    return each.thread == from.thread && each.offset == from.offset;
  });
}

// A loop may come to fewer elements at once than were expected; the others are fetched again.
run_transfers::piece run_transfers::take_fetched(atoll_upc_pointer from, std::size_t bytes) {
  const auto found = std::find_if(fetched_.begin(), fetched_.end(), [&](const piece& each) {
    return each.thread == from.thread && each.offset == from.offset && each.bytes >= bytes;
  });
  if (found == fetched_.end()) return start(from, bytes);
  piece taken = std::move(*found);
  fetched_.erase(found);
  return taken;
}

void run_transfers::fetch_ahead(atoll_upc_pointer from, std::size_t bytes, std::size_t ahead) {
  const auto& row = us_.heaps.routes()[from.thread];
  for (std::size_t i = 0; i < pieces_ahead && ahead != 0; ++i) {
    const std::size_t next = std::min(bytes, ahead);
    if (!row.contains(us_.remote_address(from.thread, from.offset), next)) return;
    if (!is_fetched(from)) {
      if (fetched_.size() == pieces_at_once) {
        end(fetched_.front());
        fetched_.erase(fetched_.begin());
      }
      fetched_.push_back(start(from, next));
      atoll_upc_unordered = 1;
    }
    from.offset += next;
    ahead -= next;
  }
}

run_transfers::memory run_transfers::read(atoll_upc_pointer from, std::size_t bytes,
                                          std::size_t ahead) {
  piece wanted = take_fetched(from, bytes);
  from.offset += bytes;
  fetch_ahead(from, bytes, ahead);
  us_.runtime.wait(wanted.done);
  return std::move(wanted.copy);
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
      end(each);
      return true;
    });
  }
}

void run_transfers::finish_stores() noexcept {
  for (piece& each : stored_) end(each);
  stored_.clear();
}

void run_transfers::complete() noexcept {
  finish_stores();
  for (piece& each : fetched_) end(each);
  fetched_.clear();
}

}  // namespace atl::upc
