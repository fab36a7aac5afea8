// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives whose buffers are memory of devices. They are staged: a device copies a piece to
// pinned host memory, the members combine or exchange it there (collectives.hpp), and a device
// copies the result, while the next piece is on its way. Some members may have memory of a device
// and others of the host.
//
// The buffers of a member lie in its own part of one segment, which tells what memory they are in.
// Every member calls the same function with the same root and sizes, all in the same order, and an
// object of this class serves one call at a time. A call returns when this member's results are
// there and its buffers may be used again; kernels that write a source must have ended before. A
// buffer that is not in the member's part ends the job with a message. Threads: one at a time.
#pragma once

#include <atoll/coll/reduction.hpp>
#include <atoll/core/progress/event.hpp>
#include <atoll/core/segment/segment.hpp>
#include <atoll/core/team/team.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

namespace atl::coll {

class device_collectives {
 public:
  /// Takes four buffers of pinned memory for this rank, or of ordinary memory where there is none
  /// left. The segment and its device outlive this object.
  explicit device_collectives(segment& memory);
  device_collectives(const device_collectives&) = delete;
  device_collectives& operator=(const device_collectives&) = delete;
  ~device_collectives();

  /// `bytes` at `data` of the root come to `data` of every member.
  operation_status broadcast(team& team, rank_id root, void* data, std::size_t bytes) noexcept;

  /// The elements at `source` of all members are combined, in the order of members, into `target`
  /// of every member. In place: both are the same.
  operation_status allreduce(team& team, void* target, const void* source, std::size_t count,
                             const reduction& combiner) noexcept;

  /// The block at `source` of member i comes to block i of size() blocks at `target` of every
  /// member. `source` may be the member's own block.
  operation_status allgather(team& team, void* target, const void* source,
                             std::size_t bytes) noexcept;

  /// Block j at `source` of member i comes to block i at `target` of member j. Not in place.
  operation_status alltoall(team& team, void* target, const void* source,
                            std::size_t bytes) noexcept;

 private:
  static constexpr std::size_t staging_bytes = std::size_t{256} << 10;

  /// Host memory for one piece, and the copies that fill and empty it.
  struct stage {
    std::byte* in = nullptr;
    std::byte* out = nullptr;
    std::vector<event> reads;
    std::vector<event> writes;
  };

  /// The blocks of a call: this member reads so many of `bytes` each, and writes so many.
  struct shape {
    std::byte* target;
    const std::byte* source;
    std::size_t bytes;
    std::size_t reads;
    std::size_t writes;
    std::size_t blocks;    // of a piece, the same for all members
    std::size_t unit = 1;  // a piece holds a multiple of it
  };

  template <class Collective>
  operation_status run(const shape& call, Collective collective) noexcept;
  void start_reads(const shape& call, stage& half, std::size_t offset, std::size_t bytes) noexcept;
  void start_writes(const shape& call, stage& half, std::size_t offset, std::size_t bytes) noexcept;
  void wait(std::vector<event>& copies) noexcept;

  segment& memory_;
  std::byte* pinned_ = nullptr;            // or
  std::unique_ptr<std::byte[]> ordinary_;  // ordinary memory
  std::array<stage, 2> halves_;
};

}  // namespace atl::coll
