// SPDX-License-Identifier: BSD-3-Clause
//
// A x = b by LU factors with partial pivoting, as the High Performance Linpack does it: the columns
// of A, and b as one more, are distributed over the ranks in blocks. The owner of a block factors
// it and sends it to all others, which swap the same rows and update their columns.
#include <apps/hpcc/kernel.hpp>
#include <apps/trial/blas.hpp>
#include <apps/trial/larger_error.hpp>
#include <apps/trial/noise.hpp>
#include <upcxx/upcxx.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

extern "C" void dgetrf_(const int* rows, const int* columns, double* a, const int* stride,
                        int* exchanges, int* info);
extern "C" void dlaswp_(const int* columns, double* a, const int* stride, const int* first,
                        const int* last, const int* exchanges, const int* step);

namespace hpcc {
namespace {

class lu final : public kernel {
 public:
  lu(std::size_t unknowns, std::size_t block)
      : n_(static_cast<int>(unknowns)), block_(static_cast<int>(block)) {
    while (column_of(columns_) <= n_) ++columns_;
    a_.resize(static_cast<std::size_t>(n_) * static_cast<std::size_t>(columns_));
    trial::use_blas_threads(1);
  }

  std::string_view name() const override { return "lu"; }
  void prepare() override {
    for (int j = 0; j < columns_; ++j)
      for (int i = 0; i < n_; ++i) *address(i, j) = element(i, column_of(j));
  }

  void run() override {
    for (int k = 0; k < n_; k += block_) eliminate(k);
    x_.resize(static_cast<std::size_t>(n_));
    if (owner_of(n_) == me()) std::copy_n(address(0, place_of(n_)), n_, x_.begin());
    upcxx::broadcast(x_.data(), x_.size(), owner_of(n_)).wait();
    for (int k = (n_ - 1) / block_ * block_; k >= 0; k -= block_) substitute(k);
  }

  // The residual as the Linpack scales it; below 16 it passes.
  double error() override {
    double residual = 0, of_a = 0, of_x = 0, of_b = 0;
    for (int i = me(); i < n_; i += upcxx::rank_n()) {
      double sum = 0, row = 0;
      for (int j = 0; j < n_; ++j) {
        sum += element(i, j) * x_[static_cast<std::size_t>(j)];
        row += std::abs(element(i, j));
      }
      residual = trial::larger_error(residual, std::abs(sum - element(i, n_)));
      of_a = std::max(of_a, row);
      of_b = std::max(of_b, std::abs(element(i, n_)));
    }
    for (const double each : x_) of_x = std::max(of_x, std::abs(each));
    std::vector<double> greatest{of_a, of_b};
    upcxx::reduce_all(greatest.data(), greatest.data(), 2, upcxx::op_fast_max).wait();
    constexpr double epsilon = std::numeric_limits<double>::epsilon();
    return residual / (epsilon * (greatest[0] * of_x + greatest[1]) * n_);
  }

  std::span<std::byte> result() override { return std::as_writable_bytes(std::span(x_)); }

 private:
  static int me() { return upcxx::rank_me(); }
  double element(int i, int j) const {
    return trial::noise(static_cast<std::uint64_t>(i) * (static_cast<std::uint64_t>(n_) + 1) +
                        static_cast<std::uint64_t>(j));
  }

  // Blocks of columns are distributed cyclically; a rank stores its own one after the other.
  int owner_of(int column) const { return column / block_ % upcxx::rank_n(); }
  int place_of(int column) const {
    return column / block_ / upcxx::rank_n() * block_ + column % block_;
  }
  int column_of(int place) const {
    return (place / block_ * upcxx::rank_n() + me()) * block_ + place % block_;
  }
  double* address(int row, int place) {
    return a_.data() + static_cast<std::ptrdiff_t>(place) * n_ + row;
  }

  void eliminate(int k) {
    const int width = std::min(block_, n_ - k);
    const int rows = n_ - k;
    std::vector<double> panel(static_cast<std::size_t>(rows) * static_cast<std::size_t>(width));
    std::vector<int> exchanges(static_cast<std::size_t>(width));
    if (owner_of(k) == me()) {
      double* const own = address(k, place_of(k));
      int info = 0;
      dgetrf_(&rows, &width, own, &n_, exchanges.data(), &info);
      for (int j = 0; j < width; ++j)
        std::copy_n(own + static_cast<std::ptrdiff_t>(j) * n_, rows, panel.data() + j * rows);
    }
    upcxx::when_all(upcxx::broadcast(panel.data(), panel.size(), owner_of(k)),
                    upcxx::broadcast(exchanges.data(), exchanges.size(), owner_of(k)))
        .wait();
    int first = 0;  // of this rank's columns right of the panel
    while (first < columns_ && column_of(first) < k + width) ++first;
    const int count = columns_ - first;
    if (count == 0) return;
    const int begin = 1, step = 1;
    double* const right = address(k, first);
    dlaswp_(&count, right, &n_, &begin, &width, exchanges.data(), &step);
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, width, count, 1.0,
                panel.data(), rows, right, n_);
    if (rows == width) return;
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, rows - width, count, width, -1.0,
                panel.data() + width, rows, right, n_, 1.0, right + width, n_);
  }

  // Solves the block of x at k, and subtracts its part from the right side above.
  void substitute(int k) {
    const int width = std::min(block_, n_ - k);
    if (owner_of(k) == me()) {
      double* const own = address(0, place_of(k));
      cblas_dtrsv(CblasColMajor, CblasUpper, CblasNoTrans, CblasNonUnit, width, own + k, n_,
                  x_.data() + k, 1);
      cblas_dgemv(CblasColMajor, CblasNoTrans, k, width, -1.0, own, n_, x_.data() + k, 1, 1.0,
                  x_.data(), 1);
    }
    upcxx::broadcast(x_.data(), static_cast<std::size_t>(k + width), owner_of(k)).wait();
  }

  int n_, block_;
  int columns_ = 0;  // of this rank
  std::vector<double> a_, x_;
};

}  // namespace

std::unique_ptr<kernel> make_lu(const sizes& chosen) {
  return std::make_unique<lu>(chosen.unknowns, chosen.block);
}

}  // namespace hpcc
