// SPDX-License-Identifier: BSD-3-Clause
//
// Wrong uses of UPC++, one for each word on the command line. The last rank makes the mistake while
// the others wait in the barrier of finalize(); the job must end with a message that names the
// call, never silently and never in a hang. The program says "not refused" if it gets past the
// mistake.
#include <upcxx/upcxx.hpp>

#include <array>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace {

std::string_view mistake;

bool is(std::string_view name) { return mistake == name; }

struct with_destructor {
  int number = 0;
  ~with_destructor() { number = -1; }
};

template <class T>
using global = upcxx::global_ptr<T>;

/// A pointer to `offset` bytes from the start of a rank's shared memory.
global<int> invented(int rank, std::size_t offset) {
  using namespace atl::upcxx_front;
  return pointer_access::make<int>({.offset = offset,
                                    .rank = static_cast<std::uint32_t>(rank),
                                    .device = 0,
                                    .kind = static_cast<std::uint16_t>(upcxx::memory_kind::host)});
}

void without_the_library() {
  int here = 0;
  if (is("allocate-outside")) static_cast<void>(upcxx::allocate(8));
  if (is("new-outside")) static_cast<void>(upcxx::new_<int>(1));
  if (is("deallocate-outside")) upcxx::deallocate(&here);
  if (is("to-global-outside")) static_cast<void>(upcxx::to_global_ptr(&here));
  if (is("try-global-outside")) static_cast<void>(upcxx::try_global_ptr(&here));
  if (is("local-outside")) static_cast<void>(invented(0, 64).local());
  if (is("rank-outside")) static_cast<void>(upcxx::rank_me());
  if (is("segment-outside")) static_cast<void>(upcxx::shared_segment_size());
  if (is("getenv-outside")) static_cast<void>(upcxx::getenv_console("HOME"));
  if (is("progress-outside")) upcxx::progress();
  if (is("wait-outside")) upcxx::promise<>().get_future().wait();
  if (is("rput-outside")) upcxx::rput(1, invented(0, 64)).wait();
  if (is("rget-outside")) static_cast<void>(upcxx::rget(invented(0, 64)).wait());
  if (is("barrier-outside")) upcxx::barrier();
  if (is("finalize-outside")) upcxx::finalize();
  if (is("fatal-outside")) upcxx::detail::fatal_error("it rains");
  // As a program does that was compiled with older headers.
  if (is("other-headers")) atl::upcxx_front::start(atl::upcxx_front::layout + 1);
}

void storage() {
  if (is("delete-twice")) {
    const auto object = upcxx::new_<with_destructor>();
    upcxx::delete_(object);
    upcxx::delete_(object);
  }
  if (is("delete-array-of-new")) upcxx::delete_array(upcxx::new_<with_destructor>());
  if (is("delete-of-array")) upcxx::delete_(upcxx::new_array<with_destructor>(2));
  if (is("delete-inside")) upcxx::delete_(upcxx::new_array<int>(8) + 1);
  if (is("delete-foreign")) upcxx::delete_(invented(0, 64));
  if (is("deallocate-private")) {
    std::array<char, 64> here{};
    upcxx::deallocate(here.data());
  }
  if (is("deallocate-foreign")) upcxx::deallocate(invented(0, 64));
  if (is("odd-alignment")) static_cast<void>(upcxx::allocate(48, 24));
}

void pointers() {
  int here = 0;
  if (is("to-global-private")) static_cast<void>(upcxx::to_global_ptr(&here));
  if (is("local-of-far")) static_cast<void>(invented(0, 64).local());
  if (is("member-of-null")) static_cast<void>(upcxx_memberof(global<with_destructor>(), number));
  const upcxx::detail::internal_only key;
  if (is("raw-outside")) static_cast<void>(global<int>(key, 0, &here));
  if (is("raw-of-nobody")) static_cast<void>(global<int>(key, 77, &here));
  if (is("general-member-of-null")) {
    static_cast<void>(upcxx_memberof_general(global<with_destructor>(), number));
  }
}

void futures() {
  if (is("wait-for-never")) upcxx::future<>().wait();
  if (is("early-result")) static_cast<void>(upcxx::promise<int>().get_future().result());
  if (is("early-reference")) {
    static_cast<void>(upcxx::promise<int>().get_future().result_reference());
  }
  if (is("wait-in-callback")) {
    upcxx::current_persona().lpc_ff([] { upcxx::promise<>().get_future().wait(); });
    upcxx::progress();
  }
  const upcxx::promise<> empty;
  const upcxx::promise<int> number;
  if (is("fulfilled-twice")) {
    static_cast<void>(empty.finalize());
    static_cast<void>(empty.finalize());
  }
  if (is("too-many-fulfilled")) empty.fulfill_anonymous(2);
  if (is("negative-count")) empty.require_anonymous(-1);
  if (is("require-after-the-end")) {
    static_cast<void>(empty.finalize());
    empty.require_anonymous(1);
  }
  if (is("result-twice")) {
    number.require_anonymous(1);
    number.fulfill_result(1);
    number.fulfill_result(2);
  }
  if (is("end-without-result")) number.fulfill_anonymous(1);
  if (is("moved-promise")) {
    upcxx::promise<> given;
    const upcxx::promise<> taken = std::move(given);
    given.fulfill_anonymous(1);  // NOLINT(bugprone-use-after-move): the mistake
  }
  if (is("no-dependencies")) static_cast<void>(upcxx::promise<>(0));
}

void transfers() {
  int here = 0;
  const global<int> there = invented(0, std::numeric_limits<std::size_t>::max() / 2);
  if (is("put-to-null")) upcxx::rput(1, global<int>()).wait();
  if (is("get-from-null")) static_cast<void>(upcxx::rget(global<int>()).wait());
  if (is("put-of-nothing")) upcxx::rput(static_cast<const int*>(nullptr), there, 1).wait();
  if (is("get-to-nothing")) upcxx::rget(there, static_cast<int*>(nullptr), 1).wait();
  if (is("put-outside-the-segment")) upcxx::rput(1, there).wait();
  if (is("get-outside-the-segment")) upcxx::rget(there, &here, 1).wait();
  if (is("put-to-nobody")) upcxx::rput(1, invented(77, 64)).wait();
  if (is("fulfilled-promise")) {
    const upcxx::promise<int> done;
    done.fulfill_result(1);
    upcxx::rget(upcxx::new_<int>(1), upcxx::operation_cx::as_promise(done));
  }
}

void beside_the_specification() {
  if (is("assertion")) UPCXX_ASSERT_ALWAYS(upcxx::rank_n() == 0, "there are " << upcxx::rank_n());
  if (is("fatal")) upcxx::fatal_error(std::string("it rains"), "bad day", "f", "here.cpp", 7);
  if (is("no-size")) {
    static_cast<void>(upcxx::experimental::os_env("ATOLL_TEST_WORD", std::int64_t{1}, 1));
  }
}

}  // namespace

int main(int argc, char** argv) {
  mistake = argc > 1 ? argv[1] : "";
  const bool after = argc > 2 && std::strcmp(argv[2], "after") == 0;
  if (!after) without_the_library();
  upcxx::init();
  if (upcxx::rank_me() == upcxx::rank_n() - 1 && !after) {
    storage();
    pointers();
    futures();
    transfers();
    beside_the_specification();
    std::puts("not refused");
    std::fflush(stdout);
  }
  upcxx::finalize();
  if (after) without_the_library();
  return 0;
}
