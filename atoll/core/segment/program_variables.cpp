// SPDX-License-Identifier: BSD-3-Clause
//
// Moving the static variables into a block of the shared heap, and sharing them as a segment. Only
// those pages of the variables that exist count as memory that the heap has promised. Pages that
// were never touched take memory when they are touched, as those of any program do, and may pass
// ATOLL_MEMORY_LIMIT. Otherwise a large sparse array would leave nothing for the heaps of the host
// (memory/variables_card.hpp).
#include <atoll/core/segment/program_variables.hpp>

#include <atoll/base/log.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/segment/segment.hpp>
#include <atoll/core/segment/segment_access.hpp>
#include <atoll/memory/variables_card.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <span>
#include <system_error>
#include <utility>

namespace atl {
namespace {

std::string file_of_program() {
  std::error_code failed;
  return std::filesystem::read_symlink("/proc/self/exe", failed).string();
}

std::string as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

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
  memory::free_of_variables(layer_access::host_memory(owner_), owner_.heap(), owner_.rank(),
                            block_);
}

program_variables& program_variables::of(runtime& owner) {
  if (auto* const existing = owner.attached<program_variables>()) return *existing;
  return owner.attach(std::make_unique<program_variables>(owner));
}

bool program_variables::move() {
  if (moved_ != nullptr) return true;
  if (range_.bytes() == 0) return false;
  memory::host_memory& host = layer_access::host_memory(owner_);
  block_ = memory::allocate_for_variables(host, owner_.heap(), owner_.rank(), range_.bytes(),
                                          memory::existing_program_data());
  if (block_ == nullptr) return false;
  moved_ = std::make_unique<memory::static_data>(host, block_);
  if (moved_->move()) return true;
  moved_.reset();
  memory::free_of_variables(host, owner_.heap(), owner_.rank(), std::exchange(block_, nullptr));
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

std::optional<program_difference> program_variables::forget_other_programs(segment& shared) const {
  const std::uint64_t mark = memory::program_mark();
  const auto marks = owner_.exchange(std::as_bytes(std::span(&mark, 1)));
  program_difference found;
  for (rank_id rank = owner_.size(); rank-- > 0;) {
    if (!std::ranges::equal(marks.at(rank), marks.at(owner_.rank())))
      segment_access::learn(shared, rank, {});
    if (std::ranges::equal(marks.at(rank), marks.at(0))) continue;
    found.first_rank = rank;
    ++found.ranks;
  }
  if (found.ranks == 0) return std::nullopt;
  const std::string file = file_of_program();
  const auto files = owner_.exchange(std::as_bytes(std::span(file)));
  found.program = as_text(files.at(found.first_rank));
  found.program_of_rank_0 = as_text(files.at(0));
  return found;
}

}  // namespace atl
