// SPDX-License-Identifier: BSD-3-Clause
//
// The checks of the kernels: they pass the right result, and refuse one with a single wrong number
// or a single one that is not a number, at the first place and at the last.
#include <apps/hpcc/kernel.hpp>
#include <upcxx/upcxx.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr hpcc::sizes small{
    .stream_numbers = 100, .log2_words = 5, .log2_points = 5, .unknowns = 9, .block = 4};

struct job {
  job() { upcxx::init(); }
  job(const job&) = delete;
  job& operator=(const job&) = delete;
  ~job() { upcxx::finalize(); }
};

double error_with(hpcc::kernel& checked, std::size_t place, double wrong) {
  checked.prepare();
  checked.run();
  std::memcpy(checked.result().data() + place, &wrong, sizeof wrong);
  return checked.error();
}

void expect_checked(std::unique_ptr<hpcc::kernel> (*make)(const hpcc::sizes&), double limit) {
  const job around;
  const std::unique_ptr<hpcc::kernel> checked = make(small);
  checked->prepare();
  checked->run();
  const std::size_t last = checked->result().size() - sizeof(double);
  EXPECT_LE(checked->error(), limit);
  for (const std::size_t place : {std::size_t{0}, last}) {
    EXPECT_GT(error_with(*checked, place, 1e6), limit) << place;
    EXPECT_FALSE(error_with(*checked, place, not_a_number) <= limit) << place;
  }
}

TEST(hpcc_checks, every_number_of_stream) { expect_checked(hpcc::make_stream, 0); }
TEST(hpcc_checks, every_word_of_random_access) { expect_checked(hpcc::make_random_access, 0); }
TEST(hpcc_checks, every_number_of_fft) { expect_checked(hpcc::make_fft, 1e-9); }
TEST(hpcc_checks, every_number_of_lu) { expect_checked(hpcc::make_lu, 16); }

}  // namespace
