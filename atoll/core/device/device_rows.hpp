// SPDX-License-Identifier: BSD-3-Clause
//
// A part of a non-contiguous transfer with memory of devices: rows of both sides, equal in number
// and shape, so that each pair is one copy of a device. Where the runs of a device's memory are
// many and lie close together, one copy of all that lies between the first and the last costs less
// than a copy of each; the processor then takes the runs out of pinned memory. Nothing is ever
// written between the runs of a destination.
//
// Threads: a value of one thread at a time.
#pragma once

#include <atoll/core/strided/scattered.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace atl {

/// The range that rows touch.
inline address_extent range_of_rows(std::span<const run_row> rows) noexcept {
  std::uintptr_t low = UINTPTR_MAX;
  std::uintptr_t end = 0;
  for (const run_row& each : rows) {
    const auto last = each.address + static_cast<std::uintptr_t>(each.stride) * (each.count - 1);
    low = std::min({low, each.address, last});
    end = std::max({end, each.address + each.bytes, last + each.bytes});
  }
  return end > low ? address_extent{.low = low, .bytes = end - low} : address_extent{};
}

struct device_rows {
  static constexpr std::size_t pairs_max = 4096;
  static constexpr std::size_t pairs_least = 16;    // before a part ends because it is wide
  static constexpr std::size_t gap_bytes = 32'768;  // copied in the time of starting a copy

  enum class side : std::uint8_t { none, remote, local };

  side source_on_device = side::none;
  std::vector<run_row> remote;
  std::vector<run_row> local;
  std::size_t bytes = 0;
  std::uintptr_t low = UINTPTR_MAX;  // of the source on a device
  std::uintptr_t end = 0;

  void add(const run_row& remote_row, const run_row& local_row) {
    remote.push_back(remote_row);
    local.push_back(local_row);
    bytes += remote_row.bytes * remote_row.count;
    if (source_on_device == side::none) return;
    const address_extent range =
        range_of_rows({source_on_device == side::remote ? &remote_row : &local_row, 1});
    low = std::min(low, range.low);
    end = std::max(end, range.low + range.bytes);
  }

  /// Whether the next row should begin another part.
  bool is_wide(std::size_t most) const noexcept {
    if (remote.size() >= pairs_max) return true;
    return remote.size() >= pairs_least && end > low && end - low > most;
  }

  /// Whether one copy of the source's whole range, of at most `most` bytes, is better than one of
  /// each row.
  bool is_close_together(std::size_t most) const noexcept {
    return remote.size() > 1 && end > low && end - low <= most &&
           end - low <= bytes + remote.size() * gap_bytes;
  }
};

/// Cuts a transfer into parts.
class device_row_source {
 public:
  virtual ~device_row_source() = default;
  /// Adds rows of at most `most` bytes; false when there are none.
  virtual bool next(device_rows& into, std::size_t most) = 0;
};

}  // namespace atl
