// SPDX-License-Identifier: BSD-3-Clause
//
// Accesses that inline code does not do: to threads whose memory is not mapped here, of many bytes,
// all where accesses are counted, and all that are wrong. Single values of threads that are not
// mapped go by relaxed_accesses, which orders them when it must; all others are complete on return.
#include <atoll_upc/control.h>

#include <atoll/base/text.hpp>
#include <front/upc/address.hpp>
#include <front/upc/allocation.hpp>
#include <front/upc/relaxed.hpp>

#include <sched.h>

#include <algorithm>
#include <memory>

namespace atl::upc {
namespace {

constexpr unsigned strict_loads_between_polls = 64;
constexpr std::size_t piece_bytes = std::size_t{1} << 20;  // of a copy between two other threads

}  // namespace

std::byte* find(process_state& us, const char* call, atoll_upc_pointer p, std::size_t bytes) {
  if (p.offset == 0) {
    refuse(call, text("the pointer-to-shared is null", source_place()),
           "let it point to an object before it is used");
  }
  if (p.thread >= us.size() ||
      !us.heaps.routes()[p.thread].contains(us.remote_address(p.thread, p.offset), bytes)) {
    refuse(call,
           text("the pointer-to-shared (", text_of(p), ") of ", bytes,
                " bytes is outside of shared memory", source_place()),
           text("there are ", us.size(), " threads; check indices and casts"));
  }
  return us.remote_address(p.thread, p.offset);
}

}  // namespace atl::upc

using namespace atl;
using namespace atl::upc;

void atoll_upc_get(void* to, atoll_upc_pointer from, std::size_t bytes) {
  process_state& us = running("a read of shared memory");
  if (bytes == 0) return;
  if (us.counted != nullptr) us.counted->add_read(from.thread, bytes);
  if (us.relaxed != nullptr) {
    if (us.relaxed->serves(from.thread, bytes)) return us.relaxed->get(to, from, bytes);
    us.relaxed->make_way(from, bytes);
  }
  atl::get(us.heaps, to, from.thread, find(us, "a read of shared memory", from, bytes), bytes);
}

void atoll_upc_put(atoll_upc_pointer to, const void* from, std::size_t bytes) {
  process_state& us = running("a write of shared memory");
  if (bytes == 0) return;
  if (us.counted != nullptr) us.counted->add_write(to.thread, bytes);
  if (us.relaxed != nullptr) {
    if (us.relaxed->serves(to.thread, bytes)) return us.relaxed->put(to, from, bytes);
    us.relaxed->make_way(to, bytes);
  }
  atl::put(us.heaps, to.thread, find(us, "a write of shared memory", to, bytes), from, bytes);
}

// One transfer where one side is mapped here; else the bytes pass through this thread.
void atoll_upc_copy(atoll_upc_pointer to, atoll_upc_pointer from, std::size_t bytes) {
  static constexpr const char* call = "a copy in shared memory";
  process_state& us = running(call);
  if (bytes == 0) return;
  if (us.counted != nullptr) {
    us.counted->add_read(from.thread, bytes);
    us.counted->add_write(to.thread, bytes);
  }
  if (us.relaxed != nullptr) {
    us.relaxed->make_way(to, bytes);
    us.relaxed->make_way(from, bytes);
  }
  std::byte* const target = find(us, call, to, bytes);
  std::byte* const source = find(us, call, from, bytes);
  if (void* const mapped = us.heaps.routes()[to.thread].direct(target, bytes); mapped != nullptr) {
    atl::get(us.heaps, mapped, from.thread, source, bytes);
    return;
  }
  if (const void* const mapped = us.heaps.routes()[from.thread].direct(source, bytes);
      mapped != nullptr) {
    atl::put(us.heaps, to.thread, target, mapped, bytes);
    return;
  }
  const std::size_t most = std::min(bytes, piece_bytes);
  const auto piece = std::make_unique<std::byte[]>(most);
  for (std::size_t done = 0; done < bytes; done += most) {
    const std::size_t length = std::min(bytes - done, most);
    atl::get(us.heaps, piece.get(), from.thread, source + done, length);
    atl::put(us.heaps, to.thread, target + done, piece.get(), length);
  }
}

int atoll_upc_hold_writes() {
  const bool is_used = the_process != nullptr && the_process->relaxed != nullptr;
  return is_used && the_process->relaxed->hold() ? 1 : 0;
}

void atoll_upc_send_writes() { the_process->relaxed->send(); }

void atoll_upc_complete() {
  if (the_process != nullptr && the_process->relaxed != nullptr) the_process->relaxed->complete();
}

void atoll_upc_poll() {
  atoll_upc_strict_loads = strict_loads_between_polls;
  process_state& us = running("a strict read or bupc_poll");
  us.runtime.progress();
  if (us.runtime.is_oversubscribed()) ::sched_yield();
}

void* atoll_upc_local_checked(atoll_upc_pointer p, const char* file, int line) {
  process_state& us = running("a cast to a private pointer");
  if (p.offset == 0) return nullptr;
  if (p.thread != us.rank()) {
    refuse("a cast to a private pointer",
           text("the pointer-to-shared (", text_of(p), ") has affinity to another thread (", file,
                ":", line, ")"),
           "cast pointers to this thread's own memory, or use upc_cast");
  }
  return us.own_address(p.offset);
}

void atoll_upc_check_access(atoll_upc_pointer p, std::size_t bytes, const char* file, int line) {
  static constexpr const char* call = "an access to shared memory";
  ATOLL_UPC_AT(file, line);
  process_state& us = running(call);
  find(us, call, p, bytes);
  const auto found = find_allocation(us, p);
  if (!found ||
      (found->second != 0 && p.offset >= found->first && p.offset + bytes <= found->second))
    return;
  refuse(call,
         found->second == 0
             ? text("the pointer-to-shared (", text_of(p), ") is of no memory that is allocated",
                    source_place())
             : text("the pointer-to-shared (", text_of(p), ") of ", bytes,
                    " bytes is outside of its allocation, which has ", found->second - found->first,
                    " bytes on a thread", source_place()),
         "check indices, and whether the memory was freed");
}

ptrdiff_t atoll_upc_check_index(ptrdiff_t index, ptrdiff_t count, int is_end_allowed,
                                const char* file, int line) {
  if (index >= 0 && index < count + (is_end_allowed != 0 ? 1 : 0)) return index;
  refuse("a subscript",
         text("it is ", index, ", and the array has ", count, " elements (", file, ":", line, ")"),
         "use subscripts from 0 on that are less than the number of elements");
}
