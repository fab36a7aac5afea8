// SPDX-License-Identifier: BSD-3-Clause
//
// Starting the client and attaching its segment: the two collective steps after which everything
// else is a thin call. A start that cannot work (an `atl::error` of the core, a mixture of thread
// modes or of versions) ends the process with its message, since no client could go on without.
#include <gasnetex_identity.h>
#include <gasnetex_objects.h>
#include <gasnetex_start.h>
#include <gasnettools_timer.h>
#include <atoll/base/assert.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/log.hpp>
#include <atoll/base/text.hpp>
#include <atoll/coll/collectives.hpp>
#include <atoll/coll/engine/engine.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/job/shared_runtime.hpp>
#include <front/gex/context.hpp>
#include <front/gex/environment.hpp>
#include <front/gex/gasnet1.hpp>
#include <front/gex/mode.hpp>
#include <front/gex/objects.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>

namespace atl::gex {

process_state* the_process = nullptr;

namespace {

constexpr front_declaration declared{.name = "GASNet-EX", .endpoints = GASNET_MAXEPS};
ATOLL_DECLARE_FRONT(declared);

}  // namespace

process_state::process_state(std::shared_ptr<atl::runtime> started)
    : runtime(std::move(started)), primordial(core_endpoint(0)) {
  endpoint.client = &client;
  endpoint.core = &primordial;
  segment.client = &client;
  // By default the inline functions of the headers transfer by themselves. They need not check the
  // context: an inline transfer is complete at once and within bounds, so a wrong context does no
  // harm. With heavy checks, or where transfers are counted, all calls come to rma.cpp instead,
  // which checks the context; only the library counts.
  headers_transfer = !checks_enabled(check_level::heavy) && primordial.bound().inline_ranks() != 0;
  world.open(&layer_access::world_of(*runtime, declared), endpoint, primordial);
  if (!headers_transfer) world.leave_transfers_to_library();
  medium_max = primordial.medium_max(0);
  for (rank_id rank = 1; rank < runtime->size(); ++rank) {
    medium_max = std::min(medium_max, primordial.medium_max(rank));
  }
}

// Makes the segment also where only other ranks have this endpoint: it holds what they published.
atl::endpoint& process_state::core_endpoint(std::size_t index) {
  atl::endpoint& found = layer_access::endpoint_of(*runtime, declared, index);
  const std::lock_guard hold(making_segments);
  std::unique_ptr<atl::segment>& own = segments[index];
  if (own == nullptr) {
    own = std::make_unique<atl::segment>(*runtime);
    found.bind(*own);
    if (index != 0) found.fall_back_to(primordial);  // for handlers that it lacks
  }
  return found;
}

namespace {

[[noreturn]] void refuse_start(const std::string& reason) {
  log_error(reason);
  std::_Exit(EXIT_FAILURE);
}

void check_versions(const atoll_gex_start& start) {
  if (start.header_version != ATOLL_GEX_HEADER_VERSION) {
    refuse_start(text("gex_Client_Init: compiled with gasnetex.h of interface ",
                      start.header_version, ", but libatoll.so has interface ",
                      ATOLL_GEX_HEADER_VERSION,
                      "; compile the program again with the headers of this installation"));
  }
  if (const std::string mixed = noted_modes.disagreement(); !mixed.empty()) {
    refuse_start(text("gex_Client_Init: thread modes are mixed: ", mixed,
                      "; compile all files of a program with the same one of the pkg-config "
                      "modules gasnetex-seq, gasnetex-parsync, gasnetex-par"));
  }
}

// A client that returns from main() or calls exit() ends the job like gasnet_exit(), as in GASNet.
// Registered before the client's own objects are made, so that it runs after they have been
// destroyed. A forked child that exits does not end the job.
void end_with_process(int code, void*) {
  if (the_process != nullptr && the_process->id == getpid()) runtime().exit(code);
}

// The runtime that another front of this process has started, or a new one.
std::shared_ptr<atl::runtime> join_or_start(const atoll_gex_start& start) {
  const thread_mode threads =
      start.mode == ATOLL_GEX_MODE_SEQ ? thread_mode::single : thread_mode::any;
  if (auto running = find_shared_runtime()) {
    need_threads(*running, threads, "gex_Client_Init");
    return running;
  }
  settings configuration = settings_with_gasnet();
  start_ranks_if_asked(configuration);
  return start_shared_runtime({.threads = threads,
                               .configuration = std::move(configuration),
                               .own_progress_thread = (start.flags & GEX_FLAG_DEFER_THREADS) == 0});
}

// The largest segment that this rank could attach now, when all ranks of its host do: what is left
// of its share of the host's memory and of its heap, from which other fronts may have taken.
std::size_t largest_segment(process_state& process) {
  const memory::host_layout& layout = process.runtime->memory_layout();
  const std::size_t room = process.runtime->heap().largest_block(layout.host_limit / layout.ranks);
  // The heap's own headers and growth steps live in the same range.
  constexpr std::size_t spare = std::size_t{2} << 20;
  if (room <= spare) return 0;
  return std::min((room - spare) / GASNET_PAGESIZE * GASNET_PAGESIZE,
                  environment().segments.per_rank(layout.ranks));
}

// Measured once, as in GASNet, so that every query of a program gets the same answer.
void measure_segments(process_state& process) {
  const std::uint64_t own_max = largest_segment(process);
  std::uint64_t least = own_max;
  const auto use = coll::built_in(coll::reduce_operation::min, data_type::u64);
  coll::allreduce(*process.world.core, &least, &own_max, 1, use);
  process.own_segment_max = own_max;
  process.segment_max_everywhere = least;
}

void start_process(const atoll_gex_start& start, std::shared_ptr<atl::runtime>& shared) {
  // The clock is measured from here on, so that a first conversion of ticks need not wait for it in
  // the middle of what a program measures.
  atoll_tools_first_ticks();
  shared = join_or_start(start);
  auto* const new_process = new process_state(shared);
  tell_environment(new_process->runtime->rank(), new_process->runtime->configuration());
  choose_strictness(new_process->runtime->configuration());
  new_process->client.name = start.client_name;
  new_process->client.flags = start.flags;
  the_process = new_process;
  apply_wait_mode(*new_process->runtime);
  coll::open(*new_process->runtime);
  // Afterwards every rank has a client, whichever front started first.
  measure_segments(*new_process);
}

bool everybody_attached(const process_state& process) {
  const route* const rows = process.primordial.bound().routes();
  return std::all_of(rows, rows + process.runtime->size(),
                     [](const route& row) { return row.bytes != 0; });
}

}  // namespace

// The call is collective. A rank that cannot attach takes part without memory, so that the others
// learn of it instead of waiting.
bool attach_together(process_state& process, std::size_t size) {
  const bool wanted =
      size != 0 && size <= environment().segments.per_rank(process.runtime->memory_layout().ranks);
  auto* const memory = static_cast<std::byte*>(
      wanted ? process.runtime->heap().allocate(size, GASNET_PAGESIZE) : nullptr);
  process.primordial.bound().share({memory, memory != nullptr ? size : 0});
  process.world.core->barrier();
  const bool all_have_it = everybody_attached(process);
  process.world.core->barrier();  // no rank shares anew before all have looked
  if (!all_have_it) {
    process.runtime->heap().free(memory);
    process.primordial.bound().share({});
    return false;
  }
  process.segment.address = memory;
  process.segment.size = size;
  process.endpoint.segment = &process.segment;
  return true;
}

}  // namespace atl::gex

using namespace atl::gex;

void atoll_gex_note_mode(int mode, const char* file) {
  static bool is_registered = false;  // constructors run in one thread
  if (!is_registered) is_registered = on_exit(end_with_process, nullptr) == 0;
  noted_modes.note(mode, file);
  if (mode != ATOLL_GEX_MODE_SEQ) atl::expect_threads(atl::thread_mode::any);
}

void atoll_gex_note_debugging() { noted_modes.note_debugging(); }

int atoll_gex_client_init(gex_Client_t* client_p, gex_EP_t* ep_p, gex_TM_t* tm_p,
                          const atoll_gex_start* start) {
  static constexpr const char* call = "gex_Client_Init";
  check_versions(*start);
  if (the_process != nullptr) {
    return complain(GASNET_ERR_NOT_INIT, call, "the client has been initialized already");
  }
  if (client_p == nullptr || ep_p == nullptr || tm_p == nullptr) {
    return complain(GASNET_ERR_BAD_ARG, call, "an output is null");
  }
  if (start->client_name == nullptr || *start->client_name == '\0') {
    return complain(GASNET_ERR_BAD_ARG, call, "the client has no name");
  }
  // Held outside, since a runtime that an exception ends would end the process before its cause is
  // reported.
  std::shared_ptr<atl::runtime> shared;
  try {
    start_process(*start, shared);
  } catch (const atl::error& refused) {
    refuse_start(refused.what());
  }
  gasnet1_client_started();
  *client_p = &the_process->client;
  *ep_p = &the_process->endpoint;
  *tm_p = &the_process->world;
  return GASNET_OK;
}

int gex_Segment_Attach(gex_Segment_t* segment_p, gex_TM_t tm, uintptr_t size) {
  static constexpr const char* call = "gex_Segment_Attach";
  may_communicate(call);
  process_state& process = started(call);
  if (segment_p == nullptr || tm != &process.world) {
    return complain(GASNET_ERR_BAD_ARG, call, "needs an output and the team of all ranks");
  }
  if (process.endpoint.segment != GEX_SEGMENT_INVALID) {
    return complain(GASNET_ERR_NOT_INIT, call, "a segment is attached already");
  }
  const bool is_whole_pages = size != 0 && size % GASNET_PAGESIZE == 0;
  if (!attach_together(process, is_whole_pages ? size : 0)) {
    if (!is_whole_pages) {
      return complain(GASNET_ERR_BAD_ARG, call,
                      atl::text("the size ", size, " is not a multiple of GASNET_PAGESIZE"));
    }
    return complain(GASNET_ERR_RESOURCE, call,
                    atl::text("a rank asked for what it cannot get; this rank asked for ",
                              atl::bytes_text(size), " of at most ",
                              atl::bytes_text(largest_segment(process))));
  }
  *segment_p = &process.segment;
  return GASNET_OK;
}

uintptr_t gasnet_getMaxLocalSegmentSize() {
  return started("gasnet_getMaxLocalSegmentSize").own_segment_max;
}

uintptr_t gasnet_getMaxGlobalSegmentSize() {
  return started("gasnet_getMaxGlobalSegmentSize").segment_max_everywhere;
}
