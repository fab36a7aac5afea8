// SPDX-License-Identifier: BSD-3-Clause
//
// The cache keeps each registration once, and never for pages that are gone: whatever call gives
// memory back, from whichever thread, also where the next allocation gets the same address. Limits,
// overlaps, registrations in use, forks, and a system that refuses the watch. If this system
// refuses it, only that case is tested.
#include <atoll/memory/registration_cache.hpp>

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace atl::memory {
namespace {

constexpr std::size_t page = 4096;

char* map_pages(std::size_t count, void* address = nullptr,
                int flags = MAP_PRIVATE | MAP_ANONYMOUS) {
  void* const made = ::mmap(address, count * page, PROT_READ | PROT_WRITE,
                            flags | (address != nullptr ? MAP_FIXED : 0), -1, 0);
  EXPECT_NE(made, MAP_FAILED);
  return static_cast<char*>(made);
}

/// Pages begin before what was allocated in them; the address sanitizer need not know.
[[gnu::no_sanitize_address]] std::uint64_t first_word(std::uintptr_t address) {
  return *reinterpret_cast<const volatile std::uint64_t*>(address);
}

/// Notes what the first word of the memory was when it was registered: so the test sees later
/// whether the pages are still the same.
class notes final : public registrar {
 public:
  struct note {
    address_range pages;
    std::uint64_t word;
  };

  void* add(const address_range& pages) noexcept override {
    if (refuse) return nullptr;
    ++added;
    bytes += pages.bytes();
    return new note{pages, first_word(pages.begin)};
  }
  void remove(void* registration) noexcept override {
    auto* const gone = static_cast<note*>(registration);
    bytes -= gone->pages.bytes();
    ++removed;
    delete gone;
  }

  std::size_t added = 0, removed = 0, bytes = 0;
  bool refuse = false;
};

class registrations : public testing::Test {
 protected:
  static constexpr cache_limits many{std::size_t{1} << 30, 64};

  void SetUp() override {
    notes other;
    registration_cache probe(other, many);
    char* const pages = map_pages(1);
    if (auto* const used = probe.take(pages, page)) probe.give_back(used);
    ::munmap(pages, page);
    if (!probe.refusal().empty()) GTEST_SKIP() << probe.refusal();
  }
  void TearDown() override {
    own_.reset();
    EXPECT_EQ(made_.added, made_.removed);
    EXPECT_EQ(made_.bytes, 0u);
  }

  /// Uses the buffer once; the number of registrations made for it. None is given out before the
  /// watching thread has told what the program gave back, and that thread may get no core for a
  /// while.
  std::size_t give_back(registration_cache& cache, const void* buffer, std::size_t bytes) {
    const std::size_t old_count = made_.added;
    auto* used = cache.take(buffer, bytes);
    for (int i = 0; i < 10'000 && used == nullptr; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      used = cache.take(buffer, bytes);
    }
    EXPECT_NE(used, nullptr);
    if (used != nullptr) cache.give_back(used);
    return made_.added - old_count;
  }
  std::size_t use(const void* buffer, std::size_t bytes = page) {
    return give_back(kept_, buffer, bytes);
  }

  /// Pages that are gone are let go without another use, soon after.
  template <class Condition>
  static bool comes_true(registration_cache& cache, Condition condition) {
    for (int i = 0; i < 10'000 && !condition(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      cache.tidy();
    }
    return condition();
  }

  notes made_;
  std::unique_ptr<registration_cache> own_ = std::make_unique<registration_cache>(made_, many);
  registration_cache& kept_ = *own_;
};

TEST_F(registrations, of_the_same_buffer_or_a_part_of_it_are_made_once) {
  char* const pages = map_pages(8);
  EXPECT_EQ(use(pages, 8 * page), 1u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(use(pages, 8 * page), 0u);
  EXPECT_EQ(use(pages + 1, 100), 0u);
  EXPECT_EQ(use(pages + 7 * page, page), 0u);
  EXPECT_EQ(kept_.kept_bytes(), 8 * page);
  ::munmap(pages, 8 * page);
  EXPECT_TRUE(comes_true(kept_, [&] { return kept_.kept_bytes() == 0; }));
}

TEST_F(registrations, are_made_anew_whatever_gave_the_pages_back) {
  char* pages = map_pages(4);
  EXPECT_EQ(use(pages), 1u);
  ::munmap(pages, 4 * page);
  ASSERT_EQ(map_pages(4, pages), pages);
  EXPECT_EQ(use(pages), 1u) << "munmap";
  map_pages(1, pages);
  EXPECT_EQ(use(pages), 1u) << "a mapping on top";
  for (const int advice : {MADV_DONTNEED, MADV_FREE}) {
    ::madvise(pages, page, advice);
    EXPECT_EQ(use(pages), 1u) << advice;
    ::madvise(pages + 2 * page, page, advice);
    EXPECT_EQ(use(pages), 0u) << "another page was given back";
  }
  auto* const moved = static_cast<char*>(::mremap(pages, page, 64 * page, MREMAP_MAYMOVE));
  ASSERT_NE(moved, MAP_FAILED);
  EXPECT_EQ(use(moved), 1u);
  EXPECT_EQ(use(moved + 8 * page), 1u);
  ::mremap(moved, 64 * page, 8 * page, 0);
  EXPECT_EQ(use(moved), 0u);
  EXPECT_EQ(kept_.kept(), 1u);
  ::munmap(moved, 8 * page);
  ::munmap(pages, 4 * page);
}

TEST_F(registrations, follow_what_malloc_does) {
  constexpr std::size_t large = std::size_t{1} << 20;
  void* buffer = std::malloc(large);
  std::memset(buffer, 1, large);
  EXPECT_EQ(use(buffer, large), 1u);
  for (std::size_t bytes = 2 * large; bytes <= 16 * large; bytes *= 2) {
    buffer = std::realloc(buffer, bytes);
    ASSERT_NE(buffer, nullptr);
    EXPECT_EQ(use(buffer, bytes), 1u);
    EXPECT_EQ(use(buffer, bytes), 0u);
  }
  std::free(buffer);
  buffer = std::malloc(16 * large);
  use(buffer, 16 * large);
  EXPECT_EQ(use(buffer, 16 * large), 0u);
  std::free(buffer);
}

TEST_F(registrations, may_overlap_and_a_larger_one_stands_for_the_smaller) {
  char* const pages = map_pages(16);
  EXPECT_EQ(use(pages, 4 * page), 1u);
  EXPECT_EQ(use(pages + 2 * page, 4 * page), 1u);
  EXPECT_EQ(use(pages, 4 * page) + use(pages + 2 * page, 4 * page), 0u) << "both stay";
  EXPECT_EQ(use(pages + page, 5 * page), 1u);
  EXPECT_EQ(kept_.kept(), 2u) << "the second is covered by the third";
  EXPECT_EQ(use(pages, 16 * page), 1u);
  EXPECT_EQ(kept_.kept(), 1u);
  EXPECT_EQ(use(pages + 3 * page, 10 * page), 0u);
  ::munmap(pages + 5 * page, page);
  EXPECT_EQ(use(pages, 5 * page), 1u);
  EXPECT_EQ(use(pages + 6 * page, 10 * page), 1u);
  ::munmap(pages, 16 * page);
}

TEST_F(registrations, keep_to_the_limits_and_the_longest_unused_go_first) {
  char* const pages = map_pages(64);
  registration_cache few(made_, {.bytes = 100 * page, .entries = 3});
  const auto use_part = [&](int i) { return give_back(few, pages + i * 8 * page, page); };
  EXPECT_EQ(use_part(0) + use_part(1) + use_part(2), 3u);
  EXPECT_EQ(use_part(0), 0u);
  EXPECT_EQ(use_part(3), 1u) << "in place of 1";
  EXPECT_EQ(use_part(0) + use_part(2) + use_part(3), 0u);
  EXPECT_EQ(use_part(1), 1u);
  EXPECT_EQ(kept_.take(pages, page), nullptr) << "one may watch a mapping, not two";
  ::munmap(pages, 64 * page);
}

TEST_F(registrations, are_not_of_more_bytes_than_allowed) {
  char* const pages = map_pages(64);
  registration_cache small(made_, {.bytes = 10 * page, .entries = 64});
  for (int i = 0; i < 6; ++i) give_back(small, pages + i * 8 * page, 4 * page);
  EXPECT_EQ(small.kept(), 2u);
  EXPECT_EQ(small.kept_bytes(), 8 * page);
  EXPECT_EQ(small.take(pages, 11 * page), nullptr) << "larger than all that may be kept";
  registration_cache disabled(made_, {.bytes = 0, .entries = 64});
  EXPECT_EQ(disabled.take(pages, page), nullptr);
  ::munmap(pages, 64 * page);
}

TEST_F(registrations, in_use_stay_until_they_are_given_back) {
  char* const pages = map_pages(8);
  registration_cache two(made_, {.bytes = 100 * page, .entries = 2});
  auto* const first = two.take(pages, page);
  auto* const again = two.take(pages, page);
  auto* const second = two.take(pages + 4 * page, page);
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(first, again);
  EXPECT_EQ(two.take(pages + 6 * page, page), nullptr) << "nothing can be let go";
  ::munmap(pages, page);
  EXPECT_TRUE(comes_true(two, [&] { return two.kept() == 1; }));
  EXPECT_EQ(made_.removed, 0u);
  two.give_back(first);
  EXPECT_EQ(made_.removed, 0u);
  two.give_back(again);
  EXPECT_EQ(made_.removed, 1u);
  two.give_back(second);
  made_.refuse = true;
  EXPECT_EQ(two.take(pages + 6 * page, page), nullptr);
  EXPECT_EQ(made_.removed, 2u) << "what is not in use goes when no more can be registered";
  ::munmap(pages + page, 7 * page);
}

TEST_F(registrations, are_not_kept_where_others_can_exchange_the_pages) {
  char* const shared = map_pages(4, nullptr, MAP_SHARED | MAP_ANONYMOUS);
  EXPECT_EQ(kept_.take(shared, page), nullptr);
  const int file = ::memfd_create("of a file", MFD_CLOEXEC);
  ASSERT_EQ(::ftruncate(file, 4 * page), 0);
  void* const file_pages = ::mmap(nullptr, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
  EXPECT_EQ(kept_.take(file_pages, page), nullptr);
  for (int i = 0; i < 2000; ++i) EXPECT_EQ(kept_.take(file_pages, page), nullptr);
  char* const gone = map_pages(4);
  ::munmap(gone + 2 * page, page);
  EXPECT_EQ(kept_.take(gone, 4 * page), nullptr) << "there is a hole";
  ::munmap(gone, 4 * page);
  ::munmap(shared, 4 * page);
  ::munmap(file_pages, 4 * page);
  ::close(file);
  EXPECT_EQ(made_.added, 0u);
}

// Threads get each other's addresses all the time: one has unmapped, the next maps before the first
// is back. Each mapping begins with a number of its own.
TEST_F(registrations, are_right_while_many_threads_map_and_unmap) {
  constexpr int threads = 6, rounds = 400;
  std::mutex lock;
  std::size_t kept = 0, wrong = 0;
  const auto work = [&](std::uint64_t number) {
    for (int i = 0; i < rounds; ++i) {
      const std::size_t count = 1 + static_cast<std::size_t>(i) % 3;
      char* const pages = map_pages(count);
      ++number;
      std::memcpy(pages, &number, sizeof number);
      for (int turn = 0; turn < 2; ++turn) {
        const std::lock_guard hold(lock);
        auto* const used = kept_.take(pages, count * page);
        if (used == nullptr) continue;
        ++kept;
        const auto& noted = *static_cast<const notes::note*>(used->registration());
        const bool of_this = noted.pages.begin == reinterpret_cast<std::uintptr_t>(pages);
        wrong += !of_this || noted.word != number;
        kept_.give_back(used);
      }
      ::munmap(pages, count * page);
    }
  };
  std::vector<std::thread> running;
  for (std::uint64_t i = 1; i <= threads; ++i) running.emplace_back(work, i << 32);
  for (std::thread& each : running) each.join();
  EXPECT_EQ(wrong, 0u);
  EXPECT_GT(kept, 0u);
}

// A child has the descriptor, too. The watch ignores what the child does to its own memory, and a
// child that outlives the watch makes nobody wait.
TEST_F(registrations, live_through_a_fork) {
  char* const pages = map_pages(4);
  EXPECT_EQ(use(pages, 4 * page), 1u);
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::munmap(pages, 4 * page);
    char byte = 0;
    ::close(pipe[1]);
    ::_exit(::read(pipe[0], &byte, 1) == 0 ? 0 : 1);  // until the parent has ended
  }
  pages[0] = 1;
  EXPECT_EQ(use(pages, 4 * page), 0u);
  ::madvise(pages, page, MADV_DONTNEED);
  EXPECT_EQ(use(pages, 4 * page), 1u);
  own_.reset();
  ::munmap(pages, 4 * page);  // would wait for ever, were it still watched
  ::close(pipe[0]);
  ::close(pipe[1]);
  int ended = -1;
  ASSERT_EQ(::waitpid(child, &ended, 0), child);
  EXPECT_EQ(ended, 0);
}

TEST(registrations_without_a_watch, are_not_kept_and_the_reason_is_told) {
  notes made;
  std::string reason;
  // In a thread of its own, since a filter of system calls cannot be removed.
  std::thread([&] {
    std::array<sock_filter, 4> code{{BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                                     BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_userfaultfd, 0, 1),
                                     BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
                                     BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)}};
    const sock_fprog filter{code.size(), code.data()};
    ASSERT_EQ(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    ASSERT_EQ(::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter), 0);
    registration_cache cache(made, {std::size_t{1} << 30, 64});
    char* const pages = map_pages(1);
    EXPECT_EQ(cache.take(pages, page), nullptr);
    EXPECT_EQ(cache.take(pages, page), nullptr);
    reason = cache.refusal();
    ::munmap(pages, page);
  }).join();
  EXPECT_NE(reason.find("userfaultfd: Operation not permitted"), std::string::npos) << reason;
  EXPECT_EQ(made.added, 0u);
}

TEST(mappings, are_read_as_the_kernel_writes_them) {
  mapped found;
  ASSERT_TRUE(read_mapping("7f00a000-7f00c000 rw-p 00000000 00:00 0 ", found));
  EXPECT_EQ(found.range.begin, 0x7f00a000u);
  EXPECT_EQ(found.range.end, 0x7f00c000u);
  EXPECT_TRUE(found.plain);
  ASSERT_TRUE(read_mapping("1000-2000 rw-p 00000000 00:00 0    [heap]", found));
  EXPECT_TRUE(found.plain);
  for (const char* other : {"1000-2000 rw-s 00000000 00:00 0 ", "1000-2000 rw-p 0 fe:01 77 /a b",
                            "1000-2000 rw-p 00000000 00:01 1024 /memfd:x (deleted)"}) {
    ASSERT_TRUE(read_mapping(other, found)) << other;
    EXPECT_FALSE(found.plain) << other;
  }
  for (const char* wrong : {"", "1000", "1000-", "2000-1000 rw-p 0 00:00 0", "x-y rw-p 0 00:00 0",
                            "1000-2000 rw 0 00:00 0", "1000-2000 rw-p 0 00:00 zero"}) {
    EXPECT_FALSE(read_mapping(wrong, found)) << wrong;
  }
  char* const pages = map_pages(4);
  mapping_reader reader;
  bool seen = false;
  std::uintptr_t last = 0;
  while (reader.next(found)) {
    EXPECT_GE(found.range.begin, last);
    last = found.range.end;
    seen |= found.plain && found.range.holds(range_of(pages, 4 * page));
  }
  EXPECT_TRUE(seen);
  ::munmap(pages, 4 * page);
}

}  // namespace
}  // namespace atl::memory
