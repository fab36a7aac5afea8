// SPDX-License-Identifier: BSD-3-Clause
//
// Exchanges of a block with every member by messages.
#include <atoll/base/copy.hpp>
#include <atoll/coll/engine/algorithms.hpp>
#include <atoll/coll/engine/call.hpp>
#include <atoll/coll/message/window.hpp>

#include <algorithm>

namespace atl::coll {

// All-to-all directly: in step i a member sends to the one i further on and receives from the one i
// before. All sends are offered at once; large blocks arrive a few at a time.
task alltoall_pairwise(call& c) {
  const rank_id window = std::min(c.depth_or(depth_of_pieces), c.size - 1);
  transfers sent;
  transfer_window arrived(c, window);
  const auto receive = [&](rank_id i) {
    const rank_id source = (c.rank + c.size - i) % c.size;
    c.receive(arrived[i], source, 0, c.to + source * c.bytes, c.bytes);
  };
  for (rank_id i = 1; i <= window; ++i) receive(i);
  for (rank_id i = 1; i < c.size; ++i) {
    const rank_id target = (c.rank + i) % c.size;
    c.send(sent, target, 0, c.from + target * c.bytes, c.bytes);
  }
  copy_bytes(c.to + c.rank * c.bytes, c.from + c.rank * c.bytes, c.bytes);
  for (rank_id i = 1; i < c.size; ++i) {
    transfers& arrival = arrived[i];
    co_await arrival;
    if (i + window < c.size) receive(i + window);
  }
  co_await sent;
}

namespace {

// The blocks whose digit of this weight has this value: their indices from first() on by next().
struct digit_blocks {
  std::uint64_t size, radix, weight, value;

  std::uint64_t first() const noexcept { return value * weight; }
  std::uint64_t next(std::uint64_t i) const noexcept {
    ++i;
    return i / weight % radix == value ? i : i + (radix - 1) * weight;
  }
  std::size_t count() const noexcept {
    std::size_t found = 0;
    for (std::uint64_t i = first(); i < size; i = next(i)) ++found;
    return found;
  }
  void pack(std::byte* to, const std::byte* from, std::size_t block) const noexcept {
    for (std::uint64_t i = first(); i < size; i = next(i), to += block) {
      copy_bytes(to, from + i * block, block);
    }
  }
  void unpack(std::byte* to, const std::byte* from, std::size_t block) const noexcept {
    for (std::uint64_t i = first(); i < size; i = next(i), from += block) {
      copy_bytes(to + i * block, from, block);
    }
  }
};

}  // namespace

// All-to-all after Bruck, in any radix r. A block that has d members to go moves by the digits of d
// in base r: for digit k of value v it goes v * r^k further on. All blocks with the same digit
// travel in one message, so there are about (r - 1) * log_r(size) messages instead of size - 1, and
// each block moves up to log_r(size) times: for small blocks.
task alltoall_bruck(call& c) {
  const std::size_t block = c.bytes;
  const std::uint64_t radix = std::max(c.radix, 2u);
  const scratch held(c.memory(), block * c.size);
  const scratch leaving(c.memory(), block * c.size);
  const scratch coming(c.memory(), block * c.size);
  transfers moved;
  // The blocks by distance: block i is for the member i further on.
  const std::size_t until_end = (c.size - c.rank) * block;
  copy_bytes(held.data(), c.from + c.rank * block, until_end);
  copy_bytes(held.data() + until_end, c.from, c.rank * block);
  std::uint32_t tag = 0;
  for (std::uint64_t weight = 1; weight < c.size; weight *= radix) {
    std::size_t place = 0;
    for (std::uint64_t value = 1; value < radix && value * weight < c.size; ++value, ++tag) {
      const digit_blocks selected{c.size, radix, weight, value};
      const auto distance = static_cast<rank_id>(value * weight);
      const std::size_t bytes = selected.count() * block;
      c.receive(moved, (c.rank + c.size - distance) % c.size, tag, coming.data() + place, bytes);
      selected.pack(leaving.data() + place, held.data(), block);
      c.send(moved, (c.rank + distance) % c.size, tag, leaving.data() + place, bytes);
      place += bytes;
    }
    co_await moved;
    place = 0;
    for (std::uint64_t value = 1; value < radix && value * weight < c.size; ++value) {
      const digit_blocks selected{c.size, radix, weight, value};
      selected.unpack(held.data(), coming.data() + place, block);
      place += selected.count() * block;
    }
  }
  for (rank_id i = 0; i < c.size; ++i) {  // block i is now from the member i before
    const rank_id source = (c.rank + c.size - i) % c.size;
    copy_bytes(c.to + source * block, held.data() + i * block, block);
  }
}

}  // namespace atl::coll
