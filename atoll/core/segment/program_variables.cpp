// SPDX-License-Identifier: BSD-3-Clause
//
// Moving the static variables into a block of the shared heap, and sharing them as a segment.
#include <atoll/core/segment/program_variables.hpp>

#include <atoll/base/log.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/segment/segment.hpp>

#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

namespace atl {
namespace {

constexpr std::size_t page_bytes = 4096;

}  // namespace

program_variables::program_variables(runtime& owner) noexcept
    : owner_(owner), range_(memory::program_data()) {}

program_variables::~program_variables() {
  if (moved_ == nullptr) return;
  if (!moved_->move_back()) {
    log_warning(
        "static variables stay in the memory of the job: a thread does not answer signals, "
        "or there is no memory for a copy");
    return;
  }
  moved_.reset();
  owner_.heap().free(block_);
}

program_variables& program_variables::of(runtime& owner) {
  if (auto* const existing = owner.attached<program_variables>()) return *existing;
  return owner.attach(std::make_unique<program_variables>(owner));
}

bool program_variables::move() {
  if (moved_ != nullptr) return true;
  if (range_.bytes() == 0) return false;
  block_ = static_cast<std::byte*>(owner_.heap().allocate(range_.bytes(), page_bytes));
  if (block_ == nullptr) return false;
  moved_ = std::make_unique<memory::static_data>(owner_.host_memory(), block_);
  if (moved_->move()) return true;
  moved_.reset();
  owner_.heap().free(std::exchange(block_, nullptr));
  return false;
}

void program_variables::share_as(segment& shared) const {
  segment_part own;
  if (block() != nullptr) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the address of the program's variables
    own.base = reinterpret_cast<std::byte*>(range_.begin);
    own.bytes = range_.bytes();
    own.in_heaps = block();
  }
  shared.share(own);
  forget_other_programs(shared);
}

void program_variables::forget_other_programs(segment& shared) const {
  const std::uint64_t mark = memory::program_mark();
  const auto marks = owner_.exchange(std::as_bytes(std::span(&mark, 1)));
  for (rank_id rank = 0; rank < owner_.size(); ++rank) {
    if (std::memcmp(marks.at(rank).data(), &mark, sizeof mark) != 0) shared.learn(rank, {});
  }
}

}  // namespace atl
