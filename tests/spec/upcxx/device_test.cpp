// SPDX-License-Identifier: BSD-3-Clause
//
// Tests memory kinds (spec, chapter 16) with devices: allocators, and copies between every pair of
// memories - private, shared and a device's - of every pair of ranks, by every rank, with all kinds
// of completion. Runs over the simulated device, whose memory faults when a processor touches it.
#include <tests/multi/upcxx/job_main.hpp>
#include <upcxx/allocate.hpp>
#include <upcxx/broadcast.hpp>
#include <upcxx/copy.hpp>
#include <upcxx/device_allocator.hpp>
#include <upcxx/dist_object.hpp>
#include <upcxx/progress.hpp>
#include <upcxx/when_all.hpp>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

namespace {

using upcxx::cuda_device;
using upcxx::global_ptr;
using upcxx::memory_kind;
using upcxx::operation_cx;
using upcxx::rank_me;
using upcxx::rank_n;
using upcxx::remote_cx;
using upcxx::source_cx;
using allocator = upcxx::device_allocator<cuda_device>;
using device_ptr = global_ptr<int, memory_kind::cuda_device>;
using any_ptr = global_ptr<int, memory_kind::any>;

constexpr std::size_t segment_bytes = std::size_t{16} << 20;
constexpr std::size_t largest = 150'000;  // elements: more than a chunk of staged transfers

std::vector<int> pattern(std::size_t count, int seed) {
  std::vector<int> made(count);
  for (std::size_t i = 0; i < count; ++i) made[i] = seed * 1'000'003 + static_cast<int>(i);
  return made;
}

// An area per rank and kind of memory for each initiator, known to all.
class device_copies : public testing::Test {
 protected:
  device_copies()
      : device_(upcxx::make_gpu_allocator<cuda_device>(segment_bytes)),
        own_host_(upcxx::new_array<int>(area * static_cast<std::size_t>(rank_n()))),
        own_device_(device_.allocate<int>(area * static_cast<std::size_t>(rank_n()))) {
    const upcxx::dist_object<any_ptr> hosts(own_host_);
    const upcxx::dist_object<any_ptr> devices(own_device_);
    for (int rank = 0; rank < rank_n(); ++rank) {
      areas_.push_back({hosts.fetch(rank).wait(), devices.fetch(rank).wait()});
    }
    upcxx::barrier();  // others still ask the two objects
  }
  ~device_copies() override {
    upcxx::barrier();
    upcxx::delete_array(own_host_);
    device_.destroy();
  }

  static constexpr std::size_t area = largest + 8;
  /// The area of an initiator in the memory of a rank.
  any_ptr place(int rank, bool on_device, int initiator = rank_me()) const {
    const auto& [host, device] = areas_[static_cast<std::size_t>(rank % rank_n())];
    return (on_device ? device : host) + initiator * static_cast<std::ptrdiff_t>(area);
  }
  static void write(any_ptr to, const std::vector<int>& data) {
    upcxx::copy(data.data(), to, data.size()).wait();
  }
  static std::vector<int> read(any_ptr from, std::size_t count) {
    std::vector<int> data(count);
    upcxx::copy(from, data.data(), count).wait();
    return data;
  }

  allocator device_;
  global_ptr<int> own_host_;
  device_ptr own_device_;
  std::vector<std::pair<any_ptr, any_ptr>> areas_;
};

TEST_F(device_copies, go_between_any_two_memories_of_any_two_ranks) {
  ASSERT_TRUE(device_.is_active());
  int seed = 100 * rank_me();
  for (const std::size_t count : {std::size_t{1}, std::size_t{1000}, largest}) {
    for (int pair = 0; pair < rank_n() * rank_n(); ++pair) {
      for (int kinds = 0; kinds < 4; ++kinds) {
        const auto sent = pattern(count, ++seed);
        const any_ptr from = place(pair / rank_n(), kinds % 2 == 1);
        const any_ptr to = place(pair % rank_n(), kinds / 2 == 1);
        if (from == to) continue;
        write(from, sent);
        upcxx::copy(from, to, count).wait();
        upcxx::copy(from + 1, to, 0).wait();
        EXPECT_EQ(read(to, count), sent) << pair << " of kinds " << kinds << ", " << count;
      }
    }
  }
}

int notified = 0;
upcxx::future<> checked = upcxx::make_future();
constexpr std::size_t told_count = 5000;

// Runs at the target when the data have arrived; the processor cannot read them, so they are
// copied.
void check_arrived(any_ptr arrived, int seed) {
  auto data = std::make_shared<std::vector<int>>(told_count);
  auto copied = upcxx::copy(arrived, data->data(), told_count);
  checked = upcxx::when_all(checked, copied).then([data, seed] {
    EXPECT_EQ(*data, pattern(told_count, seed));
    ++notified;
  });
}

TEST_F(device_copies, tell_by_all_kinds_of_completion) {
  notified = 0;
  upcxx::barrier();
  int expected = 0;
  const any_ptr to = place(rank_me() + 1, true);
  for (int source = 0; source < rank_n(); ++source) {
    for (const bool from_device : {false, true}) {
      const any_ptr from = place(source, from_device);
      const int seed = 50 * rank_me() + source;
      write(from, pattern(told_count, seed));
      upcxx::promise<> counted;
      int lpcs = 0;
      const any_ptr target = from == to ? place(rank_me() + 1, false) : to;
      auto futures =
          upcxx::copy(from, target, told_count,
                      source_cx::as_future() | operation_cx::as_promise(counted) |
                          operation_cx::as_defer_future() | source_cx::as_promise(counted) |
                          source_cx::as_lpc(upcxx::current_persona(), [&] { ++lpcs; }) |
                          operation_cx::as_lpc(upcxx::current_persona(), [&] { ++lpcs; }) |
                          remote_cx::as_rpc(check_arrived, target, seed));
      upcxx::when_all(std::get<0>(futures), std::get<1>(futures), counted.finalize()).wait();
      while (lpcs != 2) upcxx::progress();
      for (++expected; notified < expected;) upcxx::progress();
      upcxx::barrier();
    }
  }
  checked.wait();
}

TEST_F(device_copies, may_tell_the_target_alone) {
  notified = 0;
  upcxx::barrier();
  const auto sent = pattern(3000, rank_me());
  write(place(rank_me() + 2, false), sent);
  const auto count_it = remote_cx::as_rpc([] { ++notified; });
  upcxx::copy(place(rank_me() + 2, false), place(rank_me() + 1, true), 3000, count_it);
  upcxx::discharge();
  while (notified != 1) upcxx::progress();
  upcxx::barrier();
  std::vector<int> copied(3000);
  upcxx::copy(place(rank_me() + 1, true), copied.data(), 3000, count_it);
  while (notified != 2) upcxx::progress();
  EXPECT_EQ(copied, sent);
}

TEST_F(device_copies, leave_the_source_free_at_once_when_it_is_buffered) {
  for (int from = 0; from < rank_n(); ++from) {
    for (int kinds = 1; kinds < 4; ++kinds) {
      const any_ptr source = place(from, kinds % 2 == 1);
      const any_ptr target = place(from + 1, kinds / 2 == 1);
      if (source == target) continue;
      const auto sent = pattern(4000, 10 * rank_me() + kinds);
      write(source, sent);
      auto done = upcxx::copy(source, target, sent.size(),
                              source_cx::as_buffered() | operation_cx::as_future());
      write(source, pattern(sent.size(), -1));
      done.wait();
      EXPECT_EQ(read(target, sent.size()), sent);
    }
  }
  std::vector<int> source(largest, rank_me());
  auto done = upcxx::copy(source.data(), place(rank_me() + 1, true), largest,
                          source_cx::as_blocking() | operation_cx::as_future());
  std::fill(source.begin(), source.end(), -5);
  done.wait();
  EXPECT_EQ(read(place(rank_me() + 1, true), largest), std::vector<int>(largest, rank_me()));
}

TEST_F(device_copies, belong_to_the_persona_that_starts_them) {
  std::atomic<bool> finished = false;
  std::thread other([&] {
    for (int rank = 0; rank < rank_n(); ++rank) {
      const auto sent = pattern(20'000, 7 * rank_me() + rank);
      const upcxx::persona* const mine = &upcxx::current_persona();
      upcxx::copy(sent.data(), place(rank, true), sent.size()).wait();
      std::vector<int> data(sent.size());
      upcxx::copy(place(rank, true), place(rank + 1, false), sent.size())
          .then([mine] { EXPECT_EQ(&upcxx::current_persona(), mine); })
          .wait();
      upcxx::copy(place(rank + 1, false), data.data(), data.size()).wait();
      EXPECT_EQ(data, sent);
    }
    finished = true;
  });
  while (!finished) upcxx::progress();
  other.join();
}

TEST_F(device_copies, let_a_persona_end_once_it_has_discharged_what_others_wait_for) {
  notified = 0;
  upcxx::barrier();
  std::atomic<bool> finished = false;
  std::thread other([&] {
    {
      upcxx::persona persona;
      const upcxx::persona_scope scope(persona);
      for (int i = 0; i < 20; ++i) {
        upcxx::copy(place(rank_me(), i % 2 == 0), place(rank_me() + 1, true) + 1000 * (i + 1), 1000,
                    remote_cx::as_rpc([] { ++notified; }));
      }
      upcxx::discharge();
    }
    finished = true;
  });
  while (notified != 20 || !finished) upcxx::progress();
  other.join();
}

TEST_F(device_copies, are_many_at_once) {
  const auto sent = pattern(largest, rank_me());
  upcxx::promise<> all;
  constexpr std::size_t step = 1500;
  for (std::size_t first = 0; first < largest; first += step) {
    const any_ptr to = place(rank_me() + 1, true) + static_cast<std::ptrdiff_t>(first);
    upcxx::copy(sent.data() + first, to, step, operation_cx::as_promise(all));
  }
  all.finalize().wait();
  EXPECT_EQ(read(place(rank_me() + 1, true), largest), sent);
}

bool has_all_kinds() {
  return cuda_device::device_n() != 0 && upcxx::hip_device::device_n() != 0 &&
         upcxx::ze_device::device_n() != 0;
}

TEST(devices, are_there_and_described) {
  if (!has_all_kinds()) GTEST_SKIP() << "these are not the simulated devices";
  const int devices = cuda_device::device_n();
  EXPECT_EQ(upcxx::hip_device::device_n(), devices);
  EXPECT_EQ(upcxx::ze_device::device_n(), devices);
  EXPECT_NE(upcxx::hip_device::kind_info().find("HIP 6.2"), std::string::npos);
  EXPECT_NE(upcxx::ze_device::kind_info().find("Level Zero 1.9"), std::string::npos);
  EXPECT_NE(cuda_device::kind_info().find("simulated device " + std::to_string(devices - 1)),
            std::string::npos);
  EXPECT_EQ(cuda_device::uuid(0), "GPU-01010101-0101-0101-0101-010101010101");
  static_assert(UPCXX_KIND_CUDA >= 202103L);
}

TEST(devices, of_level_zero_are_known_by_its_handles) {
  using upcxx::ze_device;
  for (int id = 0; id < ze_device::device_n(); ++id) {
    const auto device = ze_device::device_id_to_device_handle(id);
    const auto driver = ze_device::device_id_to_driver_handle(id);
    EXPECT_EQ(ze_device::device_handle_to_device_id(device), id);
    const auto context = ze_device::get_driver_context(driver);
    EXPECT_NE(context, nullptr);
    EXPECT_EQ(ze_device::get_driver_context(device), context);
    EXPECT_EQ(ze_device::get_driver_context(), context);
    ze_device::set_driver_context(context, device);  // the one that it has
    ze_device::set_driver_context(context, driver);
    ze_device::set_driver_context(context);
  }
  EXPECT_EQ(ze_device::device_handle_to_device_id(nullptr), ze_device::invalid_device_id);
}

/// Writes from each memory of this rank to each memory of the next rank, of any kind, and reads
/// back.
TEST(devices, of_different_kinds_copy_to_each_other) {
  if (!has_all_kinds()) GTEST_SKIP() << "not all kinds of devices are here";
  auto cuda = upcxx::make_gpu_allocator<cuda_device>(std::size_t{1} << 20);
  auto hip = upcxx::make_gpu_allocator<upcxx::hip_device>(std::size_t{1} << 20);
  auto ze = upcxx::make_gpu_allocator<upcxx::ze_device>(std::size_t{1} << 20);
  constexpr std::size_t count = 5000;
  const std::vector<any_ptr> own{cuda.allocate<int>(2 * count), hip.allocate<int>(2 * count),
                                 ze.allocate<int>(2 * count), upcxx::new_array<int>(2 * count)};
  EXPECT_EQ(own[1].dynamic_kind(), memory_kind::hip_device);
  EXPECT_EQ(own[2].dynamic_kind(), memory_kind::ze_device);
  const upcxx::dist_object<std::vector<any_ptr>> all(own);
  for (const int rank : {rank_me(), (rank_me() + 1) % rank_n()}) {
    const std::vector<any_ptr> others = all.fetch(rank).wait();
    for (const any_ptr& from : own) {
      for (const any_ptr& other : others) {
        const any_ptr to = other + static_cast<std::ptrdiff_t>(count);
        const auto sent = pattern(count, rank_me() + static_cast<int>(&from - own.data()));
        std::vector<int> received(count);
        upcxx::copy(sent.data(), from, count).wait();
        upcxx::copy(from, to, count).wait();
        upcxx::copy(to, received.data(), count).wait();
        EXPECT_EQ(received, sent) << from.dynamic_kind() << " to " << to.dynamic_kind();
      }
    }
    upcxx::barrier();
  }
  upcxx::delete_array(upcxx::static_kind_cast<memory_kind::host>(own[3]));
  ze.destroy();
  hip.destroy();
  cuda.destroy();
}

TEST(allocator, gives_blocks_and_takes_them_back) {
  const int last = cuda_device::device_n() - 1;
  cuda_device device(last);
  allocator segment(device, std::size_t{1} << 20);
  EXPECT_TRUE(device.is_active() && segment.is_active());
  EXPECT_EQ(segment.device_id(), last);
  EXPECT_EQ(segment.segment_size(), 1 << 20);
  EXPECT_EQ(segment.segment_used(), 0);

  const device_ptr first = segment.allocate<int>(1000);
  const auto second = segment.allocate<double>(10, 4096);
  ASSERT_FALSE(first.is_null() || second.is_null());
  EXPECT_EQ(first.where(), rank_me());
  EXPECT_FALSE(first.is_local());
  EXPECT_EQ(first.dynamic_kind(), memory_kind::cuda_device);
  EXPECT_EQ(any_ptr(first).dynamic_kind(), memory_kind::cuda_device);
  EXPECT_EQ(allocator::device_id(first), last);
  int* const raw = allocator::local(first);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(raw) % cuda_device::default_alignment<int>(), 0U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(allocator::local(second)) % 4096, 0U);
  EXPECT_EQ(segment.to_global_ptr(raw), first);
  EXPECT_EQ(segment.to_global_ptr(raw + 17), first + 17);
  EXPECT_GE(segment.segment_used(), 4080);

  EXPECT_TRUE(segment.allocate<char>(std::size_t{1} << 20).is_null());
  EXPECT_TRUE(segment.allocate<double>(~std::size_t{0} / 2).is_null());
  segment.deallocate(first);
  upcxx::heap_allocator& general = segment;
  general.deallocate(second);
  EXPECT_EQ(segment.segment_used(), 0);
  const any_ptr all = general.allocate<int>(std::size_t{1} << 18);
  EXPECT_FALSE(all.is_null());
  general.deallocate(all);
  EXPECT_EQ(general.kind(), memory_kind::cuda_device);

  device.destroy();
  EXPECT_FALSE(device.is_active() || segment.is_active());
  EXPECT_EQ(segment.segment_size(), 0);
  EXPECT_EQ(segment.device_id(), cuda_device::invalid_device_id);
}

TEST(allocator, may_be_inactive_on_some_ranks) {
  const bool is_active = rank_me() % 2 == 0;
  cuda_device device(is_active ? 0 : cuda_device::invalid_device_id);
  allocator segment(device, is_active ? 4096 : 0);
  EXPECT_EQ(segment.is_active(), is_active);
  allocator moved(std::move(segment));
  EXPECT_FALSE(segment.is_active());
  EXPECT_EQ(moved.is_active(), is_active);
  const device_ptr own = is_active ? moved.allocate<int>(4) : nullptr;
  const device_ptr of_first = upcxx::broadcast(own, 0).wait();
  int number = -1;
  if (rank_me() == rank_n() - 1) {
    const int sent = 77;
    upcxx::copy(&sent, of_first, 1).wait();
  }
  upcxx::barrier();
  upcxx::copy(of_first, &number, 1).wait();
  EXPECT_EQ(number, 77);
  moved.destroy();
  EXPECT_FALSE(device.is_active());
  device.destroy(upcxx::entry_barrier::none);
}

TEST(allocator, fails_on_all_ranks_when_one_has_no_memory) {
  cuda_device device(0);
  const std::size_t much = std::size_t{1} << 40;
  const std::size_t bytes = rank_me() == rank_n() - 1 ? much : 4096;
  EXPECT_THROW(allocator(device, bytes), upcxx::bad_segment_alloc);
  EXPECT_TRUE(device.is_active());
  allocator segment(device, 4096);
  EXPECT_TRUE(segment.is_active());
  segment.destroy();
}

TEST(allocator, manages_memory_of_the_program) {
  allocator outer = upcxx::make_gpu_allocator<cuda_device>(std::size_t{1} << 20, 0);
  const auto given = outer.allocate<char>(10'000, 64);
  char* const base = allocator::local(given + 100);
  allocator inner = upcxx::make_gpu_allocator<cuda_device>(8192, 0, base);
  const device_ptr block = inner.allocate<int>(100);
  char* const raw = reinterpret_cast<char*>(allocator::local(block));
  EXPECT_TRUE(raw >= base && raw + 400 <= base + 8192);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(raw) % 256, 0U);
  // The same bytes through both segments, by a neighbour.
  const upcxx::dist_object<device_ptr> blocks(block);
  const device_ptr next = blocks.fetch((rank_me() + 1) % rank_n()).wait();
  const auto sent = pattern(100, rank_me());
  upcxx::copy(sent.data(), next, sent.size()).wait();
  upcxx::barrier();
  std::vector<int> data(100);
  upcxx::copy(upcxx::reinterpret_pointer_cast<int>(outer.to_global_ptr(raw)), data.data(), 100)
      .wait();
  EXPECT_EQ(data, pattern(100, (rank_me() + rank_n() - 1) % rank_n()));
  inner.destroy();
  outer.deallocate(given);
  outer.destroy();
}

TEST(allocator, is_left_to_finalize_when_it_is_not_destroyed) {
  static std::optional<allocator> left;
  left.emplace(upcxx::make_gpu_allocator<cuda_device>(4096));
  EXPECT_TRUE(left->is_active());
}

}  // namespace
