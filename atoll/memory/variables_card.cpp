// SPDX-License-Identifier: BSD-3-Clause
//
// Counts what is promised for static variables. The counter of promises holds, for the shared heap
// of a rank, all that the heap has grown to; of the block of the static variables, only what the
// card says. It is corrected without a test where memory only changes its owner: so it never holds,
// not for a moment, a promise because of which others would be refused.
#include <atoll/memory/variables_card.hpp>

#include <atoll/base/assert.hpp>
#include <atoll/memory/heap.hpp>
#include <atoll/memory/host_memory.hpp>

#include <algorithm>
#include <span>

namespace atl::memory {
namespace {

constexpr std::size_t header_page_bytes = 4096;
constexpr std::size_t cards_bytes =
    (std::size_t{2} << 20) - header_page_bytes;  // the rest of the header

static_assert(sizeof(host_header) <= header_page_bytes);

void add_without_test(host_memory& host, std::size_t bytes) noexcept {
  // Relaxed: the counter guards no other data.
  host.header().committed_bytes.fetch_add(bytes, std::memory_order_relaxed);
}

template <class Count>
std::size_t sum_over_cards(const host_memory& host, Count count) noexcept {
  std::size_t sum = 0;
  for (rank_id index = 0; index < host.layout().ranks; ++index) {
    const variables_card& card = variables_card_of(host, host.layout().first + index);
    // Pairs with the release of the rank that has written the rest of its card before.
    const std::size_t bytes = card.bytes.load(std::memory_order_acquire);
    if (bytes == 0) continue;
    const std::size_t counted = count(card, bytes);
    const std::size_t promised = card.promised_bytes.load(std::memory_order_relaxed);
    sum += counted - std::min(counted, promised);
  }
  return sum;
}

std::size_t existing_bytes(const host_memory& host, std::byte* begin, std::size_t bytes) noexcept {
  std::byte* const end = begin + bytes;
  std::size_t existing = 0;
  for (std::byte* address = begin; address < end;) {
    const std::span<std::byte> found = host.find_existing(address, end);
    if (found.empty()) break;
    existing += found.size();
    address = found.data() + found.size();
  }
  return existing;
}

}  // namespace

variables_card& variables_card_of(const host_memory& host, rank_id rank) noexcept {
  const std::size_t index = rank - host.layout().first;
  ATOLL_ASSERT(index < cards_bytes / sizeof(variables_card), "a host has too many ranks", index);
  std::byte* const header = reinterpret_cast<std::byte*>(&host.header());
  return reinterpret_cast<variables_card*>(header + header_page_bytes)[index];
}

std::byte* allocate_for_variables(host_memory& host, heap& from, rank_id rank, std::size_t bytes,
                                  std::size_t promised_bytes) noexcept {
  if (!host.commit(promised_bytes)) return nullptr;
  variables_card& card = variables_card_of(host, rank);
  // Relaxed: the heap's lock orders its growth.
  card.free_growth.store(bytes, std::memory_order_relaxed);
  auto* const block = static_cast<std::byte*>(from.allocate(bytes, header_page_bytes));
  const std::size_t grown = bytes - card.free_growth.exchange(0, std::memory_order_relaxed);
  if (block == nullptr) {
    add_without_test(host, grown);  // for blocks of other threads
    host.release(promised_bytes);
    return nullptr;
  }
  host.discard(block, bytes);  // what the heap touched there before counts no longer
  card.begin.store(static_cast<std::size_t>(block - reinterpret_cast<std::byte*>(&host.header())),
                   std::memory_order_relaxed);
  card.promised_bytes.store(promised_bytes, std::memory_order_relaxed);
  // Pairs with the acquire of those who ask what counts: they see the rest of the card.
  card.bytes.store(bytes, std::memory_order_release);
  host.release(bytes - grown);  // the part of the block that the heap had already
  return block;
}

void free_of_variables(host_memory& host, heap& from, rank_id rank, std::byte* block) noexcept {
  variables_card& card = variables_card_of(host, rank);
  const std::size_t bytes = card.bytes.load(std::memory_order_relaxed);
  host.discard(block, bytes);
  card.bytes.store(0, std::memory_order_release);
  host.release(card.promised_bytes.load(std::memory_order_relaxed));
  if (host.commit(bytes)) from.free(block);
}

bool commit_growth(host_memory& host, rank_id rank, std::size_t already,
                   std::size_t bytes) noexcept {
  variables_card& card = variables_card_of(host, rank);
  const std::size_t unpromised =
      std::min<std::size_t>(bytes, card.free_growth.load(std::memory_order_relaxed));
  if (!host.commit(already + unpromised, bytes - unpromised)) return false;
  card.free_growth.fetch_sub(unpromised, std::memory_order_relaxed);
  return true;
}

std::size_t unpromised_variables(const host_memory& host) noexcept {
  return sum_over_cards(host, [](const variables_card&, std::size_t bytes) { return bytes; });
}

std::size_t touched_unpromised_variables(const host_memory& host) noexcept {
  auto* const file = reinterpret_cast<std::byte*>(&host.header());
  return sum_over_cards(host, [&](const variables_card& card, std::size_t bytes) {
    return existing_bytes(host, file + card.begin.load(std::memory_order_relaxed), bytes);
  });
}

}  // namespace atl::memory
