// SPDX-License-Identifier: BSD-3-Clause
//
// A rank of a job of 100,000 hosts that communicates with none of them: the memory that it needs
// for each other rank, and its messages at the start. The rank is real, with the library's code and
// libfabric's, and the others are simulated (tests/support/played_hosts.hpp), so the memory is
// measured and not computed from the tables. The limit is 100 bytes for each rank. It holds only as
// long as libfabric is not told the addresses of ranks that this one never talks to: those alone
// would cost more, which is measured separately.
//
// Each measurement is a process of its own, which counts its pages that belong to no file.
#include <atoll/core/job/core_access.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/transport/ofi/fabric.hpp>
#include <atoll/transport/settings.hpp>
#include <tests/support/played_hosts.hpp>

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

namespace atl {
namespace {

constexpr rank_id few = 1'000, many = 100'000;
constexpr double bytes_per_peer_max = 100;
constexpr double heap_segment_max = 36, segment_max = 44;
constexpr double bytes_of_job_max = 10e6;
constexpr std::size_t address_bytes = 16;  // an IPv4 address with its port, as libfabric writes it

const char* const variables[] = {"ATOLL_SEGMENT_LIMIT=64M", "ATOLL_NETWORK=ofi",
                                 "ATOLL_OFI_PROVIDER=net",  "ATOLL_OFI_INTERFACE=lo",
                                 "ATOLL_VERBOSE=0",         nullptr};

/// Bytes of this process's pages that belong to no file; 0 where the kernel does not count.
double private_bytes() {
  std::FILE* const list = std::fopen("/proc/self/smaps_rollup", "r");
  if (list == nullptr) return 0;
  char line[256];
  long kilobytes = 0;
  while (std::fgets(line, sizeof line, list) != nullptr) {
    if (std::sscanf(line, "Anonymous: %ld", &kilobytes) == 1) break;
  }
  std::fclose(list);
  return static_cast<double>(kilobytes) * 1024;
}

/// The findings of a process.
struct findings {
  double bytes = 0;                // private ones, above those at its beginning
  double with_heap_segment = 0;    // the same with one more segment, in the heaps
  double with_segment = 0;         // and with one more, of other memory
  support::launcher_counts start;  // of the start of the runtime
  std::uint64_t messages = 0;      // through the network, after the start
};

/// Runs `work` in a child of this process.
findings in_a_process(const std::function<findings()>& work) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);  // a huge page would count as a whole
    const findings found = work();
    ::_exit(::write(ends[1], &found, sizeof found) == sizeof found ? 0 : 1);
  }
  ::close(ends[1]);
  findings found;
  EXPECT_EQ(::read(ends[0], &found, sizeof found), static_cast<ssize_t>(sizeof found));
  ::close(ends[0]);
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  return found;
}

/// A rank that starts, and shares two more segments.
findings of_a_rank(rank_id ranks) {
  findings found;
  support::launcher_counts counts;
  const double begin = private_bytes();
  auto* const job = new runtime(  // never destroyed: its simulated peers cannot take part in that
      {.threads = thread_mode::single,
       .configuration = settings::read(variables),
       .boot = std::make_unique<support::played_hosts>(ranks, counts, address_bytes)});
  found.bytes = private_bytes() - begin;
  found.start = counts;
  auto* const in_heaps = new segment(*job);
  in_heaps->share({.base = job->heaps().own_part().base, .bytes = 4096});
  found.with_heap_segment = private_bytes() - begin;
  static std::array<std::byte, 4096> memory;
  auto* const elsewhere = new segment(*job);
  elsewhere->share({.base = memory.data(), .bytes = memory.size()});
  found.with_segment = private_bytes() - begin;
  found.messages = core_access::first_network(*job)->describe().counts->messages;
  return found;
}

class receives_nothing final : public transport::receiver {
 public:
  void deliver(const transport::arrival&) noexcept override {}
  void complete(void*) noexcept override {}
  void filled(const transport::loan&) noexcept override {}
  void abandon(void*) noexcept override {}
  void lost(rank_id, std::string_view) noexcept override {}
  [[noreturn]] void broken(std::string_view) noexcept override { std::abort(); }
};

/// libfabric alone, with the addresses of so many ranks.
findings of_libfabric(rank_id ranks) {
  const settings configuration = settings::read(variables);
  receives_nothing to;
  const transport::network_request wanted{.self = 1,
                                          .ranks = ranks,
                                          .threaded = false,
                                          .one_machine = true,
                                          .to = to,
                                          .configuration = configuration};
  const double begin = private_bytes();
  transport::ofi::fabric net(wanted, {.provider = "net", .interface = "lo"});
  std::vector<std::byte> address = net.address();
  if (address.size() != address_bytes) std::abort();
  for (rank_id rank = 0; rank < ranks; ++rank) {
    const std::uint32_t number = __builtin_bswap32(0x7f000002 + rank);
    std::memcpy(address.data() + 4, &number, sizeof number);
    transport::ofi::network_address raw{.data = {}, .bytes = address.size()};
    std::memcpy(raw.data.data(), address.data(), address.size());
    fi_addr_t name = FI_ADDR_UNSPEC;
    if (net.insert(raw, name) != 0) std::abort();
  }
  return {.bytes = private_bytes() - begin};
}

double per_peer(double bytes_of_many, double bytes_of_few) {
  return (bytes_of_many - bytes_of_few) / (many - few);
}

TEST(many_hosts, a_rank_keeps_at_most_100_bytes_for_a_peer_that_it_never_talks_to) {
  if (private_bytes() == 0) GTEST_SKIP() << "the kernel does not count the memory of a process";
  const findings rank_of_few = in_a_process([] { return of_a_rank(few); });
  const findings rank_of_many = in_a_process([] { return of_a_rank(many); });
  const double libfabric = per_peer(in_a_process([] { return of_libfabric(many); }).bytes,
                                    in_a_process([] { return of_libfabric(few); }).bytes);
  const double rank_bytes = per_peer(rank_of_many.bytes, rank_of_few.bytes);
  const double with_heap_segment =
      per_peer(rank_of_many.with_heap_segment, rank_of_few.with_heap_segment);
  const double heap_segment = with_heap_segment - rank_bytes;
  const double segment =
      per_peer(rank_of_many.with_segment, rank_of_few.with_segment) - with_heap_segment;
  std::printf(
      "%.0f bytes for each of %u ranks; %.0f more with each segment in the heaps, %.0f with one "
      "elsewhere; libfabric would keep %.0f of an address\n",
      rank_bytes, many, heap_segment, segment, libfabric);
  EXPECT_GT(libfabric, bytes_per_peer_max) << "then the measurement would not notice addresses";
  EXPECT_GT(rank_bytes, 0);
  EXPECT_LE(rank_bytes, bytes_per_peer_max);
  EXPECT_GT(heap_segment, 0);
  EXPECT_LE(heap_segment, heap_segment_max);
  EXPECT_LE(segment, segment_max);
  EXPECT_LE(rank_bytes * many, bytes_of_job_max);
}

TEST(many_hosts, a_start_says_as_much_in_jobs_of_every_size) {
  const findings rank_of_few = in_a_process([] { return of_a_rank(few); });
  const findings rank_of_many = in_a_process([] { return of_a_rank(many); });
  std::printf("a start: %zu exchanges, %zu fences, %zu bytes to the launcher; %llu messages\n",
              rank_of_many.start.exchanges, rank_of_many.start.fences, rank_of_many.start.bytes,
              static_cast<unsigned long long>(rank_of_many.messages));
  EXPECT_EQ(rank_of_many.start.exchanges, rank_of_few.start.exchanges);
  EXPECT_EQ(rank_of_many.start.fences, rank_of_few.start.fences);
  EXPECT_EQ(rank_of_many.start.bytes, rank_of_few.start.bytes);
  EXPECT_LE(rank_of_many.start.exchanges + rank_of_many.start.fences, 2u);
  EXPECT_LE(rank_of_many.start.bytes, 512u);
  EXPECT_EQ(rank_of_many.messages, 0u);
}

}  // namespace
}  // namespace atl
