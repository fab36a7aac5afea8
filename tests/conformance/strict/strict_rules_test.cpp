// SPDX-License-Identifier: BSD-3-Clause
//
// Tests that the strict provider notices broken rules: each rule is broken once, and kept once.
#include <tests/conformance/strict/rules.hpp>

#include <gtest/gtest.h>

namespace strict {
namespace {

class rules_test : public testing::Test {
 protected:
  rules_test() {
    known.inner = &known.mr;
    known.begin = memory.data();
    known.bytes = memory.size();
    known.access = FI_SEND;
    kept.add(known);
  }

  rules kept{*find_profile("worst")};
  std::array<std::byte, 64> memory{};
  registration known;
  fi_context2 context{};
};

TEST_F(rules_test, buffers_must_lie_in_memory_registered_for_the_use) {
  kept.check_buffer("call", memory.data() + 8, 56, &known, FI_SEND);
  EXPECT_DEATH(kept.check_buffer("call", memory.data() + 8, 57, &known, FI_SEND),
               "not in the memory");
  EXPECT_DEATH(kept.check_buffer("call", memory.data(), 8, &known, FI_RECV), "not registered for");
  EXPECT_DEATH(kept.check_buffer("call", memory.data(), 8, nullptr, FI_SEND),
               "no registered memory");
  known.inner = nullptr;
  EXPECT_DEATH(kept.check_buffer("call", memory.data(), 8, &known, FI_SEND), "not enabled");
}

TEST_F(rules_test, sizes_have_limits) {
  kept.check_size("call", 100'000);
  EXPECT_DEATH(kept.check_size("call", 100'001), "max_msg_size");
  kept.check_inject("call", 0);
  EXPECT_DEATH(kept.check_inject("call", 1), "inject_size");
}

TEST_F(rules_test, a_context_is_the_providers_until_the_end) {
  kept.begin("call", &context, {});
  EXPECT_DEATH(kept.begin("call", &context, {}), "in use");
  EXPECT_DEATH(kept.begin("call", nullptr, {}), "must be a context");
  kept.end(&context);
  kept.begin("call", &context, {});
  context.internal[3] = &kept;
  EXPECT_DEATH(kept.end(&context), "written to");
}

TEST_F(rules_test, vectors_stay_as_they_are_until_the_end) {
  iovec local{memory.data(), 8};
  fi_rma_iov remote{.addr = 1, .len = 8, .key = 2};
  kept.begin("call", &context, {&local, &remote});
  kept.end(&context);
  kept.begin("call", &context, {&local, &remote});
  remote.key = 3;
  EXPECT_DEATH(kept.end(&context), "vector was changed");
  remote.key = 2;
  local.iov_len = 9;
  EXPECT_DEATH(kept.end(&context), "vector was changed");
}

TEST(keys, are_chosen_by_who_the_profile_says) {
  rules by_provider(*find_profile("opx"));
  std::uint64_t key = 1 << 20;
  EXPECT_TRUE(by_provider.choose_key(key));
  EXPECT_LT(key, 1u << 16);
  rules by_program(*find_profile("psm3"));
  key = 7;
  EXPECT_TRUE(by_program.choose_key(key));
  EXPECT_EQ(key, 7u);
  EXPECT_FALSE(by_program.choose_key(key));
}

}  // namespace
}  // namespace strict
