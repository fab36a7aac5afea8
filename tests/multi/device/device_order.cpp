// SPDX-License-Identifier: BSD-3-Clause
//
// Tests transfers that are ordered with a program's own streams and events (device_rma.hpp),
// between the memories of every pair of ranks. The program's streams stop at gates that the test
// opens, so the test knows what must not have happened before: no transfer starts while the stream
// that it waits for is stopped at a gate, and no work on a held stream happens before the transfer
// is complete. A wrong order shows as wrong bytes and counts of bytes, never as a time.
//
// device_order KIND            all that must hold
// device_order KIND refused    a device that holds no stream; one without a device
#include <atoll/base/error.hpp>
#include <atoll/core/device/device_transfers.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/rma/device_rma.hpp>
#include <atoll/core/rma/rma.hpp>
#include <tests/multi/device/memory_of_kind.hpp>
#include <tests/multi/device/program_work.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <vector>

namespace {

using namespace atl;
using memory::program_order;

constexpr std::size_t sizes[] = {1, 5000, 300'001};
constexpr std::size_t third = 400'000;  // where another area begins in a region
constexpr int looks = 50;               // checks that something has not happened

class order_checks {
 public:
  order_checks(runtime& job, memory::device& device)
      : job_(job),
        device_(device),
        gates_(dynamic_cast<program_order&>(device)),
        work_(work_on(device)),
        on_device_(job, &device),
        on_host_(job, nullptr),
        pinned_(device.pin(region)),
        streams_{work_->make_stream(), work_->make_stream()},
        events_{work_->make_event(), work_->make_event()} {}
  order_checks(const order_checks&) = delete;
  order_checks& operator=(const order_checks&) = delete;
  ~order_checks() {
    for (void* const each : streams_) work_->end_stream(each);
    for (void* const each : events_) work_->end_event(each);
    device_.unpin(pinned_);
    job_.world().barrier();
    on_device_.end();
    on_host_.end();
  }

  void run() {
    for (rank_id peer = 0; peer < job_.size(); ++peer) {
      for (memory_of_kind* const local : {&on_device_, &on_host_})
        for (memory_of_kind* const remote : {&on_device_, &on_host_})
          for (const std::size_t bytes : sizes) {
            put_behind_a_stream(*local, *remote, peer, bytes);
            get_before_a_stream(*local, *remote, peer, bytes);
            events_on_both_sides(*local, *remote, peer, bytes);
          }
      job_.world().barrier();
    }
    copy_of_host_memory();
    several_under_way();
    without_anything();
  }

 private:
  // The program's stream writes the source after a gate, and overwrites it after the put.
  void put_behind_a_stream(memory_of_kind& local, memory_of_kind& remote, rank_id peer,
                           std::size_t bytes) {
    const auto early = fresh(bytes), sent = fresh(bytes), late = fresh(bytes);
    std::byte* const source = local_end(local);
    std::byte* const target = remote.region_of(peer, job_.rank());
    write(local, source, early);
    write(on_device_, on_device_.scratch(1), sent);
    write(on_device_, on_device_.scratch(1) + third, late);
    put(remote.shared, peer, target, early.data(), bytes);

    void* const gate = close_gate(streams_[0]);
    work_->copy(streams_[0], source, on_device_.scratch(1), bytes);
    const std::uint64_t bytes_before = moved();
    event done;
    put_nb_ordered({remote.shared, peer, target, source, bytes, local.device},
                   {.device = &device_,
                    .waits_for_streams = {streams_.data(), 1},
                    .holds_streams = {streams_.data(), 1}},
                   done);
    work_->copy(streams_[0], source, on_device_.scratch(1) + third, bytes);
    expect_still_under_way(done, bytes_before, "a put waits for a stream");
    gates_.release(gate);
    job_.wait(done);
    drain(streams_[0]);
    compare("a put behind a stream", read(remote, peer, target, bytes), sent);
    compare("the source after a put", read(local, job_.rank(), source, bytes), late);
  }

  // The program reads the result of a get on a held stream.
  void get_before_a_stream(memory_of_kind& local, memory_of_kind& remote, rank_id peer,
                           std::size_t bytes) {
    const auto early = fresh(bytes), got = fresh(bytes);
    std::byte* const source = remote.region_of(peer, job_.rank());
    std::byte* const target = local_end(local);
    std::byte* const result = on_device_.scratch(1);
    put(remote.shared, peer, source, got.data(), bytes);
    write(local, target, early);
    write(on_device_, result, early);

    void* const gate = close_gate(streams_[0]);
    const std::uint64_t bytes_before = moved();
    event done;
    get_nb_ordered({remote.shared, peer, source, target, bytes, local.device},
                   {.device = &device_,
                    .waits_for_streams = {streams_.data(), 1},
                    .holds_streams = {&streams_[1], 1}},
                   done);
    work_->copy(streams_[1], result, target, bytes);
    expect_still_under_way(done, bytes_before, "a get waits for a stream");
    compare("behind a get under way", read(on_device_, job_.rank(), result, bytes), early);
    gates_.release(gate);
    job_.wait(done);
    drain(streams_[1]);
    compare("a get before a stream", read(on_device_, job_.rank(), result, bytes), got);
  }

  // The same by an event that the put waits for and one that it signals, for which a stream waits.
  void events_on_both_sides(memory_of_kind& local, memory_of_kind& remote, rank_id peer,
                            std::size_t bytes) {
    const auto early = fresh(bytes), sent = fresh(bytes), late = fresh(bytes);
    std::byte* const source = local_end(local);
    std::byte* const target = remote.region_of(peer, job_.rank());
    write(local, source, early);
    write(on_device_, on_device_.scratch(1), sent);
    write(on_device_, on_device_.scratch(1) + third, late);

    void* const gate = close_gate(streams_[0]);
    work_->copy(streams_[0], source, on_device_.scratch(1), bytes);
    work_->record(events_[0], streams_[0]);
    const std::uint64_t bytes_before = moved();
    event done;
    put_nb_ordered({remote.shared, peer, target, source, bytes, local.device},
                   {.device = &device_,
                    .waits_for_events = {events_.data(), 1},
                    .signals_events = {&events_[1], 1}},
                   done);
    work_->wait_for(streams_[1], events_[1]);
    work_->copy(streams_[1], source, on_device_.scratch(1) + third, bytes);
    expect_still_under_way(done, bytes_before, "a put waits for an event");
    expect(!work_->is_complete(events_[1]), "an event is signalled before the put is complete");
    gates_.release(gate);
    job_.wait(done);
    drain(streams_[1]);
    expect(work_->is_complete(events_[1]), "an event is not signalled by a put");
    compare("a put behind an event", read(remote, peer, target, bytes), sent);
    compare("the source after the event", read(local, job_.rank(), source, bytes), late);
  }

  void copy_of_host_memory() {
    const auto early = fresh(1000), sent = fresh(1000);
    std::vector<std::byte> target = early;
    std::ranges::copy(early, pinned_);
    write(on_device_, on_device_.scratch(1), sent);
    void* const gate = close_gate(streams_[0]);
    work_->copy(streams_[0], pinned_, on_device_.scratch(1), sent.size());
    event done;
    copy_nb_ordered(job_, {target.data(), pinned_, sent.size()},
                    {.device = &device_, .waits_for_streams = {streams_.data(), 1}}, done);
    expect_still_under_way(done, moved(), "a copy waits for a stream");
    expect(target == early, "a copy came before its stream");
    gates_.release(gate);
    job_.wait(done);
    expect(target == sent, "a copy behind a stream brought something else");
  }

  // The second of two streams goes on first, and so does the transfer that waits for it.
  void several_under_way() {
    const rank_id peer = (job_.rank() + 1) % job_.size();
    constexpr std::size_t bytes = 1000;
    const auto sent = fresh(bytes);
    write(on_device_, on_device_.scratch(0), sent);
    const std::array gates{close_gate(streams_[0]), close_gate(streams_[1])};
    std::array<event, 2> done;
    for (std::size_t i = 0; i < done.size(); ++i) {
      put_nb_ordered({on_device_.shared, peer, on_device_.region_of(peer, job_.rank()) + i * third,
                      on_device_.scratch(0), bytes, &device_},
                     {.device = &device_,
                      .waits_for_streams = {&streams_[i], 1},
                      .signals_events = {&events_[i], 1}},
                     done[i]);
    }
    gates_.release(gates[1]);
    job_.wait(done[1]);
    expect_still_under_way(done[0], moved(), "the first of two transfers");
    expect(!work_->is_complete(events_[0]), "the event of the first of two transfers");
    gates_.release(gates[0]);
    job_.wait(done[0]);
    wait_until([&] { return work_->is_complete(events_[0]) && work_->is_complete(events_[1]); });
    for (std::size_t i = 0; i < done.size(); ++i) {
      std::byte* const target = on_device_.region_of(peer, job_.rank()) + i * third;
      compare("one of two puts", read(on_device_, peer, target, bytes), sent);
    }
  }

  // An order without streams or events has no effect.
  void without_anything() {
    const auto sent = fresh(100);
    write(on_device_, on_device_.scratch(0), sent);
    event done;
    std::byte* const target = on_device_.region_of(job_.rank(), job_.rank());
    put_nb_ordered({on_device_.shared, job_.rank(), target, on_device_.scratch(0), 100, &device_},
                   {.device = &device_}, done);
    job_.wait(done);
    compare("a put without an order", read(on_device_, job_.rank(), target, 100), sent);
  }

  std::vector<std::byte> fresh(std::size_t bytes) {
    return pattern(bytes, job_.rank() + 100 * ++round_);
  }
  void* close_gate(void* stream) {
    void* const gate = gates_.hold_stream(stream);
    if (gate == nullptr) throw error("a gate", device_.problem(), "");
    return gate;
  }
  /// Bytes whose transfers have started.
  std::uint64_t moved() const {
    const device_transfers& devices = layer_access::devices(job_);
    return devices.direct_bytes() + devices.staged_bytes() + devices.registered_bytes();
  }
  void expect_still_under_way(const event& done, std::uint64_t bytes_before, const char* words) {
    for (int look = 0; look < looks; ++look) job_.progress();
    expect(!done.empty() && !done.record()->complete(), words);
    expect(moved() == bytes_before, words);
  }
  /// Waits for a condition whose change rings no doorbell.
  template <class Ready>
  void wait_until(Ready ready) {
    job_.wait_until(ready, runtime::silent_sleep_ns);
  }
  /// Waits until the device has done all work on a stream.
  void drain(void* stream) {
    void* const mark = device_.mark(stream);
    expect(mark != nullptr, "no mark");
    wait_until([&] { return device_.has_passed(mark).value_or(true); });
    device_.forget(mark);
  }

  /// The memory of this rank's end of a transfer. Host memory must be pinned: a driver waits for a
  /// copy to or from other host memory, and so for the gate before it.
  std::byte* local_end(const memory_of_kind& local) const {
    return local.device != nullptr ? local.scratch(0) : pinned_;
  }
  void write(memory_of_kind& into, std::byte* to, const std::vector<std::byte>& data) {
    if (to == pinned_) {
      std::ranges::copy(data, pinned_);
    } else {
      put(into.shared, job_.rank(), to, data.data(), data.size());
    }
  }
  std::vector<std::byte> read(memory_of_kind& from, rank_id owner, std::byte* source,
                              std::size_t bytes) const {
    if (source == pinned_) return {pinned_, pinned_ + bytes};
    std::vector<std::byte> data(bytes);
    get(from.shared, data.data(), owner, source, bytes);
    return data;
  }
  void compare(const char* words, const std::vector<std::byte>& found,
               const std::vector<std::byte>& wanted) {
    expect(found == wanted, (std::string(words) + ": wrong bytes, of " +
                             std::to_string(found.size()) + ", round " + std::to_string(round_))
                                .c_str());
  }
  void expect(bool holds, const char* words) {
    if (!holds) job_.fail("the order with a program's streams", words, "");
  }

  runtime& job_;
  memory::device& device_;
  program_order& gates_;
  std::unique_ptr<program_work> work_;
  memory_of_kind on_device_;
  memory_of_kind on_host_;
  std::byte* pinned_;  // host memory of this rank
  std::array<void*, 2> streams_;
  std::array<void*, 2> events_;
  unsigned round_ = 0;
};

/// Ends the job with a message.
void be_refused(runtime& job, memory::device* device) {
  std::vector<std::byte> data(100);
  std::array<void*, 1> streams{nullptr};
  event done;
  copy_nb_ordered(job, {data.data(), data.data() + 50, 50},
                  {.device = device, .holds_streams = streams}, done);
}

void run(runtime& job, const std::vector<std::string>& words) {
  memory::memory_kind kind = memory::memory_kind::cuda;
  for (const memory::memory_kind each : memory::device_kinds)
    if (std::ranges::find(words, memory::name_of(each)) != words.end()) kind = each;
  memory::device& device = device_of(job, kind);
  if (!words.empty() && words.back() == "refused") be_refused(job, &device);
  if (!words.empty() && words.back() == "nowhere") be_refused(job, nullptr);
  order_checks(job, device).run();
  if (job.rank() == 0) std::puts("all was in order");
}

}  // namespace

int main(int count, char** words) {
  runtime job;
  try {
    run(job, {words + 1, words + count});
  } catch (const error& refused) {
    job.fail(refused.object(), refused.cause(), refused.remedy());
  }
  return 0;
}
