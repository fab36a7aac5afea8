// SPDX-License-Identifier: BSD-3-Clause
//
// Files that are given with memory: what is refused, in which words, and what a mapping of another
// process shows. The other process is this one, whose descriptors the kernel gives out likewise.
#include <atoll/memory/given_file.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/system/foreign_descriptor.hpp>
#include <atoll/memory/mappings.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace atl::memory {
namespace {

constexpr std::size_t page = 4096, file_bytes = 5 * page;

/// A file of five pages, all of which are mapped.
struct mapped_file {
  explicit mapped_file(int flags = MAP_SHARED, int protection = PROT_READ | PROT_WRITE)
      : file(::memfd_create("given", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
    EXPECT_EQ(::ftruncate(file.get(), file_bytes), 0);
    void* const made = ::mmap(nullptr, file_bytes, protection, flags, file.get(), 0);
    EXPECT_NE(made, MAP_FAILED);
    base = static_cast<std::byte*>(made);
  }
  mapped_file(const mapped_file&) = delete;
  mapped_file& operator=(const mapped_file&) = delete;
  ~mapped_file() { ::munmap(base, file_bytes); }

  descriptor file;
  std::byte* base;
};

/// The message of the refusal, or nothing.
std::string refusal(const std::byte* base, std::size_t bytes, int number, std::uint64_t offset) {
  try {
    const given_file file({base, bytes}, number, offset);
  } catch (const error& refused) {
    return refused.what();
  }
  return {};
}

void expect_refusal(const std::string& words, const std::byte* base, std::size_t bytes, int number,
                    std::uint64_t offset) {
  const std::string message = refusal(base, bytes, number, offset);
  EXPECT_NE(message.find(words), std::string::npos) << message;
  EXPECT_NE(message.find("descriptor " + std::to_string(number)), std::string::npos) << message;
}

bool kernel_gives_descriptors() {
  const mapped_file memory;
  const auto process = static_cast<std::uint32_t>(::getpid());
  return static_cast<bool>(
      duplicate_of_foreign(process, memory.file.get(), file_identity(memory.file.get())));
}

bool is_mapped(const void* address) {
  mapping_reader mappings;
  for (mapped each; mappings.next(each);)
    if (each.range.holds(range_of(address, 1))) return true;
  return false;
}

TEST(given_file, takes_parts_of_a_mapping) {
  const mapped_file memory;
  const int number = memory.file.get();
  EXPECT_EQ(refusal(memory.base, file_bytes, number, 0), "");
  EXPECT_EQ(refusal(memory.base + 100, 1, number, 100), "");
  EXPECT_EQ(refusal(memory.base + page + 7, 3 * page, number, page + 7), "");
}

TEST(given_file, takes_what_is_mapped_by_several_calls) {
  const mapped_file memory;
  const int number = memory.file.get();
  // Other rights split the mapping in three.
  ASSERT_EQ(::mprotect(memory.base + 2 * page, page, PROT_READ), 0);
  EXPECT_EQ(refusal(memory.base, file_bytes, number, 0), "");
  // And now the third page is the first one of the file.
  ASSERT_NE(::mmap(memory.base + 2 * page, page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                   number, 0),
            MAP_FAILED);
  EXPECT_EQ(refusal(memory.base, 2 * page, number, 0), "");
  expect_refusal("not all a shared mapping", memory.base, file_bytes, number, 0);
}

TEST(given_file, refuses_what_is_no_open_file) {
  const mapped_file memory;
  expect_refusal("fstat: Bad file descriptor", memory.base, page, 9999, 0);
}

TEST(given_file, refuses_a_file_that_is_too_short) {
  const mapped_file memory;
  const int number = memory.file.get();
  expect_refusal("the file has 20480 bytes, and the segment would be its bytes 4096 to 24576",
                 memory.base, file_bytes, number, page);
  expect_refusal("the file has 20480 bytes", memory.base, page, number, ~std::uint64_t{0} - 1);
}

TEST(given_file, refuses_a_file_that_cannot_be_mapped_to_be_written) {
  const mapped_file memory;
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  expect_refusal("cannot be mapped", memory.base, page, ends[0], 0);
  ::close(ends[0]);
  ::close(ends[1]);
  const std::string path = "/proc/self/fd/" + std::to_string(memory.file.get());
  const descriptor reading(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  ASSERT_TRUE(reading);
  expect_refusal("cannot be mapped to be read and written: Permission denied", memory.base, page,
                 reading.get(), 0);
  const mapped_file sealed(MAP_SHARED, PROT_READ);
  ::munmap(sealed.base, file_bytes);
  ASSERT_EQ(::fcntl(sealed.file.get(), F_ADD_SEALS, F_SEAL_WRITE), 0);
  expect_refusal("cannot be mapped to be read and written: Operation not permitted", sealed.base,
                 page, sealed.file.get(), 0);
}

TEST(given_file, refuses_memory_that_is_not_this_mapping) {
  const mapped_file memory, other;
  const mapped_file unshared(MAP_PRIVATE);
  const std::vector<std::byte> allocated(page);
  const int number = memory.file.get();
  const char* const words = "not all a shared mapping of that file from its byte ";
  expect_refusal(words, other.base, page, number, 0);
  expect_refusal(words, unshared.base, page, unshared.file.get(), 0);
  expect_refusal(words, allocated.data(), allocated.size(), number, 0);
  expect_refusal(words, memory.base, page, number, page);
  expect_refusal(words, memory.base + 1, page, number, 0);
  ASSERT_EQ(::munmap(memory.base + page, page), 0);
  expect_refusal(words, memory.base, 3 * page, number, 0);
}

TEST(given_file, is_one_memory_with_its_mapping_elsewhere) {
  if (!kernel_gives_descriptors()) GTEST_SKIP() << "the kernel gives out no descriptors";
  mapped_file memory;
  constexpr std::size_t offset = page + 24, bytes = 2 * page + 1;
  std::byte* const base = memory.base + offset;
  given_file given({base, bytes}, memory.file.get(), offset);
  memory.file.reset();  // it has a duplicate
  foreign_mapping seen(given.exported(), bytes, reinterpret_cast<std::uintptr_t>(base));
  ASSERT_NE(seen.base(), nullptr);
  EXPECT_NE(seen.base(), base) << "that address is in use";
  std::memset(base, 7, bytes);
  EXPECT_EQ(std::memcmp(seen.base(), base, bytes), 0);
  seen.base()[bytes - 1] = std::byte{9};
  EXPECT_EQ(base[bytes - 1], std::byte{9});
  const std::byte* const place = seen.base();
  {
    const foreign_mapping last = std::move(seen);
    EXPECT_EQ(last.base(), place);
    EXPECT_EQ(seen.base(), nullptr);
    EXPECT_TRUE(is_mapped(place));
  }
  EXPECT_FALSE(is_mapped(place));
}

TEST(given_file, is_mapped_at_the_address_of_its_owner_where_that_is_free) {
  if (!kernel_gives_descriptors()) GTEST_SKIP() << "the kernel gives out no descriptors";
  mapped_file memory;
  const auto address = reinterpret_cast<std::uintptr_t>(memory.base + page + 5);
  const given_file given({memory.base + page + 5, 10}, memory.file.get(), page + 5);
  ASSERT_EQ(::munmap(memory.base, file_bytes), 0);
  const foreign_mapping seen(given.exported(), 10, address);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(seen.base()), address);
}

TEST(given_file, is_not_mapped_when_it_is_gone_or_was_cut_off) {
  mapped_file memory;
  given_file given({memory.base, file_bytes}, memory.file.get(), 0);
  const exported_memory told = given.exported();
  ASSERT_EQ(::ftruncate(memory.file.get(), page), 0);
  EXPECT_EQ(foreign_mapping(told, file_bytes, 0).base(), nullptr);
  ASSERT_EQ(::ftruncate(memory.file.get(), file_bytes), 0);
  given = {};
  EXPECT_EQ(foreign_mapping(told, file_bytes, 0).base(), nullptr);
}

TEST(given_file, on_a_file_system_is_as_good_as_a_memfd) {
  char name[] = "given_file_XXXXXX";
  const descriptor file(::mkstemp(name));
  ASSERT_TRUE(file);
  ::unlink(name);
  ASSERT_EQ(::ftruncate(file.get(), file_bytes), 0);
  void* const made =
      ::mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 2 * page);
  if (made == MAP_FAILED) GTEST_SKIP() << "files here cannot be mapped";
  const auto* const base = static_cast<const std::byte*>(made);
  EXPECT_EQ(refusal(base, page, file.get(), 2 * page), "");
  expect_refusal("not all a shared mapping", base, page, file.get(), page);
  ::munmap(made, page);
}

}  // namespace
}  // namespace atl::memory
