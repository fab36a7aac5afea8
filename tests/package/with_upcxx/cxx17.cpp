// SPDX-License-Identifier: BSD-3-Clause
//
// A program in C++17 that C++20 refuses: it declares a constructor by a template-id (CWG 2237), and
// an aggregate has a constructor. It compiles only if the wrapper keeps the user's standard.
#include <upcxx/upcxx.hpp>

#include <cstdio>
#include <string>

static_assert(__cplusplus == 201703L);

template <class T, int N>
struct port {
  port<T, N>() : opened(N) {}
  T opened;
};

struct local_only {
  local_only() = delete;
  int number;
};

int main() {
  upcxx::init();
  const local_only aggregate{};
  const int opened = upcxx::rpc((upcxx::rank_me() + 1) % upcxx::rank_n(),
                                [](const std::string& name) {
                                  return port<int, 3>().opened + static_cast<int>(name.size());
                                },
                                std::string("port"))
                         .wait();
  if (upcxx::rank_me() == 0) std::printf("opened %d in C++17\n", opened + aggregate.number);
  upcxx::finalize();
  return opened == 7 ? 0 : 1;
}
