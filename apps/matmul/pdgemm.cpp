// SPDX-License-Identifier: BSD-3-Clause
//
// ScaLAPACK has no header for C; these are its Fortran procedures and the C interface of BLACS.
#include <apps/matmul/pdgemm.hpp>

#include <algorithm>
#include <array>

extern "C" {
void Cblacs_pinfo(int* rank, int* size);
void Cblacs_get(int context, int request, int* value);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
void Cblacs_gridinfo(int context, int* rows, int* columns, int* row, int* column);
void Cblacs_gridexit(int context);
int numroc_(const int* n, const int* block, const int* place, const int* first, const int* places);
void descinit_(int* descriptor, const int* m, const int* n, const int* row_block,
               const int* column_block, const int* first_row, const int* first_column,
               const int* context, const int* stride, int* info);
void pdgemm_(const char* transpose_a, const char* transpose_b, const int* m, const int* n,
             const int* k, const double* alpha, const double* a, const int* a_row,
             const int* a_column, const int* a_descriptor, const double* b, const int* b_row,
             const int* b_column, const int* b_descriptor, const double* beta, double* c,
             const int* c_row, const int* c_column, const int* c_descriptor);
}

namespace matmul {
namespace {

constexpr int zero = 0;
constexpr int first_index = 1;

class library_product final : public trial::variant {
 public:
  library_product(const problem& given, std::string name, int block)
      : given_(given), name_(std::move(name)), n_(static_cast<int>(given.n())), block_(block) {
    int rank = 0;
    int size = 1;
    Cblacs_pinfo(&rank, &size);
    const trial::grid grid = trial::square_grid(static_cast<unsigned>(size));
    Cblacs_get(-1, 0, &context_);
    Cblacs_gridinit(&context_, "Row-major", static_cast<int>(grid.rows),
                    static_cast<int>(grid.columns));
    Cblacs_gridinfo(context_, &grid_rows_, &grid_columns_, &row_, &column_);
    rows_ = numroc_(&n_, &block_, &row_, &zero, &grid_rows_);
    columns_ = numroc_(&n_, &block_, &column_, &zero, &grid_columns_);
    const int stride = std::max(1, rows_);
    int info = 0;
    descinit_(descriptor_.data(), &n_, &n_, &block_, &block_, &zero, &zero, &context_, &stride,
              &info);
    a_ = elements(factor::a);
    b_ = elements(factor::b);
    c_.resize(a_.size());
  }
  library_product(const library_product&) = delete;
  library_product& operator=(const library_product&) = delete;
  ~library_product() override { Cblacs_gridexit(context_); }

  std::string_view name() const override { return name_; }
  void prepare() override { std::fill(c_.begin(), c_.end(), 0.0); }
  void run() override {
    const double factor_one = 1;
    pdgemm_("N", "N", &n_, &n_, &n_, &factor_one, a_.data(), &first_index, &first_index,
            descriptor_.data(), b_.data(), &first_index, &first_index, descriptor_.data(),
            &factor_one, c_.data(), &first_index, &first_index, descriptor_.data());
  }

  double error() override {
    std::vector<double> product(given_.n());
    for_elements([&](std::size_t row, std::size_t column, std::size_t index) {
      product[row] += c_[index] * given_.x(column);
    });
    return given_.error(std::move(product));
  }

 private:
  // Of an element that is `local` along a dimension of the grid.
  std::size_t global(int local, int place, int places) const {
    return static_cast<std::size_t>((local / block_ * places + place) * block_ + local % block_);
  }

  // Columns are contiguous.
  template <class Visit>
  void for_elements(Visit visit) const {
    std::size_t index = 0;
    for (int j = 0; j < columns_; ++j)
      for (int i = 0; i < rows_; ++i)
        visit(global(i, row_, grid_rows_), global(j, column_, grid_columns_), index++);
  }

  std::vector<double> elements(factor which) const {
    std::vector<double> values(static_cast<std::size_t>(std::max(1, rows_ * columns_)));
    for_elements([&](std::size_t row, std::size_t column, std::size_t index) {
      values[index] = given_.element(which, row, column);
    });
    return values;
  }

  const problem& given_;
  std::string name_;
  int n_;
  int block_;
  int context_ = 0;
  int grid_rows_ = 1, grid_columns_ = 1, row_ = 0, column_ = 0;
  int rows_ = 0, columns_ = 0;  // of this rank's part
  std::array<int, 9> descriptor_{};
  std::vector<double> a_, b_, c_;
};

}  // namespace

std::unique_ptr<trial::variant> make_pdgemm(const problem& given, std::string name, int block) {
  return std::make_unique<library_product>(given, std::move(name), block);
}

}  // namespace matmul
