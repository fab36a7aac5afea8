// SPDX-License-Identifier: BSD-3-Clause
//
// Wrong uses of UPC++, one for each word on the command line. The last rank makes the mistake while
// the others wait in the barrier of finalize(); the job must end with a message that names the
// call, never silently, and must not hang. The program prints "not refused" if it gets past the
// mistake.
#include <upcxx/upcxx.hpp>

#include <array>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

std::string_view mistake;

bool is_mistake(std::string_view name) { return mistake == name; }

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
  int local = 0;
  if (is_mistake("allocate-outside")) static_cast<void>(upcxx::allocate(8));
  if (is_mistake("new-outside")) static_cast<void>(upcxx::new_<int>(1));
  if (is_mistake("deallocate-outside")) upcxx::deallocate(&local);
  if (is_mistake("to-global-outside")) static_cast<void>(upcxx::to_global_ptr(&local));
  if (is_mistake("try-global-outside")) static_cast<void>(upcxx::try_global_ptr(&local));
  if (is_mistake("local-outside")) static_cast<void>(invented(0, 64).local());
  if (is_mistake("rank-outside")) static_cast<void>(upcxx::rank_me());
  if (is_mistake("segment-outside")) static_cast<void>(upcxx::shared_segment_size());
  if (is_mistake("getenv-outside")) static_cast<void>(upcxx::getenv_console("HOME"));
  if (is_mistake("progress-outside")) upcxx::progress();
  if (is_mistake("wait-outside")) upcxx::promise<>().get_future().wait();
  if (is_mistake("rput-outside")) upcxx::rput(1, invented(0, 64)).wait();
  if (is_mistake("rget-outside")) static_cast<void>(upcxx::rget(invented(0, 64)).wait());
  if (is_mistake("barrier-outside")) upcxx::barrier();
  if (is_mistake("finalize-outside")) upcxx::finalize();
  if (is_mistake("fatal-outside")) upcxx::detail::fatal_error("it rains");
  // Starts like a program that was compiled with other headers.
  if (is_mistake("other-headers")) atl::upcxx_front::start(atl::upcxx_front::layout + 1);
}

void storage() {
  if (is_mistake("delete-twice")) {
    const auto object = upcxx::new_<with_destructor>();
    upcxx::delete_(object);
    upcxx::delete_(object);
  }
  if (is_mistake("delete-array-of-new")) upcxx::delete_array(upcxx::new_<with_destructor>());
  if (is_mistake("delete-of-array")) upcxx::delete_(upcxx::new_array<with_destructor>(2));
  if (is_mistake("delete-inside")) upcxx::delete_(upcxx::new_array<int>(8) + 1);
  if (is_mistake("delete-foreign")) upcxx::delete_(invented(0, 64));
  if (is_mistake("deallocate-private")) {
    std::array<char, 64> buffer{};
    upcxx::deallocate(buffer.data());
  }
  if (is_mistake("deallocate-foreign")) upcxx::deallocate(invented(0, 64));
  if (is_mistake("odd-alignment")) static_cast<void>(upcxx::allocate(48, 24));
}

void pointers() {
  int local = 0;
  if (is_mistake("to-global-private")) static_cast<void>(upcxx::to_global_ptr(&local));
  if (is_mistake("local-of-far")) static_cast<void>(invented(0, 64).local());
  if (is_mistake("member-of-null"))
    static_cast<void>(upcxx_memberof(global<with_destructor>(), number));
  const upcxx::detail::internal_only key;
  if (is_mistake("raw-outside")) static_cast<void>(global<int>(key, 0, &local));
  if (is_mistake("raw-of-nobody")) static_cast<void>(global<int>(key, 77, &local));
  if (is_mistake("general-member-of-null")) {
    static_cast<void>(upcxx_memberof_general(global<with_destructor>(), number));
  }
}

void futures() {
  if (is_mistake("wait-for-never")) upcxx::future<>().wait();
  if (is_mistake("early-result")) static_cast<void>(upcxx::promise<int>().get_future().result());
  if (is_mistake("early-reference")) {
    static_cast<void>(upcxx::promise<int>().get_future().result_reference());
  }
  if (is_mistake("wait-in-callback")) {
    upcxx::current_persona().lpc_ff([] { upcxx::promise<>().get_future().wait(); });
    upcxx::progress();
  }
  const upcxx::promise<> empty;
  const upcxx::promise<int> number;
  if (is_mistake("fulfilled-twice")) {
    static_cast<void>(empty.finalize());
    static_cast<void>(empty.finalize());
  }
  if (is_mistake("too-many-fulfilled")) empty.fulfill_anonymous(2);
  if (is_mistake("negative-count")) empty.require_anonymous(-1);
  if (is_mistake("require-after-the-end")) {
    static_cast<void>(empty.finalize());
    empty.require_anonymous(1);
  }
  if (is_mistake("result-twice")) {
    number.require_anonymous(1);
    number.fulfill_result(1);
    number.fulfill_result(2);
  }
  if (is_mistake("end-without-result")) number.fulfill_anonymous(1);
  if (is_mistake("moved-promise")) {
    upcxx::promise<> given;
    const upcxx::promise<> taken = std::move(given);
    given.fulfill_anonymous(1);  // NOLINT(bugprone-use-after-move): the mistake
  }
  if (is_mistake("no-dependencies")) static_cast<void>(upcxx::promise<>(0));
}

void transfers() {
  int local = 0;
  const global<int> remote = invented(0, std::numeric_limits<std::size_t>::max() / 2);
  if (is_mistake("put-to-null")) upcxx::rput(1, global<int>()).wait();
  if (is_mistake("get-from-null")) static_cast<void>(upcxx::rget(global<int>()).wait());
  if (is_mistake("put-of-nothing")) upcxx::rput(static_cast<const int*>(nullptr), remote, 1).wait();
  if (is_mistake("get-to-nothing")) upcxx::rget(remote, static_cast<int*>(nullptr), 1).wait();
  if (is_mistake("put-outside-the-segment")) upcxx::rput(1, remote).wait();
  if (is_mistake("get-outside-the-segment")) upcxx::rget(remote, &local, 1).wait();
  if (is_mistake("put-to-nobody")) upcxx::rput(1, invented(77, 64)).wait();
  if (is_mistake("block-to-nobody")) {
    const std::array<std::ptrdiff_t, 1> stride{sizeof(int)};
    upcxx::rput_strided<1>(&local, stride, invented(77, 64), stride, {1}).wait();
  }
  if (is_mistake("runs-to-null")) {
    const std::array from{std::pair(&local, 1)};
    const std::array to{std::pair(global<int>(), 1)};
    upcxx::rput_irregular(from.begin(), from.end(), to.begin(), to.end()).wait();
  }
  if (is_mistake("fulfilled-promise")) {
    const upcxx::promise<int> done;
    done.fulfill_result(1);
    upcxx::rget(upcxx::new_<int>(1), upcxx::operation_cx::as_promise(done));
  }
}

void beside_the_specification() {
  if (is_mistake("assertion"))
    UPCXX_ASSERT_ALWAYS(upcxx::rank_n() == 0, "there are " << upcxx::rank_n());
  if (is_mistake("fatal"))
    upcxx::fatal_error(std::string("it rains"), "bad day", "f", "here.cpp", 7);
  if (is_mistake("no-size")) {
    static_cast<void>(upcxx::experimental::os_env("ATOLL_TEST_WORD", std::int64_t{1}, 1));
  }
}

}  // namespace

int main(int argc, char** argv) {
  mistake = argc > 1 ? argv[1] : "";
  const bool after_finalize = argc > 2 && std::strcmp(argv[2], "after") == 0;
  if (!after_finalize) without_the_library();
  upcxx::init();
  if (upcxx::rank_me() == upcxx::rank_n() - 1 && !after_finalize) {
    storage();
    pointers();
    futures();
    transfers();
    beside_the_specification();
    std::puts("not refused");
    std::fflush(stdout);
  }
  upcxx::finalize();
  if (after_finalize) without_the_library();
  return 0;
}
