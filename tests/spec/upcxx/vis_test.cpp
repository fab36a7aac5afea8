// SPDX-License-Identifier: BSD-3-Clause
//
// Tests non-contiguous transfers (spec, chapter 15): every kind of iterator and shape, empty
// transfers, and all completions.
#include <tests/multi/upcxx/job_main.hpp>
#include <upcxx/allocate.hpp>
#include <upcxx/broadcast.hpp>
#include <upcxx/progress.hpp>
#include <upcxx/rpc.hpp>
#include <upcxx/vis.hpp>
#include <upcxx/when_all.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <forward_list>
#include <list>
#include <numeric>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using upcxx::global_ptr;
using upcxx::operation_cx;
using upcxx::rank_me;
using upcxx::rank_n;
using upcxx::remote_cx;
using upcxx::source_cx;

int notified = 0;

class scattered : public testing::Test {
 protected:
  static constexpr int size = 600;
  static constexpr std::ptrdiff_t word = sizeof(int);

  // This rank writes to the next rank's memory, and no other rank does.
  scattered() : own_(upcxx::new_array<int>(size)) {
    std::fill_n(own_.local(), size, -1);
    for (int r = 0; r < rank_n(); ++r) {
      const auto p = upcxx::broadcast(own_, r).wait();
      if (r == (rank_me() + 1) % rank_n()) target_ = p;
    }
    notified = 0;
    std::iota(source_.begin(), source_.end(), 1);
    upcxx::barrier();
  }
  ~scattered() override {
    upcxx::barrier();
    upcxx::delete_array(own_);
  }

  global_ptr<int> own_;
  global_ptr<int> target_;
  std::array<int, 120> source_;
};

TEST_F(scattered, runs_may_come_from_any_sequence) {
  const std::forward_list<std::pair<const int*, int>> from{{source_.data(), 5},
                                                           {source_.data() + 20, 7}};
  const std::list<std::tuple<global_ptr<int>, unsigned short>> to{
      {target_ + 100, 3}, {target_ + 50, 8}, {target_, 1}};
  upcxx::rput_irregular(from.begin(), from.end(), to.begin(), to.end()).wait();
  upcxx::barrier();
  EXPECT_EQ(own_.local()[100], 1);
  EXPECT_EQ(own_.local()[102], 3);
  EXPECT_EQ(own_.local()[50], 4);
  EXPECT_EQ(own_.local()[52], 21);
  EXPECT_EQ(own_.local()[0], 27);
  std::array<int, 12> back{};
  const std::vector<std::pair<global_ptr<const int>, long>> out{{target_ + 100, 3},
                                                                {target_ + 50, 9}};
  const std::list<std::pair<int*, std::size_t>> into{{back.data(), 12}};
  upcxx::rget_irregular(out.begin(), out.end(), into.begin(), into.end()).wait();
  EXPECT_EQ(back[2], 3);
  EXPECT_EQ(back[3], 4);
  EXPECT_EQ(back[11], -1);
}

TEST_F(scattered, runs_of_one_length_may_be_cut_differently) {
  const std::list<int*> from{source_.data(), source_.data() + 40, source_.data() + 80};
  std::vector<global_ptr<int>> to;
  for (int i = 0; i < 6; ++i) to.push_back(target_ + 50 * i);
  upcxx::rput_regular(from.begin(), from.end(), 10, to.cbegin(), to.cend(), 5).wait();
  upcxx::barrier();
  for (int i = 0; i < 6; ++i) EXPECT_EQ(own_.local()[50 * i], 40 * (i / 2) + 5 * (i % 2) + 1);
  std::array<int, 30> back{};
  const std::array<int*, 2> into{back.data(), back.data() + 15};
  upcxx::rget_regular(to.begin(), to.end(), 5, into.begin(), into.end(), 15).wait();
  EXPECT_EQ(back[29], 90);
  EXPECT_EQ(back[14], 45);
}

TEST_F(scattered, transfers_of_nothing_are_complete_and_tell) {
  const std::vector<std::pair<const int*, std::size_t>> no_source;
  const std::vector<std::pair<global_ptr<int>, std::size_t>> no_target;
  auto futures = upcxx::rput_irregular(
      no_source.begin(), no_source.end(), no_target.begin(), no_target.end(),
      source_cx::as_future() | operation_cx::as_future() | remote_cx::as_rpc([] { ++notified; }));
  std::get<0>(futures).wait();
  std::get<1>(futures).wait();
  while (notified != 1) upcxx::progress();  // an empty put notifies its own rank
  const std::vector<const int*> no_addresses;
  const std::vector<global_ptr<int>> nowhere;
  upcxx::rput_regular(no_addresses.begin(), no_addresses.end(), 3, nowhere.begin(), nowhere.end(),
                      4)
      .wait();
  upcxx::rput_strided<2>(source_.data(), {{word, word}}, target_, {{word, word}}, {{0, 7}}).wait();
  upcxx::barrier();
  EXPECT_EQ(std::count(own_.local(), own_.local() + size, -1), size);
}

TEST_F(scattered, blocks_have_any_number_of_dimensions) {
  upcxx::rput_strided<0>(source_.data() + 8, nullptr, target_ + 599, nullptr, nullptr).wait();
  upcxx::rput_strided<1>(source_.data(), {{3 * word}}, target_, {{word}}, {{4}}).wait();
  // Two by three by four, with the dimensions of the target in reverse.
  upcxx::rput_strided<3>(source_.data(), {{12 * word, 4 * word, word}}, target_ + 100,
                         {{word, 2 * word, 6 * word}}, {{2, 3, 4}})
      .wait();
  upcxx::barrier();
  const int* const local = own_.local();
  EXPECT_EQ(local[599], 9);
  EXPECT_EQ(local[3], 10);
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 4; ++k) EXPECT_EQ(local[100 + i + 2 * j + 6 * k], 1 + 12 * i + 4 * j + k);
    }
  }
  int element = 0;
  upcxx::rget_strided<0>(target_ + 599, nullptr, &element, nullptr, nullptr).wait();
  EXPECT_EQ(element, 9);
  std::array<int, 4> back{};
  const global_ptr<const int> readable = target_;
  // Backwards on this side.
  upcxx::rget_strided<1>(readable, {{word}}, back.data() + 3, {{-word}}, {{4}}).wait();
  EXPECT_EQ(back, (std::array<int, 4>{10, 7, 4, 1}));
}

TEST_F(scattered, all_that_is_asked_for_is_told) {
  const std::vector<const int*> from{source_.data()};
  const std::vector<global_ptr<int>> to{target_, target_ + 300};
  upcxx::promise<> counted;
  int lpcs = 0;
  int amount = 4;
  auto futures =
      upcxx::rput_regular(from.begin(), from.end(), 60, to.begin(), to.end(), 30,
                          source_cx::as_promise(counted) | source_cx::as_future() |
                              operation_cx::as_defer_future() | operation_cx::as_promise(counted) |
                              operation_cx::as_lpc(upcxx::current_persona(), [&] { ++lpcs; }) |
                              remote_cx::as_rpc(
                                  [](global_ptr<int> target, int add) {
                                    if (target.is_local() && target.local()[329] == 60)
                                      notified += add;
                                  },
                                  target_, amount));
  amount = 0;
  static_assert(std::is_same_v<decltype(futures), std::tuple<upcxx::future<>, upcxx::future<>>>);
  upcxx::when_all(std::get<0>(futures), std::get<1>(futures), counted.finalize()).wait();
  while (lpcs != 1 || notified != 4) upcxx::progress();
  std::array<int, 60> back{};
  const std::vector<int*> into{back.data()};
  upcxx::promise<> got;
  upcxx::rget_regular(to.begin(), to.end(), 30, into.begin(), into.end(), 60,
                      operation_cx::as_promise(got));
  got.finalize().wait();
  EXPECT_TRUE(std::equal(back.begin(), back.end(), source_.begin()));
  upcxx::barrier();
}

}  // namespace
