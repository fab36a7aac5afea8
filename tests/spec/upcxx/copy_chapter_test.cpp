// SPDX-License-Identifier: BSD-3-Clause
//
// Tests memory kinds (spec, chapter 16): copies between host memory of any two ranks with all kinds
// of completion, and the behaviour of devices and allocators on machines without devices.
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

// One array per rank. Each rank fills its own, and all ranks know where each lies.
class copies : public testing::Test {
 protected:
  copies() : own_(upcxx::new_array<int>(count)), arrays_(own_) {
    for (int rank = 0; rank < rank_n(); ++rank) pointers_.push_back(arrays_.fetch(rank).wait());
    fill(0);
    upcxx::barrier();
  }
  ~copies() override {
    upcxx::barrier();
    upcxx::delete_array(own_);
  }

  static int value(int rank, int i) { return rank * 1000003 + i; }
  void fill(int from) {
    for (int i = from; i < count; ++i) own_.local()[i] = value(rank_me(), i);
  }
  global_ptr<int> array_of(int rank) const {
    return pointers_[static_cast<std::size_t>(rank % rank_n())];
  }
  static bool holds(const int* data, int rank, int n) {
    for (int i = 0; i < n; ++i) {
      if (data[i] != value(rank % rank_n(), i)) return false;
    }
    return true;
  }

  global_ptr<int> own_;
  upcxx::dist_object<global_ptr<int>> arrays_;
  std::vector<global_ptr<int>> pointers_;
};

TEST_F(copies, come_from_any_rank_into_private_memory) {
  for (int rank = 0; rank < rank_n(); ++rank) {
    std::vector<int> copied(count, -1);
    upcxx::copy(array_of(rank), copied.data(), count).wait();
    EXPECT_TRUE(holds(copied.data(), rank, count));
    const global_ptr<const int> readable = array_of(rank);
    upcxx::copy(any_ptr(array_of(rank)) + 10, copied.data(), 5).wait();
    EXPECT_EQ(copied[0], value(rank, 10));
    upcxx::copy(readable, copied.data(), 1).wait();
    EXPECT_EQ(copied[0], value(rank, 0));
    upcxx::copy(readable, copied.data(), 0).wait();
  }
}

TEST_F(copies, go_from_private_memory_to_any_rank) {
  const int step = count / rank_n();
  std::vector<int> source(static_cast<std::size_t>(step));
  std::iota(source.begin(), source.end(), 77 * rank_me());
  upcxx::future<> done = upcxx::make_future();
  for (int rank = 0; rank < rank_n(); ++rank) {
    const any_ptr to = array_of(rank) + step * rank_me();
    done = upcxx::when_all(done, upcxx::copy(source.data(), to, source.size()));
  }
  done.wait();
  upcxx::barrier();
  for (int rank = 0; rank < rank_n(); ++rank) {
    EXPECT_EQ(own_.local()[step * rank], 77 * rank);
    EXPECT_EQ(own_.local()[step * rank + step - 1], 77 * rank + step - 1);
  }
}

TEST_F(copies, are_made_between_any_two_ranks_by_any_third) {
  // Every rank copies each rank's array to a separate place at the rank after that one.
  upcxx::dist_object<global_ptr<int>> places(
      upcxx::new_array<int>(static_cast<std::size_t>(count * rank_n())));
  std::vector<global_ptr<int>> targets;
  for (int rank = 0; rank < rank_n(); ++rank) targets.push_back(places.fetch(rank).wait());
  for (int from = 0; from < rank_n(); ++from) {
    const auto to = targets[static_cast<std::size_t>((from + 1) % rank_n())];
    upcxx::copy(array_of(from), to + count * rank_me(), count).wait();
  }
  upcxx::barrier();
  for (int initiator = 0; initiator < rank_n(); ++initiator) {
    EXPECT_TRUE(holds(places->local() + count * initiator, rank_me() + rank_n() - 1, count));
  }
  upcxx::barrier();
  upcxx::delete_array(*places);
}

int notified = 0;
int notified_sum = 0;

TEST_F(copies, tell_by_all_kinds_of_completion) {
  notified = notified_sum = 0;
  upcxx::dist_object<global_ptr<int>> places(
      upcxx::new_array<int>(static_cast<std::size_t>(count * rank_n())));
  const int to = (rank_me() + 1) % rank_n();
  const auto target = places.fetch(to).wait() + count * rank_me();
  upcxx::barrier();
  for (int from = 0; from < rank_n(); ++from) {
    upcxx::promise<> counted;
    int lpcs = 0;
    int copier = rank_me();
    auto futures = upcxx::copy(
        array_of(from), target, count,
        source_cx::as_future() | operation_cx::as_promise(counted) |
            operation_cx::as_defer_future() | source_cx::as_promise(counted) |
            source_cx::as_lpc(upcxx::current_persona(), [&] { ++lpcs; }) |
            operation_cx::as_lpc(upcxx::current_persona(), [&] { ++lpcs; }) |
            remote_cx::as_rpc(
                [](upcxx::dist_object<global_ptr<int>>& inbox, int source, int initiator) {
                  // The data is there before the call.
                  if (holds(inbox->local() + count * initiator, source, count)) ++notified;
                  notified_sum += source;
                },
                places, from, copier));
    copier = -1;  // serialized already
    static_assert(std::is_same_v<decltype(futures), std::tuple<upcxx::future<>, upcxx::future<>>>);
    upcxx::when_all(std::get<0>(futures), std::get<1>(futures), counted.finalize()).wait();
    while (lpcs != 2) upcxx::progress();
    while (notified <= from) upcxx::progress();  // until the copy from the rank before has arrived
    upcxx::barrier();
  }
  EXPECT_EQ(notified, rank_n());
  EXPECT_EQ(notified_sum, rank_n() * (rank_n() - 1) / 2);
  upcxx::barrier();
  upcxx::delete_array(*places);
}

TEST_F(copies, may_tell_the_target_alone) {
  notified = 0;
  const auto place = upcxx::new_array<int>(count);
  upcxx::dist_object<global_ptr<int>> places(place);
  const auto target = places.fetch((rank_me() + 1) % rank_n()).wait();
  upcxx::barrier();
  upcxx::copy(array_of(rank_me() + 2), target, count, remote_cx::as_rpc([] { ++notified; }));
  upcxx::discharge();
  while (notified != 1) upcxx::progress();
  EXPECT_TRUE(holds(place.local(), rank_me() + 1, count));
  std::vector<int> copied(count);
  upcxx::copy(array_of(rank_me() + 1), copied.data(), count, remote_cx::as_rpc([] { ++notified; }));
  while (notified != 2) upcxx::progress();
  EXPECT_TRUE(holds(copied.data(), rank_me() + 1, count));
  upcxx::barrier();
  upcxx::delete_array(place);
}

TEST_F(copies, leave_the_source_free_at_once_when_it_is_buffered) {
  const auto place = upcxx::new_array<int>(count);
  upcxx::dist_object<global_ptr<int>> places(place);
  const auto target = places.fetch((rank_me() + 1) % rank_n()).wait();
  upcxx::barrier();
  // Each rank is the source of one copy, whose initiator requests buffering.
  auto done = upcxx::copy(array_of(rank_me() + 2), target, count,
                          source_cx::as_buffered() | operation_cx::as_future());
  upcxx::barrier();
  std::fill_n(own_.local(), count, -1);
  done.wait();
  upcxx::barrier();
  EXPECT_TRUE(holds(place.local(), rank_me() + 1, count));
  upcxx::barrier();
  std::vector<int> source(count, rank_me());
  done = upcxx::copy(source.data(), target, count,
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
  std::atomic<bool> finished = false;
  std::thread other([&] {
    std::vector<int> copied(count);
    for (int rank = 0; rank < rank_n(); ++rank) {
      upcxx::copy(array_of(rank), copied.data(), count).wait();
      EXPECT_TRUE(holds(copied.data(), rank, count));
    }
    finished = true;
  });
  while (!finished) upcxx::progress();
  other.join();
}

template <class Device>
void ask_missing_devices() {
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

  Device absent;
  EXPECT_FALSE(absent.is_active());
  EXPECT_EQ(absent.device_id(), Device::invalid_device_id);
  Device opened(Device::invalid_device_id);
  Device moved(std::move(opened));
  absent = std::move(moved);
  EXPECT_FALSE(absent.is_active());
  EXPECT_EQ(static_cast<upcxx::gpu_device&>(absent).kind(), Device::kind);

  allocator inactive;
  allocator segment(absent, std::size_t{1} << 20);
  allocator given(absent, std::size_t{1} << 20, nullptr);
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
  absent.destroy(upcxx::entry_barrier::none);
}

TEST(devices, are_not_there_and_say_so) {
  ask_missing_devices<upcxx::cuda_device>();
  ask_missing_devices<upcxx::hip_device>();
  ask_missing_devices<upcxx::ze_device>();
  static_assert(std::is_same_v<upcxx::gpu_heap_allocator,
                               upcxx::device_allocator<upcxx::gpu_default_device>>);
  EXPECT_FALSE(upcxx::make_gpu_allocator(4096).is_active());
}

TEST(memory_kind, is_part_of_a_pointer_and_can_be_asked) {
  const auto host = upcxx::new_<int>(3);
  const any_ptr general = host;
  EXPECT_EQ(general.dynamic_kind(), memory_kind::host);
  EXPECT_EQ(general.where(), rank_me());
  EXPECT_EQ(upcxx::static_kind_cast<memory_kind::host>(general), host);
  EXPECT_EQ(upcxx::dynamic_kind_cast<memory_kind::host>(general), host);
  EXPECT_EQ(upcxx::dynamic_kind_cast<memory_kind::any>(host), general);
  EXPECT_TRUE(upcxx::dynamic_kind_cast<memory_kind::hip_device>(general).is_null());
  EXPECT_TRUE(general.is_local());
  EXPECT_EQ(*general.local(), 3);
  static_assert(any_ptr::kind == memory_kind::any);
  static_assert(!std::is_convertible_v<any_ptr, global_ptr<int>>);
  static_assert(!std::is_convertible_v<global_ptr<int>, global_ptr<int, memory_kind::cuda_device>>);
  upcxx::delete_(host);
}

}  // namespace
