// SPDX-License-Identifier: BSD-3-Clause
//
// SUMMA by MPI. The owner of a panel of A packs it; rows of B are sent from their place. Two slots
// hold the panel that is multiplied and the next one; a null request is complete at once, so the
// same wait serves blocking and non-blocking broadcasts.
#include <apps/matmul/mpi_summa.hpp>
#include <apps/matmul/panels.hpp>

#include <mpi.h>

#include <algorithm>
#include <array>

namespace matmul {
namespace {

trial::grid world_grid() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return trial::square_grid(static_cast<unsigned>(size));
}

unsigned world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return static_cast<unsigned>(rank);
}

MPI_Comm split(unsigned color, unsigned key) {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, static_cast<int>(color), static_cast<int>(key), &made);
  return made;
}

class mpi_summa final : public trial::variant {
 public:
  mpi_summa(const problem& problem, std::string name, std::size_t width, bool is_blocking)
      : problem_(problem),
        name_(std::move(name)),
        is_blocking_(is_blocking),
        ranks_(world_grid()),
        row_(world_rank() / ranks_.columns),
        column_(world_rank() % ranks_.columns),
        rows_(trial::part_of(problem.n(), ranks_.rows, row_)),
        columns_(trial::part_of(problem.n(), ranks_.columns, column_)),
        panels_(panels_of(problem.n(), ranks_, {0, problem.n()}, width)),
        row_ranks_(split(row_, column_)),
        column_ranks_(split(column_, row_)) {
    for (std::vector<double>* each : {&a_, &b_, &c_}) each->resize(rows_.count * columns_.count);
    problem.fill(factor::a, rows_, columns_, a_.data());
    problem.fill(factor::b, rows_, columns_, b_.data());
    for (slot& each : slots_) {
      each.a.resize(rows_.count * width);
      each.b.resize(columns_.count * width);
    }
  }
  mpi_summa(const mpi_summa&) = delete;
  mpi_summa& operator=(const mpi_summa&) = delete;
  ~mpi_summa() override {
    MPI_Comm_free(&row_ranks_);
    MPI_Comm_free(&column_ranks_);
  }

  std::string_view name() const override { return name_; }
  void prepare() override { std::fill(c_.begin(), c_.end(), 0.0); }
  void run() override {
    if (!is_blocking_ && !panels_.empty()) start(0);
    for (std::size_t i = 0; i < panels_.size(); ++i) {
      if (is_blocking_) start(i);
      if (!is_blocking_ && i + 1 < panels_.size()) start(i + 1);
      slot& now = slots_[i % 2];
      MPI_Waitall(2, now.under_way.data(), MPI_STATUSES_IGNORE);
      const std::size_t width = panels_[i].inner.count;
      add_product({rows_.count, columns_.count, width}, {now.a.data(), width},
                  {now.b_values, columns_.count}, {c_.data(), columns_.count});
    }
  }
  double error() override { return problem_.error(rows_, columns_, c_.data()); }

 private:
  struct slot {
    std::vector<double> a;
    std::vector<double> b;
    const double* b_values = nullptr;
    std::array<MPI_Request, 2> under_way{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  };

  void start(std::size_t index) {
    const panel& next = panels_[index];
    slot& into = slots_[index % 2];
    if (next.column == column_) pack(next, into.a.data());
    double* b = into.b.data();
    if (next.row == row_) b = b_.data() + next.in_b * columns_.count;
    into.b_values = b;
    const int a_count = static_cast<int>(rows_.count * next.inner.count);
    const int b_count = static_cast<int>(columns_.count * next.inner.count);
    const int a_root = static_cast<int>(next.column);
    const int b_root = static_cast<int>(next.row);
    if (is_blocking_) {
      MPI_Bcast(into.a.data(), a_count, MPI_DOUBLE, a_root, row_ranks_);
      MPI_Bcast(b, b_count, MPI_DOUBLE, b_root, column_ranks_);
    } else {
      MPI_Ibcast(into.a.data(), a_count, MPI_DOUBLE, a_root, row_ranks_, &into.under_way[0]);
      MPI_Ibcast(b, b_count, MPI_DOUBLE, b_root, column_ranks_, &into.under_way[1]);
    }
  }

  void pack(const panel& next, double* to) const {
    for (std::size_t row = 0; row < rows_.count; ++row)
      to = std::copy_n(a_.data() + row * columns_.count + next.in_a, next.inner.count, to);
  }

  const problem& problem_;
  std::string name_;
  bool is_blocking_;
  trial::grid ranks_;
  unsigned row_, column_;
  range rows_, columns_;
  std::vector<panel> panels_;
  MPI_Comm row_ranks_, column_ranks_;
  std::vector<double> a_, b_, c_;
  std::array<slot, 2> slots_;
};

}  // namespace

std::unique_ptr<trial::variant> make_mpi_summa(const problem& problem, std::string name,
                                               std::size_t width, bool is_blocking) {
  return std::make_unique<mpi_summa>(problem, std::move(name), width, is_blocking);
}

}  // namespace matmul
