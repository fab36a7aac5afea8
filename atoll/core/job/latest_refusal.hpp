// SPDX-License-Identifier: BSD-3-Clause
//
// Why a layer above refuses to start. Its error may leave the scope of the runtime, whose end then
// ends the process before anybody has caught and reported it; the runtime reports this text
// instead. One text per process, as errors of settings concern the process. Any thread.
#pragma once

#include <string>

namespace atl {

/// To be called before the error is thrown on.
void note_refusal(std::string text) noexcept;

/// The text noted last; empty when there is none.
std::string latest_refusal();

}  // namespace atl
