// SPDX-License-Identifier: BSD-3-Clause
//
// Tests non-contiguous transfers (spec, chapter 15) to the next rank and back: written bytes are
// read again, and no other bytes change.
#include <tests/multi/upcxx/job_main.hpp>
#include <upcxx/allocate.hpp>
#include <upcxx/dist_object.hpp>
#include <upcxx/progress.hpp>
#include <upcxx/vis.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

namespace {

using upcxx::global_ptr;
using upcxx::rank_me;
using upcxx::rank_n;

constexpr std::size_t size = 64;

// Every rank has an array of zeros; the tests work on that of the next rank.
class scattered : public ::testing::Test {
 protected:
  void SetUp() override {
    array_ = upcxx::new_array<int>(size);
    std::fill_n(array_.local(), size, 0);
    upcxx::dist_object<global_ptr<int>> places(array_);
    next_ = places.fetch((rank_me() + 1) % rank_n()).wait();
    upcxx::barrier();
  }
  void TearDown() override {
    upcxx::barrier();
    upcxx::delete_array(array_);
  }
  static long sum_of(const std::vector<int>& values) {
    return std::accumulate(values.begin(), values.end(), 0L);
  }

  global_ptr<int> array_;
  global_ptr<int> next_;
};

TEST_F(scattered, runs_of_any_length_go_there_and_back) {
  std::vector<int> source(10);
  std::iota(source.begin(), source.end(), 1);
  const std::vector<std::pair<const int*, std::size_t>> from{{source.data(), 4},
                                                             {source.data() + 4, 6}};
  const std::vector<std::tuple<global_ptr<int>, std::size_t>> to{
      {next_ + 3, 1}, {next_ + 10, 0}, {next_ + 20, 7}, {next_ + 40, 2}};
  upcxx::rput_irregular(from.begin(), from.end(), to.begin(), to.end()).wait();
  upcxx::barrier();
  EXPECT_EQ(array_.local()[3], 1);
  EXPECT_EQ(array_.local()[26], 8);
  EXPECT_EQ(array_.local()[41], 10);
  EXPECT_EQ(std::accumulate(array_.local(), array_.local() + size, 0), 55);
  std::vector<int> back(10);
  const std::array<std::pair<int*, std::size_t>, 1> into{{{back.data(), 10}}};
  upcxx::rget_irregular(to.begin(), to.end(), into.begin(), into.end()).wait();
  EXPECT_EQ(back, source);
}

TEST_F(scattered, runs_of_one_length_tell_the_target) {
  const std::vector<int> source(12, 7);
  const std::vector<const int*> from{source.data(), source.data() + 6};
  const std::vector<global_ptr<int>> to{next_, next_ + 8, next_ + 16, next_ + 24};
  static int notified = 0;
  notified = 0;
  upcxx::barrier();
  auto done =
      upcxx::rput_regular(from.begin(), from.end(), 6, to.begin(), to.end(), 3,
                          upcxx::source_cx::as_future() | upcxx::operation_cx::as_future() |
                              upcxx::remote_cx::as_rpc([](int amount) { notified += amount; }, 2));
  std::get<0>(done).wait();
  std::get<1>(done).wait();
  while (notified == 0) upcxx::progress();
  EXPECT_EQ(notified, 2);
  EXPECT_EQ(std::accumulate(array_.local(), array_.local() + size, 0), 84);
  std::vector<int> back(12);
  const std::vector<int*> into{back.data()};
  upcxx::rget_regular(to.begin(), to.end(), 3, into.begin(), into.end(), 12).wait();
  EXPECT_EQ(sum_of(back), 84);
}

TEST_F(scattered, blocks_are_transposed_on_the_way) {
  constexpr std::ptrdiff_t word = sizeof(int);
  std::array<int, 12> source{};
  std::iota(source.begin(), source.end(), 1);
  upcxx::rput_strided<2>(source.data(), {{4 * word, word}}, next_, {{word, 3 * word}}, {{3, 4}})
      .wait();
  upcxx::barrier();
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 4; ++j) EXPECT_EQ(array_.local()[j * 3 + i], 1 + i * 4 + j);
  }
  std::array<int, 12> back{};
  const std::array<std::ptrdiff_t, 2> remote_strides{word, 3 * word};
  const std::array<std::ptrdiff_t, 2> local_strides{4 * word, word};
  const std::array<std::size_t, 2> extents{3, 4};
  upcxx::rget_strided<2>(next_, remote_strides.data(), back.data(), local_strides.data(),
                         extents.data())
      .wait();
  EXPECT_EQ(back, source);
}

}  // namespace
