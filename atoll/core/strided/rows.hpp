// SPDX-License-Identifier: BSD-3-Clause
//
// Walking one side of a non-contiguous transfer. A row is a number of equally long runs at a
// constant distance, which is the largest thing that all three forms can be cut into cheaply: one
// run of a vector, one address of an index, one innermost dimension of a block. A walker hands out
// rows and can stop anywhere, also in the middle of a run; two walkers that move on by the same
// piece stay at the same byte of their streams, whatever the rows of each look like.
//
// Walkers are values over the caller's arrays; addresses are moved by a constant to where this
// process sees them. No allocation.
#pragma once

#include <atoll/core/strided/scattered.hpp>
#include <atoll/core/strided/strided_plan.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace atl {

/// The common part of two rows: `count` runs of `bytes` bytes of each.
struct row_piece {
  std::size_t bytes;
  std::size_t count;
  std::size_t total() const noexcept { return bytes * count; }
};

/// The largest piece common to both rows, of at most `most` bytes; `most` is not 0.
inline row_piece common_piece(const run_row& a, const run_row& b, std::size_t most) noexcept {
  const run_row& finer = a.bytes <= b.bytes ? a : b;
  const run_row& coarser = a.bytes <= b.bytes ? b : a;
  if (finer.bytes > most) return {most, 1};
  const std::size_t fitting = std::min(finer.count, most / finer.bytes);
  if (finer.bytes == coarser.bytes) return {finer.bytes, std::min(fitting, coarser.count)};
  return {finer.bytes, std::min(fitting, coarser.bytes / finer.bytes)};
}

/// The piece as it lies at the start of a row.
inline run_row part_of(const run_row& row, row_piece piece) noexcept {
  const bool whole_runs = row.bytes == piece.bytes;
  return {.address = row.address,
          .bytes = piece.bytes,
          .count = piece.count,
          .stride = whole_runs ? row.stride : static_cast<std::ptrdiff_t>(piece.bytes)};
}

/// The runs of a list, without the empty ones.
class run_rows {
 public:
  explicit run_rows(run_list list) noexcept : list_(list) {}
  bool next(run_row& to) noexcept {
    while (index_ < list_.size()) {
      const memory_run run = list_[index_++];
      if (run.bytes == 0) continue;
      to = {reinterpret_cast<std::uintptr_t>(run.address), run.bytes, 1, 0};
      return true;
    }
    return false;
  }

 private:
  run_list list_;
  std::size_t index_ = 0;
};

/// The runs at a list of addresses.
class address_rows {
 public:
  explicit address_rows(address_list list) noexcept : list_(list) {}
  bool next(run_row& to) noexcept {
    if (index_ == list_.addresses.size() || list_.bytes == 0) return false;
    to = {reinterpret_cast<std::uintptr_t>(list_.addresses[index_++]), list_.bytes, 1, 0};
    return true;
  }

 private:
  address_list list_;
  std::size_t index_ = 0;
};

/// The rows of a list.
class listed_rows {
 public:
  explicit listed_rows(std::span<const run_row> list) noexcept : list_(list) {}
  bool next(run_row& to) noexcept {
    if (index_ == list_.size()) return false;
    to = list_[index_++];
    return true;
  }

 private:
  std::span<const run_row> list_;
  std::size_t index_ = 0;
};

/// One side of a plan, which must outlive it: a row for each innermost dimension.
class plan_rows {
 public:
  enum class side : std::uint8_t { to, from };

  plan_rows(const strided_plan& plan, side which) noexcept
      : plan_(&plan), side_(which), address_(which == side::to ? plan.to() : plan.from()) {
    for (std::size_t i = 1; i < plan.dimensions().size(); ++i) steps_[i] = 0;
    done_ = plan.total_bytes() == 0;
  }

  bool next(run_row& to) noexcept {
    if (done_) return false;
    const auto dimensions = plan_->dimensions();
    to = {address_, plan_->run_bytes(), 1, 0};
    if (!dimensions.empty()) {
      to.count = dimensions[0].count;
      to.stride = stride_of(dimensions[0]);
    }
    advance();
    return true;
  }

 private:
  std::ptrdiff_t stride_of(const strided_dimension& dimension) const noexcept {
    return side_ == side::to ? dimension.to_stride : dimension.from_stride;
  }

  void advance() noexcept {
    const auto dimensions = plan_->dimensions();
    for (std::size_t i = 1; i < dimensions.size(); ++i) {
      const auto stride = static_cast<std::uintptr_t>(stride_of(dimensions[i]));
      address_ += stride;
      if (++steps_[i] < dimensions[i].count) return;
      address_ -= stride * dimensions[i].count;
      steps_[i] = 0;
    }
    done_ = true;
  }

  const strided_plan* plan_;
  side side_;
  bool done_ = false;
  std::uintptr_t address_;
  std::array<std::size_t, 64> steps_;  // of the dimensions above the innermost
};

/// A place in a stream of rows.
template <class Rows>
class row_walker {
 public:
  /// `shift` is added to every address.
  explicit row_walker(Rows rows, std::uintptr_t shift = 0) noexcept : rows_(rows), shift_(shift) {
    load();
  }

  /// The next runs; count is 0 at the end.
  const run_row& now() const noexcept { return now_; }
  bool done() const noexcept { return now_.count == 0; }

  /// Moves on by a piece of the next runs.
  void take(row_piece piece) noexcept {
    if (piece.bytes == now_.bytes && taken_bytes_ == 0) {
      now_.address += static_cast<std::uintptr_t>(now_.stride) * piece.count;
      now_.count -= piece.count;
      if (now_.count == 0) load();
      return;
    }
    take_part_of_run(piece.total());
  }

 private:
  void load() noexcept {
    if (!rows_.next(row_)) {
      now_ = {};
      return;
    }
    row_.address += shift_;
    now_ = row_;
    taken_bytes_ = 0;
  }

  // Takes a part of the first run; the remainder is a row of one run until it is used up.
  void take_part_of_run(std::size_t bytes) noexcept {
    if (taken_bytes_ == 0) row_ = now_;
    taken_bytes_ += bytes;
    if (taken_bytes_ < row_.bytes) {
      now_ = {
          .address = row_.address + taken_bytes_, .bytes = row_.bytes - taken_bytes_, .count = 1};
      return;
    }
    taken_bytes_ = 0;
    now_ = row_;
    now_.address += static_cast<std::uintptr_t>(now_.stride);
    if (--now_.count == 0) load();
  }

  Rows rows_;
  std::uintptr_t shift_;
  run_row row_;
  run_row now_;
  std::size_t taken_bytes_ = 0;  // of the first run of row_
};

}  // namespace atl
