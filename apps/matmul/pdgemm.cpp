// SPDX-License-Identifier: BSD-3-Clause
//
// The product by ScaLAPACK, which has no header for C, so its Fortran procedure is declared here.
#include <apps/matmul/pdgemm.hpp>
#include <apps/trial/block_cyclic.hpp>

#include <algorithm>

extern "C" void pdgemm_(const char* transpose_a, const char* transpose_b, const int* m,
                        const int* n, const int* k, const double* alpha, const double* a,
                        const int* a_row, const int* a_column, const int* a_descriptor,
                        const double* b, const int* b_row, const int* b_column,
                        const int* b_descriptor, const double* beta, double* c, const int* c_row,
                        const int* c_column, const int* c_descriptor);

namespace matmul {
namespace {

constexpr int first_index = 1;

class library_product final : public trial::variant {
 public:
  library_product(const problem& problem, std::string name, int block)
      : problem_(problem),
        name_(std::move(name)),
        n_(static_cast<int>(problem.n())),
        distribution_(n_, block),
        a_(elements(factor::a)),
        b_(elements(factor::b)),
        c_(distribution_.size()) {}

  std::string_view name() const override { return name_; }
  void prepare() override { std::fill(c_.begin(), c_.end(), 0.0); }
  void run() override {
    const double unscaled = 1;
    const int* const descriptor = distribution_.descriptor();
    pdgemm_("N", "N", &n_, &n_, &n_, &unscaled, a_.data(), &first_index, &first_index, descriptor,
            b_.data(), &first_index, &first_index, descriptor, &unscaled, c_.data(), &first_index,
            &first_index, descriptor);
  }

  double error() override {
    std::vector<double> product(problem_.n());
    distribution_.for_elements([&](std::size_t row, std::size_t column, std::size_t index) {
      product[row] += c_[index] * problem_.x(column);
    });
    return problem_.error(std::move(product));
  }

 private:
  std::vector<double> elements(factor part) const {
    std::vector<double> values(distribution_.size());
    distribution_.for_elements([&](std::size_t row, std::size_t column, std::size_t index) {
      values[index] = problem_.element(part, row, column);
    });
    return values;
  }

  const problem& problem_;
  std::string name_;
  int n_;
  trial::block_cyclic distribution_;
  std::vector<double> a_, b_, c_;
};

}  // namespace

std::unique_ptr<trial::variant> make_pdgemm(const problem& problem, std::string name, int block) {
  return std::make_unique<library_product>(problem, std::move(name), block);
}

}  // namespace matmul
