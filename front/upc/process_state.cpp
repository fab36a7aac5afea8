// SPDX-License-Identifier: BSD-3-Clause
//
// The start of the front's state, and its errors. Everything here is done once, by the thread that
// starts UPC and collectively where a step says so; translated code reads the routes only after
// that, so no order of memory is needed.
#include <front/upc/process_state.hpp>

#include <atoll_upc/control.h>
#include <atoll/base/error.hpp>
#include <atoll/base/log.hpp>
#include <atoll/base/text.hpp>
#include <atoll/coll/collectives.hpp>
#include <atoll/coll/engine/engine.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <front/upc/debugging.hpp>
#include <front/upc/global_heap.hpp>
#include <front/upc/launch.hpp>
#include <front/upc/locks.hpp>
#include <front/upc/objects.hpp>
#include <front/upc/relaxed.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <new>

namespace atl::upc {

process_state* the_process = nullptr;

namespace {

constexpr front_declaration declared{.name = "UPC"};
ATOLL_DECLARE_FRONT(declared);

// Inline code checks only the begin of a scalar, so its table ends by the largest scalar earlier.
constexpr std::size_t largest_scalar = 16;

}  // namespace

process_state::process_state(std::shared_ptr<atl::runtime> started)
    : held(std::move(started)),
      runtime(*held),
      id(::getpid()),
      symmetric((coll::open(runtime), coll::symmetric_heap_of(runtime))),
      heaps(runtime.heaps()),
      world(&layer_access::world_of(runtime, declared)),
      all_direct(layer_access::direct_allowed(runtime) && runtime.hosts().neighbourhoods() == 1),
      counted(statistics_are_wanted() ? std::make_unique<statistics>(*this) : nullptr),
      locks(std::make_unique<lock_list>(*this)) {
  open_routes();
  open_words();
  global = std::make_unique<global_heap>(*this);
  // A thread that computes must still serve threads that reach it by messages.
  if (!all_direct) serving.start();
  const auto is_apart = [](const atoll_route& row) { return row.local == nullptr; };
  // Values that one thread keeps would be stale after another thread of the process writes.
  const bool keeps_values = cache_is_wanted() && !has_several_threads();
  if (keeps_values && std::any_of(routes.begin(), routes.end(), is_apart))
    relaxed = std::make_unique<relaxed_accesses>(*this);
}

process_state::~process_state() {
  serving.stop();
  world->barrier();
}

// A row has the address for casts even where every access is to be counted.
void process_state::open_routes() {
  routes.resize(size());
  bases.reserve(size());
  for (rank_id thread = 0; thread < size(); ++thread) {
    atoll_route& row = routes[thread];
    row = heaps.routes()[thread];
    const std::size_t direct_bytes = atoll_route_direct_bytes(&row);
    const bool is_inline =
        counted == nullptr && thread < heaps.inline_ranks() && direct_bytes > largest_scalar;
    row.word_places = is_inline ? direct_bytes - largest_scalar : 0;
    bases.push_back(row.local == nullptr ? nullptr : row.local + 1);
    places = thread == 0 ? row.word_places : std::min(places, row.word_places);
  }
  learn_heap_offsets();
}

// Hosts may have heaps of different sizes, and mostly have not.
void process_state::learn_heap_offsets() {
  const std::uint64_t own = own_offset(layer_access::host_memory(runtime).heap(rank()));
  std::array<std::uint64_t, 2> ends{own, ~own};  // the least, and the complement of the largest
  coll::allreduce(*world, ends.data(), ends.data(), ends.size(),
                  coll::built_in(coll::reduce_operation::min, data_type::u64));
  common_heap_offset = own;
  if (ends[0] == ~ends[1]) return;
  heap_offsets.resize(size());
  coll::allgather(*world, heap_offsets.data(), &own, sizeof own);
}

void process_state::open_words() {
  void* const block = symmetric.allocate(*world, sizeof(thread_words), alignof(thread_words));
  if (block == nullptr) {
    throw error("the start of UPC", "there is no symmetric memory for the library's own words",
                "raise ATOLL_SYMMETRIC_LIMIT");
  }
  words = new (block) thread_words;
  words_offset = own_offset(block);
  world->barrier();
}

void refuse_before_start(const char* call) noexcept {
  log_error(text(call, ": the program has not started; link it with libatoll_upc_start.a, or call ",
                 "bupc_init() first"));
  std::_Exit(EXIT_FAILURE);
}

void refuse(const char* call, std::string_view cause, std::string_view remedy) noexcept {
  if (the_process == nullptr) {
    log_error(text(call, ": ", cause, "; ", remedy));
    std::_Exit(EXIT_FAILURE);
  }
  const std::string subject = text("thread ", the_process->rank(), ": ", call);
  stop_for_error(the_process->rank(), text(subject, ": ", cause, "; ", remedy));
  the_process->runtime.fail(subject, cause, remedy);
}

std::string text_of(atoll_upc_pointer p) {
  if (p.offset == 0) return "a null pointer";
  return text("thread ", p.thread, ", offset ", p.offset, ", phase ", p.phase);
}

std::string source_place() {
  if (atoll_upc_file == nullptr) return {};
  return text(" (", atoll_upc_file, ":", atoll_upc_line, ")");
}

}  // namespace atl::upc
