// SPDX-License-Identifier: BSD-3-Clause
//
// The static variables of the program, which fronts of one process share: one of them has the
// variables moved into the memory of the host (memory/static_data.hpp), the others find them there.
// They are moved back when the runtime ends, after its last barrier, when no other rank accesses
// them any more.
//
// Threads: set-up, by one thread.
#pragma once

#include <atoll/base/rank.hpp>
#include <atoll/core/progress/attachment.hpp>
#include <atoll/memory/static_data.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace atl {

class runtime;
class segment;

/// Ranks that run another program than rank 0.
struct program_difference {
  rank_id first_rank = 0;  // the first of them
  rank_id ranks = 0;       // how many
  std::string program;     // the file of the first of them
  std::string program_of_rank_0;
};

class program_variables final : public attachment {
 public:
  explicit program_variables(runtime& owner) noexcept;
  /// Moves the variables back.
  ~program_variables() override;

  /// The variables of the process, shared in this runtime.
  static program_variables& of(runtime& owner);

  /// Moves the variables unless that is done. False where a thread cannot be held still or there is
  /// no memory: then they stay in private memory.
  bool move();

  /// The range of the variables, by the program's addresses, in whole pages.
  const memory::address_range& range() const noexcept { return range_; }
  /// Where they are in the heaps of this rank; null: they were not moved.
  std::byte* block() const noexcept { return moved_ != nullptr ? block_ : nullptr; }

  /// Shares the variables as this rank's part of a segment, by the program's addresses. Ranks that
  /// have not moved theirs, or run another program, have no part. Collective.
  void share_as(segment& shared) const;
  /// Takes the parts of ranks that run another program away. Returns the ranks that do not run what
  /// rank 0 runs, the same on all ranks. Collective.
  std::optional<program_difference> forget_other_programs(segment& shared) const;

 private:
  bool advance() noexcept override { return false; }
  bool busy() const noexcept override { return false; }

  runtime& owner_;
  memory::address_range range_;
  std::byte* block_ = nullptr;
  std::unique_ptr<memory::static_data> moved_;
};

}  // namespace atl
