// SPDX-License-Identifier: BSD-3-Clause
//
// Free stretches are kept by offset and joined with their neighbours; the first that is large
// enough is used. The book-keeping is outside of the memory that is handed out, except headers on
// thread 0.
#include <front/upc/global_heap.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/rounding.hpp>
#include <atoll/base/text.hpp>
#include <atoll/coll/collectives.hpp>
#include <atoll/core/job/layer_access.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>

namespace atl::upc {
namespace {

constexpr std::size_t unit_bytes = 64;  // of sizes and offsets
constexpr std::size_t least_stretch = std::size_t{256} << 10;
constexpr std::size_t discard_bytes = std::size_t{1} << 20;  // smaller blocks keep their pages

// A value that no other memory has by accident.
constexpr std::uint64_t live = 0x41746f6c6c757063;
constexpr std::uint64_t freed = 0x66726565;

}  // namespace

struct global_heap::header {
  std::uint64_t state = 0;
  std::uint64_t owner = 0;  // the thread that allocated the block
  std::uint64_t bytes = 0;  // with the header
  std::uint64_t next = 0;   // place of the next block in a list of freed ones, 0 at its end
  std::uint64_t asked = 0;  // bytes that the caller asked for
};

// A quarter of the addresses stays with the symmetric heap, for other fronts.
global_heap::global_heap(process_state& us) : us_(us) {
  const std::uint64_t own_limit = us.runtime.memory_layout().symmetric_limit;
  std::uint64_t limit = 0;
  coll::allreduce(*us.world, &limit, &own_limit, 1,
                  coll::built_in(coll::reduce_operation::min, data_type::u64));
  const std::size_t bytes = round_down(limit / 4 * 3, page_bytes);
  begin_ = us.symmetric.set_aside(*us.world, bytes);
  if (begin_ == 0) {
    throw error("the start of UPC", "most of the symmetric heap is in use by another model",
                "raise ATOLL_SYMMETRIC_LIMIT, or start UPC first");
  }
  end_ = begin_ + bytes;
  if (us.rank() == 0) us.words->global_used = begin_;
  us.world->barrier();
}

// --- stretches of this thread --------------------------------------------------------------------

std::uint64_t global_heap::take(std::size_t bytes) {
  const auto found =
      std::ranges::find_if(free_, [&](const auto& each) { return each.second >= bytes; });
  if (found == free_.end()) return 0;
  const auto [place, room] = *found;
  free_.erase(found);
  if (room > bytes) free_.emplace(place + bytes, room - bytes);
  return place;
}

void global_heap::give(std::uint64_t place, std::size_t bytes) {
  auto behind = free_.lower_bound(place);
  if (behind != free_.end() && behind->first == place + bytes) {
    bytes += behind->second;
    behind = free_.erase(behind);
  }
  if (behind != free_.begin()) {
    const auto previous = std::prev(behind);
    if (previous->first + previous->second == place) {
      previous->second += bytes;
      return;
    }
  }
  free_.emplace(place, bytes);
}

void global_heap::discard(std::uint64_t place, std::size_t bytes) const noexcept {
  const std::uint64_t begin = round_up(place, page_bytes);
  const std::uint64_t end = round_down(place + bytes, page_bytes);
  if (bytes < discard_bytes || begin >= end) return;
  for (rank_id i = 0; i < us_.runtime.neighbourhood_count(); ++i) {
    const rank_id neighbour = us_.runtime.neighbourhood_first() + i;
    layer_access::host_memory(us_.runtime)
        .discard(layer_access::host_memory(us_.runtime).shared(neighbour) + begin, end - begin);
  }
}

// Takes over what other threads have freed since the last time.
void global_heap::take_back() {
  const std::uint64_t list = us_.words_offset + offsetof(thread_words, freed_global);
  std::uint64_t place = us_.atomic_at(us_.rank(), list, atomic_op::get);
  if (place == 0) return;
  place = us_.atomic_at(us_.rank(), list, atomic_op::swap, 0);
  while (place != 0) {
    const header block = read_header(place);
    discard(place, block.bytes);
    give(place, block.bytes);
    place = block.next;
  }
}

// --- the range of all threads -------------------------------------------------------------------

std::uint64_t global_heap::take_addresses(std::size_t bytes) {
  const std::uint64_t word = us_.words_offset + offsetof(thread_words, global_used);
  std::uint64_t used = us_.atomic_at(0, word, atomic_op::get);
  for (;;) {
    if (end_ - used < bytes) return 0;
    const std::uint64_t seen = us_.atomic_at(0, word, atomic_op::fetch_cas, used, used + bytes);
    if (seen == used) return used;
    used = seen;
  }
}

bool global_heap::extend(std::size_t bytes) {
  memory::host_memory& host = layer_access::host_memory(us_.runtime);
  const std::size_t needed = round_up(bytes, page_bytes);
  for (const std::size_t stretch : {std::max(needed, least_stretch), needed}) {
    if (stretch > (end_ - begin_) || !host.commit(stretch * host.layout().ranks)) continue;
    if (const std::uint64_t place = take_addresses(stretch); place != 0) {
      give(place, stretch);
      return true;
    }
    host.release(stretch * host.layout().ranks);
  }
  return false;
}

// --- headers ------------------------------------------------------------------------------------

global_heap::header global_heap::read_header(std::uint64_t place) const noexcept {
  return get_value(us_.heaps, 0, reinterpret_cast<const header*>(us_.remote_address(0, place)));
}

std::uint64_t global_heap::header_atomic(std::uint64_t place, std::size_t member, atomic_op op,
                                         std::uint64_t operand,
                                         std::uint64_t operand2) const noexcept {
  return us_.atomic_at(0, place + member, op, operand, operand2);
}

// --- calls --------------------------------------------------------------------------------------

std::uint64_t global_heap::allocate(std::size_t bytes) {
  if (bytes > end_ - begin_) return 0;
  const std::size_t all_bytes = round_up(bytes, unit_bytes) + unit_bytes;
  take_back();
  std::uint64_t place = take(all_bytes);
  if (place == 0) {
    if (!extend(all_bytes)) return 0;
    place = take(all_bytes);
  }
  put_value(us_.heaps, 0, reinterpret_cast<header*>(us_.remote_address(0, place)),
            header{.state = live, .owner = us_.rank(), .bytes = all_bytes, .asked = bytes});
  return place + unit_bytes;
}

// A block may contain old headers, of blocks that were freed before and are part of it; so a header
// counts only if its block reaches as far as the offset.
std::optional<std::pair<std::uint64_t, std::uint64_t>> global_heap::find_block(
    std::uint64_t offset) const noexcept {
  const auto* const memory = reinterpret_cast<const std::byte*>(us_.routes[0].local);
  if (memory == nullptr) return std::nullopt;
  for (std::uint64_t place = round_down(offset, unit_bytes); place >= begin_; place -= unit_bytes) {
    header found;
    std::memcpy(&found, memory + place, sizeof found);
    if (found.state != live || found.bytes <= offset - place) continue;
    return std::pair(place + unit_bytes, place + unit_bytes + found.asked);
  }
  return std::pair(std::uint64_t{0}, std::uint64_t{0});
}

void global_heap::free(const char* call, std::uint64_t offset) {
  const std::uint64_t place = offset - unit_bytes;
  const bool is_place = offset % unit_bytes == 0 && place >= begin_ && offset < end_;
  const std::uint64_t state =
      is_place ? header_atomic(place, offsetof(header, state), atomic_op::fetch_cas, live, freed)
               : 0;
  if (state != live) {
    refuse(call,
           text("the pointer (thread 0, offset ", offset, ") ",
                state == freed ? "was freed before" : "is not the begin of an allocation"),
           "free what an allocation function has returned, once");
  }
  const header block = read_header(place);
  if (block.owner == us_.rank()) {
    discard(place, block.bytes);
    give(place, block.bytes);
    return;
  }
  const auto owner = static_cast<rank_id>(block.owner);
  const std::uint64_t list = us_.words_offset + offsetof(thread_words, freed_global);
  std::uint64_t first = us_.atomic_at(owner, list, atomic_op::get);
  for (;;) {
    header_atomic(place, offsetof(header, next), atomic_op::set, first, 0);
    const std::uint64_t seen = us_.atomic_at(owner, list, atomic_op::fetch_cas, first, place);
    if (seen == first) return;
    first = seen;
  }
}

}  // namespace atl::upc
