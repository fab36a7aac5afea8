// SPDX-License-Identifier: BSD-3-Clause
//
// Functions as numbers, and pointers to member functions in both layouts that there are.
#include <gtest/gtest.h>
#include <upcxx/command.hpp>

#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace {

using atl::upcxx_front::address_of;
using atl::upcxx_front::code_token;
using atl::upcxx_front::member_pointer;
using atl::upcxx_front::member_pointer_layout;
using atl::upcxx_front::member_pointer_words;
using atl::upcxx_front::own_member_pointer_layout;
using atl::upcxx_front::program_code;
using atl::upcxx_front::token_of;
using atl::upcxx_front::unknown_code;

constexpr code_token one_more_fingerprint = code_token{1} << 32;

class code : public testing::Test {
 protected:
  void SetUp() override { atl::upcxx_front::learn_code(); }
  void TearDown() override { atl::upcxx_front::learn_code(); }
};

void of_the_program() {}
const auto program_address = reinterpret_cast<std::uintptr_t>(&of_the_program);

TEST_F(code, of_the_program_is_its_offset) {
  const code_token token = token_of(&of_the_program);
  EXPECT_EQ(token, program_address - program_code.start);
  EXPECT_EQ(address_of(token), program_address);
}

TEST_F(code, of_a_library_comes_back_by_the_name_and_build_of_the_library) {
  const code_token token = token_of(&std::labs);
  EXPECT_NE(token >> 63, 0u);
  EXPECT_EQ(address_of(token), reinterpret_cast<std::uintptr_t>(&std::labs));
  EXPECT_EQ(token_of(&std::llabs) >> 32, token >> 32) << "they are in the same library";
}

TEST_F(code, of_a_library_that_is_not_here_is_found_out) {
  const code_token token = token_of(&std::labs);
  EXPECT_THROW(address_of(token + one_more_fingerprint), unknown_code);
  EXPECT_THROW(address_of(token | 0xffffffff), unknown_code);
  EXPECT_THROW(address_of(program_code.size_bytes), unknown_code);
}

// As where ranks run different programs.
TEST_F(code, of_the_program_may_be_sent_as_that_of_a_library) {
  const code_token plain = token_of(&of_the_program);
  program_code = {};
  const code_token token = token_of(&of_the_program);
  EXPECT_NE(token, plain);
  EXPECT_EQ(address_of(token), program_address);
  EXPECT_THROW(address_of(plain), unknown_code);
}

constexpr std::uint64_t back_by(std::uint64_t bytes) { return ~bytes + 1; }

template <class Layout>
void comes_back(const member_pointer& sent) {
  const member_pointer parts = Layout::parts_of(Layout::words_of(sent));
  EXPECT_EQ(parts.is_virtual, sent.is_virtual);
  EXPECT_EQ(parts.function, sent.function);
  EXPECT_EQ(parts.adjustment, sent.adjustment);
}

TEST(member_pointer, has_its_mark_in_the_function_or_in_the_adjustment) {
  using plain = member_pointer_layout<false>;
  using arm = member_pointer_layout<true>;
  constexpr member_pointer_words virtual_plain{25, 16};
  constexpr member_pointer_words virtual_arm{24, 33};
  static_assert(plain::parts_of(virtual_plain).is_virtual);
  static_assert(plain::parts_of(virtual_plain).function == 24);
  static_assert(arm::parts_of(virtual_arm).is_virtual);
  static_assert(arm::parts_of(virtual_arm).function == 24);
  static_assert(arm::parts_of(virtual_arm).adjustment == 16);
  static_assert(!arm::parts_of({25, 32}).is_virtual);
  static_assert(arm::parts_of({0, back_by(15)}).adjustment == back_by(8));
  for (const std::uint64_t adjustment : {std::uint64_t{0}, std::uint64_t{16}, back_by(8)}) {
    comes_back<plain>({true, 24, adjustment});
    comes_back<plain>({false, program_address & ~std::uint64_t{1}, adjustment});
    comes_back<arm>({true, 24, adjustment});
    comes_back<arm>({false, 0x1001, adjustment});
  }
}

struct first_base {
  virtual ~first_base() = default;
  virtual int number() { return 1; }
  int first = 0;
};
struct second_base {
  virtual ~second_base() = default;
  virtual int other() { return 2; }
  int plain() { return 3; }
  int second = 0;
};
struct derived : first_base, second_base {
  int other() override { return 4; }
};

TEST(member_pointer, of_this_processor_is_taken_apart_as_its_compiler_puts_it_together) {
  const auto parts_of = [](int (derived::*function)()) {
    member_pointer_words words;
    static_assert(sizeof function == sizeof words);
    std::memcpy(words.data(), &function, sizeof words);
    return own_member_pointer_layout::parts_of(words);
  };
  EXPECT_TRUE(parts_of(&derived::number).is_virtual);
  EXPECT_EQ(parts_of(&derived::number).function % sizeof(void*), 0u);
  EXPECT_FALSE(parts_of(&derived::plain).is_virtual);
  EXPECT_EQ(parts_of(&derived::plain).adjustment, sizeof(first_base));
  EXPECT_EQ(parts_of(static_cast<int (derived::*)()>(&second_base::other)).adjustment,
            sizeof(first_base));
}

}  // namespace
