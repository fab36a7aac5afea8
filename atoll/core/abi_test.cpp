// SPDX-License-Identifier: BSD-3-Clause
//
// The public C header: what inline code finds, and that what it leaves to the library has the
// same effect. One rank of a runtime that fronts share; with others, see tests/multi/gex/abi.c.
#include <atoll/abi.h>

#include <atoll/bootstrap/single.hpp>
#include <atoll/core/job/shared_runtime.hpp>
#include <atoll/core/rma/rma.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>

namespace atl {
namespace {

class abi : public testing::TestWithParam<bool> {
 protected:
  abi() {
    std::array<const char*, 2> names{GetParam() ? "ATOLL_COUNTERS=1" : nullptr, nullptr};
    runtime_options options;
    options.configuration = settings::read(names.data());
    options.boot = std::make_unique<bootstrap::single>();
    job_ = start_shared_runtime(std::move(options));
    heaps_ = atoll_library_heaps(ATOLL_ABI);
    numbers_ = static_cast<std::uint64_t*>(atoll_library_allocate(sizeof(std::uint64_t) * 1024));
  }
  ~abi() override { atoll_library_free(numbers_); }

  std::shared_ptr<runtime> job_;
  const atoll_segment* heaps_ = nullptr;
  std::uint64_t* numbers_ = nullptr;
};

TEST_P(abi, heaps_are_segment_0_with_a_route_to_every_rank) {
  EXPECT_EQ(heaps_->number, 0u);
  EXPECT_EQ(heaps_->ranks, 1u);
  EXPECT_EQ(heaps_->inline_ranks, GetParam() ? 0u : 1u);
  EXPECT_EQ(atoll_library_segment(0), heaps_);
  EXPECT_EQ(atoll_library_segment(7), nullptr);
  EXPECT_EQ(atoll_route_remote(&heaps_->routes[0]),
            reinterpret_cast<std::uintptr_t>(heaps_->routes[0].local));
  EXPECT_EQ(heaps_->routes[0].bytes, atoll_route_direct_bytes(&heaps_->routes[0]));
}

TEST_P(abi, transfers_of_any_size_arrive) {
  auto* const remote = reinterpret_cast<char*>(numbers_);
  for (const std::size_t bytes : {0, 1, 3, 8, 100, 4096, 4097, 8000}) {
    std::array<char, 8192> from;
    std::array<char, 8192> back{};
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<char>(i * 5 + bytes);
    std::memset(remote, 0x33, 8192);
    atoll_put(heaps_, 0, remote, from.data(), bytes);
    EXPECT_EQ(std::memcmp(remote, from.data(), bytes), 0) << bytes;
    EXPECT_EQ(remote[bytes], 0x33) << bytes;
    atoll_event done = atoll_get_nb(heaps_, back.data(), 0, remote, bytes);
    atoll_wait(&done);
    EXPECT_EQ(std::memcmp(back.data(), from.data(), bytes), 0) << bytes;
    EXPECT_EQ(back[bytes], 0) << bytes;
  }
}

TEST_P(abi, atomics_do_what_their_names_say) {
  std::uint64_t& x = numbers_[3];
  x = 12;
  EXPECT_EQ(atoll_atomic64(heaps_, 0, &x, ATOLL_ATOMIC_FETCH_ADD, 5, 0), 12u);
  EXPECT_EQ(atoll_atomic64(heaps_, 0, &x, ATOLL_ATOMIC_GET, 0, 0), 17u);
  EXPECT_EQ(atoll_atomic64(heaps_, 0, &x, ATOLL_ATOMIC_FETCH_CAS, 17, 40), 17u);
  EXPECT_EQ(atoll_atomic64(heaps_, 0, &x, ATOLL_ATOMIC_FETCH_CAS, 17, 41), 40u);
  EXPECT_EQ(atoll_atomic64(heaps_, 0, &x, ATOLL_ATOMIC_SWAP, 6, 0), 40u);
  EXPECT_EQ(atoll_atomic64(heaps_, 0, &x, ATOLL_ATOMIC_FETCH_MULT, 7, 0), 6u);
  EXPECT_EQ(x, 42u);
  auto* const small = reinterpret_cast<std::uint32_t*>(&numbers_[4]);
  *small = 0xf0;
  atoll_atomic32(heaps_, 0, small, ATOLL_ATOMIC_OR, 0x0f, 0);
  EXPECT_EQ(atoll_atomic32(heaps_, 0, small, ATOLL_ATOMIC_FETCH_MIN, 3, 0), 0xffu);
  EXPECT_EQ(*small, 3u);
  auto* const floating = reinterpret_cast<double*>(&numbers_[5]);
  *floating = 1.5;
  const double two = 2;
  std::uint64_t bits = 0;
  std::memcpy(&bits, &two, sizeof bits);
  atoll_library_atomic(heaps_, 0, floating, ATOLL_F64, ATOLL_ATOMIC_ADD, bits, 0);
  EXPECT_EQ(*floating, 3.5);
}

TEST_P(abi, forms_with_a_status_do_the_same) {
  atoll_library_on_peer_lost(nullptr, nullptr);
  EXPECT_EQ(atoll_library_is_lost(0), 0);
  const std::uint64_t sent = 91;
  std::uint64_t seen = 0;
  EXPECT_EQ(atoll_put_status(heaps_, 0, &numbers_[7], &sent, sizeof sent), ATOLL_DONE);
  EXPECT_EQ(atoll_get_status(heaps_, &seen, 0, &numbers_[7], sizeof seen), ATOLL_DONE);
  EXPECT_EQ(seen, sent);
  atoll_event done = atoll_get_nb(heaps_, &seen, 0, &numbers_[8], sizeof seen);
  EXPECT_EQ(atoll_wait_status(&done), ATOLL_DONE);
  done = atoll_put_nb(heaps_, 0, &numbers_[8], &sent, sizeof sent);
  EXPECT_EQ(atoll_test_status(&done), ATOLL_DONE);
  atoll_atomic request{ATOLL_U64, ATOLL_ATOMIC_FETCH_ADD, 9, 0, 0};
  EXPECT_EQ(atoll_library_atomic_status(heaps_, 0, &numbers_[7], &request), ATOLL_DONE);
  EXPECT_EQ(request.old_value, 91u);
  EXPECT_EQ(numbers_[7], 100u);
  request = {ATOLL_U64, ATOLL_ATOMIC_ADD, 1, 0, 5};
  EXPECT_EQ(atoll_library_atomic_status(heaps_, 0, &numbers_[7], &request), ATOLL_DONE);
  EXPECT_EQ(request.old_value, 5u);
  EXPECT_EQ(numbers_[7], 101u);
  EXPECT_EQ(atoll_library_barrier_status(), ATOLL_DONE);
}

TEST_P(abi, a_record_counts_transfers_of_any_size) {
  const atoll_group group = atoll_library_group_begin();
  std::array<std::uint64_t, 1024> from;
  std::array<std::uint64_t, 1024> back{};
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = i * i;
  for (const std::size_t words : {1, 5, 1024}) {
    std::memset(numbers_, 0, sizeof from);
    atoll_library_put_in(group, heaps_, 0, numbers_, from.data(), words * sizeof from[0]);
    EXPECT_EQ(atoll_library_group_wait(group), ATOLL_DONE);
    atoll_library_get_in(group, heaps_, back.data(), 0, numbers_, words * sizeof from[0]);
    EXPECT_EQ(atoll_library_group_test(group), ATOLL_DONE);
    EXPECT_EQ(std::memcmp(back.data(), from.data(), words * sizeof from[0]), 0) << words;
  }
  atoll_library_group_end(group);
}

TEST_P(abi, inline_code_finds_what_lies_inside_and_nothing_else) {
  const atoll_route& row = heaps_->routes[0];
  const auto first = reinterpret_cast<const char*>(atoll_route_remote(&row));
  const char* const end = first + row.bytes;
  EXPECT_EQ(atoll_route_find(&row, end - 8, 8), row.local + row.bytes - 8);
  EXPECT_EQ(atoll_route_find(&row, end - 8, 9), nullptr);
  EXPECT_EQ(atoll_route_find(&row, end - 8, 0), nullptr);
  EXPECT_EQ(atoll_route_find(&row, first - 1, 8), nullptr);
  EXPECT_EQ(atoll_segment_find(heaps_, 1, numbers_, 8), nullptr);  // no such rank
  EXPECT_EQ(atoll_segment_find(heaps_, 0, numbers_, ATOLL_INLINE_MAX + 1), nullptr);
}

TEST_P(abi, a_segment_of_any_memory_has_a_number_once_it_is_shared) {
  std::array<std::uint64_t, 16> numbers{};
  segment own(*job_);
  EXPECT_EQ(own.number(), segment::unshared);
  own.share({reinterpret_cast<std::byte*>(numbers.data()), sizeof numbers});
  EXPECT_EQ(own.number(), 1u);
  const atoll_segment* const handle = atoll_library_segment(1);
  ASSERT_EQ(handle, own.handle());
  const std::uint64_t value = 77;
  atoll_put(handle, 0, &numbers[5], &value, sizeof value);
  EXPECT_EQ(numbers[5], 77u);
  {
    segment another(*job_);
    another.share({});
    EXPECT_EQ(another.number(), 2u);
    EXPECT_EQ(another.part(0).bytes, 0u);
  }
  EXPECT_EQ(atoll_library_segment(2), nullptr);
}

TEST(abi_death, another_version_is_refused_by_name) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(atoll_library_heaps(ATOLL_ABI + 1), testing::ExitedWithCode(1),
              "compiled with atoll/abi.h of version");
  EXPECT_EXIT(atoll_library_progress(), testing::ExitedWithCode(1), "no runtime has been started");
  EXPECT_EQ(atoll_library_heaps(ATOLL_ABI), nullptr);
}

TEST(abi_death, older_minor_versions_run_and_newer_ones_are_refused_by_name) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (unsigned minor = 0; minor <= ATOLL_ABI_MINOR; ++minor)
    EXPECT_EQ(atoll_library_heaps(minor << 16 | ATOLL_ABI_VERSION), nullptr);
  EXPECT_EXIT(atoll_library_heaps((ATOLL_ABI_MINOR + 1) << 16 | ATOLL_ABI_VERSION),
              testing::ExitedWithCode(1),
              "compiled with atoll/abi.h of version [0-9]+\\.[0-9]+, but");
}

INSTANTIATE_TEST_SUITE_P(both, abi, testing::Bool(),
                         [](const auto& run) { return run.param ? "counted" : "inlined"; });

}  // namespace
}  // namespace atl
