// SPDX-License-Identifier: BSD-3-Clause
//
// Progress: the only place where notifications and calls from other ranks run. At internal level
// only the runtime moves on, and nothing of the program runs; at user level, everything that is for
// the calling thread's personas runs too. It runs in the restricted context, where further calls
// make internal progress only and waiting is refused. Spec: 10.1 to 10.3, 10.5.
#pragma once

#include <upcxx/persona.hpp>

namespace upcxx {

enum class progress_level { internal, user };

/// Any thread.
void progress(progress_level level = progress_level::user) noexcept;

/// Whether the calling thread is in the restricted context.
bool in_progress() noexcept;

/// Whether something started by the personas from `from` to the top still needs internal progress
/// of theirs before others can see it. By default it asks all personas of the thread.
bool progress_required(persona_scope& from = default_persona_scope()) noexcept;

/// Makes internal progress until progress_required() is false.
void discharge(persona_scope& from = default_persona_scope()) noexcept;

}  // namespace upcxx
