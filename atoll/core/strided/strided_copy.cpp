// SPDX-License-Identifier: BSD-3-Clause
//
// The copy loops. Each is made for a number of bytes that the compiler knows, so that an element is
// one load and one store, and again for a side that is dense, whose step is then a constant. The
// other sizes go through memcpy run by run.
//
// Tiles: in a transpose every element written lies in another line of the source. Element by
// element along the target, a line of the source is out of the cache before its next element is
// wanted. A tile is as wide across as a line of the source holds elements, so that all of each line
// is used, and as long as half of a first-level cache holds lines: its first pass then has many
// misses in flight at once (square tiles of a line's width were slower than no tiles).
#include <atoll/core/strided/strided_copy.hpp>

#include <atoll/base/copy.hpp>

#include <algorithm>
#include <cstring>

namespace atl {

namespace {

constexpr std::size_t line_bytes = 64;
constexpr std::size_t tile_length = 256;
constexpr std::size_t streamed_run_min = 2048;  // shorter runs are not worth the partial lines

std::byte* pointer(std::uintptr_t address) noexcept {
  return reinterpret_cast<std::byte*>(address);
}

/// `count` runs along one dimension.
using line_copy = void (*)(std::byte* to, const std::byte* from, const strided_dimension& along);

/// A step of 0 stands for the dimension's own stride. The loop takes four elements at distances
/// from the first that are computed before it: an address computed from the last one would take a
/// cycle for each element.
template <std::size_t Bytes, std::ptrdiff_t ToStep, std::ptrdiff_t FromStep>
void copy_line(std::byte* __restrict to, const std::byte* __restrict from,
               const strided_dimension& along) {
  const std::ptrdiff_t to_step = ToStep != 0 ? ToStep : along.to_stride;
  const std::ptrdiff_t from_step = FromStep != 0 ? FromStep : along.from_stride;
  const auto count = static_cast<std::ptrdiff_t>(along.count);
  std::ptrdiff_t done = 0;
  for (; done + 4 <= count; done += 4) {
    std::memcpy(to, from, Bytes);
    std::memcpy(to + to_step, from + from_step, Bytes);
    std::memcpy(to + 2 * to_step, from + 2 * from_step, Bytes);
    std::memcpy(to + 3 * to_step, from + 3 * from_step, Bytes);
    to += 4 * to_step;
    from += 4 * from_step;
  }
  for (; done < count; ++done) {
    std::memcpy(to, from, Bytes);
    to += to_step;
    from += from_step;
  }
}

/// Copies every other element to adjacent places, several at once.
template <std::size_t Bytes>
void copy_every_other(std::byte* __restrict to, const std::byte* __restrict from,
                      const strided_dimension& along) {
#pragma GCC unroll 4
  for (std::size_t i = 0; i < along.count; ++i)
    std::memcpy(to + i * Bytes, from + i * 2 * Bytes, Bytes);
}

template <std::size_t Bytes>
line_copy line_for(const strided_dimension& along) noexcept {
  constexpr auto dense = static_cast<std::ptrdiff_t>(Bytes);
  if (along.to_stride == dense)
    return along.from_stride == 2 * dense ? copy_every_other<Bytes> : copy_line<Bytes, dense, 0>;
  if (along.from_stride == dense)
    return along.to_stride == 2 * dense ? copy_line<Bytes, 2 * dense, dense>
                                        : copy_line<Bytes, 0, dense>;
  return copy_line<Bytes, 0, 0>;
}

template <std::size_t Bytes>
void copy_any_line(std::byte* to, const std::byte* from, const strided_dimension& along) {
  line_for<Bytes>(along)(to, from, along);
}

/// Copies a plane that one side walks across, in tiles.
template <std::size_t Bytes>
void copy_tiles(std::byte* to, const std::byte* from, const strided_dimension& along,
                const strided_dimension& across) {
  constexpr std::size_t width = std::max<std::size_t>(line_bytes / Bytes, 4);
  const line_copy line = line_for<Bytes>(along);
  for (std::size_t j = 0; j < across.count; j += width) {
    const std::size_t rows = std::min(width, across.count - j);
    for (std::size_t i = 0; i < along.count; i += tile_length) {
      strided_dimension part = along;
      part.count = std::min(tile_length, along.count - i);
      const auto di = static_cast<std::ptrdiff_t>(i);
      for (std::size_t k = 0; k < rows; ++k) {
        const auto dj = static_cast<std::ptrdiff_t>(j + k);
        line(to + di * along.to_stride + dj * across.to_stride,
             from + di * along.from_stride + dj * across.from_stride, part);
      }
    }
  }
}

/// Runs at two lists of addresses.
using list_copy = void (*)(std::span<void* const> to, std::uintptr_t to_shift,
                           std::span<void* const> from, std::uintptr_t from_shift);

template <std::size_t Bytes>
void copy_list(std::span<void* const> to, std::uintptr_t to_shift, std::span<void* const> from,
               std::uintptr_t from_shift) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    std::memcpy(pointer(reinterpret_cast<std::uintptr_t>(to[i]) + to_shift),
                pointer(reinterpret_cast<std::uintptr_t>(from[i]) + from_shift), Bytes);
  }
}

/// The loops for runs of one size.
struct element_loops {
  line_copy any_line = nullptr;
  line_copy (*line)(const strided_dimension& along) noexcept = nullptr;
  void (*tiles)(std::byte*, const std::byte*, const strided_dimension&,
                const strided_dimension&) = nullptr;
  list_copy list = nullptr;
};

template <std::size_t Bytes>
constexpr element_loops loops_of = {copy_any_line<Bytes>, line_for<Bytes>, copy_tiles<Bytes>,
                                    copy_list<Bytes>};
constexpr element_loops no_loops;

/// The loops for a size; the members are null where there are none.
const element_loops& loops_for(std::size_t bytes) noexcept {
  switch (bytes) {
    case 1:
      return loops_of<1>;
    case 2:
      return loops_of<2>;
    case 4:
      return loops_of<4>;
    case 8:
      return loops_of<8>;
    case 12:
      return loops_of<12>;
    case 16:
      return loops_of<16>;
    case 24:
      return loops_of<24>;
    case 32:
      return loops_of<32>;
    case 64:
      return loops_of<64>;
    default:
      return no_loops;
  }
}

/// Calls `each(to, from)` at every place of the dimensions.
template <class Each>
void for_each_place(std::span<const strided_dimension> dimensions, std::byte* to,
                    const std::byte* from, const Each& each) {
  if (dimensions.empty()) return each(to, from);
  const strided_dimension& outermost = dimensions.back();
  for (std::size_t i = 0; i < outermost.count; ++i) {
    const auto step = static_cast<std::ptrdiff_t>(i);
    for_each_place(dimensions.first(dimensions.size() - 1), to + step * outermost.to_stride,
                   from + step * outermost.from_stride, each);
  }
}

/// Copies a block of runs too long or too odd for loops of their own.
void copy_runs(std::size_t bytes, bool streams, std::span<const strided_dimension> dimensions,
               std::byte* to, const std::byte* from) {
  if (streams) {
    for_each_place(dimensions, to, from, [=](std::byte* target, const std::byte* source) {
      copy_streaming(target, source, bytes);
    });
    return;
  }
  const strided_dimension along = dimensions.front();
  for_each_place(dimensions.subspan(1), to, from, [=](std::byte* target, const std::byte* source) {
    for (std::size_t i = 0; i < along.count; ++i) {
      std::memcpy(target, source, bytes);
      target += along.to_stride;
      source += along.from_stride;
    }
  });
}

/// The dimension in which the source steps least: where a block is a transpose, not the first.
std::size_t densest_source(std::span<const strided_dimension> dimensions) noexcept {
  std::size_t best = 0;
  for (std::size_t i = 1; i < dimensions.size(); ++i) {
    if (std::abs(dimensions[i].from_stride) < std::abs(dimensions[best].from_stride)) best = i;
  }
  return best;
}

}  // namespace

void copy_row(const run_row& to, const run_row& from) noexcept {
  const auto dense = static_cast<std::ptrdiff_t>(to.bytes);
  if (to.count == 1 || (to.stride == dense && from.stride == dense)) {
    copy_bytes(pointer(to.address), pointer(from.address), to.bytes * to.count);
    return;
  }
  const strided_dimension along{
      .count = to.count, .to_stride = to.stride, .from_stride = from.stride};
  if (const line_copy line = loops_for(to.bytes).any_line; line != nullptr)
    return line(pointer(to.address), pointer(from.address), along);
  copy_runs(to.bytes, false, {&along, 1}, pointer(to.address), pointer(from.address));
}

void copy_block(const strided_plan& plan, std::uintptr_t to_shift,
                std::uintptr_t from_shift) noexcept {
  std::byte* const to = pointer(plan.to() + to_shift);
  const std::byte* const from = pointer(plan.from() + from_shift);
  const std::span<const strided_dimension> dimensions = plan.dimensions();
  if (dimensions.empty()) return copy_bytes(to, from, plan.total_bytes());
  const element_loops& loops = loops_for(plan.run_bytes());
  if (loops.line == nullptr) {
    const bool streams = plan.run_bytes() >= streamed_run_min && streaming_pays(plan.total_bytes());
    return copy_runs(plan.run_bytes(), streams, dimensions, to, from);
  }
  const strided_dimension along = dimensions.front();
  const std::size_t other = densest_source(dimensions);
  if (other == 0) {
    const line_copy line = loops.line(along);
    return for_each_place(
        dimensions.subspan(1), to, from,
        [&](std::byte* target, const std::byte* source) { line(target, source, along); });
  }
  const strided_dimension across = dimensions[other];
  for_each_place(dimensions.subspan(other + 1), to, from,
                 [&](std::byte* target, const std::byte* source) {
                   for_each_place(dimensions.subspan(1, other - 1), target, source,
                                  [&](std::byte* tile_to, const std::byte* tile_from) {
                                    loops.tiles(tile_to, tile_from, along, across);
                                  });
                 });
}

void copy_listed(address_list to, std::uintptr_t to_shift, address_list from,
                 std::uintptr_t from_shift) noexcept {
  if (const element_loops& loops = loops_for(to.bytes); loops.list != nullptr) {
    loops.list(to.addresses, to_shift, from.addresses, from_shift);
    return;
  }
  for (std::size_t i = 0; i < to.addresses.size(); ++i) {
    copy_bytes(pointer(reinterpret_cast<std::uintptr_t>(to.addresses[i]) + to_shift),
               pointer(reinterpret_cast<std::uintptr_t>(from.addresses[i]) + from_shift), to.bytes);
  }
}

}  // namespace atl
