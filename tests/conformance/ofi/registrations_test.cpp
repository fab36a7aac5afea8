// SPDX-License-Identifier: BSD-3-Clause
//
// Tests how often the program's own buffers are registered with a provider that requires it: once
// for a buffer that is reused, again when other memory lies behind the address, at each transfer
// where registrations may not be kept, and never where the provider does not require it. The
// transferred data are always right.
#include <atoll/memory/reclaim_watch.hpp>
#include <atoll/trace/counters.hpp>
#include <tests/conformance/ofi/network_suite.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <string>
#include <thread>

namespace atl::transport {
namespace {

constexpr std::size_t bytes = std::size_t{512} << 10;

/// Two ranks over one provider.
class network {
 public:
  network(const char* provider, const std::vector<const char*>& settings)
      : backend_(provider, ATOLL_TEST_MODULES, settings),
        ranks_(backend_.make(2, false, {&receivers_[0], &receivers_[1]})) {}

  /// Puts the buffer and gets it back; returns how often the provider was asked to register. Gives
  /// no memory back.
  std::uint64_t use(std::byte* buffer, std::size_t count = bytes) {
    const std::uint64_t start_count = registrations();
    std::copy_n(buffer, count, sent_.begin());
    transfer_all(true, buffer, count);
    std::memset(buffer, 0, count);
    transfer_all(false, buffer, count);
    EXPECT_TRUE(std::equal(buffer, buffer + count, sent_.begin()));
    return registrations() - start_count;
  }

  /// While the watching thread has not told what the program gave back, nothing is kept, and on a
  /// busy machine that thread may get no core for a while. When a buffer that is always there
  /// serves without a registration, all was told.
  void wait_for_watch() {
    while (use(probe_.data(), probe_.size()) != 0) std::this_thread::yield();
  }

 private:
  static std::uint64_t registrations() {
    return trace::read()[static_cast<std::size_t>(trace::counter::registrations)];
  }

  void transfer_all(bool is_put, std::byte* buffer, std::size_t count) {
    std::atomic<int> pending = 1;
    const transfer request{.target = 1,
                           .memory = backend_.memory_of(1),
                           .local = buffer,
                           .remote = reinterpret_cast<std::uintptr_t>(backend_.segments[1].data()),
                           .bytes = count,
                           .context = &pending,
                           .keeps_source = true};
    const auto start = [&] { return is_put ? ranks_[0]->put(request) : ranks_[0]->get(request); };
    while (start() == post::retry) poll();
    while (pending.load() != 0) poll();
  }
  void poll() {
    for (auto& each : ranks_) each->poll(false);
  }

  std::array<recording_receiver, 2> receivers_;
  network_backend backend_;
  std::vector<std::unique_ptr<transport>> ranks_;
  std::vector<std::byte> sent_ = std::vector<std::byte>(bytes);
  std::vector<std::byte> probe_ = std::vector<std::byte>(bytes / 2);
};

/// The reason why the system tells no process what memory it has given back; empty where it does.
std::string obstacle_to_watching() {
  struct deaf_listener final : memory::reclaim_watch::listener {
    void reclaimed(const memory::address_range&) noexcept override {}
  } ignored;
  return memory::reclaim_watch(ignored).refusal();
}

/// New memory, with other bytes each time.
class fresh_memory {
 public:
  explicit fresh_memory(void* place = nullptr)
      : data_(static_cast<std::byte*>(
            ::mmap(place, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | (place != nullptr ? MAP_FIXED : 0), -1, 0))) {
    static int turn = 0;
    std::memset(data_, ++turn, bytes);
  }
  fresh_memory(const fresh_memory&) = delete;
  fresh_memory& operator=(const fresh_memory&) = delete;
  ~fresh_memory() { ::munmap(data_, bytes); }
  std::byte* data() const { return data_; }

 private:
  std::byte* data_;
};

constexpr const char* local = "ATOLL_OFI_MEMORY=local";

class kept_registrations : public testing::TestWithParam<const char*> {};

TEST_P(kept_registrations, serve_until_the_program_gives_the_memory_back) {
  if (const std::string obstacle = obstacle_to_watching(); !obstacle.empty())
    GTEST_SKIP() << "skipped: memory is not watched: " << obstacle;
  network net(GetParam(), {local});
  std::byte* place = nullptr;
  for (int turn = 0; turn < 4; ++turn) {
    const fresh_memory buffer(place);
    place = buffer.data();
    net.wait_for_watch();
    EXPECT_EQ(net.use(place), 1u) << "for the put, and not for the get";
    ::madvise(place, bytes, turn % 2 == 0 ? MADV_NORMAL : MADV_DONTNEED);
    net.wait_for_watch();
    EXPECT_EQ(net.use(place), turn % 2 == 0 ? 0u : 1u);
    for (int again = 0; again < 3; ++again) EXPECT_EQ(net.use(place), 0u);
    EXPECT_EQ(net.use(place + 4096, bytes / 2), 0u);
  }
}

TEST_P(kept_registrations, are_none_where_none_are_allowed) {
  network net(GetParam(), {local, "ATOLL_OFI_CACHE_BYTES=0"});
  const fresh_memory buffer;
  EXPECT_EQ(net.use(buffer.data(), 60'000), 0u) << "through the transport's own buffers";
  for (int turn = 0; turn < 3; ++turn) EXPECT_EQ(net.use(buffer.data()), 2u);
}

TEST_P(kept_registrations, are_none_where_the_provider_does_not_ask) {
  network net(GetParam(), {});
  const fresh_memory buffer;
  EXPECT_EQ(net.use(buffer.data()), 0u);
}

INSTANTIATE_TEST_SUITE_P(providers, kept_registrations,
                         testing::Values("net", "tcp;ofi_rxm", "udp;ofi_rxd"),
                         [](const auto& tested) { return std::string(tested.param, 3); });

}  // namespace
}  // namespace atl::transport
