// SPDX-License-Identifier: BSD-3-Clause
//
// The elegant variant, which works in place. The README quotes the way forward.
#include <apps/fft3d/distributed_array.hpp>
#include <apps/fft3d/elegant.hpp>
#include <apps/fft3d/plans.hpp>
#include <apps/trial/larger_error.hpp>

namespace fft3d {
namespace {

class elegant final : public trial::variant {
 public:
  elegant(atl::team& world, const problem& problem, unsigned planning)
      : problem_(problem),
        size_(problem.size()),
        u_(world, size_),
        v_(world, {size_.n1, size_.n0, size_.n2}),
        fft_planes_({size_.n1, size_.n2}, along::rows_and_columns, direction::forward, true,
                    planning),
        fft_columns_({size_.n0, size_.n2}, along::columns, direction::forward, true, planning),
        ifft_planes_({size_.n1, size_.n2}, along::rows_and_columns, direction::inverse, true,
                     planning),
        ifft_columns_({size_.n0, size_.n2}, along::columns, direction::inverse, true, planning) {}

  std::string_view name() const override { return "elegant"; }
  void prepare() override { problem_.fill(field(), u_.plane(0)); }
  void run() override {
    forward();
    inverse();
  }
  double error() override { return problem_.error_of_field(field(), u_.plane(0)); }
  double rehearse(trial::group& ranks) override {
    prepare();
    ranks.barrier();
    forward();
    const box spectrum{{0, size_.n0}, v_.planes(), {0, size_.n2}};
    const double of_spectrum = problem_.error_of_spectrum(spectrum, v_.plane(0));
    inverse();
    return trial::larger_error(of_spectrum, error());
  }

 private:
  static void apply(const plane_transform& transform, distributed_array& array) {
    for (std::size_t i = 0; i < array.planes().count; ++i)
      transform(array.plane(i), array.plane(i));
  }

  void forward() {
    apply(fft_planes_, u_);
    transpose(u_, v_);
    apply(fft_columns_, v_);
  }

  void inverse() {
    apply(ifft_columns_, v_);
    transpose(v_, u_);
    apply(ifft_planes_, u_);
  }

  box field() const { return {u_.planes(), {0, size_.n1}, {0, size_.n2}}; }

  const problem& problem_;
  extent size_;
  distributed_array u_;
  distributed_array v_;
  plane_transform fft_planes_, fft_columns_, ifft_planes_, ifft_columns_;
};

}  // namespace

std::unique_ptr<trial::variant> make_elegant(atl::team& world, const problem& problem,
                                             unsigned planning) {
  return std::make_unique<elegant>(world, problem, planning);
}

}  // namespace fft3d
