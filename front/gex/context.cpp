// SPDX-License-Identifier: BSD-3-Clause
//
// Refusals of the front: wrong context, wrong rank, wrong order. A wrong use ends the job with one
// message (object, cause, remedy); an argument that the specification lets a call refuse is printed
// once and returned as an error code.
#include <front/gex/context.hpp>

#include <gasnetex_identity.h>
#include <gasnetex_system.h>
#include <atoll/base/error.hpp>
#include <atoll/base/log.hpp>
#include <atoll/base/text.hpp>
#include <atoll/core/settings.hpp>
#include <front/gex/gasnet1.hpp>
#include <front/gex/mode.hpp>
#include <front/gex/objects.hpp>
#include <front/gex/thread_memory.hpp>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>

namespace atl::gex {

constinit thread_local holdings held;
constinit thread_local thread_memory* my_memory = nullptr;

void refuse(std::string_view call, std::string_view cause, std::string_view remedy) noexcept {
  if (the_process != nullptr) the_process->runtime->fail(call, cause, remedy);
  std::fprintf(stderr, "atoll: %.*s: %.*s; %.*s\n", static_cast<int>(call.size()), call.data(),
               static_cast<int>(cause.size()), cause.data(), static_cast<int>(remedy.size()),
               remedy.data());
  std::exit(EXIT_FAILURE);
}

int complain(int code, std::string_view call, std::string_view cause) noexcept {
  if (gex_System_GetVerboseErrors() != 0) {
    std::fprintf(stderr, "atoll: %.*s: %.*s (%s)\n", static_cast<int>(call.size()), call.data(),
                 static_cast<int>(cause.size()), cause.data(), gasnet_ErrorName(code));
  }
  return code;
}

void refuse_before_start(const char* call) noexcept {
  refuse(call, "the library has not been started", "call gex_Client_Init() first");
}

void refuse_rank(const char* call, gex_TM_t tm, gex_Rank_t rank) noexcept {
  if (tm == unattached_team()) refuse_before_attach(call);
  refuse(call, text("rank ", rank, " is not in the team, whose size is ", tm->size),
         "ranks count from 0");
}

void refuse_pair(const char* call) noexcept {
  refuse(call, "a pair (gex_TM_Pair) is not a team", "pass a team; pairs name peers only");
}

void refuse_messaging(const char* call, gex_TM_t tm) noexcept {
  refuse(call,
         text("the local endpoint, of index ",
              unsigned{the_process->index_of(*member(tm).endpoint->core)},
              ", was made without GEX_EP_CAPABILITY_AM"),
         "give gex_EP_Create that capability");
}

namespace {

// Written when a client starts, by one thread; relaxed, since it orders nothing.
enum class strictness : std::uint8_t { unknown, strict, lenient };
std::atomic<strictness> chosen = strictness::unknown;

// Whether this call and cause come for the first time; a cause counts up to its first digit.
bool is_first(std::string_view call, std::string_view cause) noexcept {
  static std::array<std::atomic<std::size_t>, 64> reported{};  // relaxed: they order nothing
  const std::hash<std::string_view> hash;
  const std::string_view fixed = cause.substr(0, cause.find_first_of("0123456789"));
  const std::size_t mark = (hash(call) ^ hash(fixed)) | 1;
  for (std::atomic<std::size_t>& each : reported) {
    std::size_t found = each.load(std::memory_order_relaxed);
    if (found == 0 && each.compare_exchange_strong(found, mark, std::memory_order_relaxed)) {
      return true;
    }
    if (found == mark) return false;
  }
  return false;
}

}  // namespace

void refuse_unless_tolerated(std::string_view call, std::string_view cause,
                             std::string_view remedy) noexcept {
  if (!tolerated(call, cause, remedy)) refuse(call, cause, remedy);
}

void choose_strictness(const settings& configuration) noexcept {
  const std::string_view asked = configuration.text(setting::checks);
  const bool lenient = asked == "light" || (asked == "auto" && !noted_modes.any_for_debugging());
  chosen.store(lenient ? strictness::lenient : strictness::strict, std::memory_order_relaxed);
}

bool tolerated(std::string_view call, std::string_view cause, std::string_view remedy) noexcept {
  if (chosen.load(std::memory_order_relaxed) == strictness::unknown) {
    try {
      choose_strictness(settings::from_environment());
    } catch (const atl::error&) {  // the start will report this error
      return false;
    }
  }
  if (chosen.load(std::memory_order_relaxed) == strictness::strict) return false;
  if (is_first(call, cause)) {
    log_warning(text(call, ": ", cause, "; ", remedy,
                     " (reported once; a program compiled with -DGASNET_DEBUG, or run with "
                     "ATOLL_CHECKS=normal, ends here)"));
  }
  return true;
}

namespace {

void note_end_of_thread(void*) {
  current_handler = handler_context::outside;
  held.exits = true;
}

}  // namespace

// exit() ends what the calling thread owns before it calls what was given to atexit().
void begin_to_notice_exit() noexcept {
  at_end_of_thread(note_end_of_thread, nullptr);
  held.notices_exit = true;
}

void refuse_call(const char* call, in_handler permission) noexcept {
  if (held.locks != 0 && !held.exits) {
    refuse_unless_tolerated(
        call, "this thread holds a handler-safe lock",
        "release it (gex_HSL_Unlock) before calling anything that communicates or polls");
  }
  if (held.prepared != 0 && !held.exits) {
    refuse(call, "this thread has prepared an active message and not sent it yet",
           "commit or cancel it before calling anything that communicates or polls");
  }
  static constexpr std::string_view remedy = "let the handler note the work and do it outside";
  switch (current_handler) {
    case handler_context::request: {
      static constexpr std::string_view cause =
          "called in the handler of a request, which may reply and nothing else";
      if (permission == in_handler::possible) return refuse_unless_tolerated(call, cause, remedy);
      refuse(call, cause, remedy);
    }
    case handler_context::reply: {
      static constexpr std::string_view cause =
          "called in the handler of a reply, which may not communicate at all";
      if (permission == in_handler::possible) return refuse_unless_tolerated(call, cause, remedy);
      refuse(call, cause, remedy);
    }
    case handler_context::outside:
      return;  // what the thread holds is tolerated
  }
}

void refuse_reply(const char* call) noexcept {
  if (current_handler == handler_context::outside) {
    refuse(call, "a reply outside of the handler of a request", "reply within the handler");
  }
  if (current_handler == handler_context::request && held.exits) return;
  if (current_handler == handler_context::request && held.prepared == 0) {
    return refuse_unless_tolerated(call, "this thread holds a handler-safe lock",
                                   "release it (gex_HSL_Unlock) before the reply");
  }
  refuse_call(call, in_handler::impossible);
}

}  // namespace atl::gex
