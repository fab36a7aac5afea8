// SPDX-License-Identifier: BSD-3-Clause
//
// Moves the static variables. Everything between the copy and the mapping must leave the variables
// of the program alone: other threads stand still, signals are blocked, and this code uses its
// stack and system calls only. It makes these calls directly, and copies by itself: a sanitizer
// replaces the functions of the C library by its own, which write to variables of the program's
// file, and which refuse to read the gaps between its variables.
//
// Pages of .bss that were never touched are skipped, as /proc/self/pagemap tells; a variable of
// gigabytes then stays as sparse as it was. Pages that come from the program's file are copied
// whether present or not.
#include <atoll/memory/static_data.hpp>

#include <atoll/base/hash.hpp>
#include <atoll/base/rounding.hpp>
#include <atoll/base/system/blocked_signals.hpp>
#include <atoll/base/system/memory_limits.hpp>
#include <atoll/memory/stopped_threads.hpp>

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string_view>

extern "C" [[gnu::weak]] void __asan_init();
extern "C" [[gnu::weak]] void __tsan_init();

namespace atl::memory {

namespace {

/// The segments of the main program, as the loader knows them.
struct program_layout {
  address_range code;           // the segments that can be executed, and what lies between them
  address_range data;           // whole pages
  std::uintptr_t file_end = 0;  // behind what comes from the file
  stable_hash mark;
};

std::string_view as_bytes(const void* begin, std::size_t bytes) noexcept {
  return {static_cast<const char*>(begin), bytes};
}

// The first object that the loader lists is the main program.
int read_program(dl_phdr_info* info, std::size_t, void* result) noexcept {
  auto& layout = *static_cast<program_layout*>(result);
  address_range fixed;  // read-only after relocation
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info->dlpi_phdr[i];
    const std::uintptr_t begin = info->dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_GNU_RELRO) fixed = {begin, begin + part.p_memsz};
    if (part.p_type == PT_NOTE)
      layout.mark.add(as_bytes(reinterpret_cast<const void*>(begin), part.p_memsz));
    if (part.p_type != PT_LOAD) continue;
    layout.mark.add(as_bytes(&part, sizeof part));
    if ((part.p_flags & PF_X) != 0) {
      if (layout.code.end == 0) layout.code.begin = begin;
      layout.code.end = begin + part.p_memsz;
    }
    if ((part.p_flags & PF_W) == 0 || part.p_memsz == 0) continue;
    layout.data = pages_of({begin, begin + part.p_memsz});
    layout.file_end = begin + part.p_filesz;
  }
  const std::uintptr_t fixed_end = round_down(fixed.end, kernel_page_bytes());
  if (fixed.begin < layout.data.end && fixed_end > layout.data.begin)
    layout.data.begin = std::min(fixed_end, layout.data.end);
  return 1;
}

program_layout read_layout() noexcept {
  program_layout found;
  ::dl_iterate_phdr(read_program, &found);
  return found;
}

/// Copies as the processor does.
void copy_raw(void* to, const void* from, std::size_t bytes) noexcept {
#if defined(__x86_64__)
  __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
#else
  std::memcpy(to, from, bytes);
#endif
}

/// Which pages of an anonymous range exist; all of them where the kernel does not say.
class page_finder {
 public:
  page_finder() noexcept : file_(::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)) {}
  page_finder(const page_finder&) = delete;
  page_finder& operator=(const page_finder&) = delete;
  ~page_finder() {
    if (file_ >= 0) ::close(file_);
  }

  bool exists(std::uintptr_t address) noexcept {
    if (file_ < 0) return true;
    const std::uintptr_t page = address / kernel_page_bytes();
    if (page < first_ || page >= first_ + count_) read_from(page);
    if (page >= first_ + count_) return true;
    constexpr std::uint64_t present_or_swapped = std::uint64_t{3} << 62;
    return (entries_[page - first_] & present_or_swapped) != 0;
  }

 private:
  void read_from(std::uintptr_t page) noexcept {
    const long bytes =
        ::syscall(SYS_pread64, file_, entries_, sizeof entries_, page * sizeof entries_[0]);
    first_ = page;
    count_ = bytes > 0 ? static_cast<std::size_t>(bytes) / sizeof entries_[0] : 0;
  }

  int file_;
  std::uintptr_t first_ = 0;
  std::size_t count_ = 0;
  std::uint64_t entries_[512];
};

/// Where the pages begin that do not come from the program's file.
std::uintptr_t sparse_begin(const address_range& range, std::uintptr_t file_end) noexcept {
  return std::clamp(round_up(file_end, kernel_page_bytes()), range.begin, range.end);
}

void copy_in(std::byte* block, const address_range& range, std::uintptr_t file_end,
             page_finder& pages) noexcept {
  const std::uintptr_t page = kernel_page_bytes();
  const auto* const from = reinterpret_cast<const std::byte*>(range.begin);
  const std::uintptr_t sparse = sparse_begin(range, file_end);
  copy_raw(block, from, sparse - range.begin);
  for (std::uintptr_t address = sparse; address < range.end; address += page) {
    if (!pages.exists(address)) continue;
    const std::size_t offset = address - range.begin;
    copy_raw(block + offset, from + offset, page);
  }
}

/// Whether a sanitizer keeps its own state among the program's variables. That of the thread
/// sanitizer is changed all the time, by a thread that cannot be stopped. That of the address
/// sanitizer (clang links it into the program) is changed in a forked child before any handler of
/// ours can give the child a copy.
bool holds_sanitizer(const program_layout& program) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(&__asan_init);
  return &__tsan_init != nullptr || (address >= program.code.begin && address < program.code.end);
}

static_data* the_moved = nullptr;  // of this process; for fork, which gives its handlers nothing

}  // namespace

bool can_move_program_data() noexcept { return !holds_sanitizer(read_layout()); }

address_range program_data() noexcept { return read_layout().data; }

std::size_t existing_program_data() noexcept {
  const program_layout program = read_layout();
  const std::uintptr_t page = kernel_page_bytes();
  const std::uintptr_t sparse = sparse_begin(program.data, program.file_end);
  std::size_t existing = sparse - program.data.begin;
  page_finder pages;
  for (std::uintptr_t address = sparse; address < program.data.end; address += page)
    if (pages.exists(address)) existing += page;
  return existing;
}

std::uint64_t program_mark() noexcept { return read_layout().mark.value(); }

static_data::static_data(host_memory& host, std::byte* block) noexcept
    : host_(host), block_(block), range_(program_data()) {}

bool static_data::move() noexcept {
  if (moved_ || range_.bytes() == 0) return moved_;
  const program_layout program = read_layout();
  host_.discard(block_, range_.bytes());  // from here on zeros that no page holds
  page_finder pages;
  const blocked_signals quiet;
  const stopped_threads others;
  if (!others.complete()) return false;
  copy_in(block_, range_, program.file_end, pages);
  if (!host_.map_also(reinterpret_cast<void*>(range_.begin), block_, range_.bytes())) return false;
  moved_ = true;
  the_moved = this;
  return true;
}

// A private copy of the variables, with the pages that exist; null when there is no memory for it.
std::byte* static_data::copy_out() const noexcept {
  void* const room = ::mmap(nullptr, range_.bytes(), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) return nullptr;
  auto* const copy = static_cast<std::byte*>(room);
  std::byte* const end = block_ + range_.bytes();
  for (std::byte* address = block_; address < end;) {
    const std::span<std::byte> existing = host_.find_existing(address, end);
    if (existing.empty()) break;
    copy_raw(copy + (existing.data() - block_), existing.data(), existing.size());
    address = existing.data() + existing.size();
  }
  return copy;
}

static_data::~static_data() { move_back(); }

// Replaces the shared pages by the copy in one call, so that every access finds a page.
bool static_data::move_back() noexcept {
  if (!moved_) return true;
  moved_ = false;
  the_moved = nullptr;
  const blocked_signals quiet;
  const stopped_threads others;
  if (!others.complete()) return false;
  std::byte* const copy = copy_out();
  if (copy == nullptr) return false;
  const long placed = ::syscall(SYS_mremap, copy, range_.bytes(), range_.bytes(),
                                MREMAP_MAYMOVE | MREMAP_FIXED, range_.begin);
  if (placed == -1) ::munmap(copy, range_.bytes());
  return placed != -1;
}

// Registered when the library is loaded, before the program can register handlers of its own: so
// the copy is made after theirs have prepared, and in a child it is in place before theirs run.
void static_data::register_fork_handlers() noexcept {
  ::pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

void static_data::before_fork() noexcept {
  if (the_moved != nullptr) the_moved->fork_copy_ = the_moved->copy_out();
}

void static_data::after_fork_in_parent() noexcept {
  if (the_moved == nullptr || the_moved->fork_copy_ == nullptr) return;
  ::munmap(the_moved->fork_copy_, the_moved->range_.bytes());
  the_moved->fork_copy_ = nullptr;
}

// The object may lie in memory that the child shares with its parent until the copy is in its
// place. Then the child's variables are its own, and a child of the child needs no copy. Without a
// copy it would write into the variables of the rank, so it ends.
void static_data::after_fork_in_child() noexcept {
  if (the_moved == nullptr) return;
  const long placed = the_moved->fork_copy_ == nullptr
                          ? -1
                          : ::syscall(SYS_mremap, the_moved->fork_copy_, the_moved->range_.bytes(),
                                      the_moved->range_.bytes(), MREMAP_MAYMOVE | MREMAP_FIXED,
                                      the_moved->range_.begin);
  if (placed == -1) {
    static constexpr char refusal[] =
        "atoll: a forked process: no memory for a copy of the program's static variables; "
        "set SHMEM_STATIC_DATA=0, or fork before shmem_init()\n";
    static_cast<void>(!::write(STDERR_FILENO, refusal, sizeof refusal - 1));
    ::_exit(1);
  }
  the_moved->moved_ = false;
  the_moved = nullptr;
}

}  // namespace atl::memory
