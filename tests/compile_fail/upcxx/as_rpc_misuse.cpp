// SPDX-License-Identifier: BSD-3-Clause
//
// Calls at the target of a put, and names of members, that the specification forbids.
// expect: rpc: an array cannot be an argument
// expect: rpc: each argument must be Serializable
// expect: so it cannot take them by non-const reference
// expect: rpc: an argument has a large static type
// expect: upcxx_memberof: the type must be of standard layout
// expect: upcxx_memberof: the member lies outside of the object
// expect: upcxx_memberof_general: the member must be neither a reference nor an element
#include <upcxx/memberof.hpp>
#include <upcxx/rpc.hpp>
#include <upcxx/rput.hpp>

using upcxx::remote_cx;

struct large {
  char bytes[1000];
};
struct pair_of_words {
  int words[2];
};
struct resource {
  ~resource() {}
};
class hidden {
 public:
  int open = 0;
  int& shown = open;
  int many[3] = {};

 private:
  int kept_ = 0;
};

void put(upcxx::global_ptr<int> target, double (&array)[3]) {
  resource object;
  int number = 0;
  upcxx::rput(0, target, remote_cx::as_rpc([](double*) {}, array));
  upcxx::rput(0, target, remote_cx::as_rpc([](const resource&) {}, object));
  upcxx::rput(0, target, remote_cx::as_rpc([](int&) {}, number));
  upcxx::rput(0, target, remote_cx::as_rpc([](const large&) {}, large()));
}

void name(upcxx::global_ptr<hidden> object, upcxx::global_ptr<pair_of_words> pair) {
  static_cast<void>(upcxx_memberof(pair, words[2]));
  static_cast<void>(upcxx_memberof(object, open));
  static_cast<void>(upcxx_memberof_general(object, shown));
  static_cast<void>(upcxx_memberof_general(object, many[1]));
}
