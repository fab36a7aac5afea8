// SPDX-License-Identifier: BSD-3-Clause
//
// Memory kinds (spec, chapter 16): copies between host memory of any two ranks with all kinds of
// completion, and what devices and their allocators are where there are none.
#include <tests/multi/upcxx/job_main.hpp>
#include <upcxx/allocate.hpp>
#include <upcxx/copy.hpp>
#include <upcxx/device_allocator.hpp>
#include <upcxx/dist_object.hpp>
#include <upcxx/progress.hpp>
#include <upcxx/when_all.hpp>

#include <algorithm>
#include <numeric>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using upcxx::global_ptr;
using upcxx::memory_kind;
using upcxx::operation_cx;
using upcxx::rank_me;
using upcxx::rank_n;
using upcxx::remote_cx;
using upcxx::source_cx;
using any_ptr = global_ptr<int, memory_kind::any>;

constexpr int count = 3000;

// One array per rank, of which all ranks know where it is, and which its rank fills.
class copies : public testing::Test {
 protected:
  copies() : mine_(upcxx::new_array<int>(count)), arrays_(mine_) {
    for (int rank = 0; rank < rank_n(); ++rank) all_.push_back(arrays_.fetch(rank).wait());
    fill(0);
    upcxx::barrier();
  }
  ~copies() override {
    upcxx::barrier();
    upcxx::delete_array(mine_);
  }

  static int value(int rank, int i) { return rank * 1000003 + i; }
  void fill(int from) {
    for (int i = from; i < count; ++i) mine_.local()[i] = value(rank_me(), i);
  }
  global_ptr<int> of(int rank) const { return all_[static_cast<std::size_t>(rank % rank_n())]; }
  static bool holds(const int* at, int rank, int n) {
    for (int i = 0; i < n; ++i) {
      if (at[i] != value(rank % rank_n(), i)) return false;
    }
    return true;
  }

  global_ptr<int> mine_;
  upcxx::dist_object<global_ptr<int>> arrays_;
  std::vector<global_ptr<int>> all_;
};

TEST_F(copies, come_from_any_rank_into_private_memory) {
  for (int rank = 0; rank < rank_n(); ++rank) {
    std::vector<int> here(count, -1);
    upcxx::copy(of(rank), here.data(), count).wait();
    EXPECT_TRUE(holds(here.data(), rank, count));
    const global_ptr<const int> readable = of(rank);
    upcxx::copy(any_ptr(of(rank)) + 10, here.data(), 5).wait();
    EXPECT_EQ(here[0], value(rank, 10));
    upcxx::copy(readable, here.data(), 1).wait();
    EXPECT_EQ(here[0], value(rank, 0));
    upcxx::copy(readable, here.data(), 0).wait();
  }
}

TEST_F(copies, go_from_private_memory_to_any_rank) {
  const int step = count / rank_n();
  std::vector<int> source(static_cast<std::size_t>(step));
  std::iota(source.begin(), source.end(), 77 * rank_me());
  upcxx::future<> done = upcxx::make_future();
  for (int rank = 0; rank < rank_n(); ++rank) {
    const any_ptr to = of(rank) + step * rank_me();
    done = upcxx::when_all(done, upcxx::copy(source.data(), to, source.size()));
  }
  done.wait();
  upcxx::barrier();
  for (int rank = 0; rank < rank_n(); ++rank) {
    EXPECT_EQ(mine_.local()[step * rank], 77 * rank);
    EXPECT_EQ(mine_.local()[step * rank + step - 1], 77 * rank + step - 1);
  }
}

TEST_F(copies, are_made_between_any_two_ranks_by_any_third) {
  // Everybody copies a part of each rank's array to a place of its own in the next but one.
  upcxx::dist_object<global_ptr<int>> places(
      upcxx::new_array<int>(static_cast<std::size_t>(count * rank_n())));
  std::vector<global_ptr<int>> there;
  for (int rank = 0; rank < rank_n(); ++rank) there.push_back(places.fetch(rank).wait());
  for (int from = 0; from < rank_n(); ++from) {
    const auto to = there[static_cast<std::size_t>((from + 1) % rank_n())];
    upcxx::copy(of(from), to + count * rank_me(), count).wait();
  }
  upcxx::barrier();
  for (int by = 0; by < rank_n(); ++by) {
    EXPECT_TRUE(holds(places->local() + count * by, rank_me() + rank_n() - 1, count));
  }
  upcxx::barrier();
  upcxx::delete_array(*places);
}

int told = 0;
int told_sum = 0;

TEST_F(copies, tell_by_all_kinds_of_completion) {
  told = told_sum = 0;
  upcxx::dist_object<global_ptr<int>> places(
      upcxx::new_array<int>(static_cast<std::size_t>(count * rank_n())));
  const int to = (rank_me() + 1) % rank_n();
  const auto there = places.fetch(to).wait() + count * rank_me();
  upcxx::barrier();
  for (int from = 0; from < rank_n(); ++from) {
    upcxx::promise<> counted;
    int lpcs = 0;
    int by = rank_me();
    auto both = upcxx::copy(
        of(from), there, count,
        source_cx::as_future() | operation_cx::as_promise(counted) |
            operation_cx::as_defer_future() | source_cx::as_promise(counted) |
            source_cx::as_lpc(upcxx::current_persona(), [&] { ++lpcs; }) |
            operation_cx::as_lpc(upcxx::current_persona(), [&] { ++lpcs; }) |
            remote_cx::as_rpc(
                [](upcxx::dist_object<global_ptr<int>>& here, int source, int initiator) {
                  // The data is there before the call.
                  if (holds(here->local() + count * initiator, source, count)) ++told;
                  told_sum += source;
                },
                places, from, by));
    by = -1;  // serialized already
    static_assert(std::is_same_v<decltype(both), std::tuple<upcxx::future<>, upcxx::future<>>>);
    upcxx::when_all(std::get<0>(both), std::get<1>(both), counted.finalize()).wait();
    while (lpcs != 2) upcxx::progress();
    while (told <= from) upcxx::progress();  // what the rank before us copied to us
    upcxx::barrier();
  }
  EXPECT_EQ(told, rank_n());
  EXPECT_EQ(told_sum, rank_n() * (rank_n() - 1) / 2);
  upcxx::barrier();
  upcxx::delete_array(*places);
}

TEST_F(copies, may_tell_the_target_alone) {
  told = 0;
  const auto place = upcxx::new_array<int>(count);
  upcxx::dist_object<global_ptr<int>> places(place);
  const auto there = places.fetch((rank_me() + 1) % rank_n()).wait();
  upcxx::barrier();
  upcxx::copy(of(rank_me() + 2), there, count, remote_cx::as_rpc([] { ++told; }));
  upcxx::discharge();
  while (told != 1) upcxx::progress();
  EXPECT_TRUE(holds(place.local(), rank_me() + 1, count));
  std::vector<int> here(count);
  upcxx::copy(of(rank_me() + 1), here.data(), count, remote_cx::as_rpc([] { ++told; }));
  while (told != 2) upcxx::progress();
  EXPECT_TRUE(holds(here.data(), rank_me() + 1, count));
  upcxx::barrier();
  upcxx::delete_array(place);
}

TEST_F(copies, leave_the_source_free_at_once_when_it_is_buffered) {
  const auto place = upcxx::new_array<int>(count);
  upcxx::dist_object<global_ptr<int>> places(place);
  const auto there = places.fetch((rank_me() + 1) % rank_n()).wait();
  upcxx::barrier();
  // Each rank is the source of one copy, which its own initiator knows to be buffered.
  auto done = upcxx::copy(of(rank_me() + 2), there, count,
                          source_cx::as_buffered() | operation_cx::as_future());
  upcxx::barrier();
  std::fill_n(mine_.local(), count, -1);
  done.wait();
  upcxx::barrier();
  EXPECT_TRUE(holds(place.local(), rank_me() + 1, count));
  upcxx::barrier();
  std::vector<int> source(count, rank_me());
  done = upcxx::copy(source.data(), there, count,
                     source_cx::as_blocking() | operation_cx::as_future());
  std::fill(source.begin(), source.end(), -5);
  done.wait();
  upcxx::barrier();
  EXPECT_EQ(std::count(place.local(), place.local() + count, (rank_me() + rank_n() - 1) % rank_n()),
            count);
  upcxx::barrier();
  upcxx::delete_array(place);
}

TEST_F(copies, belong_to_the_persona_that_starts_them) {
  std::atomic<bool> over = false;
  std::thread other([&] {
    std::vector<int> here(count);
    for (int rank = 0; rank < rank_n(); ++rank) {
      upcxx::copy(of(rank), here.data(), count).wait();
      EXPECT_TRUE(holds(here.data(), rank, count));
    }
    over = true;
  });
  while (!over) upcxx::progress();
  other.join();
}

template <class Device>
void ask_devices_that_are_not_there() {
  using allocator = upcxx::device_allocator<Device>;
  static_assert(std::is_same_v<typename Device::id_type, int>);
  static_assert(std::is_same_v<typename Device::template pointer<double>, double*>);
  static_assert(std::is_same_v<typename allocator::device_type, Device>);
  static_assert(allocator::kind == Device::kind);
  static_assert(Device::template null_pointer<int>() == nullptr);
  static_assert(Device::template default_alignment<double>() >= alignof(double));
  static_assert(!std::is_copy_constructible_v<Device> && !std::is_copy_constructible_v<allocator>);
  EXPECT_EQ(Device::device_n(), 0);
  EXPECT_FALSE(Device::kind_info().empty());

  Device none;
  EXPECT_FALSE(none.is_active());
  EXPECT_EQ(none.device_id(), Device::invalid_device_id);
  Device opened(Device::invalid_device_id);
  Device moved(std::move(opened));
  none = std::move(moved);
  EXPECT_FALSE(none.is_active());
  EXPECT_EQ(static_cast<upcxx::gpu_device&>(none).kind(), Device::kind);

  allocator inactive;
  allocator segment(none, std::size_t{1} << 20);
  allocator given(none, std::size_t{1} << 20, nullptr);
  inactive = std::move(segment);
  EXPECT_FALSE(inactive.is_active());
  EXPECT_EQ(inactive.segment_size(), 0);
  EXPECT_EQ(inactive.segment_used(), 0);
  EXPECT_EQ(inactive.device_id(), Device::invalid_device_id);
  const global_ptr<int, Device::kind> null;
  EXPECT_EQ(inactive.template to_global_ptr<int>(nullptr), null);
  inactive.deallocate(null);
  inactive.deallocate(any_ptr());
  static_cast<upcxx::heap_allocator&>(inactive).deallocate(null);
  EXPECT_EQ(allocator::local(null), nullptr);
  EXPECT_EQ(allocator::device_id(null), Device::invalid_device_id);
  EXPECT_EQ(null.dynamic_kind(), Device::kind);
  EXPECT_TRUE(null.is_local());

  auto made = upcxx::make_gpu_allocator<Device>(std::size_t{1} << 20);
  static_assert(std::is_same_v<decltype(made), allocator>);
  EXPECT_FALSE(made.is_active());
  EXPECT_FALSE(upcxx::make_gpu_allocator<Device>(4096, Device::invalid_device_id).is_active());
  made.destroy();
  inactive.destroy(upcxx::entry_barrier::internal);
  none.destroy(upcxx::entry_barrier::none);
}

TEST(devices, are_not_there_and_say_so) {
  ask_devices_that_are_not_there<upcxx::cuda_device>();
  ask_devices_that_are_not_there<upcxx::hip_device>();
  ask_devices_that_are_not_there<upcxx::ze_device>();
  static_assert(std::is_same_v<upcxx::gpu_heap_allocator,
                               upcxx::device_allocator<upcxx::gpu_default_device>>);
  EXPECT_FALSE(upcxx::make_gpu_allocator(4096).is_active());
}

TEST(memory_kind, is_part_of_a_pointer_and_can_be_asked) {
  const auto host = upcxx::new_<int>(3);
  const any_ptr any = host;
  EXPECT_EQ(any.dynamic_kind(), memory_kind::host);
  EXPECT_EQ(any.where(), rank_me());
  EXPECT_EQ(upcxx::static_kind_cast<memory_kind::host>(any), host);
  EXPECT_EQ(upcxx::dynamic_kind_cast<memory_kind::host>(any), host);
  EXPECT_EQ(upcxx::dynamic_kind_cast<memory_kind::any>(host), any);
  EXPECT_TRUE(upcxx::dynamic_kind_cast<memory_kind::hip_device>(any).is_null());
  EXPECT_TRUE(any.is_local());
  EXPECT_EQ(*any.local(), 3);
  static_assert(any_ptr::kind == memory_kind::any);
  static_assert(!std::is_convertible_v<any_ptr, global_ptr<int>>);
  static_assert(!std::is_convertible_v<global_ptr<int>, global_ptr<int, memory_kind::cuda_device>>);
  upcxx::delete_(host);
}

}  // namespace
