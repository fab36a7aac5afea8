// SPDX-License-Identifier: BSD-3-Clause
//
// The part of upcxx::copy that need not be inline: where the two ends are, copies in an order with
// a program's streams, and copies that another rank asks of this one. Those run in the request's
// message, which is kept until the data is there.
#include <upcxx/copy.hpp>

#include <atoll/base/text.hpp>
#include <atoll/core/device/device_transfers.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/rma/device_rma.hpp>
#include <atoll/core/rma/rma.hpp>
#include <front/upcxx/device_heap.hpp>
#include <front/upcxx/process_state.hpp>
#include <upcxx/device_order.hpp>
#include <upcxx/rpc.hpp>

#include <utility>

namespace atl::upcxx_front {
namespace {

constexpr const char* call_name = "upcxx::copy";

segment& segment_of(const copy_end& end) noexcept {
  return end.heap != nullptr ? *end.heap->shared : job.endpoint->bound();
}
std::byte* owners_address(const copy_end& end) noexcept {
  if (end.heap != nullptr) return reinterpret_cast<std::byte*>(end.location.offset);
  return job.endpoint->bound().part(end.location.rank).base + end.location.offset;
}
/// The address in this process of an end that is here.
std::byte* local_address(const copy_end& end) noexcept {
  return end.mapped != nullptr ? end.mapped : owners_address(end);
}
memory::device* local_device(const copy_end& end) noexcept {
  return end.heap != nullptr ? end.heap->device : nullptr;
}

void check_end(const place& location, std::size_t offset, std::size_t bytes,
               std::size_t room) noexcept {
  if (offset <= room && bytes <= room - offset) [[likely]]
    return;
  refuse(call_name,
         text(bytes, " bytes at a global pointer to rank ", location.rank,
              " are not all in that rank's shared memory")
             .c_str(),
         "copy within what has been allocated");
}

/// A copy that this rank makes for another: from any rank into this one's memory.
struct asked_copy final : in_flight {
  asked_copy(arrived_message& arrived, reader& body) : message(keep_message(arrived)) {
    request = body.read<copy_request>();
    first_call = body.position();
    run = [](work& self) noexcept {
      auto& me = static_cast<asked_copy&>(self);
      unregister_flight(me);
      me.end();
    };
  }

  void start() noexcept {
    const copy_end to = end_of_copy(request.to, request.bytes);
    const copy_end from = end_of_copy(request.from, request.bytes);
    if (copied_directly(to, from, request.bytes)) return end();
    start_copy(to, from, request.bytes, true, done);
    if (done.empty()) return end();
    register_flight(*this, done);
  }

  // Makes the calls that wait for the data, answers, ends the message, and destroys this object.
  void end() noexcept {
    reader body(message.payload);
    body.skip_to(first_call);
    for (std::uint64_t left = request.calls; left != 0; --left) {
      const auto bytes = body.read<std::uint64_t>();
      run_copied_call(message.source, {body.take(bytes, buffer_alignment), bytes});
    }
    if (message.answer_to != 0) send_result(message, upcxx::make_future());
    end_message(message);
    end_in_block(this);
  }

  arrived_message& message;
  copy_request request;
  std::size_t first_call;
  event done;
};

}  // namespace

copy_end end_of_copy(const place& location, std::size_t bytes) noexcept {
  need_job(call_name);
  if (location.kind == 0) refuse(call_name, "a global pointer is null", "pass pointers to memory");
  if (location.rank >= job.size) {
    refuse(call_name, text("a global pointer is to rank ", location.rank, " of ", job.size).c_str(),
           "pass pointers that a rank of this job has made");
  }
  if (location.device != 0) {
    device_heap& heap = heap_of(location, call_name);
    const segment_part part = heap.shared->part(location.rank);
    check_end(location, location.offset - reinterpret_cast<std::uintptr_t>(part.base), bytes,
              part.bytes);
    return {location, nullptr, &heap};
  }
  check_end(location, location.offset, bytes, job.endpoint->bound().part(location.rank).bytes);
  const bool mapped = location.rank == job.rank || job.is_direct(location.rank);
  return {location, mapped ? job.address(location.rank, location.offset) : nullptr, nullptr};
}

copy_end end_of_copy(const void* address) noexcept {
  need_job(call_name);
  if (address == nullptr) refuse(call_name, "a pointer is null", "pass pointers to memory");
  // const_cast: where this end is the source, it is only read.
  auto* const bytes = static_cast<std::byte*>(const_cast<void*>(address));
  return {{.offset = 0, .rank = job.rank, .device = 0, .kind = 0}, bytes, nullptr};
}

// One end is here. If that is the target and the source is not mapped, the source is in a segment.
void start_copy(const copy_end& to, const copy_end& from, std::size_t bytes, bool keeps,
                event& done) noexcept {
  if (to.is_local() && from.mapped == nullptr) {
    get_nb(segment_of(from), local_address(to), from.location.rank, owners_address(from), bytes,
           done, {.device = local_device(to)});
    return;
  }
  put_nb(segment_of(to), to.location.rank, owners_address(to), local_address(from), bytes, done,
         {.keeps_source = keeps, .device = local_device(from)});
}

void start_ordered_copy(const copy_end& to, const copy_end& from, std::size_t bytes,
                        const upcxx::atoll_extension::order& order, event& done) {
  static constexpr const char* call = "upcxx::atoll_extension::copy";
  if (order.device < 0) {
    refuse(call, "its order is of a device that is not active on this rank",
           "make the order of a device or an allocator that is active");
  }
  if (!to.is_local() && !from.is_local()) {
    refuse(call,
           text("neither rank ", to.location.rank, "'s nor rank ", from.location.rank,
                "'s memory is reached from rank ", job.rank)
               .c_str(),
           "let a rank that owns one of both ends copy");
  }
  device_transfers& devices = layer_access::devices(*job.runtime);
  const device_order wanted{
      .device = &devices.open(static_cast<memory::memory_kind>(order.kind), order.device),
      .waits_for_streams = order.waited_streams,
      .waits_for_events = order.waited_events,
      .holds_streams = order.held_streams,
      .signals_events = order.signalled_events};
  if (to.mapped != nullptr && from.mapped != nullptr)
    return copy_nb_ordered(*job.runtime, {to.mapped, from.mapped, bytes}, wanted, done);
  const auto transfer = [bytes](const copy_end& remote, const copy_end& local) {
    return ordered_transfer{.memory = segment_of(remote),
                            .peer = remote.location.rank,
                            .remote = owners_address(remote),
                            .local = local_address(local),
                            .bytes = bytes,
                            .device = local_device(local)};
  };
  if (to.is_local() && from.mapped == nullptr) {
    get_nb_ordered(transfer(from, to), wanted, done);
  } else {
    put_nb_ordered(transfer(to, from), wanted, done);
  }
}

void copy_and_wait(const copy_end& to, const copy_end& from, std::size_t bytes) noexcept {
  event done;
  start_copy(to, from, bytes, true, done);
  job.runtime->wait_while([] { return advance(false); }, [&] { return test_event(done); },
                          atl::layer_access::bell_sleep_ns(*job.runtime));
}

void run_asked_copy(reader& body, void* context) {
  make_in_block<asked_copy>(*static_cast<arrived_message*>(context), body)->start();
}

}  // namespace atl::upcxx_front
