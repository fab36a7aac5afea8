// SPDX-License-Identifier: BSD-3-Clause
//
// Loops over elements that indices choose. There is one loop for each size of numbers, each kind of
// index and each form of the other side, so that the compiler knows all usual distances. Numbers of
// the usual types are converted in such loops. Other elements that are converted pass through a
// buffer that stays in the cache, because their loops know equal distances only.
//
// Loops that read chosen elements check whether each index is in the range of its list. Most
// elements come from the second cache; while the processor waits for them, a branch that it
// predicts costs nothing. Loops that write chosen elements do not wait, so there a separate loop
// checks eight indices at once; and they write one element per iteration, since several take a
// third longer.
#include <front/coarray/data/chosen_rows.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace atl::coarray {
namespace {

// --- the places of elements

/// Elements one behind the other.
template <std::size_t Bytes>
struct packed_places {
  static constexpr bool are_chosen = false;
  std::byte* first;
  std::byte* at(std::size_t position) const noexcept { return first + position * Bytes; }
};

struct even_places {
  static constexpr bool are_chosen = false;
  std::byte* first;
  std::ptrdiff_t stride;
  std::byte* at(std::size_t position) const noexcept {
    return first + static_cast<std::ptrdiff_t>(position) * stride;
  }
};

/// Elements that indices choose. A stride of 0 stands for that of the row.
template <class Index, std::ptrdiff_t Stride>
struct chosen_places {
  static constexpr bool are_chosen = true;
  const index_list& list;
  std::uintptr_t zero;  // where the element of index 0 would be
  std::ptrdiff_t stride;
  const std::byte* indices;
  std::size_t least;
  std::size_t span;  // from the least index to the greatest

  explicit chosen_places(const row_of_elements& row) noexcept
      : list(*row.chosen),
        zero(reinterpret_cast<std::uintptr_t>(row.first) -
             static_cast<std::uintptr_t>(row.chosen->lower * row.stride_bytes)),
        stride(row.stride_bytes),
        indices(row.chosen->first),
        least(static_cast<std::size_t>(row.chosen->least)),
        span(static_cast<std::size_t>(row.chosen->most) - least) {}

  /// Whether the index is in the range. A smaller index becomes a large number without a sign.
  bool has(std::size_t position) const noexcept {
    return static_cast<std::size_t>(index_at(position)) - least <= span;
  }

  std::byte* at(std::size_t position) const noexcept {
    const std::ptrdiff_t steps = index_at(position);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): a place in the array, though `zero` may be outside
    return reinterpret_cast<std::byte*>(
        zero + static_cast<std::uintptr_t>(steps * (Stride != 0 ? Stride : stride)));
  }

 private:
  std::ptrdiff_t index_at(std::size_t position) const noexcept {
    Index index;
    std::memcpy(&index, indices + position * sizeof index, sizeof index);
    return index;
  }
};

/// The end of a loop over a row. `unknown`: there is no loop for these elements.
enum class row_end { done, outside, unknown };

/// Calls write(position) for each element of a row whose targets `list` chooses. The indices of a
/// piece are checked together, and are still in the first cache when they are used. Returns
/// `unknown`, perhaps after some writes, when an index is outside or the range is too wide for
/// are_in_bounds().
template <class Write>
row_end write_by_pieces(const index_list& list, std::size_t count, Write write) noexcept {
  constexpr std::size_t piece = 512;
  for (std::size_t done = 0; done < count; done += piece) {
    const std::size_t end = std::min(done + piece, count);
    index_list part = list;
    part.first += part.bytes(done);
    if (!are_in_bounds(part, end - done, {list.least, list.most})) return row_end::unknown;
#pragma GCC unroll 1
    for (std::size_t i = done; i < end; ++i) write(i);
  }
  return row_end::done;
}

template <std::size_t Bytes, class To, class From>
row_end copy_places(const To& to, const From& from, std::size_t count) noexcept {
  if constexpr (To::are_chosen) {
    return write_by_pieces(to.list, count,
                           [to, from](std::size_t i) { std::memcpy(to.at(i), from.at(i), Bytes); });
  } else {
#pragma GCC unroll 4
    for (std::size_t i = 0; i < count; ++i) {
      if (!from.has(i)) return row_end::outside;
      std::memcpy(to.at(i), from.at(i), Bytes);
    }
    return row_end::done;
  }
}

template <std::size_t Bytes, class Use>
row_end with_even(const row_of_elements& row, Use use) noexcept {
  if (row.stride_bytes == Bytes) return use(packed_places<Bytes>{row.first});
  return use(even_places{row.first, row.stride_bytes});
}

template <std::size_t Bytes, class Index, class Use>
row_end with_indices(const row_of_elements& row, Use use) noexcept {
  if (row.stride_bytes == Bytes) return use(chosen_places<Index, Bytes>(row));
  return use(chosen_places<Index, 0>(row));
}

/// Returns use(places), where the kind of the indices is a usual one.
template <std::size_t Bytes, class Use>
row_end with_chosen(const row_of_elements& row, Use use) noexcept {
  if (row.chosen->least > row.chosen->most) return row_end::outside;
  if (row.chosen->kind == 4) return with_indices<Bytes, std::int32_t>(row, use);
  if (row.chosen->kind == 8) return with_indices<Bytes, std::int64_t>(row, use);
  return row_end::unknown;
}

// --- elements of one type

template <std::size_t Bytes>
row_end copy_sized(const row_of_elements& to, const row_of_elements& from,
                   std::size_t count) noexcept {
  if (from.chosen != nullptr) {
    return with_even<Bytes>(to, [&](const auto& target) {
      return with_chosen<Bytes>(
          from, [&](const auto& source) { return copy_places<Bytes>(target, source, count); });
    });
  }
  return with_even<Bytes>(from, [&](const auto& source) {
    return with_chosen<Bytes>(
        to, [&](const auto& target) { return copy_places<Bytes>(target, source, count); });
  });
}

std::byte* place_in(const row_of_elements& row, std::size_t position) noexcept {
  const std::ptrdiff_t steps = row.chosen != nullptr ? row.chosen->at(position) - row.chosen->lower
                                                     : static_cast<std::ptrdiff_t>(position);
  return row.first + steps * row.stride_bytes;
}

/// For elements of one size, if one side is chosen by indices.
row_end copy_by_size(const row_of_elements& to, const row_of_elements& from,
                     std::size_t count) noexcept {
  switch (to.item.bytes) {
    case 1:
      return copy_sized<1>(to, from, count);
    case 2:
      return copy_sized<2>(to, from, count);
    case 4:
      return copy_sized<4>(to, from, count);
    case 8:
      return copy_sized<8>(to, from, count);
    case 16:
      return copy_sized<16>(to, from, count);
    default:
      return row_end::unknown;
  }
}

void copy_one_by_one(const row_of_elements& to, const row_of_elements& from,
                     std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i)
    std::memcpy(place_in(to, i), place_in(from, i), to.item.bytes);
}

void copy_chosen(const row_of_elements& to, const row_of_elements& from,
                 std::size_t count) noexcept {
  const bool is_of_both = to.chosen != nullptr && from.chosen != nullptr;
  if (!is_of_both && copy_by_size(to, from, count) != row_end::unknown) return;
  copy_one_by_one(to, from, count);
}

// --- elements that are converted

/// Calls use(zero of the type); false for rare types.
template <class Use>
bool with_usual_number(const element& item, Use use) noexcept {
  const bool is_real = item.type == gfortran::type_code::real;
  if (!is_real && item.type != gfortran::type_code::integer) return false;
  if (item.kind == 4) {
    is_real ? use(float{}) : use(std::int32_t{});
  } else if (item.kind == 8) {
    is_real ? use(double{}) : use(std::int64_t{});
  } else {
    return false;
  }
  return true;
}

/// Converts four numbers from any places to four that follow each other, which the compiler stores
/// at once.
template <class To, class From, class FromPlaces>
void convert_four(std::byte* to, const FromPlaces& from, std::size_t position) noexcept {
  From source[4];
  for (std::size_t k = 0; k < 4; ++k)
    std::memcpy(&source[k], from.at(position + k), sizeof source[k]);
  const To values[4] = {static_cast<To>(source[0]), static_cast<To>(source[1]),
                        static_cast<To>(source[2]), static_cast<To>(source[3])};
  std::memcpy(to, values, sizeof values);
}

template <class To, class From>
void convert_one(std::byte* to, const std::byte* from) noexcept {
  From value;
  std::memcpy(&value, from, sizeof value);
  const To converted = static_cast<To>(value);
  std::memcpy(to, &converted, sizeof converted);
}

/// Converts where one side is chosen by indices.
template <class To, class From, class ToPlaces, class FromPlaces>
row_end convert_places(const ToPlaces& to, const FromPlaces& from, std::size_t count) noexcept {
  if constexpr (ToPlaces::are_chosen) {
    return write_by_pieces(
        to.list, count, [to, from](std::size_t i) { convert_one<To, From>(to.at(i), from.at(i)); });
  } else {
    std::size_t done = 0;
    if constexpr (std::is_same_v<ToPlaces, packed_places<sizeof(To)>>) {
      for (; done + 4 <= count; done += 4) {
        if (!from.has(done) || !from.has(done + 1) || !from.has(done + 2) || !from.has(done + 3))
          return row_end::outside;
        convert_four<To, From>(to.at(done), from, done);
      }
    }
    for (std::size_t i = done; i < count; ++i) {
      if (!from.has(i)) return row_end::outside;
      convert_one<To, From>(to.at(i), from.at(i));
    }
    return row_end::done;
  }
}

template <class To, class From>
row_end convert_usual(const row_of_elements& to, const row_of_elements& from,
                      std::size_t count) noexcept {
  if (from.chosen != nullptr) {
    return with_even<sizeof(To)>(to, [&](const auto& target) {
      return with_chosen<sizeof(From)>(from, [&](const auto& source) {
        return convert_places<To, From>(target, source, count);
      });
    });
  }
  return with_even<sizeof(From)>(from, [&](const auto& source) {
    return with_chosen<sizeof(To)>(
        to, [&](const auto& target) { return convert_places<To, From>(target, source, count); });
  });
}

/// Converts numbers of the usual types where one side is chosen by indices.
row_end convert_numbers(const row_of_elements& to, const row_of_elements& from,
                        std::size_t count) noexcept {
  row_end end = row_end::unknown;
  with_usual_number(to.item, [&]<class To>(To) {
    with_usual_number(from.item, [&]<class From>(From) {
      if constexpr (!std::is_same_v<To, From>) end = convert_usual<To, From>(to, from, count);
    });
  });
  return end;
}

/// Assigns by the loops that check the indices.
row_end assign_chosen(const row_of_elements& to, const row_of_elements& from,
                      std::size_t count) noexcept {
  if (to.chosen != nullptr && from.chosen != nullptr) return row_end::unknown;
  return to.item.is_same(from.item) ? copy_by_size(to, from, count)
                                    : convert_numbers(to, from, count);
}

row_of_elements packed_row(std::byte* first, const element& item) noexcept {
  return {first, static_cast<std::ptrdiff_t>(item.bytes), item, nullptr};
}

/// The elements of a row from a position on. `remainder` holds the indices of that part.
row_of_elements part_from(const row_of_elements& row, std::size_t position,
                          index_list& remainder) noexcept {
  row_of_elements part = row;
  if (row.chosen == nullptr) {
    part.first = place_in(row, position);
    return part;
  }
  remainder = *row.chosen;
  remainder.first += position * static_cast<unsigned>(remainder.kind);
  part.chosen = &remainder;
  return part;
}

constexpr std::size_t buffer_bytes = 4096;

/// Converts piece by piece: chosen elements are first copied from the places of their indices, or
/// last copied to them. False for elements that are too large.
bool convert_chosen(const row_of_elements& to, const row_of_elements& from, std::size_t count,
                    convert_function convert) noexcept {
  const std::size_t most = buffer_bytes / std::max(to.item.bytes, from.item.bytes);
  if (most == 0) return false;
  alignas(64) std::array<std::byte, buffer_bytes> sources;
  alignas(64) std::array<std::byte, buffer_bytes> targets;
  for (std::size_t done = 0; done < count; done += most) {
    const std::size_t piece = std::min(most, count - done);
    index_list to_rest;
    index_list from_rest;
    const row_of_elements to_part = part_from(to, done, to_rest);
    row_of_elements source = part_from(from, done, from_rest);
    row_of_elements target = to_part;
    if (source.chosen != nullptr) {
      const row_of_elements packed = packed_row(sources.data(), from.item);
      copy_chosen(packed, source, piece);
      source = packed;
    }
    if (target.chosen != nullptr) target = packed_row(targets.data(), to.item);
    convert({target.first, target.stride_bytes, target.item},
            {source.first, source.stride_bytes, source.item}, {piece});
    if (to_part.chosen != nullptr) copy_chosen(to_part, target, piece);
  }
  return true;
}

}  // namespace

void assign_row(const row_of_elements& to, const row_of_elements& from, std::size_t count,
                convert_function convert) noexcept {
  if (to.chosen == nullptr && from.chosen == nullptr) {
    convert({to.first, to.stride_bytes, to.item}, {from.first, from.stride_bytes, from.item},
            {count});
    return;
  }
  if (assign_chosen(to, from, count) != row_end::unknown) return;
  if (to.item.is_same(from.item)) return copy_one_by_one(to, from, count);
  if (convert_chosen(to, from, count, convert)) return;
  for (std::size_t i = 0; i < count; ++i)
    convert({place_in(to, i), 0, to.item}, {place_in(from, i), 0, from.item}, {1});
}

bool assign_row_in_range(const row_of_elements& to, const row_of_elements& from, std::size_t count,
                         convert_function convert) noexcept {
  const row_end end = assign_chosen(to, from, count);
  if (end != row_end::unknown) return end == row_end::done;
  for (const row_of_elements* row : {&to, &from}) {
    if (row->chosen != nullptr &&
        !are_in_bounds(*row->chosen, count, {row->chosen->least, row->chosen->most}))
      return false;
  }
  assign_row(to, from, count, convert);
  return true;
}

}  // namespace atl::coarray
