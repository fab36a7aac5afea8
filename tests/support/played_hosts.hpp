// SPDX-License-Identifier: BSD-3-Clause
//
// Simulates the launcher of a job of any number of hosts with one rank each, of which one rank is
// real: this process. In each exchange all others contribute the same bytes as this one, but
// addresses of their own on the network. So on one machine a rank starts as in a job of 100,000
// hosts, with the code of the library and of the network. Its peers do not exist: the rank must not
// wait for them, and ends by _exit.
//
// The results of exchanges are files of memory, one per host, as with `atoll run`. The class counts
// the rank's calls to its launcher.
#pragma once

#include <atoll/bootstrap/bootstrap.hpp>
#include <atoll/bootstrap/single.hpp>

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace atl::support {

/// The calls of one rank to its launcher, and the bytes that it contributed.
struct launcher_counts {
  std::size_t exchanges = 0;
  std::size_t fences = 0;
  std::size_t bytes = 0;
};

class played_hosts final : public bootstrap::bootstrap {
 public:
  /// Rank 1 of so many. In the first exchange the last `address_bytes` of a contribution are an
  /// address. The other ranks have addresses of their own, by counting up bytes 4 to 7, the IPv4
  /// address.
  played_hosts(rank_id size, launcher_counts& counts, std::size_t address_bytes)
      : size_(size), counts_(counts), address_bytes_(address_bytes) {}

  rank_id rank() const noexcept override { return 1; }
  rank_id size() const noexcept override { return size_; }
  std::vector<std::uint32_t> hosts() const override {
    std::vector<std::uint32_t> host_of_rank(size_);
    std::iota(host_of_rank.begin(), host_of_rank.end(), 0);
    return host_of_rank;
  }

  /// The first exchange of a job ends with the address of the rank on its network.
  atl::bootstrap::blob_table exchange(std::span<const std::byte> own) override {
    ++counts_.exchanges;
    counts_.bytes += own.size();
    const std::size_t ends_bytes = size_ * sizeof(std::uint64_t);
    const std::size_t bytes = ends_bytes + size_ * own.size();
    // Not in the heap, whose growth is measured.
    void* const made =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED) std::abort();
    auto* const block = static_cast<std::byte*>(made);
    for (rank_id rank = 0; rank < size_; ++rank) {
      const std::uint64_t end = (rank + std::uint64_t{1}) * own.size();
      std::memcpy(block + rank * sizeof end, &end, sizeof end);
      std::byte* const blob = block + ends_bytes + rank * own.size();
      std::memcpy(blob, own.data(), own.size());
      if (counts_.exchanges == 1 && rank != 1) set_address(blob + own.size(), rank);
    }
    const descriptor file = atl::bootstrap::make_block_file({block, bytes});
    ::munmap(made, bytes);
    auto table = atl::bootstrap::blob_table::of_file(file, size_);
    if (!table) std::abort();
    return std::move(*table);
  }
  void fence() override { ++counts_.fences; }
  descriptor host_memory() override { return atl::bootstrap::make_host_memory(); }
  [[noreturn]] void end_job(int code, std::string_view) noexcept override { std::_Exit(code); }
  void goodbye() noexcept override {}

 private:
  void set_address(std::byte* end, rank_id rank) const noexcept {
    const std::uint32_t loopback = 0x7f000000;
    const std::uint32_t number = __builtin_bswap32(loopback + 2 + rank);
    std::memcpy(end - address_bytes_ + 4, &number, sizeof number);
  }

  rank_id size_;
  launcher_counts& counts_;
  std::size_t address_bytes_;
};

}  // namespace atl::support
