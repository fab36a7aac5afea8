// SPDX-License-Identifier: BSD-3-Clause
//
// Direct transfers and the counters: inline transfers are not counted. Where ATOLL_COUNTERS asks
// for counts, no transfer is inline, so every form of put and get is counted once, with its bytes.
// The effect of the transfers is the same.
#include <atoll/core/rma/rma.hpp>

#include <atoll/core/am/am.hpp>
#include <atoll/core/job/runtime.hpp>
#include <tests/support/thread_job.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

namespace atl {
namespace {

constexpr std::size_t block = 24;  // bytes of the transfers that are no single word

struct transfer_counts {
  std::uint64_t puts, put_bytes, gets, get_bytes;
  bool operator==(const transfer_counts&) const = default;
};

transfer_counts counted_since(const trace::totals& old_totals) {
  const trace::totals now = trace::read();
  const auto grown = [&](trace::counter which) {
    const auto index = static_cast<std::size_t>(which);
    return now[index] - old_totals[index];
  };
  return {.puts = grown(trace::counter::puts),
          .put_bytes = grown(trace::counter::put_bytes),
          .gets = grown(trace::counter::gets),
          .get_bytes = grown(trace::counter::get_bytes)};
}

/// Every form of a put and of a get once, each seen to arrive.
void transfer_in_every_form(runtime& job) {
  endpoint& primordial = job.primordial();
  auto* const place = static_cast<std::byte*>(job.heap().allocate(block));
  std::array<std::byte, block> source, target;
  const auto arrives = [&](int form, auto&& put_it, auto&& get_it) {
    source.fill(static_cast<std::byte>(form));
    target.fill(std::byte{0});
    put_it();
    EXPECT_EQ(std::memcmp(place, source.data(), block), 0) << "put, form " << form;
    get_it();
    EXPECT_EQ(target, source) << "get, form " << form;
  };
  arrives(
      1, [&] { put(primordial, 0, place, source.data(), block); },
      [&] { get(primordial, target.data(), 0, place, block); });
  event done;
  arrives(
      2, [&] { EXPECT_TRUE(put_nb(primordial, 0, place, source.data(), block, done)); },
      [&] { EXPECT_TRUE(get_nb(primordial, target.data(), 0, place, block, done)); });
  EXPECT_TRUE(done.empty()) << "a direct transfer is complete at once";
  arrives(
      3, [&] { EXPECT_TRUE(put_nbi(primordial, 0, place, source.data(), block)); },
      [&] { EXPECT_TRUE(get_nbi(primordial, target.data(), 0, place, block)); });
  auto* const word = reinterpret_cast<std::uint64_t*>(place);
  put_value(primordial, 0, word, std::uint64_t{7});
  EXPECT_EQ(get_value(primordial, 0, word), 7u);
}

constexpr std::uint64_t forms = 4;
constexpr std::uint64_t bytes_of_all_forms = 3 * block + sizeof(std::uint64_t);

transfer_counts counts_of_every_form(const std::vector<std::string>& settings) {
  transfer_counts counts{};
  support::run_job(
      1,
      [&](runtime& job) {
        const trace::totals old_totals = trace::read();
        transfer_in_every_form(job);
        counts = counted_since(old_totals);
      },
      settings);
  return counts;
}

TEST(rma_counters, count_nothing_that_is_done_inline) {
  EXPECT_EQ(counts_of_every_form({}), transfer_counts{});
}

TEST(rma_counters, count_every_transfer_once_where_they_are_asked_for) {
  const transfer_counts expected = {.puts = forms,
                                    .put_bytes = bytes_of_all_forms,
                                    .gets = forms,
                                    .get_bytes = bytes_of_all_forms};
  EXPECT_EQ(counts_of_every_form({"ATOLL_COUNTERS=1"}), expected);
}

/// The address that a handler stores to, and whether the handler has run.
struct handler_work {
  endpoint* sender = nullptr;
  std::uint64_t* word = nullptr;
  bool has_run = false;
};

void store_from_handler(void* context, am_token&, const std::uint32_t*, unsigned, void*,
                        std::size_t) {
  auto& work = *static_cast<handler_work*>(context);
  put_value(*work.sender, 0, work.word, std::uint64_t{11});
  put_value(*work.sender, 0, work.word, get_value(*work.sender, 0, work.word) + 1);
  work.has_run = true;
}

// A handler may not communicate, but a store and a load are no communication.
TEST(rma_counters, a_handler_may_transfer_directly_also_where_it_is_counted) {
  support::run_job(
      1,
      [](runtime& job) {
        endpoint& primordial = job.primordial();
        auto* const word = static_cast<std::uint64_t*>(job.heap().allocate(sizeof(std::uint64_t)));
        handler_work work{.sender = &primordial, .word = word};
        ASSERT_TRUE(primordial.handlers().set(200, {.run = store_from_handler, .context = &work}));
        const trace::totals old_totals = trace::read();
        ASSERT_TRUE(primordial.request({.target = 0, .handler = 200}));
        job.wait_until([&] { return work.has_run; });
        EXPECT_EQ(*word, 12u);
        EXPECT_EQ(counted_since(old_totals).puts, 2u);
      },
      {"ATOLL_COUNTERS=1"});
}

/// Transfers between rank 0 and the last bytes of another part; the sizes are known when compiling.
void transfer_at_the_end(runtime& job) {
  constexpr std::size_t bytes = 60;
  auto* const memory = static_cast<std::byte*>(job.heap().allocate(bytes));
  std::memset(memory, 0, bytes);
  segment shared(job);
  shared.share({memory, bytes});
  job.world().barrier();
  if (job.rank() == 0) {
    std::byte* const end = shared.part(1).base + bytes;
    const std::uint32_t word = 0x01020304;
    std::uint32_t seen = 0;
    EXPECT_TRUE(put_mapped(shared, 1, end - sizeof word, &word, sizeof word));
    EXPECT_TRUE(get_mapped(shared, &seen, 1, end - sizeof seen, sizeof seen));
    EXPECT_EQ(seen, word);
    EXPECT_TRUE(put_mapped(shared, 1, end - 1, &word, 1));
    EXPECT_FALSE(put_mapped(shared, 1, end - 3, &word, sizeof word));
    EXPECT_FALSE(get_mapped(shared, &seen, 1, end, 1));
    EXPECT_FALSE(put_mapped(shared, 2, end - 1, &word, 1));
  }
  job.world().barrier();
  EXPECT_EQ(memory[bytes - 1], job.rank() == 0 ? std::byte{0} : std::byte{4});
  job.heap().free(memory);
}

TEST(rma, reaches_the_last_bytes_of_a_mapped_part_without_a_message) {
  support::run_job(2, transfer_at_the_end);
  support::run_job(2, transfer_at_the_end, {"ATOLL_COUNTERS=1"});
}

}  // namespace
}  // namespace atl
