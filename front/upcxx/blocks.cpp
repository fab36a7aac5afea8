// SPDX-License-Identifier: BSD-3-Clause
//
// Lists of free blocks, one per multiple of 64 bytes up to 512; larger blocks go to the system. A
// list holds 1024 blocks at most. What comes after the end of a thread's lists (destructors of
// other thread-local objects) goes to the system too.
#include <upcxx/blocks.hpp>

#include <array>

namespace atl::upcxx_front {
namespace {

constexpr std::size_t step_bytes = 64;
constexpr std::size_t classes = 8;
constexpr unsigned most_free = 1024;

struct free_block {
  free_block* next;
};

struct free_list {
  free_block* first = nullptr;
  unsigned count = 0;
};

constinit thread_local bool ended = false;

struct free_lists {
  std::array<free_list, classes> lists;

  ~free_lists() {
    ended = true;
    for (free_list& each : lists) {
      while (each.first != nullptr) {
        free_block* const gone = each.first;
        each.first = gone->next;
        ::operator delete(gone);
      }
    }
  }
};

// The list for a size; null where the system is to be asked.
free_list* list_of(std::size_t bytes) noexcept {
  thread_local free_lists mine;
  const std::size_t place = (bytes - 1) / step_bytes;
  return place < classes && !ended ? &mine.lists[place] : nullptr;
}

}  // namespace

void* take_block(std::size_t bytes) {
  free_list* const list = list_of(bytes);
  if (list == nullptr || list->first == nullptr) {
    return ::operator new((bytes + step_bytes - 1) / step_bytes * step_bytes);
  }
  free_block* const taken = list->first;
  list->first = taken->next;
  --list->count;
  return taken;
}

void give_block(void* block, std::size_t bytes) noexcept {
  free_list* const list = list_of(bytes);
  if (list == nullptr || list->count == most_free) {
    ::operator delete(block);
    return;
  }
  auto* const given = ::new (block) free_block{list->first};
  list->first = given;
  ++list->count;
}

}  // namespace atl::upcxx_front
