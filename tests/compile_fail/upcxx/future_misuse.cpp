// SPDX-License-Identifier: BSD-3-Clause
//
// Uses of futures and promises that the specification forbids.
// expect: future<void>: a future without a value is written future<>
// expect: promise<void>: a promise without a value is written promise<>
// expect: future: this type cannot be copied, and several futures may share one value
// expect: future: this would return a large object by value
// expect: future: a type of this tuple cannot be copied
// expect: future::then: the callback cannot be called with the values of this future
// expect: future::then: the callback is kept until the future is ready
// expect: when_all: the values of a future are copied, and a type here cannot be
// expect: promise::fulfill_result: takes as many values as the promise has types
// expect: promise::fulfill_result: a value cannot be converted to the promise's type
#include <upcxx/promise.hpp>
#include <upcxx/when_all.hpp>

#include <memory>

struct large {
  char bytes[1000];
};
struct only_moved {
  std::unique_ptr<int> held;
  void operator()(int) const {}
};

template <class T>
extern upcxx::future<T> some;
template <class T>
extern upcxx::promise<T> promised;

void use(upcxx::future<only_moved, int> several, only_moved& callback) {
  static_cast<void>(some<void>.ready());
  promised<void>.require_anonymous(1);
  static_cast<void>(some<only_moved>.result());
  static_cast<void>(some<large>.wait());
  static_cast<void>(several.wait_tuple());
  some<int>.then([](int&) {});
  some<int>.then(callback);
  static_cast<void>(upcxx::when_all(some<only_moved>, some<int>));
  promised<int>.fulfill_result(1, 2);
  promised<int>.fulfill_result("one");
}
