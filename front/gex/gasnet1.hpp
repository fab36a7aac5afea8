// SPDX-License-Identifier: BSD-3-Clause
//
// The part of GASNet-1 that the rest of the front knows. A client's calls of GASNet-1 use the team
// of all ranks once it has attached. Before that they get an empty team: its size is 0, so every
// inline transfer comes to the library, which refuses it here and says what is missing.
#pragma once

#include <gasnetex_types.h>

namespace atl::gex {

struct process_state;

/// The empty team.
gex_TM_t unattached_team() noexcept;
[[noreturn, gnu::cold]] void refuse_before_attach(const char* call) noexcept;

/// After gex_Client_Init(): a client with GEX_FLAG_USES_GASNET1 may call GASNet-1 from now on.
void gasnet1_client_started() noexcept;

/// Registers a handler that takes every kind of message; index 0 becomes a free one. False when the
/// index, or every index, is taken.
bool register_untyped(process_state& process, gex_AM_Index_t& index, gex_AM_Fn_t function);

}  // namespace atl::gex
