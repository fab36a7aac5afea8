// SPDX-License-Identifier: BSD-3-Clause
//
// fft3d_mpi_<library>: the same transforms by FFTW's own MPI library, between two arrays or within
// one, with the spectrum left transposed, which saves FFTW an exchange each way. The plans may
// destroy their input, as FFTW advises.
#include <apps/fft3d/problem.hpp>
#include <apps/trial/larger_error.hpp>
#include <apps/trial/mpi.hpp>

#include <fftw3-mpi.h>

#include <optional>

namespace fft3d {
namespace {

constexpr const char* between_arrays = "fftw_mpi";
constexpr const char* within_one = "fftw_mpi_in_place";

struct share {
  std::ptrdiff_t points = 0;  // to allocate
  std::ptrdiff_t n0 = 0, start0 = 0, n1 = 0, start1 = 0;
};

share share_of(const extent& size) {
  const std::ptrdiff_t n[] = {static_cast<std::ptrdiff_t>(size.n0),
                              static_cast<std::ptrdiff_t>(size.n1),
                              static_cast<std::ptrdiff_t>(size.n2)};
  share own;
  own.points = fftw_mpi_local_size_many_transposed(3, n, 1, FFTW_MPI_DEFAULT_BLOCK,
                                                   FFTW_MPI_DEFAULT_BLOCK, MPI_COMM_WORLD, &own.n0,
                                                   &own.start0, &own.n1, &own.start1);
  return own;
}

range range_of(std::ptrdiff_t first, std::ptrdiff_t count) {
  return {static_cast<std::size_t>(first), static_cast<std::size_t>(count)};
}

class library_transform final : public trial::variant {
 public:
  library_transform(const problem& problem, unsigned planning, bool in_place)
      : problem_(problem),
        in_place_(in_place),
        own_(share_of(problem.size())),
        field_(fftw_alloc_complex(static_cast<std::size_t>(own_.points))),
        spectrum_(in_place ? field_ : fftw_alloc_complex(static_cast<std::size_t>(own_.points))),
        forward_(make_plan(FFTW_FORWARD, planning | FFTW_MPI_TRANSPOSED_OUT)),
        inverse_(make_plan(FFTW_BACKWARD, planning | FFTW_MPI_TRANSPOSED_IN)) {}
  library_transform(const library_transform&) = delete;
  library_transform& operator=(const library_transform&) = delete;
  ~library_transform() override {
    fftw_destroy_plan(forward_);
    fftw_destroy_plan(inverse_);
    if (!in_place_) fftw_free(spectrum_);
    fftw_free(field_);
  }

  std::string_view name() const override { return in_place_ ? within_one : between_arrays; }
  void prepare() override { problem_.fill(field(), values(field_)); }
  void run() override {
    fftw_execute(forward_);
    fftw_execute(inverse_);
  }
  double error() override { return problem_.error_of_field(field(), values(field_)); }
  double rehearse(trial::group& ranks) override {
    prepare();
    ranks.barrier();
    fftw_execute(forward_);
    const extent& size = problem_.size();
    const box part{{0, size.n0}, range_of(own_.start1, own_.n1), {0, size.n2}};
    const double of_spectrum = problem_.error_of_spectrum(part, values(spectrum_));
    fftw_execute(inverse_);
    return trial::larger_error(of_spectrum, error());
  }

 private:
  static complex* values(fftw_complex* numbers) { return reinterpret_cast<complex*>(numbers); }

  box field() const {
    const extent& size = problem_.size();
    return {range_of(own_.start0, own_.n0), {0, size.n1}, {0, size.n2}};
  }

  fftw_plan make_plan(int sign, unsigned options) {
    const extent& size = problem_.size();
    fftw_complex* const from = sign == FFTW_FORWARD ? field_ : spectrum_;
    fftw_complex* const to = sign == FFTW_FORWARD ? spectrum_ : field_;
    return fftw_mpi_plan_dft_3d(static_cast<std::ptrdiff_t>(size.n0),
                                static_cast<std::ptrdiff_t>(size.n1),
                                static_cast<std::ptrdiff_t>(size.n2), from, to, MPI_COMM_WORLD,
                                sign, options | FFTW_DESTROY_INPUT);
  }

  const problem& problem_;
  bool in_place_;
  share own_;
  fftw_complex* field_;
  fftw_complex* spectrum_;
  fftw_plan forward_;
  fftw_plan inverse_;
};

int run(int argc, char** argv) {
  program program({between_arrays, within_one});
  std::optional<problem> problem;  // lives longer than the variants
  return trial::run_in_mpi(argc, argv, program,
                           [&](trial::group& ranks, const std::vector<std::string>& names) {
                             problem.emplace(ranks, program.chosen().size);
                             trial::variant_list made;
                             for (const std::string& name : names) {
                               made.push_back(std::make_unique<library_transform>(
                                   *problem, program.chosen().planning, name == within_one));
                             }
                             return made;
                           });
}

}  // namespace
}  // namespace fft3d

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  fftw_mpi_init();
  const int exit_code = fft3d::run(argc, argv);
  fftw_mpi_cleanup();
  MPI_Finalize();
  return exit_code;
}
