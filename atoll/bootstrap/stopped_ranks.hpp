// SPDX-License-Identifier: BSD-3-Clause
//
// The ranks that have stopped or failed, in memory that the launcher of a host shares with the
// ranks there: one byte per rank of the job, and their numbers. A rank that has stopped takes part
// in nothing any more but keeps its memory and serves it, until the job ends; one that has failed
// in a job that goes on is gone. Their peers ask here at any time and from any thread, which costs
// a load.
//
// The launcher is the only writer. Its file is sealed after it has mapped it, so that ranks can map
// it for reading only.
#pragma once

#include <atoll/base/rank.hpp>
#include <atoll/base/system/descriptor.hpp>

#include <atomic>
#include <cstdint>

namespace atl::bootstrap {

/// The fate of a rank.
enum class rank_fate : std::uint8_t { runs, stopped, failed };

class stopped_ranks {
 public:
  /// Makes the memory for a job of `size` ranks. Throws `atl::error`.
  explicit stopped_ranks(rank_id size);

  /// Maps the memory that a launcher has made. Throws `atl::error` when it is not of that size.
  stopped_ranks(descriptor file, rank_id size);
  stopped_ranks(const stopped_ranks&) = delete;
  stopped_ranks& operator=(const stopped_ranks&) = delete;
  ~stopped_ranks();

  /// The launcher's side: a rank has stopped or failed, or has joined again.
  void note(rank_id rank, rank_fate fate) noexcept;

  /// Whether a rank has stopped, and whether any has.
  bool has(rank_id rank) const noexcept { return fate_of(rank) == rank_fate::stopped; }
  bool is_empty() const noexcept;

  bool has_failed(rank_id rank) const noexcept { return fate_of(rank) == rank_fate::failed; }
  rank_id failed_count() const noexcept;

  const descriptor& file() const noexcept { return file_; }

 private:
  /// The number of the ranks of each fate, and then a byte per rank.
  struct counters {
    std::atomic<std::uint32_t> stopped;
    std::atomic<std::uint32_t> failed;

    std::atomic<std::uint32_t>* of(rank_fate fate) noexcept;
  };
  using flag = std::atomic<std::uint8_t>;
  static std::size_t bytes_for(rank_id size) noexcept { return sizeof(counters) + size; }
  void map(int protection);
  rank_fate fate_of(rank_id rank) const noexcept;

  descriptor file_;
  rank_id size_;
  counters* counts_ = nullptr;
  flag* by_rank_ = nullptr;
};

}  // namespace atl::bootstrap
