// SPDX-License-Identifier: BSD-3-Clause
//
// Payload blocks: every one is handed out once, comes back in any order, and sizes do not mix.
#include <atoll/transport/pool.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <set>

namespace atl::transport {
namespace {

class pool : public testing::TestWithParam<bool> {
 protected:
  pool() : memory_(std::make_unique<pool_memory>()), owner_(*memory_, GetParam()) {
    for (auto& each : memory_->flags) each.busy.store(0);
  }
  std::unique_ptr<pool_memory> memory_;
  pool_owner owner_;
};

TEST_P(pool, hands_out_every_block_once) {
  for (const std::size_t bytes : {std::size_t{1}, pool_memory::large_bytes}) {
    std::set<std::uint32_t> held;
    for (;;) {
      const std::uint32_t block = owner_.claim(bytes);
      if (block == pool_owner::no_block) break;
      EXPECT_GE(pool_memory::room(block), bytes);
      EXPECT_TRUE(held.insert(block).second);
    }
    EXPECT_EQ(held.size(), bytes == 1 ? pool_memory::small_count : pool_memory::large_count);
    // Out of order: only the one freed is found again.
    const std::uint32_t middle = *std::next(held.begin(), 5);
    memory_->free(middle);
    EXPECT_EQ(owner_.claim(bytes), middle);
    EXPECT_EQ(owner_.claim(bytes), pool_owner::no_block);
    for (const std::uint32_t block : held) memory_->free(block);
  }
}

TEST_P(pool, blocks_do_not_overlap) {
  const auto* const first = memory_->block(0);
  EXPECT_EQ(memory_->block(1) - first, static_cast<std::ptrdiff_t>(pool_memory::small_bytes));
  const auto* const large = memory_->block(pool_memory::small_count);
  EXPECT_EQ(large - memory_->block(pool_memory::small_count - 1),
            static_cast<std::ptrdiff_t>(pool_memory::small_bytes));
}

INSTANTIATE_TEST_SUITE_P(by_threads, pool, testing::Bool(), [](const auto& about) {
  return about.param ? std::string("any") : std::string("single");
});

}  // namespace
}  // namespace atl::transport
