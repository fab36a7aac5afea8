// SPDX-License-Identifier: BSD-3-Clause
//
// Starting and ending. The first init() makes the runtime and the engine of collectives, or joins
// what another front of the process has made; the last finalize() releases them, which ends them
// when no other front holds them. A start that fails ends the process with the runtime's own
// message, since a program can do nothing without the runtime.
#include <upcxx/init.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/log.hpp>
#include <atoll/base/text.hpp>
#include <atoll/coll/engine/engine.hpp>
#include <atoll/coll/team_creation.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/job/shared_runtime.hpp>
#include <atoll/core/settings.hpp>
#include <front/upcxx/process_state.hpp>
#include <front/upcxx/variables.hpp>
#include <upcxx/barrier.hpp>
#include <upcxx/code.hpp>
#include <upcxx/diagnostic.hpp>
#include <upcxx/progress.hpp>
#include <upcxx/reference_names.hpp>

#include <atomic>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

namespace atl::upcxx_front {

constinit job_view job;
process_state* the_process = nullptr;

namespace {

constexpr front_declaration declared{.name = "UPC++", .endpoints = 1};
ATOLL_DECLARE_FRONT(declared);

}  // namespace

process_state::process_state(std::shared_ptr<atl::runtime> running)
    : held(std::move(running)),
      runtime(*held),
      own(layer_access::endpoint_of(runtime, declared)),
      world_core(layer_access::world_of(runtime, declared)),
      peers_on_host(runtime.hosts().ranks_of(runtime.hosts().host_of(runtime.rank())).count - 1) {
  learn_code();
  add_mail_handlers(own);
  coll::open(runtime);
  world_core.barrier();  // after it every rank can receive
  compare_programs(world_core);
}

void process_state::open_teams() {
  world.emplace(&world_core, false);
  // Also where it has the same members as the world: it is a team of its own, with its own id.
  const int neighbourhood = static_cast<int>(runtime.neighbourhood_first());
  local_core = coll::split_team(world_core, neighbourhood, static_cast<int>(runtime.rank()));
  local.emplace(local_core.get(), false);
}

void refuse(const char* call, const char* cause, const char* remedy) noexcept {
  if (job.runtime != nullptr) job.runtime->fail(call, cause, remedy);
  log_error(text(call, ": ", cause, "; ", remedy));
  std::abort();
}

std::int32_t rank_outside_of_job(const char* call, bool is_error) noexcept {
  if (is_error) need_job(call);
  // Relaxed: it orders nothing, it only lets one thread write.
  static std::atomic<bool> is_reported = false;
  if (!is_reported.exchange(true, std::memory_order_relaxed)) {
    log_warning(call,
                ": UPC++ is not initialized, the answer is -1; call upcxx::init() before, and "
                "finalize() after it. This is reported once, and is an error where "
                "UPCXX_ASSERT_ENABLED is 1");
  }
  return -1;
}

void fail_check(const char* file, int line, const char* condition,
                const std::string& message) noexcept {
  refuse(text(file, ":", line, ": assertion ", condition).c_str(),
         message.empty() ? "it does not hold" : message.c_str(), "mend the program");
}

namespace {

// "fatal error in f at file.cpp:7".
std::string place_of_error(const char* title, const char* function, const char* file, int line) {
  std::string said = title == nullptr ? "fatal error" : title;
  if (function != nullptr) said += text(" in ", function);
  if (file != nullptr) said += text(" at ", file);
  if (file != nullptr && line > 0) said += text(":", line);
  return said;
}

job_view view_of(process_state& us) {
  atl::runtime& runtime = us.runtime;
  const segment& heaps = us.own.bound();
  return {.routes = heaps.routes(),
          .inline_ranks = heaps.inline_ranks(),
          .first = runtime.neighbourhood_first(),
          .local_count = runtime.neighbourhood_count(),
          .rank = runtime.rank(),
          .size = runtime.size(),
          .runtime = &runtime,
          .endpoint = &us.own};
}

void tell(const asked_by_variables& asked) {
  atl::runtime& runtime = the_process->runtime;
  if (runtime.rank() != 0) return;
  if (const std::string warning = warning_of(asked); !warning.empty()) log_warning(warning);
  if (!asked.verbose) return;
  log_line(log_level::error,
           text("UPC++ on Atoll " ATOLL_VERSION_STRING ": ", runtime.size(), " ranks, ",
                runtime.neighbourhood_count(), " share memory with rank 0; shared heap up to ",
                bytes_text(runtime.memory_layout().heap_limit), " per rank"));
}

// The runtime that another front of this process has started, or a new one.
std::shared_ptr<atl::runtime> join_or_start(const asked_by_variables& asked) {
  if (auto running = find_shared_runtime()) {
    const settings now = settings::from_environment();
    need_threads(*running, static_cast<thread_mode>(now.choice(setting::threads)), "upcxx::init");
    return running;
  }
  return start_shared_runtime({.configuration = settings_with(asked)});
}

void need_master(const char* call) noexcept {
  if (!upcxx::master_persona().active_with_caller()) {
    refuse(call, "the calling thread does not hold the master persona",
           "acquire it by a persona_scope, or call from the thread that called init()");
  }
}

}  // namespace

bool expect() noexcept {
  expect_threads(std::nullopt);
  return true;
}

void start(std::uint64_t compiled_for) {
  if (the_process != nullptr) {
    need_master("upcxx::init");
    ++the_process->users;
    return;
  }
  // Held outside, since a runtime that an exception ends would end the process before its cause is
  // reported.
  std::shared_ptr<atl::runtime> shared;
  try {
    need_layout("upcxx::init", compiled_for, layout);
    const asked_by_variables asked = read_variables();
    shared = join_or_start(asked);
    the_process = new process_state(shared);
    tell(asked);
  } catch (const error& refused) {
    log_error(refused.what());
    std::_Exit(EXIT_FAILURE);
  }
  trust_loaded_libraries();
  job = view_of(*the_process);
  hold_master();
  the_process->open_teams();
}

}  // namespace atl::upcxx_front

namespace upcxx {

using namespace atl::upcxx_front;

void fatal_error(const char* message, const char* title, const char* function, const char* file,
                 int line) noexcept {
  const std::string place = place_of_error(title, function, file, line);
  refuse(place.c_str(), message == nullptr ? "" : message, "the program ended the job by this");
}

void finalize() {
  need_job("upcxx::finalize");
  need_master("upcxx::finalize");
  const bool in_child = the_process->runtime.is_forked_copy();
  if (!in_child) {
    discharge();  // other ranks wait for what this one still has to tell them
    barrier();
  }
  if (--the_process->users != 0) return;
  if (in_child) {  // the job goes on without it, and so does what it shares with the parent
    drop_master();
    job = {};
    [[maybe_unused]] static process_state* const left = std::exchange(the_process, nullptr);
    return;
  }
  the_process->close_devices();
  the_process->close_teams();
  the_process->local.reset();
  atl::coll::destroy_team(std::move(the_process->local_core));
  the_process->world.reset();
  the_process->world_core.barrier();
  drop_master();
  job = {};
  delete std::exchange(the_process, nullptr);
}

char* getenv_console(const char* name) noexcept {
  need_job("upcxx::getenv_console");
  // The launcher gives its environment to all ranks.
  const std::string_view value = atl::foreign_variable(name);
  if (value.data() == nullptr) return nullptr;
  the_process->variable = value;
  return the_process->variable.data();
}

}  // namespace upcxx
