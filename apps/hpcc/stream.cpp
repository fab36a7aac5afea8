// SPDX-License-Identifier: BSD-3-Clause
//
// STREAM's triad: a = b + 3 c, each rank on its parts of three arrays.
#include <apps/hpcc/kernel.hpp>
#include <apps/hpcc/parts.hpp>
#include <apps/trial/larger_error.hpp>

#include <cmath>

namespace hpcc {
namespace {

class stream final : public kernel {
 public:
  explicit stream(std::size_t numbers) : a_(numbers), b_(numbers), c_(numbers) {}

  std::string_view name() const override { return "stream"; }
  void prepare() override {
    std::fill(a_.begin(), a_.end(), 0.0);
    std::fill(b_.begin(), b_.end(), 2.0);
    std::fill(c_.begin(), c_.end(), 0.5);
  }

  void run() override {
    std::transform(b_.begin(), b_.end(), c_.begin(), a_.begin(),
                   [](double b, double c) { return b + 3 * c; });
  }

  double error() override {
    double worst = 0;
    for (const double a : a_) worst = trial::larger_error(worst, std::abs(a - 3.5));
    return worst;
  }

  std::span<std::byte> result() override {
    return std::as_writable_bytes(std::span(a_.begin(), a_.end()));
  }

 private:
  parts<double> a_, b_, c_;
};

}  // namespace

std::unique_ptr<kernel> make_stream(const sizes& chosen) {
  return std::make_unique<stream>(chosen.stream_numbers);
}

}  // namespace hpcc
