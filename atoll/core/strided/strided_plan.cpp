// SPDX-License-Identifier: BSD-3-Clause
//
// Making the plan of a strided transfer. Addresses are integers here: they may belong to another
// process, and a wrong stride must be a message rather than undefined behaviour.
#include <atoll/core/strided/strided_plan.hpp>

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace atl {

namespace {

/// The distance from the first element of a dimension to its last; false when no distance is that
/// large.
bool reach_of(std::size_t count, std::ptrdiff_t stride, std::ptrdiff_t& reach) noexcept {
  return stride != std::numeric_limits<std::ptrdiff_t>::min() &&
         !__builtin_mul_overflow(stride, count - 1, &reach);
}

bool comes_before(const strided_dimension& a, const strided_dimension& b) noexcept {
  if (a.to_stride != b.to_stride) return a.to_stride < b.to_stride;
  return std::abs(a.from_stride) < std::abs(b.from_stride);
}

/// Whether each step of `above` begins where `below` ended.
bool continues(const strided_dimension& below, const strided_dimension& above) noexcept {
  std::ptrdiff_t to, from;
  return !__builtin_mul_overflow(below.to_stride, below.count, &to) && to == above.to_stride &&
         !__builtin_mul_overflow(below.from_stride, below.count, &from) &&
         from == above.from_stride;
}

/// Grows a range that begins with one run by what one dimension adds.
bool grow(address_extent& range, std::ptrdiff_t reach) noexcept {
  if (reach >= 0) {
    return !__builtin_add_overflow(range.bytes, static_cast<std::size_t>(reach), &range.bytes);
  }
  const auto back = std::size_t{0} - static_cast<std::size_t>(reach);
  return !__builtin_sub_overflow(range.low, back, &range.low) &&
         !__builtin_add_overflow(range.bytes, back, &range.bytes);
}

bool ends(const address_extent& range) noexcept {
  std::uintptr_t end;
  return !__builtin_add_overflow(range.low, range.bytes, &end);
}

}  // namespace

strided_plan::strided_plan(const strided_transfer& transfer) noexcept
    : to_(reinterpret_cast<std::uintptr_t>(transfer.to)),
      from_(reinterpret_cast<std::uintptr_t>(transfer.from)),
      total_bytes_(transfer.element_bytes),
      run_bytes_(transfer.element_bytes) {
  for (const std::size_t count : transfer.counts) {
    if (count == 0) total_bytes_ = 0;
  }
  if (total_bytes_ == 0) return;
  for (std::size_t i = 0; i < transfer.counts.size() && !overflows_; ++i) {
    const std::size_t count = transfer.counts[i];
    overflows_ = __builtin_mul_overflow(total_bytes_, count, &total_bytes_);
    if (count > 1 && !overflows_) {
      add({.count = count,
           .to_stride = transfer.to_strides[i],
           .from_stride = transfer.from_strides[i]});
    }
  }
  if (overflows_) return;
  measure();
  if (!overflows_) merge();
}

// Keeps the dimensions sorted.
void strided_plan::add(strided_dimension dimension) noexcept {
  std::ptrdiff_t to_reach, from_reach;
  if (!reach_of(dimension.count, dimension.to_stride, to_reach) ||
      !reach_of(dimension.count, dimension.from_stride, from_reach)) {
    overflows_ = true;
    return;
  }
  if (dimension.to_stride < 0) {
    to_ += static_cast<std::uintptr_t>(to_reach);
    from_ += static_cast<std::uintptr_t>(from_reach);
    dimension.to_stride = -dimension.to_stride;
    dimension.from_stride = -dimension.from_stride;
  }
  std::size_t position = count_++;
  for (; position > 0 && comes_before(dimension, dimensions_[position - 1]); --position) {
    dimensions_[position] = dimensions_[position - 1];
  }
  dimensions_[position] = dimension;
}

void strided_plan::measure() noexcept {
  to_range_ = {.low = to_, .bytes = run_bytes_};
  from_range_ = {.low = from_, .bytes = run_bytes_};
  for (const strided_dimension& each : dimensions()) {
    const auto steps = static_cast<std::ptrdiff_t>(each.count - 1);
    if (!grow(to_range_, each.to_stride * steps) || !grow(from_range_, each.from_stride * steps)) {
      overflows_ = true;
      return;
    }
  }
  overflows_ = !ends(to_range_) || !ends(from_range_);
}

void strided_plan::merge() noexcept {
  std::size_t kept = 0;
  for (const strided_dimension& each : dimensions()) {
    if (kept == 0) {
      const auto run = static_cast<std::ptrdiff_t>(run_bytes_);
      if (each.to_stride == run && each.from_stride == run) {
        run_bytes_ *= each.count;
        continue;
      }
    } else if (continues(dimensions_[kept - 1], each)) {
      dimensions_[kept - 1].count *= each.count;
      continue;
    }
    dimensions_[kept++] = each;
  }
  count_ = kept;
}

}  // namespace atl
