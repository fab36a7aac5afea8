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
row next(const row& above, const row& here, const row& below) {
  row after = here;
  for (std::size_t x = 1; x + 1 < size; ++x) {
    after[x] += 0.2 * (above[x] + below[x] + here[x - 1] + here[x + 1] - 4 * here[x]);
  }
  return after;
}

rows solve_alone() {
  rows plate = new_plate();
  for (int step = 0; step < steps; ++step) {
    rows after = plate;
    for (std::size_t y = 1; y + 1 < size; ++y) {
      after[y] = next(plate[y - 1], plate[y], plate[y + 1]);
    }
    plate = after;
  }
  return plate;
}

enum side : std::size_t { above, below };

/// This rank's rows, and the ways to its neighbours.
class strip {
 public:
  strip() : mine_(part_of(new_plate())) {
    if (me_ > 0) above_ = landing_.fetch(me_ - 1).wait();
    if (me_ + 1 < n_) below_ = landing_.fetch(me_ + 1).wait();
  }
  ~strip() {
    upcxx::barrier();  // nobody puts any more
    upcxx::delete_array(*landing_);
  }

  void advance(std::size_t step) {
    if (above_) put(mine_.front(), step, place(above_, step, below));
    if (below_) put(mine_.back(), step, place(below_, step, above));
    rows after = mine_;
    const std::size_t last = mine_.size() - 1;
    for (std::size_t y = 1; y < last; ++y) after[y] = next(mine_[y - 1], mine_[y], mine_[y + 1]);
    if (n_ > 1) (*arrived_)[step].get_future().wait();
    if (above_) after[0] = next(*got(step, above), mine_[0], mine_[1]);
    if (below_) after[last] = next(mine_[last - 1], mine_[last], *got(step, below));
    mine_ = after;
  }

  double difference_to(const rows& whole) const {
    const rows expected = part_of(whole);
    double most = 0;
    for (std::size_t y = 0; y < mine_.size(); ++y) {
      for (std::size_t x = 0; x < size; ++x) {
        most = std::max(most, std::abs(mine_[y][x] - expected[y][x]));
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
    arrivals all;
    for (int step = 0; step < steps; ++step) all.emplace_back(std::max(neighbours, 1));
    return all;
  }

  /// Puts a row, and has its owner count it once it is there.
  void put(const row& from, std::size_t step, landing to) {
    upcxx::rput(
        &from, to, 1,
        upcxx::source_cx::as_blocking() |
            upcxx::remote_cx::as_rpc([](upcxx::dist_object<arrivals>& there,
                                        std::size_t s) { (*there)[s].fulfill_anonymous(1); },
                                     arrived_, step));
  }

  rows part_of(const rows& whole) const {
    return {whole.begin() + size * me_ / n_, whole.begin() + size * (me_ + 1) / n_};
  }

  int me_ = upcxx::rank_me();
  int n_ = upcxx::rank_n();
  rows mine_;
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
    strip mine;
    for (std::size_t step = 0; step < steps; ++step) mine.advance(step);
    worst = upcxx::reduce_all(mine.difference_to(solve_alone()), upcxx::op_fast_max).wait();
  }
  if (upcxx::rank_me() == 0) {
    std::printf("%d steps, %s\n", steps, worst < 1e-12 ? "as computed alone" : "WRONG");
  }
  upcxx::finalize();
  return worst < 1e-12 ? 0 : 1;
}
