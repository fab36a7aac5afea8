// SPDX-License-Identifier: BSD-3-Clause
//
// Making and ending the process's state, and the table of inline code. The order matters: the
// static variables move before the progress thread starts, so that it need not be stopped for that,
// and they move back when the runtime ends.
#include <front/shmem/process_state.hpp>

#include <atoll/base/log.hpp>
#include <atoll/base/text.hpp>
#include <atoll/coll/engine/engine.hpp>
#include <atoll/coll/team_creation.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/job/shared_runtime.hpp>

#include <atoll_shmem/table.h>
#include <front/shmem/inlined.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

// The objects that inline code and programs name; filled at initialization.
atoll_shmem_table atoll_shmem_direct = {};
atoll_shmem_team atoll_shmem_world = {};
atoll_shmem_team atoll_shmem_shared = {};
atoll_shmem_context atoll_shmem_default_context = {};

extern "C" void atoll_shmem_wake(int pe) {
  using namespace atl::shmem;
  if (the_process != nullptr) the_process->runtime.wake(static_cast<atl::rank_id>(pe));
}

namespace atl::shmem {

process_state* the_process = nullptr;

namespace {

constexpr front_declaration declared{.name = "OpenSHMEM"};
ATOLL_DECLARE_FRONT(declared);

}  // namespace

void refuse_uninitialized(const char* call) noexcept {
  log_error(text(call,
                 ": the library is not initialized; call shmem_init() before, and "
                 "shmem_finalize() after all other calls"));
  std::_Exit(EXIT_FAILURE);
}

void refuse(const char* call, std::string_view cause, std::string_view remedy) noexcept {
  if (the_process == nullptr) {
    log_error(text(call, ": ", cause, "; ", remedy));
    std::_Exit(EXIT_FAILURE);
  }
  the_process->runtime.fail(call, cause, remedy);
}

void refuse_handle(const char* call, const char* kind) noexcept {
  refuse(call, text("the ", kind, " is invalid"),
         text("use a ", kind, " that was created and is not destroyed, on its members"));
}

// --- the table of inline code

namespace {

std::size_t places_of(std::size_t bytes) noexcept {
  return bytes < sizeof(std::uint64_t) ? 0 : bytes - sizeof(std::uint64_t) + 1;
}

// Inline code looks for an address in the heap first, so the row's range of the heap must contain
// nothing but the symmetric heap.
atoll_shmem_row row_of(process_state& us, rank_id rank) noexcept {
  static_assert(ATOLL_SHMEM_ASLEEP == doorbell::announced);
  const route& heap = us.heaps.routes()[rank];
  const route& data = us.statics->routes()[rank];
  const auto* const asleep = layer_access::host_memory(us.runtime).page(rank).bell.word();
  return {.heap = heap.local,
          .heap_places = std::min(heap.word_places, places_of(us.heap_bytes)),
          .data = data.local,
          .data_places = data.word_places,
          .asleep = reinterpret_cast<const char*>(asleep),
          .pe = static_cast<int>(rank)};
}

}  // namespace

void write_row(process_state& us, rank_id rank) noexcept {
  if (us.runtime.is_neighbour(rank)) us.rows[rank] = row_of(us, rank);
}

void fill_direct_table(process_state* from) noexcept {
  atoll_shmem_direct = {};
  if (from == nullptr) return;
  if (from->runtime.threaded()) {
    for (rank_id rank = 0; rank < from->runtime.size(); ++rank) write_row(*from, rank);
  }
  if (from->heaps.inline_ranks() == 0) return;
  static const bool is_replaced = a_tool_replaces_functions();
  if (is_replaced) return;
  atoll_shmem_direct = {
      .heap = reinterpret_cast<std::uintptr_t>(from->heaps.own_part().base),
      .data = from->data.begin,
      .rows = from->rows.data(),
      .pes = from->runtime.size(),
      .fetched_pes = from->runtime.is_oversubscribed() ? 0 : from->runtime.size()};
}

// --- the process

process_state::process_state(std::shared_ptr<atl::runtime> started, int threads,
                             bool moves_variables)
    : held(std::move(started)),
      runtime(*held),
      world(&layer_access::world_of(runtime, declared)),
      thread_level(threads),
      id(::getpid()),
      heap((coll::open(runtime), coll::symmetric_heap_of(runtime))),
      heaps(runtime.heaps()),
      heap_bytes(runtime.memory_layout().symmetric_limit),
      rows(runtime.size()) {
  share_variables(moves_variables);
  open_teams();
  start_serving();
}

namespace {

void tell_private_variables(bool has_no_progress_thread) {
  log_info("static variables stay in private memory: other PEs reach them by messages");
  if (!has_no_progress_thread) return;
  log_warning(
      "static variables cannot move into the memory of the job: a thread does not answer signals, "
      "or there is no memory; other PEs' atomics on them wait until this PE calls the library. "
      "SHMEM_STATIC_DATA=0 has a thread serve them");
}

// Not an error: the symmetric heap is the same for PEs of different programs.
void tell_other_programs(const program_difference& found) {
  static bool has_told = false;  // the programs are the same at each initialization
  if (std::exchange(has_told, true)) return;
  const std::string others =
      found.ranks == 1 ? "" : text(", the first of ", found.ranks, " such PEs,");
  log_warning(text("PE ", found.first_rank, others, " runs another program (", found.program,
                   ") than PE 0 (", found.program_of_rank_0,
                   "): PEs of different programs do not reach each other's static variables; "
                   "start the same file on all PEs, or use memory of shmem_malloc"));
}

}  // namespace

// Moves the variables into the memory of the host where that works. Else they stay where they are,
// and messages and copies of the kernel reach them. PEs that run another program have no part.
void process_state::share_variables(bool moves) {
  program_variables& own = program_variables::of(runtime);
  data = own.range();
  if (moves) own.move();
  if (own.block() != nullptr) {
    variables = &own;
  } else {
    tell_private_variables(moves && !runtime.threaded());
  }
  auto* const base = variables != nullptr ? own.block() : reinterpret_cast<std::byte*>(data.begin);
  statics = std::make_unique<segment>(runtime);
  statics->share({base, data.bytes()});
  const auto others = own.forget_other_programs(*statics);
  if (others && runtime.rank() == 0) tell_other_programs(*others);
}

void process_state::open_teams() {
  const auto open = [this](atoll_shmem_team& handle, atl::team& core,
                           std::unique_ptr<atl::team> own) {
    const rank_set& members = core.members();
    handle = {.first = static_cast<int>(members.first()),
              .stride = static_cast<int>(members.stride()),
              .size = static_cast<int>(members.size()),
              .state = nullptr};
    auto made = std::make_unique<pe_team>();
    made->handle = &handle;
    made->core = &core;
    made->own = std::move(own);
    made->in_program = false;
    handle.state = made.get();
    teams.push_back(std::move(made));
  };
  open(atoll_shmem_world, *world, nullptr);
  auto shared = coll::split_team(*world, static_cast<int>(runtime.neighbourhood_first()),
                                 static_cast<int>(runtime.rank()));
  atl::team& shared_core = *shared;
  open(atoll_shmem_shared, shared_core, std::move(shared));
  auto context = std::make_unique<context_state>(runtime);
  context->handle = &atoll_shmem_default_context;
  context->team = SHMEM_TEAM_WORLD;
  atoll_shmem_default_context = {
      .first = 0, .stride = 1, .size = static_cast<int>(runtime.size()), .state = context.get()};
  contexts.push_back(std::move(context));
}

// A PE that computes must still serve PEs that reach it by messages. Where all share memory, no
// thread is needed for that.
void process_state::start_serving() {
  const bool all_direct = layer_access::direct_allowed(runtime) &&
                          runtime.hosts().neighbourhoods() == 1 && variables != nullptr;
  if (!all_direct) serving.start();
}

process_state::~process_state() {
  fill_direct_table(nullptr);
  for (const auto& each : contexts) quiet(*each);
  world->barrier();
  close_teams();
  serving.stop();
  world->barrier();
}

// Threads may have made teams in another order than on other PEs, so all PEs end them in the order
// of their numbers, on which the members have agreed.
void process_state::close_teams() {
  for (const auto& each : contexts) {
    if (each->handle != &atoll_shmem_default_context) delete each->handle;
  }
  contexts.clear();
  std::vector<std::unique_ptr<atl::team>> ending = std::move(active_sets);
  active_sets.clear();
  for (const auto& each : teams) {
    if (each->own != nullptr) ending.push_back(std::move(each->own));
    if (each->in_program) delete each->handle;
  }
  teams.clear();
  std::ranges::sort(ending, {}, &atl::team::id);
  for (auto& each : ending) coll::destroy_team(std::move(each));
  atoll_shmem_world = {};
  atoll_shmem_shared = {};
  atoll_shmem_default_context = {};
}

void barrier_all(process_state& us) noexcept {
  quiet(context_of("shmem_barrier_all", SHMEM_CTX_DEFAULT));
  us.world->barrier();
}

}  // namespace atl::shmem
