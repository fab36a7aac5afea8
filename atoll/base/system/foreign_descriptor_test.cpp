// SPDX-License-Identifier: BSD-3-Clause
//
// Duplicates of descriptors of a child process, and of numbers that are not what was told.
#include <atoll/base/system/foreign_descriptor.hpp>

#include <atoll/base/system/memory_file.hpp>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace atl {
namespace {

TEST(foreign_descriptor, is_a_duplicate_of_the_same_file) {
  const descriptor file = make_memory_file();
  grow_memory_file(file, 4096);
  const std::uint64_t identity = file_identity(file.get());
  const pid_t child = ::fork();  // has the same descriptors
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  const auto process = static_cast<std::uint32_t>(child);
  const descriptor got = duplicate_of_foreign(process, file.get(), identity);
  const int cause = errno;
  const descriptor other = make_memory_file();
  EXPECT_NE(file_identity(other.get()), identity);
  const bool took_another =
      static_cast<bool>(duplicate_of_foreign(process, file.get(), file_identity(other.get())));
  const int cause_of_another = errno;
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  if (!got && (cause == EPERM || cause == ENOSYS)) GTEST_SKIP() << "the kernel refuses it";
  ASSERT_TRUE(got);
  EXPECT_NE(got.get(), file.get());
  EXPECT_EQ(file_identity(got.get()), identity);
  EXPECT_EQ(::write(got.get(), "x", 1), 1);
  char read = 0;
  EXPECT_EQ(::pread(file.get(), &read, 1, 0), 1);
  EXPECT_EQ(read, 'x');
  EXPECT_FALSE(took_another);
  EXPECT_EQ(cause_of_another, ESRCH);
  EXPECT_FALSE(duplicate_of_foreign(process, file.get(), identity)) << "the process has ended";
}

TEST(foreign_descriptor, there_is_no_identity_without_a_file) { EXPECT_EQ(file_identity(-1), 0u); }

}  // namespace
}  // namespace atl
