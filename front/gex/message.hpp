// SPDX-License-Identifier: BSD-3-Clause
//
// The C calls' parameters in the core's terms; shared by fixed and negotiated active messages. A
// token of the API is the core's token under another name.
#pragma once

#include <gasnetex_am.h>
#include <atoll/core/am/am.hpp>

namespace atl::gex {

inline am_message message_of(const atoll_gex_arguments& args, am_category kind) noexcept {
  am_message out;
  out.kind = kind;
  out.handler = args.handler;
  out.nargs = static_cast<std::uint8_t>(args.count);
  out.args = reinterpret_cast<const std::uint32_t*>(args.values);
  return out;
}

inline am_token& token_of(gex_Token_t token) noexcept {
  return *reinterpret_cast<am_token*>(token);
}

inline bool is_immediate(gex_Flags_t flags) noexcept { return (flags & GEX_FLAG_IMMEDIATE) != 0; }

}  // namespace atl::gex
