// SPDX-License-Identifier: BSD-3-Clause
//
// Calls as bytes: what is written, how arguments are passed, how long they live.
#include <gtest/gtest.h>
#include <upcxx/command.hpp>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace {

using atl::upcxx_front::bound_call_of;
using atl::upcxx_front::call_traits;
using atl::upcxx_front::check_call;
using atl::upcxx_front::reader;
using atl::upcxx_front::run_command;
using atl::upcxx_front::writer;

class command : public testing::Test {
 protected:
  void SetUp() override { atl::upcxx_front::learn_code(); }
};

template <class Function, class... Arguments>
auto send_and_call(const Function& function, const Arguments&... arguments) {
  static_assert(check_call<Function, Arguments...>());
  using call = bound_call_of<Function, Arguments...>;
  writer to;
  call::write(to, function, arguments...);
  EXPECT_LE(to.size(), call::end_bound(0, function, arguments...));
  reader from(to.bytes());
  call arrived(from);
  EXPECT_EQ(from.left(), 0u);
  EXPECT_TRUE(arrived.is_ready());
  return arrived();
}

int add(int a, int b) { return a + b; }
int twice(int a) noexcept { return 2 * a; }

struct counts {
  static inline int alive = 0;
  int value = 0;
  explicit counts(int n) : value(n) { ++alive; }
  counts(const counts& other) : value(other.value) { ++alive; }
  ~counts() { --alive; }
  UPCXX_SERIALIZED_VALUES(value)
};

struct named_elsewhere {
  int id = 0;
  named_elsewhere() = default;
  named_elsewhere(const named_elsewhere&) = delete;
};
named_elsewhere* registered = nullptr;

}  // namespace

template <>
struct atl::upcxx_front::call_argument<named_elsewhere> {
  static constexpr bool allowed = true;
  using held = int;
  static void write(writer& to, const named_elsewhere& object) { to.write(object.id); }
  static std::size_t end_bound(const named_elsewhere&, std::size_t from) noexcept {
    return static_end<int>(from);
  }
  static void read(reader& from, slot<held>& place) {
    place.holds(from.read_into<int>(place.memory()));
  }
  static bool is_present(const held&) noexcept { return registered != nullptr; }
  static named_elsewhere& pass(held&) noexcept { return *registered; }
};

namespace {

TEST_F(command, functions_and_lambdas_are_called_with_what_was_sent) {
  EXPECT_EQ(send_and_call(add, 2, 3), 5);
  EXPECT_EQ(send_and_call(&add, 2, 3), 5);
  EXPECT_EQ(send_and_call(twice, 4), 8);
  int captured = 7;
  EXPECT_EQ(send_and_call([captured](int n) { return captured * n; }, 6), 42);
  EXPECT_EQ(send_and_call(
                [](std::string text, const std::vector<int>& numbers) {
                  return text + std::to_string(numbers.size());
                },
                std::string("n="), std::vector<int>{1, 2, 3}),
            "n=3");
}

TEST_F(command, functions_of_libraries_are_found_too) {
  double (*root)(double) = std::sqrt;
  EXPECT_EQ(send_and_call(root, 9.0), 3.0);
}

TEST_F(command, a_function_object_without_state_takes_no_bytes) {
  auto nothing = [](int n) { return n; };
  using call = bound_call_of<decltype(nothing), int>;
  writer to;
  call::write(to, nothing, 5);
  EXPECT_EQ(to.size(), sizeof(int));
  EXPECT_EQ(call::end_bound(0, nothing, 5), sizeof(int));
}

TEST_F(command, arguments_are_passed_as_rvalues) {
  auto take = [](std::unique_ptr<int>) {};
  static_assert(!call_traits<decltype(take), int>::is_invocable);
  auto by_reference = [](int&) {};
  static_assert(!call_traits<decltype(by_reference), int>::is_invocable);
  EXPECT_EQ(send_and_call([](std::string&& text) { return std::move(text); }, std::string("moved")),
            "moved");
}

TEST_F(command, arguments_live_as_long_as_the_call) {
  const counts sent(3);
  {
    auto keep = [](const counts& arrived) { return &arrived; };
    using call = bound_call_of<decltype(keep), counts>;
    writer to;
    call::write(to, keep, sent);
    reader from(to.bytes());
    call arrived(from);
    EXPECT_EQ(arrived()->value, 3);
    EXPECT_EQ(counts::alive, 2);
  }
  EXPECT_EQ(counts::alive, 1);
}

TEST_F(command, views_show_the_message_itself) {
  const std::vector<double> numbers{1, 2, 3};
  auto first = [](upcxx::view<double> seen) { return seen.data(); };
  using call = bound_call_of<decltype(first), decltype(upcxx::make_view(numbers))>;
  writer to;
  call::write(to, first, upcxx::make_view(numbers));
  reader from(to.bytes());
  call arrived(from);
  EXPECT_EQ(reinterpret_cast<const std::byte*>(arrived()), to.data() + sizeof(std::size_t));
}

TEST_F(command, what_is_sent_by_name_is_waited_for_and_passed_by_reference) {
  named_elsewhere target;
  target.id = 12;
  auto look = [](named_elsewhere& object, int n) { return object.id + n; };
  static_assert(check_call<decltype(look), named_elsewhere&, int>());
  using call = bound_call_of<decltype(look), named_elsewhere&, int>;
  writer to;
  call::write(to, look, target, 1);
  reader from(to.bytes());
  call arrived(from);
  EXPECT_FALSE(arrived.is_ready());
  registered = &target;
  EXPECT_TRUE(arrived.is_ready());
  EXPECT_EQ(arrived(), 13);
  registered = nullptr;
}

void remember(reader& body, void* context) { *static_cast<int*>(context) = body.read<int>(); }

TEST_F(command, runs_the_entry_that_was_written) {
  writer to;
  atl::upcxx_front::write_entry(to, remember);
  EXPECT_EQ(to.size(), atl::upcxx_front::command_head_bytes);
  to.write(42);
  reader from(to.bytes());
  int result = 0;
  run_command(from, &result);
  EXPECT_EQ(result, 42);
}

TEST_F(command, that_cannot_be_read_says_so) {
  writer to;
  atl::upcxx_front::write_entry(to, remember);
  EXPECT_DEATH(
      {
        reader from(to.bytes());
        int result = 0;
        run_command(from, &result);
      },
      "cannot be deserialized.*4 bytes are read at 8");
}

}  // namespace
