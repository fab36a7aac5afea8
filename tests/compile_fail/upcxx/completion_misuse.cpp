// SPDX-License-Identifier: BSD-3-Clause
//
// Completions that an operation does not offer.
// expect: completions: operation completion (or remote, where there is one) must be asked for
// expect: completions: expected what source_cx, remote_cx and operation_cx return
// expect: as_lpc: the function object cannot be called with the values of this operation
// expect: as_lpc: the function object must be copyable, since a completion object is
// expect: as_promise: the promise is not of the values that this operation brings
#include <upcxx/rget.hpp>
#include <upcxx/rput.hpp>

#include <memory>
#include <string>

using upcxx::operation_cx;
using upcxx::source_cx;

extern upcxx::global_ptr<int> target;

void get(std::unique_ptr<int> moved) {
  static_cast<void>(operation_cx::as_lpc(upcxx::current_persona(), [m = std::move(moved)] {}));
  upcxx::rget(target, operation_cx::as_lpc(upcxx::current_persona(), [] {}));
}

void promise_of_another(upcxx::promise<std::string> other) {
  upcxx::rget(target, operation_cx::as_promise(other));
}

void put(int* source) {
  static_cast<void>(upcxx::rput(source, target, 1, source_cx::as_future()));
  static_cast<void>(upcxx::rput(source, target, 1, 5));
}
