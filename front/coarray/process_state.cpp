// SPDX-License-Identifier: BSD-3-Clause
//
// The start of the front, and its errors. All images start alike, at their first coarray or main
// program: each shares its memory with the others, and they agree on a random number and on places
// for the words in which they publish how far they are.
#include <front/coarray/process_state.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/halves.hpp>
#include <atoll/base/log.hpp>
#include <atoll/base/system/memory_limits.hpp>
#include <atoll/base/text.hpp>
#include <atoll/coll/collectives.hpp>
#include <atoll/coll/engine/engine.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/job/shared_runtime.hpp>
#include <atoll/core/segment/program_variables.hpp>
#include <atoll/core/segment/segment_access.hpp>
#include <front/coarray/access/accessor_calls.hpp>
#include <front/coarray/access/chain_calls.hpp>
#include <front/coarray/access/direct_table.hpp>
#include <front/coarray/asked_images.hpp>
#include <front/coarray/failures/failed_images.hpp>
#include <front/coarray/statements/synchronization.hpp>
#include <front/coarray/statements/termination.hpp>

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <random>

namespace atl::coarray {

process_state* the_process = nullptr;

namespace {

constexpr front_declaration declared{.name = "coarrays", .endpoints = 1};
ATOLL_DECLARE_FRONT(declared);

// User space of 47 bits, except its first and last page. Only memory that a descriptor of the owner
// names is read or written.
constexpr std::uintptr_t first_address = 4096;
constexpr std::size_t address_space_bytes = (std::size_t{1} << 47) - 2 * first_address;

// Larger variables stay private. Memory would suffice, because only the pages that exist are
// promised. But shared pages are small ones on most machines, and programs may compute on such
// arrays much more than other images access them.
constexpr std::uint64_t least_share_of_memory = 8;

bool shares_variables = false;

void move_variables(runtime& running) {
  program_variables& own = program_variables::of(running);
  const std::uint64_t room =
      read_memory_limits().total_bytes / least_share_of_memory / running.neighbourhood_count();
  if (own.block() != nullptr || own.range().bytes() > room || !memory::can_move_program_data())
    return;
  if (!own.move())
    log_info(
        "static variables stay in private memory: a thread does not answer signals, or there "
        "is no memory");
}

bool reaches_all(const runtime& running) noexcept {
  return layer_access::direct_allowed(running) && running.hosts().neighbourhoods() == 1;
}

}  // namespace

process_state::process_state(std::shared_ptr<atl::runtime> started)
    : held(std::move(started)),
      runtime(*held),
      id(::getpid()),
      heap((coll::open(runtime), coll::symmetric_heap_of(runtime))),
      heaps(runtime.heaps()),
      heap_base(heaps.own_part().base),
      heap_bytes(heaps.own_part().bytes),
      all_direct(reaches_all(runtime)),
      everything(runtime),
      writes(runtime),
      calls(*this, layer_access::endpoint_of(runtime, declared)),
      sync_posted(runtime.size()),
      sync_taken(runtime.size()) {
  const auto bell_of = [this](rank_id neighbour) {
    const rank_id rank = runtime.neighbourhood_first() + neighbour;
    return reinterpret_cast<std::byte*>(&layer_access::host_memory(runtime).page(rank).bell);
  };
  first_bell = bell_of(0);
  if (runtime.neighbourhood_count() > 1)
    bell_distance = static_cast<std::size_t>(bell_of(1) - first_bell);
  serve_chains(calls);
  serve_accessors(calls);
  if (shares_variables && layer_access::direct_allowed(runtime)) move_variables(runtime);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the address is that of the whole address space
  std::byte* const first = reinterpret_cast<std::byte*>(first_address);
  segment_access::share_alike(everything, {first, address_space_bytes});
  auto world = std::make_unique<image_team>();
  world->core = &layer_access::world_of(runtime, declared);
  initial = current = world.get();
  teams.push_back(std::move(world));
  share_variables();
  random_number = join_halves(std::random_device{}(), std::random_device{}());
  coll::broadcast(*initial->core, 0, &random_number, &random_number, sizeof random_number);
  const std::size_t posts_bytes = runtime.size() * sizeof(std::uint32_t);
  std::byte* const own = allocate_symmetric(*this, *initial->core, sizeof(team_words) + posts_bytes,
                                            alignof(team_words));
  if (own == nullptr) {
    throw error("the start of coarrays", "there is no symmetric memory for the library's own words",
                "raise ATOLL_SYMMETRIC_LIMIT");
  }
  initial->words = reinterpret_cast<team_words*>(own);
  sync_posts = reinterpret_cast<std::uint32_t*>(own + sizeof(team_words));
  open_team_words(*this, *initial);
}

// Images run different programs where the launcher is told so, and each decides for itself.
void process_state::share_variables() {
  const program_variables& own = program_variables::of(runtime);
  std::uint32_t has_any = own.block() != nullptr ? 1 : 0;
  coll::allreduce(*initial->core, &has_any, &has_any, 1,
                  coll::built_in(coll::reduce_operation::max, data_type::u32));
  if (has_any == 0) return;
  variables.emplace(runtime);
  own.share_as(*variables);
}

namespace {

/// An image may fail at once, so before that the launcher has to know that the others outlive it.
/// When an exchange is complete, the launcher has read all that images sent before it.
void expect_failures_of_all(process_state& us) {
  outlive_failures(us);
  us.runtime.exchange({});
}

}  // namespace

void expect_shared_variables() noexcept { shares_variables = true; }

process_state& start(std::uint64_t compiled_for) noexcept {
  // Held outside, since a runtime that an exception ends would end the process before its cause is
  // reported.
  std::shared_ptr<atl::runtime> shared;
  try {
    need_layout("the start of a program with coarrays", compiled_for, state_layout);
    shared = find_shared_runtime();
    if (shared == nullptr) {
      const settings configuration = settings::from_environment();
      start_images_if_asked(configuration);
      shared = start_shared_runtime({.configuration = configuration});
    }
    end_at_exit();
    the_process = std::make_unique<process_state>(shared).release();
    fill_direct_table(the_process);
    if (are_failures_expected()) expect_failures_of_all(*the_process);
  } catch (const error& refused) {
    log_error(refused.what());
    std::_Exit(EXIT_FAILURE);
  }
  return *the_process;
}

std::byte* allocate_symmetric(process_state& us, atl::team& members, std::size_t bytes,
                              std::size_t alignment) noexcept {
  std::byte* block = nullptr;
  try {
    block = static_cast<std::byte*>(us.heap.allocate(members, bytes, alignment));
  } catch (const error& refused) {
    refuse("ALLOCATE", refused.what(),
           "all images of the team allocate the same coarrays in the same order");
  }
  if (block == nullptr) return nullptr;
  std::memset(block, 0, bytes);
  members.barrier();
  return block;
}

void refuse(const char* call, std::string_view cause, std::string_view remedy) noexcept {
  if (the_process == nullptr) {
    log_error(text(call, ": ", cause, "; ", remedy));
    std::_Exit(EXIT_FAILURE);
  }
  the_process->runtime.fail(text("image ", the_process->this_image(), ": ", call), cause, remedy);
}

void refuse_image(const char* call, int image, rank_id count) noexcept {
  refuse(call, text("there is no image ", image, " in the current team"),
         text("use an image from 1 to ", count));
}

}  // namespace atl::coarray
