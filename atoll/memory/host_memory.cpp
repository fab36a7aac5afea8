// SPDX-License-Identifier: BSD-3-Clause
//
// Mapping and accounting of the host's shared file. Every rank lets the file grow to what it has
// planned, which is the same for all of a host (memory_file.hpp), and maps all of it at once: one
// system call however many ranks there are, and page tables grow only with what is touched. Every
// rank asks for the same address, so that pointers into the shared memory are usually the same on
// all ranks of a host; a rank that has something else there maps the file elsewhere. The
// heap of this rank asks for huge pages; a small control part stays on small ones so that an idle
// rank stays small.
#include <atoll/memory/host_memory.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/rounding.hpp>
#include <atoll/base/system/memory_file.hpp>
#include <atoll/base/system/memory_limits.hpp>
#include <atoll/base/text.hpp>
#include <atoll/memory/variables_card.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

// The thread and memory sanitizers keep most addresses for themselves, and end a program that maps
// anything there. Null where the program has none of them.
extern "C" {
[[gnu::weak]] void __tsan_init();
[[gnu::weak]] void __msan_init();
}

namespace atl::memory {

namespace {

bool may_choose_addresses() { return &__tsan_init == nullptr && &__msan_init == nullptr; }

constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t header_bytes = huge_page;               // keeps areas aligned to huge pages
constexpr std::size_t address_budget = std::size_t{1} << 45;  // per heap, of the 2^47 there are
// Far from where Linux puts programs, heaps, libraries and stacks, with and without sanitizers.
constexpr std::uintptr_t common_address = std::uintptr_t{1} << 45;
// Processors find a line in their first cache by a hash of its address, such as of bits 12 to 27 on
// AMD's. An object and its counterpart at another rank, which programs use together, would push
// each other out if these bits were the same. They differ in bits 25 to 27 for eight ranks in a
// row.
constexpr std::size_t largest_symmetric_alignment = std::size_t{32} << 20;

static_assert(std::atomic<std::uint64_t>::is_always_lock_free,
              "shared counters need lock-free atomics");
static_assert(sizeof(host_header) <= header_bytes);

}  // namespace

std::size_t host_layout::symmetric_alignment() const noexcept {
  return std::clamp(std::bit_floor(symmetric_limit), huge_page, largest_symmetric_alignment);
}

// An odd multiple of the alignment, so that counterparts differ in the bits above it.
std::size_t host_layout::stride() const noexcept {
  const std::size_t unit = symmetric_alignment();
  return round_up(round_up(control_bytes, huge_page) + shared_bytes(), unit) | unit;
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
  // It is as large as the shared heap, where only the limit of that was asked for.
  layout.symmetric_limit =
      round_up(wishes.symmetric_limit != 0 ? wishes.symmetric_limit : heap, huge_page);
  return layout;
}

host_memory::host_memory(descriptor file, const host_layout& layout, rank_id self)
    : file_(std::move(file)), layout_(layout), self_(self) {
  const std::size_t bytes = layout_.file_bytes();
  grow_memory_file(file_, bytes);
  const std::size_t front_bytes = header_bytes + round_up(layout_.control_bytes, huge_page);
  const std::size_t unit = layout_.symmetric_alignment();
  base_ = map_at_common_address(bytes, front_bytes, unit);
  if (base_ != nullptr) {
    header().at_common_address.fetch_add(1, std::memory_order_relaxed);
  } else {
    base_ = map_anywhere(bytes, front_bytes, unit);
  }
  ::madvise(base_, bytes, MADV_DONTDUMP);  // a core file holds this rank's own heap only
  ::madvise(shared(self_), layout_.shared_bytes(), MADV_DODUMP);
  ::madvise(shared(self_) + huge_page, layout_.symmetric_limit - huge_page, MADV_HUGEPAGE);
  ::madvise(heap(self_) + huge_page, layout_.heap_limit - huge_page, MADV_HUGEPAGE);
}

/// Maps at the common address; null where something else of this process is mapped in that range,
/// or it is forbidden.
std::byte* host_memory::map_at_common_address(std::size_t bytes, std::size_t front_bytes,
                                              std::size_t unit) const noexcept {
  if (!may_choose_addresses()) return nullptr;
  void* const wanted =
      reinterpret_cast<void*>(round_up(common_address + front_bytes, unit) - front_bytes);
  void* const mapped = ::mmap(wanted, bytes, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_NORESERVE, file_.get(), 0);
  if (mapped == MAP_FAILED) return nullptr;
  if (mapped == wanted) return static_cast<std::byte*>(mapped);
  ::munmap(mapped, bytes);  // a kernel that takes the address for a hint
  return nullptr;
}

std::byte* host_memory::map_anywhere(std::size_t bytes, std::size_t front_bytes,
                                     std::size_t unit) const {
  const auto refuse = [&](int cause) {
    return error("shared memory of " + bytes_text(bytes), "mmap: " + errno_text(cause),
                 "lower ATOLL_SEGMENT_LIMIT, or raise the address space limit (ulimit -v)");
  };
  void* const reserved =
      ::mmap(nullptr, bytes + unit, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) throw refuse(errno);
  // Align the symmetric heaps by hand, then give back what the alignment left over.
  const auto start = reinterpret_cast<std::uintptr_t>(reserved);
  const std::uintptr_t aligned = round_up(start + front_bytes, unit) - front_bytes;
  auto* const base = reinterpret_cast<std::byte*>(aligned);
  if (aligned != start) ::munmap(reserved, aligned - start);
  if (const std::size_t tail = start + unit - aligned; tail != 0) ::munmap(base + bytes, tail);
  if (::mmap(base, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE,
             file_.get(), 0) == MAP_FAILED) {
    const int cause = errno;
    ::munmap(base, bytes);
    throw refuse(cause);
  }
  return base;
}

bool host_memory::is_at_one_address() const noexcept {
  return header().at_common_address.load(std::memory_order_relaxed) == layout_.ranks;
}

host_memory::~host_memory() { ::munmap(base_, layout_.file_bytes()); }

std::byte* host_memory::control(rank_id rank) const noexcept {
  return base_ + header_bytes + std::size_t{rank - layout_.first} * layout_.stride();
}

std::byte* host_memory::shared(rank_id rank) const noexcept {
  return control(rank) + round_up(layout_.control_bytes, huge_page);
}

void host_memory::hide_all_but(rank_id first, rank_id count) noexcept {
  const std::size_t begin = first - layout_.first;
  const std::size_t end = begin + count;
  std::byte* const areas = control(layout_.first);
  ::mprotect(areas, begin * layout_.stride(), PROT_NONE);
  ::mprotect(areas + end * layout_.stride(), (layout_.ranks - end) * layout_.stride(), PROT_NONE);
}

bool host_memory::commit(std::size_t already, std::size_t bytes) noexcept {
  if (bytes > layout_.heap_limit - std::min(already, layout_.heap_limit)) return false;
  return commit(bytes);
}

bool host_memory::commit(std::size_t bytes) noexcept {
  std::atomic<std::uint64_t>& promised = header().committed_bytes;
  std::uint64_t committed = promised.load(std::memory_order_relaxed);
  do {
    if (bytes > layout_.host_limit - std::min<std::size_t>(committed, layout_.host_limit))
      return false;
    // Relaxed: the counter guards no other data.
  } while (
      !promised.compare_exchange_weak(committed, committed + bytes, std::memory_order_relaxed));
  if (is_covered(committed + bytes)) return true;
  release(bytes);
  return false;
}

/// The machine has other users too: what is available now must cover all that was promised and
/// not touched yet, by any rank. First it assumes that all that is used without a promise is
/// touched as well; what of it is touched is asked only when that decides.
bool host_memory::is_covered(std::size_t promised) const noexcept {
  const std::size_t available = read_available_memory();
  const auto untouched = [&](std::size_t without_promise) {
    const std::size_t touched = touched_bytes();
    const std::size_t of_heaps = touched - std::min(touched, without_promise);
    return promised - std::min(promised, of_heaps);
  };
  const std::size_t fixed = header_bytes + layout_.ranks * layout_.fixed_bytes;
  return untouched(fixed + unpromised_variables(*this)) <= available ||
         untouched(touched_fixed_bytes() + touched_unpromised_variables(*this)) <= available;
}

std::size_t host_memory::untouched_bytes() const noexcept {
  const std::size_t promised = header().committed_bytes.load(std::memory_order_relaxed);
  const std::size_t touched = touched_bytes();
  const std::size_t without_promise = touched_fixed_bytes() + touched_unpromised_variables(*this);
  const std::size_t of_heaps = touched - std::min(touched, without_promise);
  return promised - std::min(promised, of_heaps);
}

std::size_t host_memory::touched_bytes() const noexcept {
  struct stat file;
  return ::fstat(file_.get(), &file) == 0 ? static_cast<std::size_t>(file.st_blocks) * 512 : 0;
}

/// The pages that exist in the header and in the fixed part of each rank. Where the kernel does not
/// say, all of them count: then too little is promised and not too much.
std::size_t host_memory::touched_fixed_bytes() const noexcept {
  const std::size_t kernel_page = kernel_page_bytes();
  const auto touched_in = [kernel_page](std::byte* begin, std::size_t bytes) {
    constexpr std::size_t pages_at_once = 1024;
    unsigned char exists[pages_at_once];
    std::size_t touched = 0;
    for (std::size_t offset = 0; offset < bytes; offset += pages_at_once * kernel_page) {
      const std::size_t length = std::min(bytes - offset, pages_at_once * kernel_page);
      const auto pages = static_cast<std::ptrdiff_t>(pieces_of(length, kernel_page));
      if (::mincore(begin + offset, length, exists) != 0) std::fill_n(exists, pages, 1);
      touched +=
          kernel_page * static_cast<std::size_t>(std::count_if(
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

bool host_memory::map_also(void* address, const std::byte* begin,
                           std::size_t bytes) const noexcept {
  // The call is direct: what is mapped over may be the data of a sanitizer's own mmap.
  return ::syscall(SYS_mmap, address, bytes, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_FIXED | MAP_NORESERVE, file_.get(), begin - base_) != -1;
}

// Ranks share the position in the file, which nobody reads: only what lseek returns counts.
std::span<std::byte> host_memory::find_existing(std::byte* begin, std::byte* end) const noexcept {
  const off_t data = ::lseek(file_.get(), begin - base_, SEEK_DATA);
  if (data < 0 && errno == ENXIO) return {};
  if (data < 0) return {begin, end};  // not known: all of it
  std::byte* const first = std::max(begin, base_ + data);
  if (first >= end) return {};
  const off_t hole = ::lseek(file_.get(), first - base_, SEEK_HOLE);
  return {first, hole < 0 ? end : std::min(end, base_ + hole)};
}

}  // namespace atl::memory
