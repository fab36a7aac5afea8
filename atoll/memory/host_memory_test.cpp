// SPDX-License-Identifier: BSD-3-Clause
//
// The host's file: the same bytes for every rank, areas apart, and promises that add up to the
// limit.
#include <atoll/memory/host_memory.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/system/memory_file.hpp>
#include <atoll/base/system/memory_limits.hpp>
#include <atoll/memory/variables_card.hpp>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>

namespace atl::memory {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

struct two_ranks {
  host_layout layout =
      plan(2, rank_page_bytes,
           {.heap_limit = 8 * mib, .symmetric_limit = 6 * mib, .host_limit = 12 * mib});
  descriptor file = make_memory_file();
  host_memory first{descriptor(::dup(file.get())), layout, 0};
  host_memory second{descriptor(::dup(file.get())), layout, 1};

  /// Bytes of the file that exist beside the header, which says how many ranks have mapped it.
  std::size_t heap_bytes() const {
    struct stat about;
    if (::fstat(file.get(), &about) != 0) return ~std::size_t{0};
    constexpr std::size_t header = 4096;
    const auto bytes = static_cast<std::size_t>(about.st_blocks) * 512;
    return bytes - std::min(bytes, header);
  }
};

TEST(host_memory, what_one_rank_writes_the_other_reads) {
  two_ranks host;
  std::strcpy(reinterpret_cast<char*>(host.first.heap(1)), "from rank 0");
  EXPECT_STREQ(reinterpret_cast<char*>(host.second.heap(1)), "from rank 0");
  EXPECT_EQ(host.second.heap(0)[0], std::byte{0});
}

TEST(host_memory, heaps_lie_at_huge_pages_and_do_not_overlap) {
  two_ranks host;
  for (rank_id rank = 0; rank < 2; ++rank) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(host.first.heap(rank)) % (2 * mib), 0u);
  }
  EXPECT_GE(host.first.control(1), host.first.heap(0) + host.layout.heap_limit);
}

TEST(host_memory, symmetric_heaps_are_equally_aligned_on_all_ranks_in_every_process) {
  for (const std::size_t limit : {2 * mib, 6 * mib, 64 * mib, 3000 * mib}) {
    const host_layout layout =
        plan(3, rank_page_bytes, {.heap_limit = 10 * mib, .symmetric_limit = limit});
    const std::size_t unit = layout.symmetric_alignment();
    EXPECT_GE(unit, std::min(std::bit_floor(limit), 32 * mib));
    const descriptor file = make_memory_file();
    for (rank_id self = 0; self < 3; ++self) {
      const host_memory host(descriptor(::dup(file.get())), layout, self);
      for (rank_id rank = 0; rank < 3; ++rank) {
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(host.shared(rank)) % unit, 0u);
      }
      EXPECT_GE(host.control(1), host.shared(0) + layout.shared_bytes());
    }
  }
}

// A first cache that finds lines by bits of the address below the 28th holds an object and its
// counterparts at the next ranks at the same time.
TEST(host_memory, counterparts_at_eight_ranks_differ_in_the_bits_that_caches_look_at) {
  for (const std::size_t limit : {2 * mib, 64 * mib, 3000 * mib, 4096 * mib}) {
    const host_layout layout =
        plan(8, rank_page_bytes, {.heap_limit = 10 * mib, .symmetric_limit = limit});
    for (std::size_t apart = 1; apart < 8; ++apart) {
      EXPECT_NE(apart * layout.stride() % (256 * mib), 0u) << limit << ' ' << apart;
    }
  }
}

TEST(host_memory, is_at_one_address_when_every_rank_gets_the_common_one) {
  const host_layout layout = plan(2, rank_page_bytes, {.heap_limit = 8 * mib});
  const descriptor file = make_memory_file();
  // Two processes, as ranks are. The first writes the address that it sees.
  const pid_t child = ::fork();
  if (child == 0) {
    host_memory host(descriptor(::dup(file.get())), layout, 1);
    std::byte* const own = host.heap(1);
    std::memcpy(static_cast<void*>(own), &own, sizeof own);
    std::_Exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  const host_memory host(descriptor(::dup(file.get())), layout, 0);
  std::byte* seen = nullptr;
  std::memcpy(&seen, host.heap(1), sizeof seen);
  // A sanitizer may keep that range for itself.
  if (host.is_at_one_address()) {
    EXPECT_EQ(seen, host.heap(1));
  }
}

TEST(host_memory, lies_elsewhere_where_the_common_address_is_taken) {
  two_ranks host;  // both in this process
  EXPECT_NE(host.first.heap(0), host.second.heap(0));
  EXPECT_FALSE(host.first.is_at_one_address());
}

TEST(host_memory, discarded_pages_are_given_back_and_read_as_zeros) {
  two_ranks host;
  std::memset(host.first.shared(0), 1, 3 * 4096);
  host.first.discard(host.first.shared(0) + 4096, 4096);
  EXPECT_EQ(host.second.shared(0)[4095], std::byte{1});
  EXPECT_EQ(host.second.shared(0)[4096], std::byte{0});
  EXPECT_EQ(host.second.shared(0)[8192], std::byte{1});
  host.first.discard(host.first.shared(0), 2 * mib);  // whatever the size of its pages
  EXPECT_EQ(host.heap_bytes(), 0u);
}

TEST(host_memory, an_unused_heap_takes_no_memory) {
  two_ranks host;
  struct stat about;
  ASSERT_EQ(::fstat(host.file.get(), &about), 0);
  EXPECT_EQ(static_cast<std::size_t>(about.st_size), host.layout.file_bytes());
  EXPECT_EQ(host.heap_bytes(), 0u);
}

TEST(host_memory, promises_of_all_ranks_stay_within_the_host_limit) {
  two_ranks host;
  EXPECT_TRUE(host.first.commit(0, 8 * mib));
  EXPECT_FALSE(host.first.commit(8 * mib, mib)) << "beyond this rank's heap";
  EXPECT_FALSE(host.second.commit(0, 5 * mib)) << "beyond the host's limit";
  EXPECT_TRUE(host.second.commit(0, 4 * mib));
  host.first.release(8 * mib);
  EXPECT_TRUE(host.second.commit(4 * mib, 4 * mib));
}

TEST(host_memory, pages_without_a_promise_do_not_stand_for_promised_ones) {
  constexpr std::size_t control = 6 * mib;
  host_layout layout = plan(2, control, {.heap_limit = 8 * mib, .host_limit = 16 * mib});
  layout.fixed_bytes = 4 * mib;  // the rest is a heap of its own, with promises
  host_memory first(make_memory_file(), layout, 0);
  ASSERT_TRUE(first.commit(0, 8 * mib));
  std::memset(first.control(0), 1, 4 * mib);
  std::memset(first.control(1), 1, 4 * mib);
  EXPECT_EQ(first.untouched_bytes(), 8 * mib) << "all of the promise is still to come";
  std::memset(first.heap(0), 1, 2 * mib);
  EXPECT_EQ(first.untouched_bytes(), 6 * mib);
  std::memset(first.control(0) + 4 * mib, 1, 2 * mib);
  EXPECT_EQ(first.untouched_bytes(), 4 * mib);
}

TEST(host_memory, static_variables_without_a_promise_do_not_stand_for_promised_pages) {
  const host_layout layout =
      plan(2, rank_page_bytes, {.heap_limit = 64 * mib, .host_limit = 64 * mib});
  host_memory host(make_memory_file(), layout, 0);
  ASSERT_TRUE(host.commit(0, 16 * mib));
  variables_card& card = variables_card_of(host, 1);
  card.begin =
      static_cast<std::size_t>(host.heap(1) - reinterpret_cast<std::byte*>(&host.header()));
  card.bytes = 16 * mib;
  std::memset(host.heap(1), 1, 16 * mib);
  host.hide_all_but(0, 1);  // as ranks do that act as if they were on hosts of their own
  EXPECT_EQ(host.untouched_bytes(), 16 * mib) << "all of the promise is still to come";
  std::memset(host.heap(0), 1, 4 * mib);
  EXPECT_EQ(host.untouched_bytes(), 12 * mib);
}

TEST(host_memory, more_than_the_machine_has_is_not_promised) {
  const std::size_t machine = read_memory_limits().total_bytes;
  const host_layout layout =
      plan(1, rank_page_bytes, {.heap_limit = 4 * machine, .host_limit = 4 * machine});
  host_memory host(make_memory_file(), layout, 0);
  EXPECT_FALSE(host.commit(0, 2 * machine));
  EXPECT_EQ(host.header().committed_bytes.load(), 0u);
}

TEST(host_memory, the_automatic_limit_comes_from_the_machine) {
  const host_layout layout = plan(4, rank_page_bytes, {});
  EXPECT_GE(layout.heap_limit, 64 * mib);
  EXPECT_LE(layout.heap_limit, layout.host_limit + 2 * mib);
}

TEST(host_memory, a_refused_mapping_names_the_remedy) {
  const host_layout layout =
      plan(1, rank_page_bytes,
           {.heap_limit = std::size_t{1} << 48, .host_limit = 1});  // no process has that
  try {
    const host_memory host(make_memory_file(), layout, 0);
    FAIL() << "256 TiB were mapped";
  } catch (const error& refused) {
    EXPECT_NE(std::string(refused.what()).find("ATOLL_SEGMENT_LIMIT"), std::string::npos);
  }
}

}  // namespace
}  // namespace atl::memory
