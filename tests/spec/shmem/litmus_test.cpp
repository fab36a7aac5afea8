// SPDX-License-Identifier: BSD-3-Clause
//
// Tests the memory model by many rounds of small races: two PEs run through arrays of cells without
// waiting for each other, so that each cell is a separate race, and outcomes that the specification
// forbids are counted. `litmus_test 10000` does 10^8 rounds of each.
#include <tests/spec/shmem/job.hpp>

#include <cstdint>

namespace {

constexpr int cells = 1024;
constexpr long batches = 10;

static long x[cells];
static long y[cells];
static long seen[cells];         // by this PE
static long remote_seen[cells];  // by PE 1, on PE 0
static std::uint64_t signals[cells];

/// Calls `act(batch)` on PEs 0 and 1 at about the same time, and `check(batch)` on both when
/// everything is complete.
template <class Act, class Check>
void race(Act act, Check check) {
  for (long batch = 1; batch <= batches * scale; ++batch) {
    shmem_barrier_all();
    if (me() < 2) act(batch);
    shmem_barrier_all();
    if (me() < 2) check(batch);
  }
  shmem_barrier_all();
}

// Each PE writes to the other and then reads the other's write: at least one sees it. With store
// buffers this holds only if quiet is a full fence.
TEST(litmus, quiet_completes_a_put_before_a_get_begins) {
  if (pes() < 2) return;
  long forbidden = 0;
  race(
      [](long batch) {
        long* const to = me() == 0 ? x : y;
        const long* const from = me() == 0 ? y : x;
        for (int i = 0; i < cells; ++i) {
          shmem_p(&to[i], batch, 1 - me());
          shmem_quiet();
          seen[i] = shmem_g(&from[i], me());
        }
        if (me() == 1) shmem_put(remote_seen, seen, cells, 0);
      },
      [&](long batch) {
        if (me() != 0) return;
        for (int i = 0; i < cells; ++i) forbidden += seen[i] != batch && remote_seen[i] != batch;
      });
  EXPECT_EQ(forbidden, 0);
}

TEST(litmus, fence_keeps_a_flag_behind_its_data) {
  if (pes() < 2) return;
  long forbidden = 0;
  race(
      [&](long batch) {
        for (int i = 0; i < cells; ++i) {
          if (me() == 0) {
            shmem_p(&x[i], batch, 1);
            shmem_fence();
            shmem_p(&y[i], batch, 1);
          } else {
            shmem_wait_until(&y[i], SHMEM_CMP_EQ, batch);
            forbidden += x[i] != batch;
          }
        }
      },
      [](long) {});
  EXPECT_EQ(forbidden, 0);
}

TEST(litmus, signals_stay_behind_their_data) {
  if (pes() < 2) return;
  for (auto& each : signals) each = 0;
  long forbidden = 0;
  race(
      [&](long batch) {
        const auto number = static_cast<std::uint64_t>(batch);
        for (int i = 0; i < cells; ++i) {
          if (me() == 0) {
            shmem_put_signal(&x[i], &batch, 1, &signals[i], number, SHMEM_SIGNAL_SET, 1);
          } else {
            shmem_signal_wait_until(&signals[i], SHMEM_CMP_EQ, number);
            forbidden += x[i] != batch;
          }
        }
      },
      [](long) {});
  EXPECT_EQ(forbidden, 0);
}

TEST(litmus, fence_orders_puts_to_one_place) {
  if (pes() < 2) return;
  long forbidden = 0;
  race(
      [](long batch) {
        for (int i = 0; i < cells && me() == 0; ++i) {
          shmem_p(&x[i], -batch, 1);
          shmem_fence();
          shmem_p(&x[i], batch, 1);
        }
      },
      [&](long batch) {
        for (int i = 0; i < cells && me() == 1; ++i) forbidden += x[i] != batch;
      });
  EXPECT_EQ(forbidden, 0);
}

// Plain stores of a PE before a barrier, without the library, are seen by others after it.
template <class Barrier>
void expect_stores_to_be_visible(Barrier barrier) {
  long forbidden = 0;
  for (long round = 1; round <= batches * cells / 16 * scale; ++round) {
    x[0] = round + me();
    barrier();
    forbidden += shmem_g(&x[0], right()) != round + right();
    barrier();
  }
  EXPECT_EQ(forbidden, 0);
}

TEST(litmus, stores_are_visible_after_a_barrier) {
  expect_stores_to_be_visible([] { shmem_barrier_all(); });
}

TEST(litmus, stores_are_visible_after_a_sync) {
  expect_stores_to_be_visible([] { shmem_sync_all(); });
}

}  // namespace

TEST_MAIN(SHMEM_THREAD_SINGLE)
