// SPDX-License-Identifier: BSD-3-Clause
//
// Mapping and accounting of the host's shared file. Every rank lets the file grow to what it has
// planned, which is the same for all of a host (memory_file.hpp), and maps all of it at once: one
// system call however many ranks there are, and page tables grow only with what is touched. The
// heap of this rank asks for huge pages; a small control part stays on small ones so that an idle
// rank stays small.
#include <atoll/memory/host_memory.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/memory_file.hpp>
#include <atoll/base/memory_limits.hpp>
#include <atoll/base/text.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

namespace atl::memory {

namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t header_bytes = huge_page;               // keeps areas aligned to huge pages
constexpr std::size_t address_budget = std::size_t{1} << 45;  // per heap, of the 2^47 there are
constexpr std::size_t largest_symmetric_alignment = std::size_t{1} << 30;

std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

static_assert(std::atomic<std::uint64_t>::is_always_lock_free,
              "shared counters need lock-free atomics");
static_assert(sizeof(host_header) <= header_bytes);

}  // namespace

std::size_t host_layout::symmetric_alignment() const noexcept {
  return std::clamp(std::bit_floor(symmetric_limit), huge_page, largest_symmetric_alignment);
}

std::size_t host_layout::stride() const noexcept {
  return round_up(round_up(control_bytes, huge_page) + shared_bytes(), symmetric_alignment());
}

std::size_t host_layout::file_bytes() const noexcept { return header_bytes + ranks * stride(); }

host_layout plan(rank_id ranks, std::size_t control_bytes, const memory_wishes& wishes) {
  const memory_limits machine = read_memory_limits();
  host_layout layout{.ranks = ranks, .control_bytes = control_bytes, .fixed_bytes = control_bytes};
  // A tenth of the machine stays for code, stacks and private heaps.
  layout.host_limit = wishes.host_limit != 0 ? wishes.host_limit : machine.total_bytes / 10 * 9;
  const std::size_t room = std::min(layout.host_limit, address_budget / ranks);
  const std::size_t heap = wishes.heap_limit != 0 ? wishes.heap_limit : room;
  layout.heap_limit = round_up(heap, huge_page);
  // As large as the other one, where only that was asked for.
  layout.symmetric_limit =
      round_up(wishes.symmetric_limit != 0 ? wishes.symmetric_limit : heap, huge_page);
  return layout;
}

host_memory::host_memory(descriptor file, const host_layout& layout, rank_id self)
    : file_(std::move(file)), layout_(layout), self_(self) {
  const std::size_t bytes = layout_.file_bytes();
  grow_memory_file(file_, bytes);
  const std::size_t unit = layout_.symmetric_alignment();
  void* reserved =
      ::mmap(nullptr, bytes + unit, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) {
    throw error("shared memory of " + bytes_text(bytes), "mmap: " + errno_text(errno),
                "lower ATOLL_SEGMENT_LIMIT, or raise the address space limit (ulimit -v)");
  }
  // Align the symmetric heaps by hand, then give back what the alignment left over.
  const auto start = reinterpret_cast<std::uintptr_t>(reserved);
  const std::size_t before = header_bytes + round_up(layout_.control_bytes, huge_page);
  const std::uintptr_t aligned = round_up(start + before, unit) - before;
  base_ = reinterpret_cast<std::byte*>(aligned);
  if (aligned != start) ::munmap(reserved, aligned - start);
  if (const std::size_t tail = start + unit - aligned; tail != 0) ::munmap(base_ + bytes, tail);
  if (::mmap(base_, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE,
             file_.get(), 0) == MAP_FAILED) {
    const int cause = errno;
    ::munmap(base_, bytes);
    throw error("shared memory of " + bytes_text(bytes), "mmap: " + errno_text(cause),
                "lower ATOLL_SEGMENT_LIMIT, or raise the address space limit (ulimit -v)");
  }
  ::madvise(base_, bytes, MADV_DONTDUMP);  // a core file holds this rank's own heap only
  ::madvise(shared(self_), layout_.shared_bytes(), MADV_DODUMP);
  ::madvise(shared(self_) + huge_page, layout_.symmetric_limit - huge_page, MADV_HUGEPAGE);
  ::madvise(heap(self_) + huge_page, layout_.heap_limit - huge_page, MADV_HUGEPAGE);
}

host_memory::~host_memory() { ::munmap(base_, layout_.file_bytes()); }

std::byte* host_memory::control(rank_id rank) const noexcept {
  return base_ + header_bytes + std::size_t{rank - layout_.first} * layout_.stride();
}

std::byte* host_memory::shared(rank_id rank) const noexcept {
  return control(rank) + round_up(layout_.control_bytes, huge_page);
}

void host_memory::hide_all_but(rank_id first, rank_id count) noexcept {
  const std::size_t before = first - layout_.first;
  const std::size_t end = before + count;
  std::byte* const areas = control(layout_.first);
  ::mprotect(areas, before * layout_.stride(), PROT_NONE);
  ::mprotect(areas + end * layout_.stride(), (layout_.ranks - end) * layout_.stride(), PROT_NONE);
}

bool host_memory::commit(std::size_t already, std::size_t bytes) noexcept {
  if (bytes > layout_.heap_limit - std::min(already, layout_.heap_limit)) return false;
  return commit(bytes);
}

bool host_memory::commit(std::size_t bytes) noexcept {
  std::atomic<std::uint64_t>& promised = header().committed_bytes;
  std::uint64_t before = promised.load(std::memory_order_relaxed);
  do {
    if (bytes > layout_.host_limit - std::min<std::size_t>(before, layout_.host_limit))
      return false;
    // Relaxed: the counter guards no other data.
  } while (!promised.compare_exchange_weak(before, before + bytes, std::memory_order_relaxed));
  if (is_covered(before + bytes)) return true;
  release(bytes);
  return false;
}

/// The machine has other users too: what is available now must cover all that was promised and not
/// touched yet, by any rank. Which of the touched pages are the heaps' is asked only when it
/// matters: at most all of the fixed parts are touched as well.
bool host_memory::is_covered(std::size_t promised) const noexcept {
  const std::size_t available = read_available_memory();
  const auto untouched = [&](std::size_t touched_fixed) {
    const std::size_t touched = touched_bytes();
    const std::size_t of_heaps = touched - std::min(touched, touched_fixed);
    return promised - std::min(promised, of_heaps);
  };
  const std::size_t fixed = header_bytes + layout_.ranks * layout_.fixed_bytes;
  return untouched(fixed) <= available || untouched(touched_fixed_bytes()) <= available;
}

std::size_t host_memory::untouched_bytes() const noexcept {
  const std::size_t promised = header().committed_bytes.load(std::memory_order_relaxed);
  const std::size_t touched = touched_bytes();
  const std::size_t of_heaps = touched - std::min(touched, touched_fixed_bytes());
  return promised - std::min(promised, of_heaps);
}

std::size_t host_memory::touched_bytes() const noexcept {
  struct stat file;
  return ::fstat(file_.get(), &file) == 0 ? static_cast<std::size_t>(file.st_blocks) * 512 : 0;
}

/// The pages that exist in the header and in the fixed part of each rank. Where the kernel does not
/// tell, all of them count: then too little is promised and not too much.
std::size_t host_memory::touched_fixed_bytes() const noexcept {
  static const auto page_bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const auto touched_in = [](std::byte* begin, std::size_t bytes) {
    constexpr std::size_t pages_at_once = 1024;
    unsigned char exists[pages_at_once];
    std::size_t touched = 0;
    for (std::size_t at = 0; at < bytes; at += pages_at_once * page_bytes) {
      const std::size_t length = std::min(bytes - at, pages_at_once * page_bytes);
      const auto pages = static_cast<std::ptrdiff_t>((length + page_bytes - 1) / page_bytes);
      if (::mincore(begin + at, length, exists) != 0) std::fill_n(exists, pages, 1);
      touched +=
          page_bytes * static_cast<std::size_t>(std::count_if(
                           exists, exists + pages, [](auto each) { return (each & 1) != 0; }));
    }
    return touched;
  };
  std::size_t touched = touched_in(base_, header_bytes);
  for (rank_id rank = layout_.first; rank < layout_.first + layout_.ranks; ++rank)
    touched += touched_in(control(rank), layout_.fixed_bytes);
  return touched;
}

void host_memory::release(std::size_t bytes) noexcept {
  header().committed_bytes.fetch_sub(bytes, std::memory_order_relaxed);
}

void host_memory::discard(std::byte* begin, std::size_t bytes) noexcept {
  // Refused only where the kernel cannot do it for this file: then the pages stay, as zeros.
  if (::fallocate(file_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, begin - base_,
                  static_cast<off_t>(bytes)) != 0) {
    std::memset(begin, 0, bytes);
  }
}

}  // namespace atl::memory
