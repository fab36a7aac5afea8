// SPDX-License-Identifier: BSD-3-Clause
//
// Teams with strides of any sign, in rows and columns; contexts of all kinds on them; sessions.
#include <tests/spec/shmem/job.hpp>

#include <thread>
#include <vector>

namespace {

TEST(teams, predefined_ones) {
  EXPECT_EQ(shmem_team_my_pe(SHMEM_TEAM_WORLD), me());
  EXPECT_EQ(shmem_team_n_pes(SHMEM_TEAM_WORLD), pes());
  EXPECT_EQ(shmem_team_my_pe(SHMEM_TEAM_INVALID), -1);
  EXPECT_EQ(shmem_team_n_pes(SHMEM_TEAM_INVALID), -1);
  static int number;
  for (int i = 0; i < shmem_team_n_pes(SHMEM_TEAM_SHARED); ++i) {
    const int pe = shmem_team_translate_pe(SHMEM_TEAM_SHARED, i, SHMEM_TEAM_WORLD);
    EXPECT_GE(pe, 0);
    EXPECT_EQ(shmem_team_ptr(SHMEM_TEAM_SHARED, &number, i), shmem_ptr(&number, pe));
  }
}

TEST(teams, wrong_triplets_give_an_invalid_team_everywhere) {
  const int wrong[][3] = {{0, 0, 2},     {0, 1, 0},     {-1, 1, 1},
                          {pes(), 1, 1}, {0, pes(), 2}, {0, -1, 2}};
  for (const auto& [start, stride, size] : wrong) {
    shmem_team_t team = SHMEM_TEAM_WORLD;
    EXPECT_NE(shmem_team_split_strided(SHMEM_TEAM_WORLD, start, stride, size, nullptr, 0, &team),
              0);
    EXPECT_EQ(team, SHMEM_TEAM_INVALID);
  }
  shmem_team_t team = SHMEM_TEAM_WORLD;
  EXPECT_NE(shmem_team_split_strided(SHMEM_TEAM_INVALID, 0, 1, 1, nullptr, 0, &team), 0);
  EXPECT_EQ(team, SHMEM_TEAM_INVALID);
}

TEST(teams, negative_strides_reverse_the_order) {
  shmem_team_t reverse = SHMEM_TEAM_INVALID;
  ASSERT_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, pes() - 1, -1, pes(), nullptr, 0, &reverse),
            0);
  EXPECT_EQ(shmem_team_my_pe(reverse), pes() - 1 - me());
  EXPECT_EQ(shmem_team_translate_pe(reverse, 0, SHMEM_TEAM_WORLD), pes() - 1);
  // A part of it, whose members are numbered from the end of the world team.
  shmem_team_t half = SHMEM_TEAM_INVALID;
  const int size = (pes() + 1) / 2;
  ASSERT_EQ(shmem_team_split_strided(reverse, 0, 2, size, nullptr, 0, &half), 0);
  const bool joins = (pes() - 1 - me()) % 2 == 0;
  EXPECT_EQ(half != SHMEM_TEAM_INVALID, joins);
  if (joins) {
    EXPECT_EQ(shmem_team_my_pe(half), (pes() - 1 - me()) / 2);
    EXPECT_EQ(shmem_sync(half), 0);
  }
  shmem_team_destroy(half);
  shmem_team_destroy(reverse);
}

TEST(teams, rows_and_columns) {
  for (int width = 1; width <= pes() + 1; ++width) {
    shmem_team_t row = SHMEM_TEAM_INVALID;
    shmem_team_t column = SHMEM_TEAM_INVALID;
    ASSERT_EQ(shmem_team_split_2d(SHMEM_TEAM_WORLD, width, nullptr, 0, &row, nullptr, 0, &column),
              0);
    EXPECT_EQ(shmem_team_my_pe(row), me() % width);
    EXPECT_EQ(shmem_team_my_pe(column), me() / width);
    static long sum;
    static long own;
    own = me();
    shmem_sum_reduce(row, &sum, &own, 1);
    long expected = 0;
    for (int pe = me() / width * width; pe < pes() && pe < (me() / width + 1) * width; ++pe)
      expected += pe;
    EXPECT_EQ(sum, expected);
    shmem_team_destroy(column);
    shmem_team_destroy(row);
  }
}

TEST(teams, configurations) {
  const shmem_team_config_t wanted = {.num_contexts = 7};
  shmem_team_t team = SHMEM_TEAM_INVALID;
  ASSERT_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, pes(), &wanted,
                                     SHMEM_TEAM_NUM_CONTEXTS, &team),
            0);
  shmem_team_config_t found = {};
  EXPECT_EQ(shmem_team_get_config(team, SHMEM_TEAM_NUM_CONTEXTS, &found), 0);
  EXPECT_EQ(found.num_contexts, 7);
  EXPECT_NE(shmem_team_get_config(SHMEM_TEAM_INVALID, SHMEM_TEAM_NUM_CONTEXTS, &found), 0);
  shmem_team_destroy(team);
}

TEST(contexts, of_all_kinds_on_a_team) {
  shmem_team_t reverse = SHMEM_TEAM_INVALID;
  ASSERT_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, pes() - 1, -1, pes(), nullptr, 0, &reverse),
            0);
  static long target;
  for (const long options : {0L, SHMEM_CTX_PRIVATE, SHMEM_CTX_SERIALIZED, SHMEM_CTX_NOSTORE}) {
    shmem_ctx_t ctx = SHMEM_CTX_INVALID;
    ASSERT_EQ(shmem_team_create_ctx(reverse, options, &ctx), 0);
    shmem_team_t team = SHMEM_TEAM_INVALID;
    EXPECT_EQ(shmem_ctx_get_team(ctx, &team), 0);
    EXPECT_EQ(team, reverse);
    target = -1;
    shmem_barrier_all();
    shmem_p(ctx, &target, static_cast<long>(options * 100 + me()), shmem_team_my_pe(reverse));
    shmem_ctx_quiet(ctx);
    EXPECT_EQ(shmem_atomic_fetch(ctx, &target, shmem_team_my_pe(reverse)), options * 100 + me());
    shmem_barrier_all();
    EXPECT_EQ(target, options * 100 + me());
    shmem_barrier_all();
    if (options != 0) shmem_ctx_destroy(ctx);  // the team's end destroys the other
  }
  shmem_team_destroy(reverse);
  shmem_ctx_t ctx = SHMEM_CTX_DEFAULT;
  EXPECT_NE(shmem_team_create_ctx(SHMEM_TEAM_INVALID, 0, &ctx), 0);
  EXPECT_EQ(ctx, SHMEM_CTX_INVALID);
  shmem_ctx_destroy(SHMEM_CTX_INVALID);
}

TEST(contexts, a_thousand_at_once_and_sessions) {
  std::vector<shmem_ctx_t> many(1000);
  for (auto& each : many) ASSERT_EQ(shmem_ctx_create(0, &each), 0);
  const shmem_ctx_session_config_t config = {.total_ops = 1000};
  static int target;
  for (auto& each : many) {
    shmem_ctx_session_start(each, SHMEM_CTX_SESSION_BATCH, &config, SHMEM_CTX_SESSION_TOTAL_OPS);
    shmem_atomic_inc(each, &target, right());
    shmem_ctx_session_stop(each);
  }
  shmem_ctx_session_start(SHMEM_CTX_INVALID, 0, nullptr, 0);
  for (auto& each : many) shmem_ctx_destroy(each);
  shmem_barrier_all();
  EXPECT_EQ(target, 1000);
}

// Each thread waits for its own context and for one that all share, while others put through it.
TEST(contexts, of_several_threads) {
  constexpr int count = 8;
  static long target[count][64];
  static long shared_target[count];
  shmem_ctx_t shared = SHMEM_CTX_INVALID;
  ASSERT_EQ(shmem_ctx_create(0, &shared), 0);
  std::vector<std::thread> threads;
  for (int t = 0; t < count; ++t) {
    threads.emplace_back([t, shared] {
      shmem_ctx_t ctx = SHMEM_CTX_INVALID;
      ASSERT_EQ(shmem_ctx_create(t % 2 == 0 ? SHMEM_CTX_PRIVATE : 0, &ctx), 0);
      long values[64];
      for (int round = 0; round < 20; ++round) {
        for (int i = 0; i < 64; ++i) values[i] = round * 64 + i;
        const long last = round;
        shmem_put_nbi(ctx, target[t], values, 64, right());
        shmem_put_nbi(shared, &shared_target[t], &last, 1, right());
        shmem_ctx_quiet(t % 2 == 0 ? ctx : shared);
        shmem_ctx_quiet(t % 2 == 0 ? shared : ctx);
      }
      shmem_ctx_destroy(ctx);
    });
  }
  for (auto& each : threads) each.join();
  shmem_ctx_destroy(shared);
  shmem_barrier_all();
  for (int t = 0; t < count; ++t) {
    for (int i = 0; i < 64; ++i) EXPECT_EQ(target[t][i], 19 * 64 + i);
    EXPECT_EQ(shared_target[t], 19);
  }
  shmem_barrier_all();
}

}  // namespace

TEST_MAIN(SHMEM_THREAD_MULTIPLE)
