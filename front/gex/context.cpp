// SPDX-License-Identifier: BSD-3-Clause
//
// Refusals of the front: wrong context, wrong rank, wrong order. A wrong use ends the job with one
// message (object, cause, remedy); an argument that the specification lets a call refuse is printed
// once and returned as an error code.
#include <front/gex/context.hpp>

#include <gasnetex_identity.h>
#include <gasnetex_system.h>
#include <atoll/base/log.hpp>
#include <atoll/base/text.hpp>
#include <front/gex/gasnet1.hpp>
#include <front/gex/objects.hpp>

#include <cstdio>
#include <cstdlib>

namespace atl::gex {

constinit thread_local holdings held;

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
         text("the local endpoint, of index ", unsigned{member(tm).endpoint->core->index()},
              ", was made without GEX_EP_CAPABILITY_AM"),
         "give gex_EP_Create that capability");
}

namespace {

// exit() destroys the objects of the calling thread before it calls what was given to atexit().
struct end_of_thread {
  end_of_thread() = default;
  end_of_thread(const end_of_thread&) = delete;
  end_of_thread& operator=(const end_of_thread&) = delete;
  ~end_of_thread() {
    current_handler = handler_context::none;
    held.exits = true;
  }
};

}  // namespace

void begin_to_notice_exit() noexcept {
  [[maybe_unused]] thread_local const end_of_thread notice;
  held.notices_exit = true;
}

void refuse_here(const char* call) noexcept {
  if (held.locks != 0 && !held.exits) {
    refuse(call, "this thread holds a handler-safe lock",
           "release it (gex_HSL_Unlock) before calling anything that communicates or polls");
  }
  if (held.prepared != 0 && !held.exits) {
    refuse(call, "this thread has prepared an active message and not sent it yet",
           "commit or cancel it before calling anything that communicates or polls");
  }
  switch (current_handler) {
    case handler_context::request:
      refuse(call, "called in the handler of a request, which may reply and nothing else",
             "let the handler note the work and do it outside");
    case handler_context::reply:
      refuse(call, "called in the handler of a reply, which may not communicate at all",
             "let the handler note the work and do it outside");
    case handler_context::none:
      return;  // after exit()
  }
}

void refuse_reply(const char* call) noexcept {
  if (current_handler == handler_context::none) {
    refuse(call, "a reply outside of the handler of a request", "reply within the handler");
  }
  if (current_handler == handler_context::request && held.exits) return;
  refuse_here(call);
}

}  // namespace atl::gex
