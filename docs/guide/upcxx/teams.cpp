// SPDX-License-Identifier: BSD-3-Clause
//
// Teams: even and odd ranks as two teams with collectives of their own, the ranks of this host as a
// third, and a reduction that overlaps with work.
#include <upcxx/upcxx.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>

namespace {

struct extremes {
  int least;
  int most;
};
extremes wider(extremes a, extremes b) {
  return {std::min(a.least, b.least), std::max(a.most, b.most)};
}

}  // namespace

int main() {
  upcxx::init();
  const int me = upcxx::rank_me();
  const int n = upcxx::rank_n();

  // Ranks of one colour become a team, ordered by key: here the last rank of the world comes first.
  upcxx::team half = upcxx::world().split(me % 2, -me);
  const int leader = half[0];  // the rank in the world of the team's first member

  // Its first member tells the others something; all add up something.
  const int told = upcxx::broadcast(me, 0, half).wait();
  const int sum = upcxx::reduce_all(me, upcxx::op_fast_add, half).wait();
  bool good = told == leader && half.rank_n() == (n + 1 - me % 2) / 2;
  if (half.rank_me() == 0) {
    upcxx::experimental::say("") << (me % 2 == 0 ? "even" : "odd") << " ranks: " << half.rank_n()
                                 << ", sum " << sum;
  }

  // Any operation on any plain type, over all, started now and waited for later.
  const upcxx::future<extremes> bounds = upcxx::reduce_all(extremes{me, me}, wider);
  std::array<int, 4> squares{};  // arrays are reduced element by element
  for (std::size_t i = 0; i < squares.size(); ++i) squares[i] = me * static_cast<int>(i * i);
  upcxx::reduce_all(squares.data(), squares.data(), squares.size(), upcxx::op_fast_max).wait();
  good = good && bounds.wait().most == n - 1 && squares[3] == 9 * (n - 1);

  // Ranks whose memory this one can load and store.
  good = good && upcxx::local_team_contains(me) && upcxx::local_team().rank_n() <= n;

  half.destroy();
  upcxx::finalize();
  return good ? 0 : 1;
}
