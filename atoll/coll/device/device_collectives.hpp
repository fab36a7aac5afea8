// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives whose buffers are memory of devices. Some members may have memory of a device and
// others of the host. Those that only move data go directly where each member reads every other's
// memory without a stop in host memory, as peers, by handles or by a network that has registered it
// (direct.cpp). All else is staged: a device copies a piece to pinned host memory, the
// members combine or exchange it there (collectives.hpp), and a device copies the result, while the
// next piece is on its way.
//
// They are no algorithms of the engine. A step of theirs waits for copies of a device, which are
// transfers of the core, or is a whole collective of the engine, so there is nothing that the
// engine could do beside them.
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
  /// left, and room for the transfers of the largest call. The segment, its parts and its device
  /// outlive this object. Throws `std::bad_alloc`.
  explicit device_collectives(segment& memory);
  device_collectives(const device_collectives&) = delete;
  device_collectives& operator=(const device_collectives&) = delete;
  ~device_collectives();

  /// `bytes` at `data` of the root are copied to `data` of every member.
  operation_status broadcast(team& team, rank_id root, void* data, std::size_t bytes) noexcept;

  /// The elements at `source` of all members are combined, in the order of members, into `target`
  /// of every member. In place: both are the same. Elements of more than 256 KiB are refused.
  operation_status allreduce(team& team, void* target, const void* source, std::size_t count,
                             const reduction& combiner) noexcept;

  /// The block at `source` of member i is copied to block i of size() blocks at `target` of every
  /// member. `source` may be the member's own block.
  operation_status allgather(team& team, void* target, const void* source,
                             std::size_t bytes) noexcept;

  /// Block j at `source` of member i is copied to block i at `target` of member j. Not in place.
  operation_status alltoall(team& team, void* target, const void* source,
                            std::size_t bytes) noexcept;

  /// Calls that went directly, for tests and reports.
  std::uint64_t direct_calls() const noexcept { return direct_calls_; }

 private:
  static constexpr std::size_t staging_bytes = std::size_t{256} << 10;
  static constexpr std::size_t split_least = std::size_t{256} << 10;  // of a direct broadcast
  static constexpr rank_id split_members = 4;

  /// A member tells this to the others at the start of a call.
  struct entry {
    std::uint64_t source;
    std::uint64_t reads_all;
  };
  enum class reach : std::uint8_t { unknown, stops, direct };
  enum class way : std::uint8_t { direct, staged, lost };

  /// Host memory for one piece, and the copies that fill and empty it.
  struct stage {
    std::byte* in = nullptr;
    std::byte* out = nullptr;
    std::vector<event> reads;
    std::vector<event> writes;
  };

  /// The blocks of a call: this member reads `reads` of `bytes` each, and writes `writes`.
  struct shape {
    std::byte* target;
    const std::byte* source;
    std::size_t bytes;
    std::size_t reads;
    std::size_t writes;
    std::size_t blocks;    // of a piece, the same for all members
    std::size_t unit = 1;  // a piece holds a multiple of it
  };

  bool reads_all(const team& team) noexcept;
  way agree_on_way(team& team, const void* source) noexcept;
  void start_read(const team& team, rank_id member, std::byte* target, std::uint64_t offset,
                  std::size_t bytes) noexcept;
  operation_status finish_reads(team& team) noexcept;
  operation_status broadcast_directly(team& team, rank_id root, std::byte* data,
                                      std::size_t bytes) noexcept;
  operation_status broadcast_in_slices(team& team, rank_id root, std::byte* data,
                                       std::size_t bytes) noexcept;

  template <class Collective>
  operation_status run(const shape& call, Collective collective) noexcept;
  void start_reads(const shape& call, stage& half, std::size_t offset, std::size_t bytes) noexcept;
  void start_writes(const shape& call, stage& half, std::size_t offset, std::size_t bytes) noexcept;
  void wait(std::vector<event>& copies) noexcept;

  segment& memory_;
  std::byte* pinned_ = nullptr;            // or
  std::unique_ptr<std::byte[]> ordinary_;  // ordinary memory
  std::array<stage, 2> halves_;
  std::vector<reach> reaches_;  // by rank of the job
  std::vector<entry> entries_;  // by member, of the call under way
  std::vector<event> reads_;    // of a direct call
  std::uint64_t direct_calls_ = 0;
};

}  // namespace atl::coll
