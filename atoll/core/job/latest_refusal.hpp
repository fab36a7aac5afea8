// SPDX-License-Identifier: BSD-3-Clause
//
// A layer above refuses something by an error, and the error may leave the scope of the runtime.
// The end of the runtime then ends the process before anybody has caught the error and reported it.
// So the layer notes the text with the runtime first, which adds it to its own message. Any thread.
#pragma once

#include <string>

namespace atl {

class runtime;

/// To be called before the error is thrown on.
void note_refusal(const runtime& owner, std::string text);

/// The text that was noted last for this runtime, which is forgotten; empty when there is none.
std::string take_refusal(const runtime& owner);

}  // namespace atl
