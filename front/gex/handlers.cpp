// SPDX-License-Identifier: BSD-3-Clause
//
// Handlers of the client: registering them, and calling them when the core delivers a message. A
// handler is a C function of 0 to 16 integers after its token (and payload), so there is one small
// caller for each number; which one is chosen when the handler is registered, and delivery is then
// a plain indirect call. The core has checked category, channel and number of arguments by that
// time.
#include <gasnetex_am.h>
#include <gasnetex_identity.h>
#include <gasnetex_objects.h>
#include <atoll/base/text.hpp>
#include <atoll/core/am/am.hpp>
#include <front/gex/context.hpp>
#include <front/gex/gasnet1.hpp>
#include <front/gex/objects.hpp>

#include <array>
#include <mutex>
#include <utility>

namespace atl::gex {
namespace {

constexpr unsigned max_args = transport::max_args;
constexpr gex_Flags_t categories = GEX_FLAG_AM_SHORT | GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_LONG;

template <std::size_t>
using argument = gex_AM_Arg_t;

void check_released() noexcept {
  if (held.locks != 0 && !held.exits) [[unlikely]] {
    refuse_unless_tolerated("gex_HSL_Lock", "a handler returned while it held a handler-safe lock",
                            "release every lock in the handler that took it");
  }
}

template <std::size_t... I>
void call_short(const registered_handler& to, gex_Token_t token, const std::uint32_t* args,
                std::index_sequence<I...>) {
  using function = void (*)(gex_Token_t, argument<I>...);
  reinterpret_cast<function>(to.entry.gex_fnptr)(token, static_cast<gex_AM_Arg_t>(args[I])...);
}

template <unsigned Count>
void run_short(void* context, am_token& token, const std::uint32_t* args, unsigned, void*,
               std::size_t) {
  notice_exit();
  call_short(*static_cast<registered_handler*>(context), reinterpret_cast<gex_Token_t>(&token),
             args, std::make_index_sequence<Count>());
  check_released();
}

struct payload_call {
  const registered_handler& to;
  gex_Token_t token;
  void* payload;
  std::size_t bytes;
};

template <std::size_t... I>
void call_payload(const payload_call& in, const std::uint32_t* args, std::index_sequence<I...>) {
  using function = void (*)(gex_Token_t, void*, size_t, argument<I>...);
  reinterpret_cast<function>(in.to.entry.gex_fnptr)(in.token, in.payload, in.bytes,
                                                    static_cast<gex_AM_Arg_t>(args[I])...);
}

template <unsigned Count>
void run_payload(void* context, am_token& token, const std::uint32_t* args, unsigned, void* payload,
                 std::size_t bytes) {
  notice_exit();
  call_payload({*static_cast<registered_handler*>(context), reinterpret_cast<gex_Token_t>(&token),
                payload, bytes},
               args, std::make_index_sequence<Count>());
  check_released();
}

template <std::size_t... Count>
constexpr std::array<am_handler, max_args + 1> short_callers(std::index_sequence<Count...>) {
  return {run_short<Count>...};
}

template <std::size_t... Count>
constexpr std::array<am_handler, max_args + 1> payload_callers(std::index_sequence<Count...>) {
  return {run_payload<Count>...};
}

constexpr auto callers_of_short = short_callers(std::make_index_sequence<max_args + 1>());
constexpr auto callers_of_payload = payload_callers(std::make_index_sequence<max_args + 1>());

// A handler of GASNet-1: the arriving message decides how it is called.
void run_untyped(void* context, am_token& token, const std::uint32_t* args, unsigned nargs,
                 void* payload, std::size_t bytes) {
  const auto& callers =
      token.category() == am_category::short_ ? callers_of_short : callers_of_payload;
  callers[nargs](context, token, args, nargs, payload, bytes);
}

const char* what_is_wrong(const gex_AM_Entry_t& entry) noexcept {
  const gex_Flags_t category = entry.gex_flags & categories;
  if (entry.gex_index != 0 && entry.gex_index < GEX_AM_INDEX_BASE) return "its index is reserved";
  if (entry.gex_fnptr == nullptr) return "its function is null";
  if (entry.gex_nargs > max_args) return "it has more than 16 arguments";
  if (category == 0) return "its flags have none of GEX_FLAG_AM_SHORT, _MEDIUM, _LONG";
  if ((category & GEX_FLAG_AM_SHORT) != 0 && category != GEX_FLAG_AM_SHORT) {
    return "its flags have GEX_FLAG_AM_SHORT and a category with payload";
  }
  if ((entry.gex_flags & GEX_FLAG_AM_REQREP) == 0) {
    return "its flags have none of GEX_FLAG_AM_REQUEST, _REPLY";
  }
  return nullptr;
}

// The core's view; GEX_FLAG_AM_* are the core's masks by design of gasnet_fwd.h.
static_assert(GEX_FLAG_AM_SHORT == am_entry::accept_short);
static_assert(GEX_FLAG_AM_MEDIUM == am_entry::accept_medium);
static_assert(GEX_FLAG_AM_LONG == am_entry::accept_long);
static_assert(GEX_FLAG_AM_REQUEST >> 3 == am_entry::accept_request);
static_assert(GEX_FLAG_AM_REPLY >> 3 == am_entry::accept_reply);

am_entry core_entry(registered_handler& kept) noexcept {
  const gex_AM_Entry_t& entry = kept.entry;
  const bool is_short = (entry.gex_flags & GEX_FLAG_AM_SHORT) != 0;
  return {.run = is_short ? callers_of_short[entry.gex_nargs] : callers_of_payload[entry.gex_nargs],
          .context = &kept,
          .nargs = entry.gex_nargs,
          .categories = entry.gex_flags & categories,
          .channels = (entry.gex_flags & GEX_FLAG_AM_REQREP) >> 3,
          .name = entry.gex_name != nullptr ? entry.gex_name : "unnamed"};
}

registered_handler& keep(process_state& process, const gex_AM_Entry_t& entry) {
  process.handlers.push_back({entry});
  return process.handlers.back();
}

}  // namespace

bool register_untyped(process_state& process, gex_AM_Index_t& index, gex_AM_Fn_t function) {
  const std::lock_guard hold(process.registering);
  registered_handler& kept = keep(process, {.gex_index = index,
                                            .gex_fnptr = function,
                                            .gex_flags = categories | GEX_FLAG_AM_REQREP,
                                            .gex_nargs = 0,
                                            .gex_cdata = nullptr,
                                            .gex_name = "of GASNet-1"});
  const am_entry entry{.run = run_untyped, .context = &kept, .name = kept.entry.gex_name};
  handler_table& handlers = endpoint().handlers();
  const bool done =
      index != 0 ? handlers.set(index, entry) : handlers.set_any(GEX_AM_INDEX_BASE, entry, index);
  kept.entry.gex_index = index;
  return done;
}

}  // namespace atl::gex

using namespace atl::gex;

int gex_EP_RegisterHandlers(gex_EP_t ep, gex_AM_Entry_t* table, size_t numentries) {
  static constexpr const char* call = "gex_EP_RegisterHandlers";
  may_communicate(call, in_handler::possible);
  process_state& process = started(call);
  if (ep == GEX_EP_INVALID || (ep->capabilities & GEX_EP_CAPABILITY_AM) == 0) {
    return complain(GASNET_ERR_BAD_ARG, call, "not an endpoint with GEX_EP_CAPABILITY_AM");
  }
  for (size_t i = 0; i < numentries; ++i) {
    if (const char* const wrong = what_is_wrong(table[i])) {
      return complain(GASNET_ERR_BAD_ARG, call, atl::text("entry ", i, ": ", wrong));
    }
  }
  const std::lock_guard hold(process.registering);
  atl::handler_table& handlers = ep->core->handlers();
  for (size_t i = 0; i < numentries; ++i) {
    const gex_AM_Index_t index = table[i].gex_index;
    if (index != 0 && !handlers.set(index, core_entry(keep(process, table[i])))) {
      return complain(GASNET_ERR_BAD_ARG, call,
                      atl::text("entry ", i, ": index ", unsigned{index}, " is taken"));
    }
  }
  for (size_t i = 0; i < numentries; ++i) {
    if (table[i].gex_index != 0) continue;
    registered_handler& kept = keep(process, table[i]);
    if (!handlers.set_any(GEX_AM_INDEX_BASE, core_entry(kept), table[i].gex_index)) {
      return complain(GASNET_ERR_RESOURCE, call, "all indices are taken");
    }
    kept.entry.gex_index = table[i].gex_index;
  }
  return GASNET_OK;
}

gex_TI_t gex_Token_Info(gex_Token_t token, gex_Token_Info_t* info, gex_TI_t mask) {
  const auto& in = *reinterpret_cast<const atl::am_token*>(token);
  // An endpoint without that handler has run the primordial one's.
  atl::handler_table& own = in.receiver().handlers();
  atl::handler_table& ran = own.taken(in.handler()) ? own : endpoint().handlers();
  const void* const context = ran.entry_at(in.handler()).context;
  info->gex_srcrank = in.source();
  info->gex_ep = endpoint_of_index(the_process->index_of(in.receiver()));
  info->gex_entry = &static_cast<const registered_handler*>(context)->entry;
  info->gex_is_req = in.is_request() ? 1 : 0;
  info->gex_is_long = in.category() == atl::am_category::long_ ? 1 : 0;
  return mask & GEX_TI_ALL;
}
