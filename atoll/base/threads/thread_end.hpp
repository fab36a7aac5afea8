// SPDX-License-Identifier: BSD-3-Clause
//
// An object that belongs to a thread and is destroyed when the thread ends. A library that is
// opened late, by dlopen, gets its thread-local variables from a small area that all such libraries
// share; so ours keep to a few pointers there, and the objects behind them are made on first use.
// They end as thread-local objects do: in reverse order, before anything that was made earlier, and
// for the main thread at exit(). Destructors that run even later find the pointer null and make the
// object anew.
#pragma once

#include <utility>

namespace atl {

/// Calls `run(object)` when the calling thread ends, or calls exit().
void at_end_of_thread(void (*run)(void*), void* object) noexcept;

/// Makes an object that lives until the calling thread ends, and stores its address in `pointer`,
/// a thread-local variable that is null without an object. Ends the process when there is no
/// memory.
template <class Object>
[[gnu::cold, gnu::noinline]] Object& make_for_thread(Object*& pointer) noexcept {
  pointer = new Object();
  at_end_of_thread([](void* slot) { delete std::exchange(*static_cast<Object**>(slot), nullptr); },
                   &pointer);
  return *pointer;
}

}  // namespace atl
