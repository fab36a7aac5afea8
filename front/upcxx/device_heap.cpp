// SPDX-License-Identifier: BSD-3-Clause
//
// Segments on devices. Making one agrees in two steps: all ranks allocate and tell each other
// whether they could, and only then they share. Ending one closes what ranks have opened of each
// other's memory before any rank frees it.
#include <front/upcxx/device_heap.hpp>

#include <atoll/base/text.hpp>
#include <atoll/memory/device/device_list.hpp>
#include <front/upcxx/process_state.hpp>
#include <upcxx/barrier.hpp>
#include <upcxx/reduce.hpp>

#include <algorithm>
#include <bit>

namespace atl::upcxx_front {
namespace {

constexpr std::size_t alignment_max = std::size_t{1} << 20;
constexpr const char* make_call = "device_allocator::device_allocator";

std::uintptr_t number_of(const void* address) noexcept {
  return reinterpret_cast<std::uintptr_t>(address);
}

void take_memory(device_heap& heap, std::size_t bytes, std::byte* base) noexcept {
  if (base != nullptr && !heap.device->owns(base, bytes)) {
    refuse(make_call,
           text(bytes, " bytes at ", hex(base), " are not all memory of ",
                memory::text_of(heap.device->description()))
               .c_str(),
           "pass memory that was allocated on that device, or none");
  }
  heap.is_own = base == nullptr;
  heap.base = heap.is_own ? heap.device->allocate(bytes) : base;
  if (heap.base == nullptr) return;
  heap.bytes = bytes;
  heap.lead = number_of(heap.base) % alignment_max;
  heap.map.emplace(heap.lead + bytes);
  if (heap.lead != 0) heap.map->take(0, heap.lead);
}

void give_memory_back(device_heap& heap) noexcept {
  if (heap.is_own && heap.base != nullptr) heap.device->free(heap.base);
  heap.base = nullptr;
  heap.bytes = 0;
  heap.map.reset();
}

// All ranks make and end segments in the same order, so the lowest free number is the same.
void take_number(const device_heap_ptr& heap) noexcept {
  auto& heaps = the_process->device_heaps;
  const auto found = std::ranges::find(heaps, nullptr);
  if (found == heaps.end()) {
    refuse(make_call, text("there are ", heaps.size(), " segments on devices").c_str(),
           "destroy some before");
  }
  *found = heap;
  heap->number = static_cast<std::uint16_t>(found - heaps.begin() + 1);
}

[[noreturn]] void refuse_inactive(upcxx::memory_kind kind, const char* call) noexcept {
  refuse(text("device_allocator<", name_of(kind), ">::", call).c_str(),
         "the allocator is inactive: its device is, or it has been destroyed",
         "ask is_active() before, and keep the data in host memory where there is no device");
}

device_heap& active(const device_heap_ptr& heap, upcxx::memory_kind kind, const char* call) {
  if (!has_segment(heap)) [[unlikely]]
    refuse_inactive(kind, call);
  return *heap;
}

place place_in(const device_heap& heap, upcxx::memory_kind kind, std::uintptr_t address) noexcept {
  return {.offset = address,
          .rank = job.rank,
          .device = heap.number,
          .kind = static_cast<std::uint16_t>(kind)};
}

// From here on no rank opens another's memory, and none frees its own before all have come here.
void end_segment(device_heap& heap) {
  const std::size_t number = heap.number;
  if (number == 0) return;
  heap.shared.reset();
  upcxx::world().core("destroy of a device").barrier();
  give_memory_back(heap);
  heap.number = 0;
  the_process->device_heaps[number - 1].reset();
}

}  // namespace

bool has_segment(const device_heap_ptr& heap) noexcept {
  return heap != nullptr && heap->base != nullptr;
}

std::int64_t bytes_of_segment(const device_heap_ptr& heap) noexcept {
  return has_segment(heap) ? static_cast<std::int64_t>(heap->bytes) : 0;
}

std::int64_t used_bytes_of_segment(const device_heap_ptr& heap) noexcept {
  if (!has_segment(heap)) return 0;
  const std::lock_guard hold(heap->guard);
  return static_cast<std::int64_t>(heap->map->used() - heap->lead);
}

device_heap_ptr make_device_segment(upcxx::gpu_device& device, std::size_t bytes, void* base) {
  need_collective(make_call);
  device_heap_ptr& heap = device_access::heap_of(device);
  if (heap == nullptr) heap = std::make_shared<device_heap>();  // inactive on this rank
  const bool is_active = heap->is_active();
  if (heap->has_allocator)
    refuse(make_call, "the device has an allocator", "open the device once more for another one");
  if (is_active && bytes == 0)
    refuse(make_call, "a segment of 0 bytes", "ask for the bytes that the rank needs");
  if (is_active) take_memory(*heap, bytes, static_cast<std::byte*>(base));
  constexpr unsigned some_active = 1;
  constexpr unsigned some_failed = 2;
  const unsigned own = !is_active ? 0 : heap->base != nullptr ? some_active : some_failed;
  const unsigned all = upcxx::reduce_all(own, upcxx::op_fast_bit_or).wait();
  if ((all & some_failed) != 0) {
    give_memory_back(*heap);
    throw upcxx::bad_segment_alloc();
  }
  if (all == 0) return heap;
  heap->has_allocator = true;
  take_number(heap);
  heap->shared.emplace(*job.runtime);
  heap->shared->share({heap->base, heap->bytes, heap->base != nullptr ? heap->device : nullptr});
  return heap;
}

place allocate_on_device(const device_heap_ptr& from, upcxx::memory_kind kind, std::size_t bytes,
                         std::size_t align) noexcept {
  device_heap& heap = active(from, kind, "allocate");
  if (!std::has_single_bit(align) || align > alignment_max) {
    refuse("device_allocator::allocate",
           text("the alignment ", align, " is no power of two up to ", alignment_max).c_str(),
           "ask for a smaller power of two");
  }
  const std::lock_guard hold(heap.guard);
  const std::size_t taken = std::max<std::size_t>(bytes, 1);
  if (taken > heap.bytes) return {};
  const std::size_t offset = heap.map->find_room(taken, align);
  if (offset == memory::range_map::no_offset) return {};
  heap.map->take(offset, taken);
  return place_in(heap, kind, number_of(heap.base) - heap.lead + offset);
}

void deallocate_on_device(const device_heap_ptr& from, upcxx::memory_kind kind,
                          const place& block) noexcept {
  device_heap& heap = active(from, kind, "deallocate");
  const bool is_local = block.rank == job.rank && block.device == heap.number;
  const std::size_t offset = block.offset - (number_of(heap.base) - heap.lead);
  const std::lock_guard hold(heap.guard);
  if (is_local && heap.holds(block.offset, 1) && heap.map->give_back(offset) != 0) return;
  refuse(
      text("device_allocator::deallocate of ", hex(block.offset), " of rank ", block.rank).c_str(),
      "no block of this allocator begins there",
      "give each block back once, to the allocator that it is from");
}

place place_on_device(const device_heap_ptr& from, upcxx::memory_kind kind,
                      const void* address) noexcept {
  device_heap& heap = active(from, kind, "to_global_ptr");
  if (heap.holds(number_of(address), 0)) return place_in(heap, kind, number_of(address));
  refuse("device_allocator::to_global_ptr",
         text(hex(address), " is not in the segment, [", hex(heap.base), ", ",
              hex(heap.base + heap.bytes), ")")
             .c_str(),
         "pass an address of memory that this allocator has given");
}

device_heap& heap_of(const place& location, const char* call) noexcept {
  need_job(call);
  const std::size_t number = location.device;
  if (number != 0 && number <= process_state::device_heaps_max) {
    device_heap* const found = the_process->device_heaps[number - 1].get();
    if (found != nullptr && found->shared.has_value()) return *found;
  }
  refuse(text(call, " of a pointer to device memory of rank ", location.rank).c_str(),
         "the allocator of this memory has been destroyed",
         "keep each allocator until all ranks have finished with its memory");
}

int device_of_place(const place& location, const char* call) noexcept {
  need_job(call);
  if (location.rank != job.rank) {
    refuse(call, text("the pointer is to memory of rank ", location.rank).c_str(),
           "ask on the rank that allocated it");
  }
  const device_heap& heap = heap_of(location, call);
  if (!heap.holds(location.offset, 0)) {
    refuse(call, text(hex(location.offset), " is not in the segment of the pointer").c_str(),
           "ask of pointers that an allocator has given");
  }
  return heap.id;
}

void destroy_device(const device_heap_ptr& heap, const char* call, upcxx::entry_barrier entry) {
  need_collective(call);
  enter_by_barrier(upcxx::world(), entry, call);
  if (heap == nullptr) return;
  end_segment(*heap);
  heap->device = nullptr;
  heap->id = upcxx::gpu_device::invalid_device_id;
}

// Ends the segments that the program has not ended. They have the same numbers on all ranks.
void process_state::close_devices() {
  for (std::shared_ptr<device_heap> each : device_heaps)
    if (each != nullptr) end_segment(*each);
  for (const std::weak_ptr<device_heap>& each : devices) {
    const std::shared_ptr<device_heap> left = each.lock();
    if (left == nullptr) continue;
    left->device = nullptr;
    left->id = upcxx::gpu_device::invalid_device_id;
  }
}

}  // namespace atl::upcxx_front
