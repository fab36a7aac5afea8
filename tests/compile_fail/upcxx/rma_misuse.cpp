// SPDX-License-Identifier: BSD-3-Clause
//
// Uses of put and get that the specification forbids.
// expect: rput: the type must be TriviallySerializable; others travel by rpc
// expect: rget: the type must be TriviallySerializable; others travel by rpc
// expect: rput: this would pass a large object by value
// expect: rget: this would return a large object by value
// expect: completions: this operation has no source completion; request operation completion
#include <upcxx/rget.hpp>
#include <upcxx/rput.hpp>

#include <string>

using upcxx::operation_cx;
using upcxx::source_cx;

struct large {
  char bytes[1000];
};

template <class T>
extern upcxx::global_ptr<T> target;

void put(const std::string& text) {
  upcxx::rput(text, target<std::string>).wait();
  upcxx::rput(large(), target<large>).wait();
  static_cast<void>(
      upcxx::rput(5, target<int>, source_cx::as_future() | operation_cx::as_future()));
}

void get() {
  static_cast<void>(upcxx::rget(target<std::string>));
  static_cast<void>(upcxx::rget(target<large>));
}
