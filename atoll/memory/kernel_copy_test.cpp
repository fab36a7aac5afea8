// SPDX-License-Identifier: BSD-3-Clause
//
// Copies between two real processes, and what keeps them from reaching a wrong one: no offer,
// another process behind the id, a kernel that refuses, an address that is not mapped.
#include <atoll/memory/kernel_copy.hpp>

#include <atoll/base/system/memory_file.hpp>
#include <tests/support/refuse_call.hpp>

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <vector>

namespace atl::memory {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20;
constexpr std::size_t page = 4096;

/// This process is rank 0; a child is rank 1 and sleeps. Its copy of `memory` is its own.
class two_processes {
 public:
  explicit two_processes(bool offers = true) {
    int ready_pipe[2];
    if (::pipe(ready_pipe) != 0) std::abort();
    child_ = ::fork();
    if (child_ == 0) {
      std::iota(memory.begin(), memory.end(), 7u);
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      kernel_copy own(host, 1, kernel_copy_mode::automatic);
      if (offers) own.offer(::getppid());
      if (::write(ready_pipe[1], "", 1) != 1) ::_exit(1);
      for (;;) ::pause();
    }
    char ready;
    if (::read(ready_pipe[0], &ready, 1) != 1) std::abort();
    ::close(ready_pipe[0]);
    ::close(ready_pipe[1]);
  }
  two_processes(const two_processes&) = delete;
  two_processes& operator=(const two_processes&) = delete;
  ~two_processes() {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }

  std::uintptr_t address_of(std::size_t index) const {
    return reinterpret_cast<std::uintptr_t>(memory.data() + index);
  }

  std::vector<unsigned> memory = std::vector<unsigned>(100'000);
  host_layout layout_ = plan(2, rank_page_bytes, {.heap_limit = 8 * mib, .host_limit = 12 * mib});
  descriptor file_ = make_memory_file();
  host_memory host{descriptor(::dup(file_.get())), layout_, 0};
  pid_t child_ = 0;
};

bool kernel_allows_it() {
  std::array<char, 8> target{}, source{};
  const iovec to{target.data(), 8}, from{source.data(), 8};
  return ::process_vm_readv(::getpid(), &to, 1, &from, 1, 0) == 8;
}

TEST(kernel_copy, moves_bytes_between_two_processes) {
  if (!kernel_allows_it()) GTEST_SKIP() << "this kernel refuses process_vm_readv";
  two_processes processes;
  kernel_copy copies(processes.host, 0, kernel_copy_mode::automatic);
  ASSERT_TRUE(copies.reaches(1));
  std::vector<unsigned> got(90'000);
  ASSERT_TRUE(copies.read(1, processes.address_of(3), got.data(), 4 * got.size()));
  EXPECT_EQ(got.front(), 10u);
  EXPECT_EQ(got.back(), 90'009u);
  EXPECT_EQ(processes.memory[3], 0u);  // that was not ours
  const std::vector<unsigned> sent(90'000, 5u);
  ASSERT_TRUE(copies.write(1, processes.address_of(3), sent.data(), 4 * sent.size()));
  ASSERT_TRUE(copies.read(1, processes.address_of(0), got.data(), 4 * got.size()));
  EXPECT_EQ(got[2], 9u);
  EXPECT_EQ(got[3], 5u);
  EXPECT_EQ(got.back(), 5u);
}

// Some distances within a page make the kernel slow on some processors; bytes then go by another
// way.
TEST(kernel_copy, moves_bytes_at_any_distance_of_the_two_places) {
  if (!kernel_allows_it()) GTEST_SKIP() << "this kernel refuses process_vm_readv";
  two_processes processes;
  kernel_copy copies(processes.host, 0, kernel_copy_mode::automatic);
  ASSERT_TRUE(copies.reaches(1));
  const std::uintptr_t remote = processes.address_of(1024);
  for (const std::size_t bytes : {std::size_t{4096}, std::size_t{16'384}, std::size_t{50'001}}) {
    for (std::size_t distance = 0; distance < 40; distance += 3) {
      std::vector<std::byte> memory(bytes + 2 * page), back(bytes + 2 * page);
      const auto at = [&](std::vector<std::byte>& in, std::uintptr_t place) {
        const auto start = reinterpret_cast<std::uintptr_t>(in.data());
        return in.data() + (place - start) % page;  // this place in the first page that has it
      };
      std::byte* const from = at(memory, remote - distance);
      for (std::size_t i = 0; i < bytes; ++i) from[i] = static_cast<std::byte>(i * 7 + distance);
      ASSERT_TRUE(copies.write(1, remote, from, bytes));
      std::byte* const to = at(back, remote + distance);
      ASSERT_TRUE(copies.read(1, remote, to, bytes));
      ASSERT_EQ(std::memcmp(from, to, bytes), 0) << bytes << " bytes, distance " << distance;
    }
  }
}

TEST(kernel_copy, moves_lists_of_parts_that_are_cut_differently) {
  if (!kernel_allows_it()) GTEST_SKIP() << "this kernel refuses process_vm_readv";
  two_processes processes;
  kernel_copy copies(processes.host, 0, kernel_copy_mode::automatic);
  ASSERT_TRUE(copies.reaches(1));
  std::array<unsigned, 6> got{};
  const iovec remote[] = {{reinterpret_cast<void*>(processes.address_of(10)), 16},
                          {reinterpret_cast<void*>(processes.address_of(20)), 8}};
  const iovec local[] = {{got.data() + 4, 8}, {got.data(), 16}};
  ASSERT_TRUE(copies.read(1, remote, local, 24));
  EXPECT_EQ(got, (std::array<unsigned, 6>{19, 20, 27, 28, 17, 18}));
}

TEST(kernel_copy, does_not_reach_who_has_not_offered_its_memory) {
  two_processes processes(false);
  kernel_copy copies(processes.host, 0, kernel_copy_mode::automatic);
  EXPECT_FALSE(copies.reaches(1));
}

TEST(kernel_copy, does_not_take_another_process_for_the_peer) {
  two_processes processes;
  // As when the peer's id is that of another namespace: here it names this process.
  processes.host.page(1).card.process.store(::getpid());
  std::array<std::uint64_t, 2> other{};
  processes.host.page(1).card.token_address = reinterpret_cast<std::uintptr_t>(other.data());
  kernel_copy copies(processes.host, 0, kernel_copy_mode::automatic);
  EXPECT_FALSE(copies.reaches(1));
  EXPECT_NE(copies.last_error(), 0);
}

TEST(kernel_copy, says_so_when_memory_is_not_there_and_stays_usable) {
  if (!kernel_allows_it()) GTEST_SKIP() << "this kernel refuses process_vm_readv";
  two_processes processes;
  kernel_copy copies(processes.host, 0, kernel_copy_mode::automatic);
  ASSERT_TRUE(copies.reaches(1));
  unsigned value = 0;
  EXPECT_FALSE(copies.write(1, page, &value, sizeof value));
  EXPECT_EQ(copies.last_error(), EFAULT);
  EXPECT_TRUE(copies.reaches(1));
  EXPECT_TRUE(copies.read(1, processes.address_of(0), &value, sizeof value));
  EXPECT_EQ(value, 7u);
}

TEST(kernel_copy, is_not_used_where_the_setting_says_never) {
  two_processes processes;
  kernel_copy copies(processes.host, 0, kernel_copy_mode::never);
  EXPECT_FALSE(copies.reaches(1));
}

// In a process of its own, since a filter of system calls cannot be taken back.
TEST(kernel_copy, does_not_reach_anybody_where_the_kernel_refuses) {
  EXPECT_EXIT(
      {
        two_processes processes;
        support::refuse_call(SYS_process_vm_readv, EPERM);
        kernel_copy copies(processes.host, 0, kernel_copy_mode::automatic);
        const bool reached = copies.reaches(1);
        std::_Exit(!reached && copies.last_error() == EPERM ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

// Yama, or a debugger's setting of the program's own, may take back at any time what it allowed.
TEST(kernel_copy, gives_a_peer_up_that_is_refused_later) {
  EXPECT_EXIT(
      {
        two_processes processes;
        kernel_copy copies(processes.host, 0, kernel_copy_mode::automatic);
        if (!copies.reaches(1)) std::_Exit(kernel_allows_it() ? 1 : 0);
        support::refuse_call(SYS_process_vm_writev, EPERM);
        unsigned value = 0;
        const bool written = copies.write(1, processes.address_of(0), &value, sizeof value);
        std::_Exit(!written && !copies.reaches(1) ? 0 : 2);
      },
      testing::ExitedWithCode(0), "");
}

TEST(kernel_copy, is_tried_as_between_two_ranks) {
  EXPECT_EQ(try_kernel_copy() == 0, kernel_allows_it());
  EXPECT_EXIT(
      {
        support::refuse_call(SYS_process_vm_readv, EPERM);
        std::_Exit(try_kernel_copy() == EPERM ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(kernel_copy, is_for_large_copies_unless_it_is_asked_for) {
  two_processes processes(false);
  const kernel_copy some(processes.host, 0, kernel_copy_mode::automatic);
  EXPECT_FALSE(some.pays(8, 1, true));
  EXPECT_TRUE(some.pays(1 << 20, 1, false));
  EXPECT_FALSE(some.pays(1 << 20, 1 << 17, false));  // in pieces of 8 bytes
  EXPECT_TRUE(kernel_copy(processes.host, 0, kernel_copy_mode::always).pays(8, 8, false));
}

}  // namespace
}  // namespace atl::memory
