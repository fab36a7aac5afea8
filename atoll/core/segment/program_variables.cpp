// SPDX-License-Identifier: BSD-3-Clause
//
// Moving the static variables into a block of the shared heap, and sharing them as a segment. Of
// the memory that the heap promises, the variables take what exists of them: pages that were never
// touched take memory when they are touched, as those of any program do. Otherwise a large sparse
// array would leave nothing for the heaps of the host.
#include <atoll/core/segment/program_variables.hpp>

#include <atoll/base/log.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/segment/segment.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <span>
#include <system_error>
#include <thread>
#include <utility>

namespace atl {
namespace {

constexpr std::size_t page_bytes = 4096;

std::string file_of_program() {
  std::error_code failed;
  return std::filesystem::read_symlink("/proc/self/exe", failed).string();
}

std::string as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The bytes of whole pages that exist, in memory that is mapped from a file.
std::size_t existing_bytes(std::byte* begin, std::size_t bytes) noexcept {
  constexpr std::size_t pages_at_once = 1024;
  unsigned char exists[pages_at_once];
  std::size_t pages = 0;
  for (std::size_t offset = 0; offset < bytes; offset += pages_at_once * page_bytes) {
    const std::size_t length = std::min(bytes - offset, pages_at_once * page_bytes);
    if (::mincore(begin + offset, length, exists) != 0) continue;
    pages += static_cast<std::size_t>(std::count_if(exists, exists + length / page_bytes,
                                                    [](auto each) { return (each & 1) != 0; }));
  }
  return pages * page_bytes;
}

/// A block of the shared heap that nothing is promised to. For a moment the promise is made, so
/// ranks that do the same at the same time may have to wait for each other.
std::byte* allocate_without_promise(runtime& owner, std::size_t bytes) {
  constexpr int attempts = 1000;
  constexpr std::chrono::milliseconds pause{1};
  const memory::host_layout& layout = owner.host_memory().layout();
  if (bytes >= std::min(layout.host_limit, layout.heap_limit)) return nullptr;
  for (int attempt = 0;; ++attempt) {
    auto* const block = static_cast<std::byte*>(owner.heap().allocate(bytes, page_bytes));
    if (block != nullptr) owner.host_memory().release(bytes);
    if (block != nullptr || attempt == attempts) return block;
    std::this_thread::sleep_for(pause);
  }
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
  owner_.heap().free(block_);
}

program_variables& program_variables::of(runtime& owner) {
  if (auto* const existing = owner.attached<program_variables>()) return *existing;
  return owner.attach(std::make_unique<program_variables>(owner));
}

bool program_variables::move() {
  if (moved_ != nullptr) return true;
  if (range_.bytes() == 0) return false;
  block_ = allocate_without_promise(owner_, range_.bytes());
  if (block_ == nullptr) return false;
  moved_ = std::make_unique<memory::static_data>(owner_.host_memory(), block_);
  if (moved_->move()) {
    (void)owner_.host_memory().commit(existing_bytes(block_, range_.bytes()));
    return true;
  }
  moved_.reset();
  (void)owner_.host_memory().commit(range_.bytes());  // to the block, which serves others now
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

std::optional<program_difference> program_variables::forget_other_programs(segment& shared) const {
  const std::uint64_t mark = memory::program_mark();
  const auto marks = owner_.exchange(std::as_bytes(std::span(&mark, 1)));
  program_difference found;
  for (rank_id rank = owner_.size(); rank-- > 0;) {
    if (!std::ranges::equal(marks.at(rank), marks.at(owner_.rank()))) shared.learn(rank, {});
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
