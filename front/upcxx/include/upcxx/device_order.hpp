// SPDX-License-Identifier: BSD-3-Clause
//
// Copies that are ordered with a program's own work on a device: an extension, beyond the
// specification, that no other header includes. An order names streams and events of one device,
// and goes to one copy as its last argument but one:
//
//   upcxx::atoll_extension::order order(allocator);
//   order.wait_for_stream(stream).hold_stream(stream);
//   upcxx::atoll_extension::copy(from, to, count, order).wait();
//
// The copy touches no byte before all that was put on the stream before the call has ended, and
// what is put there after the call begins when the copy is complete at both ends. Progress of this
// rank moves the copy: a thread that synchronizes a held stream must not be the only one that makes
// progress. Streams and events are those of the device's primary context; of Level Zero immediate
// command lists, and events of a pool that the host sees, in the driver's context
// (ze_device::get_driver_context). The source is free when the copy is complete. One end must be
// memory of this process, or host memory that is mapped here. Threads: as upcxx::copy.
#pragma once

#include <upcxx/copy.hpp>
#include <upcxx/device_allocator.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace upcxx::atoll_extension {

class order {
 public:
  /// An order of streams and events on an active device of this process.
  explicit order(const gpu_device& own) : order(own.kind(), own.device_id()) {}
  template <class Device>
  explicit order(const device_allocator<Device>& allocator)
      : order(Device::kind, allocator.device_id()) {}

  /// The copy begins after all that is on the stream when it is called; null: the default stream.
  order& wait_for_stream(void* stream) { return add(waited_streams, stream); }
  /// The copy begins when the event is complete, which was recorded before the call.
  order& wait_for_event(void* event) { return add(waited_events, event); }
  /// All that is put on the stream after the call begins when the copy is complete.
  order& hold_stream(void* stream) { return add(held_streams, stream); }
  /// The event is incomplete from the call on, and complete when the copy is.
  order& signal_event(void* event) { return add(signalled_events, event); }

  memory_kind kind;
  gpu_device::id_type device;
  std::vector<void*> waited_streams;
  std::vector<void*> waited_events;
  std::vector<void*> held_streams;
  std::vector<void*> signalled_events;

 private:
  order(memory_kind device_kind, gpu_device::id_type id) : kind(device_kind), device(id) {}
  order& add(std::vector<void*>& list, void* item) {
    list.push_back(item);
    return *this;
  }
};

}  // namespace upcxx::atoll_extension

namespace atl::upcxx_front {

/// Starts a copy of which one end is here; others end the job with a message.
void start_ordered_copy(const copy_end& to, const copy_end& from, std::size_t bytes,
                        const upcxx::atoll_extension::order& order, event& done);

template <class T, class Cx>
auto ordered_copy_ends(const copy_end& from, const copy_end& to, std::size_t count,
                       const upcxx::atoll_extension::order& order, Cx&& completions) {
  static_assert(upcxx::is_trivially_serializable<T>::value,
                "copy: the type must be TriviallySerializable; others travel by rpc");
  check_completions<Cx, true, true>();
  using list = without_cvref<Cx>;
  static_assert(!has_copied_source<list>,
                "copy with an order: source_cx::as_buffered and as_blocking would wait for the "
                "program's streams; take source_cx::as_future");
  return launch<>(late_sources(list(std::forward<Cx>(completions))), to.location.rank, no_results(),
                  [&](no_results&, event& done) {
                    start_ordered_copy(to, from, count * sizeof(T), order, done);
                  });
}

}  // namespace atl::upcxx_front

namespace upcxx::atoll_extension {

/// As upcxx::copy, in the order with the program's work that is given.
template <class T, memory_kind From, memory_kind To, class Cx = atl::upcxx_front::default_cx>
[[nodiscard]] auto copy(global_ptr<const T, From> src, global_ptr<T, To> dest, std::size_t count,
                        const order& order, Cx&& completions = Cx()) {
  using namespace atl::upcxx_front;
  return ordered_copy_ends<T>(end_of_copy(pointer_access::place_of(src), count * sizeof(T)),
                              end_of_copy(pointer_access::place_of(dest), count * sizeof(T)), count,
                              order, std::forward<Cx>(completions));
}
template <class T, memory_kind To, class Cx = atl::upcxx_front::default_cx>
[[nodiscard]] auto copy(const atl::not_deduced<T>* src, global_ptr<T, To> dest, std::size_t count,
                        const order& order, Cx&& completions = Cx()) {
  using namespace atl::upcxx_front;
  return ordered_copy_ends<T>(end_of_copy(src),
                              end_of_copy(pointer_access::place_of(dest), count * sizeof(T)), count,
                              order, std::forward<Cx>(completions));
}
template <class T, memory_kind From, class Cx = atl::upcxx_front::default_cx>
[[nodiscard]] auto copy(global_ptr<const T, From> src, atl::not_deduced<T>* dest, std::size_t count,
                        const order& order, Cx&& completions = Cx()) {
  using namespace atl::upcxx_front;
  return ordered_copy_ends<T>(end_of_copy(pointer_access::place_of(src), count * sizeof(T)),
                              end_of_copy(dest), count, order, std::forward<Cx>(completions));
}

}  // namespace upcxx::atoll_extension
