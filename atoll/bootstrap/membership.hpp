// SPDX-License-Identifier: BSD-3-Clause
//
// Which process is a rank. A launcher's variables are inherited by everything below the process
// that it started: by wrappers before the rank, which must do no harm, and by programs that the
// rank itself starts, which are not the rank. So the first process that joins leaves a mark in its
// own environment, ATOLL_MEMBER, for its children: a process that finds the mark of another one
// belongs to no launcher and is a job of its own.
//
// The mark names the process and the launch that it has joined. A launcher that a rank starts gives
// its processes other variables than the rank had, so the mark does not stand for those.
#pragma once

#include <atoll/base/settings.hpp>

namespace atl::bootstrap {

/// Whether an ancestor of this process, which a launcher has started, has joined as the rank whose
/// variables this process inherited. A forked child of a rank counts, a rank that executes a
/// program does not: that is the same process.
bool is_started_by_rank(const settings& settings);

/// Whether an ancestor has joined: then ATOLL_JOB and what belongs to it are that process's, also
/// where another launcher has started this one meanwhile.
bool has_inherited_job(const settings& settings);

/// Whether a launcher, Atoll's or another, has started this process as one of several.
bool has_launcher(const settings& settings);

/// Marks the environment of this process, which has joined. Safe while other threads read the
/// environment, not while they change it.
void mark_children();

}  // namespace atl::bootstrap
