// SPDX-License-Identifier: BSD-3-Clause
//
// Remote memory access: every type, contiguous and strided, blocking and not, on contexts, with no
// elements and to the own PE; atomics of every type; signals.
#include <tests/spec/shmem/job.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t count = 37;  // odd, so that strides do not fit

template <class T>
struct buffers {
  static inline T target[4 * count];
  static inline T source[4 * count];
};

template <class T>
void fill(int pe) {
  for (std::size_t i = 0; i < 4 * count; ++i) {
    buffers<T>::target[i] = T(0);
    buffers<T>::source[i] = static_cast<T>(static_cast<int>(i % 50) + pe);
  }
  shmem_barrier_all();
}

template <class T>
void expect_from(int pe, std::size_t elements) {
  for (std::size_t i = 0; i < elements; ++i)
    ASSERT_EQ(buffers<T>::target[i], static_cast<T>(static_cast<int>(i % 50) + pe)) << i;
}

// Through the overloads, so that each type's functions are called.
template <class T>
void transfer_all_ways() {
  T* const target = buffers<T>::target;
  T* const source = buffers<T>::source;
  shmem_ctx_t ctx = SHMEM_CTX_INVALID;
  ASSERT_EQ(shmem_ctx_create(0, &ctx), 0);
  for (int way = 0; way < 8; ++way) {
    fill<T>(me());
    const bool is_put = way % 2 == 0;
    switch (way) {
      case 0:
        shmem_put(target, source, count, right());
        break;
      case 1:
        shmem_get(target, source, count, right());
        break;
      case 2:
        shmem_put_nbi(ctx, target, source, count, right());
        break;
      case 3:
        shmem_get_nbi(ctx, target, source, count, right());
        break;
      case 4:
        for (std::size_t i = 0; i < count; ++i) shmem_p(ctx, target + i, source[i], right());
        break;
      case 5:
        for (std::size_t i = 0; i < count; ++i) target[i] = shmem_g(ctx, source + i, right());
        break;
      case 6:
        shmem_put(ctx, target, source, 3, right());  // few, known when compiling
        break;
      default:
        shmem_get(ctx, target, source, 3, right());
    }
    shmem_ctx_quiet(ctx);
    shmem_barrier_all();
    expect_from<T>(is_put ? left() : right(), way < 6 ? count : 3);
    shmem_barrier_all();
  }
  shmem_ctx_destroy(ctx);
}

template <class T>
void transfer_strided() {
  T* const target = buffers<T>::target;
  T* const source = buffers<T>::source;
  fill<T>(me());
  shmem_iput(target, source, 3, 2, count, right());
  shmem_barrier_all();
  for (std::size_t i = 0; i < count; ++i)
    ASSERT_EQ(target[3 * i], static_cast<T>(static_cast<int>(2 * i % 50) + left()));
  fill<T>(me());
  shmem_ibget(target, source, 5, 4, 3, 9, right());
  for (std::size_t i = 0; i < 9; ++i) {
    for (std::size_t k = 0; k < 3; ++k)
      ASSERT_EQ(target[5 * i + k], static_cast<T>(static_cast<int>((4 * i + k) % 50) + right()));
    ASSERT_EQ(target[5 * i + 4], T(0));
  }
  shmem_barrier_all();
}

#define EVERY_TYPE(P, T, TYPE) \
  TEST(rma, T) {               \
    transfer_all_ways<TYPE>(); \
    transfer_strided<TYPE>();  \
  }
ATOLL_SHMEM_RMA_DISTINCT(EVERY_TYPE, )

TEST(rma, sizes_and_nothing) {
  long* const target = buffers<long>::target;
  long* const source = buffers<long>::source;
  fill<long>(me());
  shmem_put64(target, source, 5, right());
  shmem_putmem(target + 5, source + 5, 3 * sizeof(long), right());
  shmem_put128(target + 8, source + 8, 2, right());
  shmem_put32_nbi(target + 12, source + 12, 2 * (count - 12), right());
  shmem_put(target, source, 0, right());
  shmem_getmem(nullptr, nullptr, 0, right());
  shmem_iput64(target, source, 1, 1, 0, right());
  shmem_barrier_all();
  expect_from<long>(left(), count);
}

TEST(rma, large_ones_both_ways) {
  constexpr std::size_t large = (3 << 20) + 5;
  auto* const block = static_cast<unsigned char*>(shmem_malloc(large));
  std::vector<unsigned char> own(large);
  for (std::size_t i = 0; i < large; ++i) own[i] = static_cast<unsigned char>(i * 7 + me());
  shmem_putmem(block, own.data(), large, right());
  shmem_barrier_all();
  for (std::size_t i = 0; i < large; i += 101)
    ASSERT_EQ(block[i], static_cast<unsigned char>(i * 7 + left()));
  shmem_getmem_nbi(own.data(), block, large, right());
  shmem_quiet();
  for (std::size_t i = 0; i < large; i += 101)
    ASSERT_EQ(own[i], static_cast<unsigned char>(i * 7 + me()));
  shmem_barrier_all();
  shmem_free(block);
}

template <class T>
void count_together() {
  static T number;
  static T fetched;
  number = 0;
  shmem_barrier_all();
  const T members = static_cast<T>(pes());
  shmem_atomic_inc(&number, 0);
  EXPECT_LT(shmem_atomic_fetch_inc(&number, 0), 9 * members);
  shmem_atomic_add(&number, static_cast<T>(3), 0);
  EXPECT_LT(shmem_atomic_fetch_add(SHMEM_CTX_DEFAULT, &number, static_cast<T>(2), 0), 9 * members);
  shmem_atomic_fetch_add_nbi(&fetched, &number, static_cast<T>(1), 0);
  shmem_atomic_fetch_inc_nbi(&fetched, &number, 0);
  shmem_quiet();
  EXPECT_LE(fetched, 9 * members);
  shmem_barrier_all();
  EXPECT_EQ(shmem_atomic_fetch(&number, 0), 9 * members);
  shmem_barrier_all();
  T seen = shmem_atomic_fetch(&number, 0);
  for (;;) {
    const T previous = shmem_atomic_compare_swap(&number, seen, static_cast<T>(seen + 1), 0);
    if (previous == seen) break;
    seen = previous;
  }
  shmem_barrier_all();
  EXPECT_EQ(shmem_atomic_fetch(&number, 0), 10 * members);
  shmem_barrier_all();
  shmem_atomic_compare_swap_nbi(&fetched, &number, static_cast<T>(-1), static_cast<T>(0), 0);
  shmem_quiet();
  EXPECT_EQ(fetched, 10 * members);
  shmem_barrier_all();
}

template <class T>
void set_and_swap() {
  static T number;
  static T fetched;
  number = 1;
  shmem_barrier_all();
  shmem_atomic_set(&number, static_cast<T>(me() + 2), right());
  shmem_barrier_all();
  EXPECT_EQ(number, static_cast<T>(left() + 2));
  shmem_barrier_all();
  EXPECT_EQ(shmem_atomic_swap(&number, static_cast<T>(50), right()), static_cast<T>(me() + 2));
  shmem_atomic_swap_nbi(&fetched, &number, static_cast<T>(60), right());
  shmem_quiet();
  EXPECT_EQ(fetched, static_cast<T>(50));
  shmem_atomic_fetch_nbi(&fetched, &number, right());
  shmem_quiet();
  EXPECT_EQ(fetched, static_cast<T>(60));
  shmem_barrier_all();
}

template <class T>
void change_bits() {
  static T number;
  static T fetched;
  number = 0;
  shmem_barrier_all();
  const T bit = static_cast<T>(T(1) << me());
  shmem_atomic_or(&number, bit, 0);
  shmem_barrier_all();
  EXPECT_EQ(shmem_atomic_fetch_or(&number, T(0), 0), static_cast<T>((T(1) << pes()) - 1));
  shmem_barrier_all();
  EXPECT_NE(shmem_atomic_fetch_xor(&number, bit, 0) & bit, T(0));
  shmem_barrier_all();
  EXPECT_EQ(shmem_atomic_fetch_and(&number, static_cast<T>(~bit), 0), T(0));
  shmem_atomic_fetch_xor_nbi(&fetched, &number, T(0), 0);
  shmem_quiet();
  EXPECT_EQ(fetched, T(0));
  shmem_barrier_all();
}

#define COUNTING_TYPE(P, T, TYPE) \
  TEST(atomics, count_##T) { count_together<TYPE>(); }
ATOLL_SHMEM_AMO_DISTINCT(COUNTING_TYPE, )
#define SWAPPING_TYPE(P, T, TYPE) \
  TEST(atomics, swap_##T) { set_and_swap<TYPE>(); }
ATOLL_SHMEM_AMO_EXTENDED_DISTINCT(SWAPPING_TYPE, )
#define BITWISE_TYPE(P, T, TYPE) \
  TEST(atomics, bits_##T) { change_bits<TYPE>(); }
ATOLL_SHMEM_BITWISE_DISTINCT(BITWISE_TYPE, )

// Sizes that take one message and many.
TEST(signals, come_after_data_of_any_size) {
  constexpr std::size_t most = 1 << 18;
  static std::uint64_t signal;
  auto* const data = static_cast<long*>(shmem_malloc(most * sizeof(long)));
  std::vector<long> source(most);
  signal = 0;
  shmem_barrier_all();
  std::uint64_t round = 0;
  for (std::size_t longs = 1; longs <= most; longs *= 4) {
    ++round;
    std::iota(source.begin(), source.end(), static_cast<long>(round) * me());
    if (round % 2 == 0) {
      shmem_put_signal(data, source.data(), longs, &signal, 1, SHMEM_SIGNAL_ADD, right());
      std::fill(source.begin(), source.end(), -1);
    } else {
      shmem_put_signal_nbi(data, source.data(), longs, &signal, 1, SHMEM_SIGNAL_ADD, right());
    }
    EXPECT_EQ(shmem_signal_wait_until(&signal, SHMEM_CMP_EQ, round), round);
    for (std::size_t i = 0; i < longs; ++i)
      ASSERT_EQ(data[i], static_cast<long>(round) * left() + static_cast<long>(i)) << longs;
    shmem_barrier_all();
  }
  shmem_free(data);
}

// Each is complete when quiet returns, whatever their number.
TEST(atomics, that_fetch_nothing_are_done_after_quiet) {
  static long sum;
  sum = 0;
  shmem_barrier_all();
  constexpr int rounds = 500;
  for (int i = 0; i < rounds; ++i) {
    shmem_long_atomic_add(&sum, 2, right());
    shmem_long_atomic_inc(&sum, right());
  }
  shmem_quiet();
  EXPECT_EQ(shmem_long_g(&sum, right()), 3 * rounds);
  shmem_barrier_all();
}

TEST(signals, come_after_their_data) {
  static std::uint64_t signal;
  static long data[count];
  static long source[count];
  for (std::uint64_t round = 1; round <= 200; ++round) {
    for (long& each : source) each = static_cast<long>(round) * 10 + me();
    if (round % 2 == 0) {
      shmem_put_signal(data, source, count, &signal, round, SHMEM_SIGNAL_SET, right());
    } else {
      shmem_put_signal_nbi(data, source, count, &signal, 1, SHMEM_SIGNAL_ADD, right());
    }
    EXPECT_EQ(shmem_signal_wait_until(&signal, SHMEM_CMP_EQ, round), round);
    for (const long each : data) ASSERT_EQ(each, static_cast<long>(round) * 10 + left());
    shmem_barrier_all();
  }
  shmem_signal_set(&signal, 5, right());
  shmem_barrier_all();
  shmem_signal_add(SHMEM_CTX_DEFAULT, &signal, 4, right());
  shmem_barrier_all();
  shmem_barrier_all();
  EXPECT_EQ(shmem_signal_fetch(&signal), 9u);
  shmem_barrier_all();
  shmem_put_signal(data, source, 0, &signal, 1, SHMEM_SIGNAL_ADD, right());
  EXPECT_EQ(shmem_signal_wait_until(&signal, SHMEM_CMP_GT, 9), 10u);
}

// Also where the owner has two threads that run messages. Nothing waits in between.
TEST(atomics, that_fetch_follow_those_that_do_not) {
  static long number;
  number = 0;
  shmem_barrier_all();
  constexpr int times = 20'000;
  int out_of_turn = 0;
  for (long i = 0; i < times; ++i) {
    shmem_atomic_inc(&number, right());
    if (shmem_atomic_fetch(&number, right()) != i + 1) ++out_of_turn;
  }
  EXPECT_EQ(out_of_turn, 0);
  shmem_barrier_all();
}

// The last number of the pages of the static variables; its owner computes meanwhile.
TEST(mapped_memory, is_reached_to_its_end_while_the_owner_calls_nothing) {
  static long done;
  constexpr std::uintptr_t page = 4096;
  const auto accessible = [](std::uintptr_t address) {
    return shmem_addr_accessible(reinterpret_cast<void*>(address), right()) != 0;
  };
  std::uintptr_t end = reinterpret_cast<std::uintptr_t>(&done) / page * page;
  while (accessible(end)) end += page;
  int* const last = reinterpret_cast<int*>(end) - 1;
  static int is_mapped, all_mapped;
  is_mapped = shmem_ptr(last, right()) != nullptr ? 1 : 0;
  shmem_int_min_reduce(SHMEM_TEAM_WORLD, &all_mapped, &is_mapped, 1);
  if (all_mapped == 0) GTEST_SKIP() << "messages go to some other PEs";
  const int kept = *last;
  *last = 0;
  done = 0;
  shmem_barrier_all();
  if (me() == 0) {
    EXPECT_EQ(shmem_int_atomic_fetch_add(last, 5, right()), 0);
    shmem_int_atomic_inc(last, right());
    shmem_quiet();
    EXPECT_EQ(shmem_int_g(last, right()), 6);
    shmem_int_p(last, 8, right());
    shmem_quiet();
    shmem_long_p(&done, 1, right());
  }
  if (me() == 1 % pes()) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    volatile long* const told = &done;
    while (*told == 0 && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
    EXPECT_EQ(*told, 1) << "PE 0 has waited for this one";
    EXPECT_EQ(*last, 8);
  }
  shmem_barrier_all();
  *last = kept;
}

}  // namespace

TEST_MAIN(SHMEM_THREAD_SINGLE)
