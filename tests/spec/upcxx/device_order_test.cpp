// SPDX-License-Identifier: BSD-3-Clause
//
// Tests copies that are ordered with a program's streams and events (device_order.hpp), on devices
// of every kind: with all completions, from private, shared and device memory, to any rank. The
// test opens gates on the program's streams, and checks that dependent work has not happened
// before.
#include <atoll/core/device/device_transfers.hpp>
#include <atoll/core/job/runtime.hpp>
#include <tests/multi/device/program_work.hpp>
#include <tests/multi/upcxx/job_main.hpp>
#include <upcxx/allocate.hpp>
#include <upcxx/device_order.hpp>
#include <upcxx/dist_object.hpp>
#include <upcxx/progress.hpp>
#include <upcxx/when_all.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

namespace {

using upcxx::operation_cx;
using upcxx::rank_me;
using upcxx::rank_n;
using upcxx::remote_cx;
using upcxx::source_cx;
using upcxx::atoll_extension::order;

constexpr std::size_t segment_bytes = std::size_t{8} << 20;
constexpr std::size_t count = 50'000;

int told_calls = 0;

std::vector<int> pattern(int seed) {
  std::vector<int> made(count);
  for (std::size_t i = 0; i < count; ++i) made[i] = seed * 1'000'003 + static_cast<int>(i);
  return made;
}

/// Sends data that a stream is still writing; later work on the stream may overwrite them.
template <class Device, class From, class To>
upcxx::future<> send_in_order(const upcxx::device_allocator<Device>& gpu, void* stream, From mine,
                              To at_right) {
  upcxx::atoll_extension::order order(gpu);
  order.wait_for_stream(stream).hold_stream(stream);
  return upcxx::atoll_extension::copy(mine, at_right, count, order);
}

template <class Device>
class device_order : public testing::Test {
 protected:
  using any_ptr = upcxx::global_ptr<int, upcxx::memory_kind::any>;

  device_order()
      : allocator_(upcxx::make_gpu_allocator<Device>(segment_bytes)),
        core_(atl::upcxx_front::job.runtime->open_device(
            static_cast<atl::memory::memory_kind>(Device::kind), allocator_.device_id())),
        gates_(dynamic_cast<atl::memory::program_order&>(core_)),
        work_(work_on(core_)),
        stream_(work_->make_stream()),
        event_(work_->make_event()),
        host_(upcxx::new_array<int>(2 * count)),
        on_device_(allocator_.template allocate<int>(4 * count)) {
    const upcxx::dist_object<any_ptr> hosts(host_), devices(on_device_);
    const int right = (rank_me() + 1) % rank_n();
    right_host_ = hosts.fetch(right).wait();
    right_device_ = devices.fetch(right).wait();
    upcxx::barrier();
  }
  ~device_order() override {
    upcxx::barrier();
    work_->end_event(event_);
    work_->end_stream(stream_);
    work_.reset();
    upcxx::delete_array(host_);
    allocator_.destroy();
  }

  static void write(any_ptr to, const std::vector<int>& data) {
    upcxx::copy(data.data(), to, count).wait();
  }
  static std::vector<int> read(any_ptr from) {
    std::vector<int> data(count);
    upcxx::copy(from, data.data(), count).wait();
    return data;
  }
  template <class Future>
  static void expect_unready(const Future& future) {
    for (int look = 0; look < 50; ++look) upcxx::progress();
    EXPECT_FALSE(future.ready());
  }
  int* local(std::size_t part) const {
    return upcxx::device_allocator<Device>::local(on_device_) + part * count;
  }
  void* close_gate() { return gates_.hold_stream(stream_); }
  void drain() {
    void* const mark = core_.mark(stream_);
    while (!core_.has_passed(mark).value()) upcxx::progress();
    core_.forget(mark);
  }

  upcxx::device_allocator<Device> allocator_;
  atl::memory::device& core_;
  atl::memory::program_order& gates_;
  std::unique_ptr<program_work> work_;
  void* stream_;
  void* event_;
  upcxx::global_ptr<int> host_;
  upcxx::global_ptr<int, Device::kind> on_device_;
  any_ptr right_host_;
  any_ptr right_device_;
};

using devices = testing::Types<upcxx::cuda_device, upcxx::hip_device, upcxx::ze_device>;
TYPED_TEST_SUITE(device_order, devices);

TYPED_TEST(device_order, a_put_follows_a_stream_which_goes_on_behind_it) {
  for (const auto& target : {this->right_device_ + 3 * count, this->right_host_}) {
    const auto early = pattern(1), sent = pattern(2 + rank_me()), late = pattern(3);
    this->write(this->on_device_, early);
    this->write(this->on_device_ + count, sent);
    this->write(this->on_device_ + 2 * count, late);
    void* const gate = this->close_gate();
    ASSERT_NE(gate, nullptr);
    this->work_->copy(this->stream_, this->local(0), this->local(1), count * sizeof(int));
    order also(this->allocator_);
    also.wait_for_stream(this->stream_).hold_stream(this->stream_).signal_event(this->event_);
    auto other = upcxx::atoll_extension::copy(this->on_device_, this->host_ + count, count, also);
    auto put = send_in_order(this->allocator_, this->stream_, this->on_device_, target);
    this->work_->copy(this->stream_, this->local(0), this->local(2), count * sizeof(int));
    this->expect_unready(other);
    this->expect_unready(put);
    EXPECT_FALSE(this->work_->is_complete(this->event_));
    this->gates_.release(gate);
    other.wait();
    put.wait();
    this->drain();
    while (!this->work_->is_complete(this->event_)) upcxx::progress();
    EXPECT_EQ(this->read(target), sent);
    EXPECT_EQ(this->read(this->on_device_), late);
    upcxx::barrier();
  }
}

TYPED_TEST(device_order, a_get_comes_before_what_its_stream_does_next) {
  const auto got = pattern(7), early = pattern(8);
  upcxx::barrier();
  this->write(this->right_device_ + 2 * count, got);
  upcxx::barrier();
  this->write(this->on_device_, early);
  order order(this->allocator_);
  order.hold_stream(this->stream_);
  auto get =
      upcxx::atoll_extension::copy(this->right_device_ + 2 * count, this->on_device_, count, order,
                                   operation_cx::as_future() | source_cx::as_future());
  this->work_->copy(this->stream_, this->local(1), this->local(0), count * sizeof(int));
  std::get<0>(get).wait();
  std::get<1>(get).wait();
  this->drain();
  EXPECT_EQ(this->read(this->on_device_ + count), got);
  upcxx::barrier();
}

TYPED_TEST(device_order, completions_are_told_when_the_copy_is_complete) {
  told_calls = 0;
  upcxx::barrier();
  std::vector<int> sent = pattern(4);
  void* const gate = this->close_gate();
  order order(this->allocator_);
  order.wait_for_stream(this->stream_);
  upcxx::promise<> promise;
  bool is_told = false;
  auto put = upcxx::atoll_extension::copy(
      sent.data(), this->right_device_, count, order,
      operation_cx::as_future() | operation_cx::as_promise(promise) |
          operation_cx::as_lpc(upcxx::current_persona(), [&] { is_told = true; }) |
          remote_cx::as_rpc([] { ++told_calls; }));
  this->expect_unready(put);
  EXPECT_FALSE(is_told);
  this->gates_.release(gate);
  put.wait();
  promise.finalize().wait();
  while (!is_told || told_calls == 0) upcxx::progress();
  EXPECT_EQ(told_calls, 1);
  EXPECT_EQ(this->read(this->right_device_), sent);
  upcxx::barrier();
}

TYPED_TEST(device_order, host_memory_is_copied_in_order_too) {
  const auto early = pattern(5), sent = pattern(6);
  this->write(this->on_device_, sent);
  std::vector<int> target = early;
  // For memory that is not pinned the driver would wait for the copy, and so for the gate.
  std::byte* const pinned = this->core_.pin(count * sizeof(int));
  int* const source = std::copy(early.begin(), early.end(), reinterpret_cast<int*>(pinned)) - count;
  void* const gate = this->close_gate();
  this->work_->copy(this->stream_, source, this->local(0), count * sizeof(int));
  order order(this->allocator_);
  order.wait_for_stream(this->stream_);
  auto to_shared = upcxx::atoll_extension::copy(source, this->host_, count, order);
  auto to_private = upcxx::atoll_extension::copy(this->on_device_, target.data(), count, order);
  this->expect_unready(upcxx::when_all(to_shared, to_private));
  EXPECT_EQ(target, early);
  this->gates_.release(gate);
  upcxx::when_all(to_shared, to_private).wait();
  EXPECT_EQ(this->read(this->host_), sent);
  EXPECT_EQ(target, sent);
  this->core_.unpin(pinned);
}

}  // namespace
