// SPDX-License-Identifier: BSD-3-Clause
//
// Heat spreads over a square plate whose upper edge is kept hot. Each rank owns some neighbouring
// rows. In every step it puts its outer rows into its neighbours' memory, computes its inner rows
// while those travel, waits for what the neighbours have put here, and computes the outer ones. At
// the end every rank computes the whole plate alone and compares.
#include <upcxx/upcxx.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

namespace {

constexpr int size = 64;  // rows and columns
constexpr int steps = 100;
using row = std::array<double, size>;
using rows = std::vector<row>;

rows new_plate() {
  rows plate(size, row{});
  plate.front().fill(100);
  return plate;
}

/// A row after one more step, between the one above and the one below.
row next(const row& above, const row& middle, const row& below) {
  row result = middle;
  for (std::size_t x = 1; x + 1 < size; ++x) {
    result[x] += 0.2 * (above[x] + below[x] + middle[x - 1] + middle[x + 1] - 4 * middle[x]);
  }
  return result;
}

rows solve_alone() {
  rows plate = new_plate();
  for (int step = 0; step < steps; ++step) {
    rows result = plate;
    for (std::size_t y = 1; y + 1 < size; ++y) {
      result[y] = next(plate[y - 1], plate[y], plate[y + 1]);
    }
    plate = result;
  }
  return plate;
}

enum side : std::size_t { above, below };

/// This rank's rows, and the ways to its neighbours.
class strip {
 public:
  strip() : rows_(part_of(new_plate())) {
    if (me_ > 0) above_ = landing_.fetch(me_ - 1).wait();
    if (me_ + 1 < n_) below_ = landing_.fetch(me_ + 1).wait();
  }
  ~strip() {
    upcxx::barrier();  // nobody puts any more
    upcxx::delete_array(*landing_);
  }

  void advance(std::size_t step) {
    if (above_) put(rows_.front(), step, place(above_, step, below));
    if (below_) put(rows_.back(), step, place(below_, step, above));
    rows result = rows_;
    const std::size_t last = rows_.size() - 1;
    for (std::size_t y = 1; y < last; ++y) result[y] = next(rows_[y - 1], rows_[y], rows_[y + 1]);
    if (n_ > 1) (*arrived_)[step].get_future().wait();
    if (above_) result[0] = next(*got(step, above), rows_[0], rows_[1]);
    if (below_) result[last] = next(rows_[last - 1], rows_[last], *got(step, below));
    rows_ = result;
  }

  double difference_to(const rows& plate) const {
    const rows expected = part_of(plate);
    double most = 0;
    for (std::size_t y = 0; y < rows_.size(); ++y) {
      for (std::size_t x = 0; x < size; ++x) {
        most = std::max(most, std::abs(rows_[y][x] - expected[y][x]));
      }
    }
    return most;
  }

 private:
  /// Neighbours' rows land here. One of them may be a step ahead of us, so even and odd steps have
  /// places of their own.
  using landing = upcxx::global_ptr<row>;
  static landing place(landing first, std::size_t step, side from) {
    return first + static_cast<std::ptrdiff_t>(step % 2 * 2 + from);
  }
  const row* got(std::size_t step, side from) const { return place(*landing_, step, from).local(); }

  /// For each step a promise that waits for one row of each neighbour.
  using arrivals = std::vector<upcxx::promise<>>;
  static arrivals expected_from(int neighbours) {
    arrivals promises;
    for (int step = 0; step < steps; ++step) promises.emplace_back(std::max(neighbours, 1));
    return promises;
  }

  /// Puts a row, and has its owner count it once it is there.
  void put(const row& from, std::size_t step, landing to) {
    upcxx::rput(
        &from, to, 1,
        upcxx::source_cx::as_blocking() |
            upcxx::remote_cx::as_rpc([](upcxx::dist_object<arrivals>& promises,
                                        std::size_t s) { (*promises)[s].fulfill_anonymous(1); },
                                     arrived_, step));
  }

  rows part_of(const rows& plate) const {
    return {plate.begin() + size * me_ / n_, plate.begin() + size * (me_ + 1) / n_};
  }

  int me_ = upcxx::rank_me();
  int n_ = upcxx::rank_n();
  rows rows_;
  landing above_;
  landing below_;
  upcxx::dist_object<landing> landing_{upcxx::new_array<row>(4)};
  upcxx::dist_object<arrivals> arrived_{expected_from((me_ > 0) + (me_ + 1 < n_))};
};

}  // namespace

int main() {
  upcxx::init();
  double worst = 0;
  {
    strip own;
    for (std::size_t step = 0; step < steps; ++step) own.advance(step);
    worst = upcxx::reduce_all(own.difference_to(solve_alone()), upcxx::op_fast_max).wait();
  }
  if (upcxx::rank_me() == 0) {
    std::printf("%d steps, %s\n", steps, worst < 1e-12 ? "as computed alone" : "WRONG");
  }
  upcxx::finalize();
  return worst < 1e-12 ? 0 : 1;
}
