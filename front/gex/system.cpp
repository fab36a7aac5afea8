// SPDX-License-Identifier: BSD-3-Clause
//
// The job, the process, waiting and the end. Everything here is a question to the runtime, or a
// translation of one of its answers.
#include <gasnetex_identity.h>
#include <gasnetex_start.h>
#include <gasnetex_system.h>
#include <atoll/base/error.hpp>
#include <atoll/base/log.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/settings.hpp>
#include <front/gex/context.hpp>
#include <front/gex/environment.hpp>
#include <front/gex/mode.hpp>
#include <front/gex/objects.hpp>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>

using namespace atl::gex;

namespace {

// For answers that depend on the environment, which the program may change until the start. An
// invalid variable ends the program here as it would in gex_Client_Init().
template <class Answer>
auto before_any_start(Answer answer) {
  try {
    return answer();
  } catch (const atl::error& refused) {
    atl::log_error(refused.what());
    std::exit(EXIT_FAILURE);
  }
}

// A deferred progress thread runs this for as long as the process lasts.
void* progress_for_ever(void* context) {
  static_cast<atl::runtime*>(context)->run_progress_thread({});
  return nullptr;
}

}  // namespace

// --- errors ----------------------------------------------------------------------------------

const char* gasnet_ErrorName(int error) {
  switch (error) {
    case GASNET_OK:
      return "GASNET_OK";
    case GASNET_ERR_NOT_INIT:
      return "GASNET_ERR_NOT_INIT";
    case GASNET_ERR_RESOURCE:
      return "GASNET_ERR_RESOURCE";
    case GASNET_ERR_BAD_ARG:
      return "GASNET_ERR_BAD_ARG";
    case GASNET_ERR_NOT_READY:
      return "GASNET_ERR_NOT_READY";
    case GASNET_ERR_BARRIER_MISMATCH:
      return "GASNET_ERR_BARRIER_MISMATCH";
    default:
      return "no such error";
  }
}

const char* gasnet_ErrorDesc(int error) {
  switch (error) {
    case GASNET_OK:
      return "no error";
    case GASNET_ERR_NOT_INIT:
      return "called before the library was started, or started twice";
    case GASNET_ERR_RESOURCE:
      return "not enough of a resource, such as memory";
    case GASNET_ERR_BAD_ARG:
      return "an argument is not valid";
    case GASNET_ERR_NOT_READY:
      return "not complete yet";
    case GASNET_ERR_BARRIER_MISMATCH:
      return "the ranks gave the barrier different names";
    default:
      return "not an error code of this interface";
  }
}

namespace {
std::atomic<int> verbose_errors = 1;  // relaxed: it orders nothing
}

int gex_System_GetVerboseErrors() { return verbose_errors.load(std::memory_order_relaxed); }
void gex_System_SetVerboseErrors(int enable) {
  verbose_errors.store(enable, std::memory_order_relaxed);
}

// --- who we are ------------------------------------------------------------------------------

namespace {

// Whether a question about the job can be answered. Before the start GASNet's optimised build
// answers that there is no job; a program that ignores the answer goes on.
bool has_job(const char* call) noexcept {
  if (the_process != nullptr) [[likely]]
    return true;
  if (!tolerated(call, "the library has not been started", "call gex_Client_Init() first")) {
    refuse_before_start(call);
  }
  return false;
}

// The list is made only when a client asks for it.
void tell_ranks(rank_list& list, atl::rank_range ranks, gex_RankInfo_t** info_p,
                gex_Rank_t* info_count_p, gex_Rank_t* my_info_index_p) {
  static_assert(sizeof(gex_RankInfo_t) == sizeof(gex_Rank_t));
  if (info_p != nullptr) *info_p = reinterpret_cast<gex_RankInfo_t*>(list.of(ranks).data());
  if (info_count_p != nullptr) *info_count_p = ranks.count;
  if (my_info_index_p != nullptr) *my_info_index_p = runtime().rank() - ranks.first;
}

}  // namespace

gex_Rank_t gex_System_QueryJobRank() {
  return has_job("gex_System_QueryJobRank") ? runtime().rank() : GEX_RANK_INVALID;
}
gex_Rank_t gex_System_QueryJobSize() {
  return has_job("gex_System_QueryJobSize") ? runtime().size() : 0;
}

void gex_System_QueryNbrhdInfo(gex_RankInfo_t** info_p, gex_Rank_t* info_count_p,
                               gex_Rank_t* my_info_index_p) {
  process_state& process = started("gex_System_QueryNbrhdInfo");
  const atl::runtime& job = *process.runtime;
  tell_ranks(process.neighbours, {job.neighbourhood_first(), job.neighbourhood_count()}, info_p,
             info_count_p, my_info_index_p);
}

// A host may hold several neighbourhoods (ATOLL_NEIGHBOURHOOD).
void gex_System_QueryHostInfo(gex_RankInfo_t** info_p, gex_Rank_t* info_count_p,
                              gex_Rank_t* my_info_index_p) {
  process_state& process = started("gex_System_QueryHostInfo");
  const atl::job_hosts& hosts = process.runtime->hosts();
  tell_ranks(process.host, hosts.ranks_of(hosts.host_of(process.runtime->rank())), info_p,
             info_count_p, my_info_index_p);
}

void gex_System_QueryMyPosition(gex_Rank_t* nbrhd_set_size_p, gex_Rank_t* nbrhd_set_rank_p,
                                gex_Rank_t* host_set_size_p, gex_Rank_t* host_set_rank_p) {
  const atl::runtime& job = *started("gex_System_QueryMyPosition").runtime;
  const atl::job_hosts& hosts = job.hosts();
  if (nbrhd_set_size_p != nullptr) *nbrhd_set_size_p = hosts.neighbourhoods();
  if (nbrhd_set_rank_p != nullptr) *nbrhd_set_rank_p = hosts.neighbourhood_of(job.rank());
  if (host_set_size_p != nullptr) *host_set_size_p = hosts.count();
  if (host_set_rank_p != nullptr) *host_set_rank_p = hosts.host_of(job.rank());
}

// --- threads ---------------------------------------------------------------------------------

uint64_t atoll_gex_max_threads(int mode) {
  // There is no table of threads; programs may size tables of their own by this number.
  static constexpr uint64_t plenty = 65536;
  if (mode == ATOLL_GEX_MODE_SEQ) return 1;
  if (the_process != nullptr) return std::min(plenty, environment().threads_max);
  return before_any_start([] { return std::min(plenty, read_environment().threads_max); });
}

int gex_System_QueryHiddenAMConcurrencyLevel() {
  if (the_process != nullptr) return runtime().has_progress_thread() ? 1 : 0;
  return before_any_start([] {
    const auto configuration = atl::settings::from_environment(read_environment().settings);
    return configuration.flag(atl::setting::progress_thread) ? 1 : 0;
  });
}

int gex_System_QueryProgressThreads(gex_Client_t client, unsigned int* count_p,
                                    const gex_ProgressThreadInfo_t** info_p, gex_Flags_t flags) {
  static constexpr const char* call = "gex_System_QueryProgressThreads";
  if (count_p == nullptr || info_p == nullptr || flags != 0) {
    return complain(GASNET_ERR_BAD_ARG, call, "needs two outputs and flags 0");
  }
  if ((client->flags & GEX_FLAG_DEFER_THREADS) == 0) {
    return complain(GASNET_ERR_RESOURCE, call,
                    "the client was not initialized with GEX_FLAG_DEFER_THREADS");
  }
  static const gex_ProgressThreadInfo_t threads[] = {
      {"shm", GEX_THREAD_ROLE_RCV, progress_for_ever, &runtime()}};
  *count_p = runtime().has_progress_thread() ? 1 : 0;
  *info_p = threads;
  return GASNET_OK;
}

// --- progress and waiting --------------------------------------------------------------------

int gasnet_AMPoll() {
  static constexpr const char* call = "gasnet_AMPoll";
  may_communicate(call, in_handler::possible);
  atl::runtime& job = *started(call).runtime;
  if (atl::current_handler == atl::handler_context::outside) [[likely]] {
    job.progress();
  } else if (atl::current_handler == atl::handler_context::request) {
    atl::layer_access::progress_replies(job);  // requests run after the handler has returned
  }
  return GASNET_OK;
}

void atoll_gex_wait_step(atoll_gex_wait* wait) {
  static_assert(sizeof(atl::waiter) <= sizeof wait->state);
  static_assert(std::is_trivially_copyable_v<atl::waiter>);
  static constexpr const char* call = "GASNET_BLOCKUNTIL";
  may_communicate(call);
  atl::runtime& job = *started(call).runtime;
  atl::waiter steps = job.new_wait();
  if (wait->started != 0) std::memcpy(&steps, wait->state, sizeof steps);
  job.wait_step(steps);
  std::memcpy(wait->state, &steps, sizeof steps);
  wait->started = 1;
}

namespace {
std::atomic<int> wanted_wait_mode = -1;  // -1: the client has not said. Relaxed: it orders nothing
}

// With fewer cores than ranks, a rank that spins would keep the rank that it waits for from
// running, so SPIN then yields and sleeps as far as needed. ATOLL_WAIT takes precedence.
void atl::gex::apply_wait_mode(atl::runtime& job) {
  using atl::wait_mode;
  const int mode = wanted_wait_mode.load(std::memory_order_relaxed);
  // Where ranks share cores, a few yields before the sleep free the core just as well, and cost
  // much less than a sleep per message.
  if (mode == GASNET_WAIT_BLOCK)
    job.set_waiting(job.is_oversubscribed() ? wait_mode::automatic : wait_mode::sleep);
  if (mode == GASNET_WAIT_SPINBLOCK) job.set_waiting(wait_mode::automatic);
  if (mode == GASNET_WAIT_SPIN) {
    job.set_waiting(job.is_oversubscribed() ? wait_mode::automatic : wait_mode::spin);
  }
}

// A program that asks before the start gets this way of waiting from the start on.
int gasnet_set_waitmode(int mode) {
  if (mode != GASNET_WAIT_SPIN && mode != GASNET_WAIT_BLOCK && mode != GASNET_WAIT_SPINBLOCK) {
    return complain(GASNET_ERR_BAD_ARG, "gasnet_set_waitmode", "no such mode");
  }
  wanted_wait_mode.store(mode, std::memory_order_relaxed);
  if (the_process != nullptr) apply_wait_mode(runtime());
  return GASNET_OK;
}

// --- environment and end ---------------------------------------------------------------------

char* gasnet_getenv(const char* name) {
  // The text of a variable is terminated by a zero byte; the text of an unset one is null.
  return const_cast<char*>(atl::foreign_variable(name).data());
}

void gasnet_exit(int exitcode) {
  std::fflush(nullptr);
  if (the_process == nullptr) std::exit(exitcode);
  runtime().exit(exitcode);
}
