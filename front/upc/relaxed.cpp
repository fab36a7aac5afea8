// SPDX-License-Identifier: BSD-3-Clause
//
// Lines that were read, and writes that are under way. A line is fetched only when no write of its
// bytes is under way, and a write changes the line of its location as well, so the thread that runs
// main reads what it wrote last. Writes of other threads of the process change no line; a program
// that declares that it has such threads keeps none.
#include <front/upc/relaxed.hpp>

#include <atoll_upc/access.h>
#include <atoll/base/rounding.hpp>
#include <atoll/core/strided/strided_access.hpp>
#include <front/upc/address.hpp>
#include <front/upc/pending.hpp>

#include <algorithm>
#include <cstring>

namespace atl::upc {

relaxed_accesses::relaxed_accesses(process_state& us) noexcept
    : us_(us), runs_(us), sent_(us.runtime) {}

relaxed_accesses::~relaxed_accesses() { sent_.wait(); }

bool relaxed_accesses::serves(std::uint32_t thread, std::size_t bytes) const noexcept {
  return bytes <= largest_value && thread < us_.size() && us_.routes[thread].local == nullptr &&
         is_own_thread();
}

bool relaxed_accesses::fetch(line& into, std::uint64_t name, atoll_upc_pointer from) noexcept {
  const std::uint64_t begin = round_down(from.offset, line_bytes);
  std::byte* const address = us_.remote_address(from.thread, begin);
  std::size_t bytes = line_bytes;
  while (bytes > 0 && !us_.heaps.routes()[from.thread].contains(address, bytes)) bytes /= 2;
  if (from.offset - begin >= bytes) return false;
  wait_for_writes({begin, from.thread, 0}, bytes);
  atl::get(us_.heaps, into.content.data(), from.thread, address, bytes);
  into.name = name;
  into.bytes = bytes;
  into.reads_left = reads_of_line;
  if (us_.counted != nullptr) us_.counted->add(statistic::lines_fetched);
  atoll_upc_unordered = 1;
  return true;
}

void relaxed_accesses::get(void* to, atoll_upc_pointer from, std::size_t bytes) noexcept {
  static constexpr const char* call = "a read of shared memory";
  const std::size_t place = from.offset % line_bytes;
  const std::uint64_t name = name_of(from.thread, from.offset);
  line& found = place_of(name);
  if (found.name != name || found.reads_left == 0 || place + bytes > found.bytes) {
    std::byte* const address = find(us_, call, from, bytes);
    if (place + bytes > line_bytes || !fetch(found, name, from) || place + bytes > found.bytes) {
      wait_for_writes(from, bytes);
      atl::get(us_.heaps, to, from.thread, address, bytes);
      return;
    }
  }
  --found.reads_left;
  if (us_.counted != nullptr) us_.counted->add(statistic::reads_of_lines);
  std::memcpy(to, found.content.data() + place, bytes);
}

void relaxed_accesses::put(atoll_upc_pointer to, const void* from, std::size_t bytes) noexcept {
  std::byte* const address = find(us_, "a write of shared memory", to, bytes);
  runs_.make_way(to, bytes);
  const std::uint64_t first = to.offset / 8, last = (to.offset + bytes - 1) / 8;
  bool is_again = writes_ == writes_at_once;
  for (std::uint64_t word = first; word <= last; ++word)
    is_again = is_again || written_[word_slot(to.thread, word)];
  if (is_again) wait_for_values();
  for (std::uint64_t word = first; word <= last; ++word) written_.set(word_slot(to.thread, word));
  places_[writes_++] = {to.thread, to.offset, to.offset + bytes};
  atoll_upc_unordered = 1;
  if (holds_) {
    add(parcels_[to.thread % parcels], to.thread, address, from, bytes);
  } else {
    put_in(sent_, us_.heaps, to.thread, address, from, bytes, false);
  }
  for (std::size_t done = 0; done < bytes;) {
    const std::uint64_t offset = to.offset + done;
    const std::size_t place = offset % line_bytes,
                      part = std::min(bytes - done, line_bytes - place);
    const std::uint64_t name = name_of(to.thread, offset);
    if (line& kept = place_of(name); kept.name == name)
      std::memcpy(kept.content.data() + place, static_cast<const std::byte*>(from) + done, part);
    done += part;
  }
}

bool relaxed_accesses::hold() noexcept {
  if (!is_own_thread()) return false;
  holds_ = true;
  return true;
}

void relaxed_accesses::send() noexcept {
  send_all();
  holds_ = false;
}

void relaxed_accesses::add(parcel& to, std::uint32_t thread, std::byte* place, const void* value,
                           std::size_t bytes) noexcept {
  if (to.count != 0 && (to.thread != thread || to.count == parcel_writes)) send(to);
  std::memcpy(to.values.data() + to.bytes, value, bytes);
  to.places[to.count] = {.address = place, .bytes = bytes};
  to.thread = thread;
  to.bytes += bytes;
  ++to.count;
}

// The bytes lie one behind the other, so they are one run on this side. A write that is alone is
// sent as if it had not waited.
void relaxed_accesses::send(parcel& full) noexcept {
  if (full.count == 1) {
    put_in(sent_, us_.heaps, full.thread, full.places[0].address, full.values.data(), full.bytes,
           false);
  } else {
    const memory_run values = {.address = full.values.data(), .bytes = full.bytes};
    const vector_transfer transfer{.to = run_list(full.places.data(), full.count),
                                   .from = run_list(&values, 1)};
    start_put(us_.heaps, full.thread, transfer, sent_.current());
  }
  full.count = 0;
  full.bytes = 0;
}

void relaxed_accesses::send_all() noexcept {
  for (parcel& each : parcels_)
    if (each.count != 0) send(each);
}

void relaxed_accesses::make_way(atoll_upc_pointer p, std::size_t bytes) noexcept {
  if (atoll_upc_unordered == 0 || p.thread >= us_.size() || !is_own_thread()) return;
  if (us_.routes[p.thread].local != nullptr) return;
  wait_for_values(p, bytes);
  runs_.make_way(p, bytes);
  const std::uint64_t first = name_of(p.thread, p.offset),
                      last = name_of(p.thread, p.offset + (bytes == 0 ? 0 : bytes - 1));
  for (line& each : lines_)
    if (each.name >= first && each.name <= last) each.name = 0;
}

void relaxed_accesses::wait_for_values() noexcept {
  if (writes_ == 0) return;
  send_all();
  sent_.wait();
  writes_ = 0;
  written_.reset();
}

void relaxed_accesses::wait_for_values(atoll_upc_pointer p, std::size_t bytes) noexcept {
  const auto is_touched = [&](const written_bytes& each) {
    return each.thread == p.thread && each.begin < p.offset + bytes && p.offset < each.end;
  };
  if (std::any_of(places_.begin(), places_.begin() + writes_, is_touched)) wait_for_values();
}

void relaxed_accesses::wait_for_writes(atoll_upc_pointer p, std::size_t bytes) noexcept {
  runs_.finish_stores(p, bytes);
  wait_for_values(p, bytes);
}

void relaxed_accesses::complete() noexcept {
  if (!is_own_thread()) return;
  wait_for_values();
  runs_.complete();
  for (line& each : lines_) each.name = 0;
  atoll_upc_unordered = 0;
}

}  // namespace atl::upc
