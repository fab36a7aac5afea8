// SPDX-License-Identifier: BSD-3-Clause
//
// One rput and one rget of 8 bytes to memory that is mapped here, as programs write them, each in a
// function of its own whose instructions count_test.py counts. Two more functions do the same with
// plain pointers, for the difference.
#include <upcxx/upcxx.hpp>

#include <cstdint>
#include <cstdlib>

using place = upcxx::global_ptr<std::uint64_t>;

// Their names must be plain symbols.
extern "C" {

[[gnu::noinline]] void counted_rput(const place& to, std::uint64_t value) {
  upcxx::rput(value, to).wait();
}

[[gnu::noinline]] std::uint64_t counted_rget(const place& from) { return upcxx::rget(from).wait(); }

[[gnu::noinline]] void counted_rput_ready(const place& to, std::uint64_t value) {
  if (!upcxx::rput(value, to).ready()) std::abort();
}

[[gnu::noinline]] void counted_rput_told(const place& to, std::uint64_t value,
                                         upcxx::promise<>& done) {
  upcxx::rput(value, to, upcxx::operation_cx::as_promise(done));
}

[[gnu::noinline]] void counted_idle_progress() { upcxx::progress(); }

}  // extern "C"

int main() {
  constexpr std::uint64_t times = 10'000;
  upcxx::init();
  const auto number = upcxx::new_<std::uint64_t>(0);
  std::uint64_t sum = 0;
  upcxx::promise<> done;
  for (std::uint64_t i = 0; i < times; ++i) {
    counted_rput(number, i);
    sum += counted_rget(number);
    counted_rput_ready(number, i + 1);
    sum += *number.local() - i - 1;
    counted_rput_told(number, i, done);
    counted_idle_progress();
  }
  done.finalize().wait();
  upcxx::delete_(number);
  upcxx::finalize();
  return sum == times * (times - 1) / 2 ? EXIT_SUCCESS : EXIT_FAILURE;
}
