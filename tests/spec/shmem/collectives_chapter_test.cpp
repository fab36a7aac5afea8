// SPDX-License-Identifier: BSD-3-Clause
//
// Tests collectives of teams and of active sets against plain loops: data of odd and zero sizes,
// reductions and scans of every type, in place too, and active sets of every start, stride and
// size.
#include <tests/spec/shmem/job.hpp>

#include <cstring>
#include <type_traits>
#include <vector>

namespace {

constexpr int most = 33;  // elements
constexpr int pes_max = 16;
long sync_array[SHMEM_SYNC_SIZE];

// Values small enough for every type's products.
template <class T>
T value(int pe, int i) {
  return static_cast<T>((pe * 3 + i) % 2 + 1);
}

template <class T>
struct memory {
  static inline T dest[most * pes_max];
  static inline T source[most * pes_max];
};

template <class T>
void fill(int elements) {
  for (int i = 0; i < elements; ++i) {
    memory<T>::source[i] = value<T>(me(), i);
    memory<T>::dest[i] = static_cast<T>(77);
  }
  shmem_barrier_all();
}

enum class op { sum, prod, min, max, bit_and, bit_or, bit_xor };

template <class T>
T combine(op operation, T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    if (operation == op::bit_and) return static_cast<T>(a & b);
    if (operation == op::bit_or) return static_cast<T>(a | b);
    if (operation == op::bit_xor) return static_cast<T>(a ^ b);
  }
  if constexpr (std::is_arithmetic_v<T>) {
    if (operation == op::min) return b < a ? b : a;
    if (operation == op::max) return a < b ? b : a;
  }
  return operation == op::sum ? static_cast<T>(a + b) : static_cast<T>(a * b);
}

template <class T>
T combined(op operation, int first, int stride, int size, int i) {
  T result = value<T>(first, i);
  for (int k = 1; k < size; ++k)
    result = combine(operation, result, value<T>(first + k * stride, i));
  return result;
}

template <class T, class Reduce>
void check_reduction(op operation, Reduce reduce) {
  for (const bool in_place : {false, true}) {
    fill<T>(most);
    T* const source = in_place ? memory<T>::dest : memory<T>::source;
    if (in_place) std::memcpy(memory<T>::dest, memory<T>::source, most * sizeof(T));
    shmem_barrier_all();
    ASSERT_EQ(reduce(SHMEM_TEAM_WORLD, memory<T>::dest, source, std::size_t{most}), 0);
    for (int i = 0; i < most; ++i)
      ASSERT_EQ(memory<T>::dest[i], combined<T>(operation, 0, 1, pes(), i)) << i;
    shmem_barrier_all();
  }
}

#define ADDING(P, T, TYPE)                                    \
  TEST(reduce, sums_of_##T) {                                 \
    check_reduction<TYPE>(op::sum, shmem_##T##_sum_reduce);   \
    check_reduction<TYPE>(op::prod, shmem_##T##_prod_reduce); \
  }
ATOLL_SHMEM_REDUCE_SUM_DISTINCT(ADDING, )
#define ORDERED(P, T, TYPE)                                 \
  TEST(reduce, order_of_##T) {                              \
    check_reduction<TYPE>(op::min, shmem_##T##_min_reduce); \
    check_reduction<TYPE>(op::max, shmem_##T##_max_reduce); \
  }
ATOLL_SHMEM_RMA_DISTINCT(ORDERED, )
#define BITS(P, T, TYPE)                                        \
  TEST(reduce, bits_of_##T) {                                   \
    check_reduction<TYPE>(op::bit_and, shmem_##T##_and_reduce); \
    check_reduction<TYPE>(op::bit_or, shmem_##T##_or_reduce);   \
    check_reduction<TYPE>(op::bit_xor, shmem_##T##_xor_reduce); \
  }
ATOLL_SHMEM_REDUCE_BITS_DISTINCT(BITS, )

template <class T>
void check_scans() {
  fill<T>(most);
  ASSERT_EQ(shmem_sum_inscan(SHMEM_TEAM_WORLD, memory<T>::dest, memory<T>::source, most), 0);
  for (int i = 0; i < most; ++i)
    ASSERT_EQ(memory<T>::dest[i], combined<T>(op::sum, 0, 1, me() + 1, i));
  shmem_barrier_all();
  ASSERT_EQ(shmem_sum_exscan(SHMEM_TEAM_WORLD, memory<T>::source, memory<T>::source, most), 0);
  for (int i = 0; i < most; ++i)
    ASSERT_EQ(memory<T>::source[i], me() == 0 ? T(0) : combined<T>(op::sum, 0, 1, me(), i));
  shmem_barrier_all();
}

#define SCANNED(P, T, TYPE) \
  TEST(scan, T) { check_scans<TYPE>(); }
ATOLL_SHMEM_REDUCE_SUM_DISTINCT(SCANNED, )

template <class T>
void check_data() {
  T* const dest = memory<T>::dest;
  T* const source = memory<T>::source;
  for (const int n : {0, 1, 7}) {
    for (int root = 0; root < pes(); ++root) {
      fill<T>(most);
      ASSERT_EQ(shmem_broadcast(SHMEM_TEAM_WORLD, dest, source, static_cast<std::size_t>(n), root),
                0);
      for (int i = 0; i < n; ++i) ASSERT_EQ(dest[i], value<T>(root, i));
      ASSERT_EQ(dest[n], static_cast<T>(77));
    }
    fill<T>(most * pes());
    const auto count = static_cast<std::size_t>(n);
    ASSERT_EQ(shmem_fcollect(SHMEM_TEAM_WORLD, dest, source, count), 0);
    for (int i = 0; i < n * pes(); ++i) ASSERT_EQ(dest[i], value<T>(i / n, i % n));
    fill<T>(most * pes());
    ASSERT_EQ(shmem_alltoall(SHMEM_TEAM_WORLD, dest, source, count), 0);
    for (int i = 0; i < n * pes(); ++i) ASSERT_EQ(dest[i], value<T>(i / n, me() * n + i % n));
    fill<T>(most * pes());
    ASSERT_EQ(shmem_alltoalls(SHMEM_TEAM_WORLD, dest, source, 2, 3, count), 0);
    for (int i = 0; i < n * pes(); ++i)
      ASSERT_EQ(dest[2 * i], value<T>(i / n, 3 * (me() * n + i % n)));
    // Each PE contributes one element more than the one before it; the first may contribute none.
    fill<T>(most * pes());
    ASSERT_EQ(shmem_collect(SHMEM_TEAM_WORLD, dest, source, count + static_cast<std::size_t>(me())),
              0);
    int next = 0;
    for (int pe = 0; pe < pes(); ++pe) {
      for (int i = 0; i < n + pe; ++i) ASSERT_EQ(dest[next++], value<T>(pe, i));
    }
    shmem_barrier_all();
  }
}

#define COLLECTED(P, T, TYPE) \
  TEST(data, T) { check_data<TYPE>(); }
COLLECTED(, char, char)
COLLECTED(, short, short)
COLLECTED(, double, double)
COLLECTED(, longdouble, long double)

// Blocks that do not fit into one step of an exchange.
constexpr int large_max = 70'001;
unsigned char large_dest[large_max * pes_max];
unsigned char large_source[large_max * pes_max];

unsigned char large_byte(int pe, int i) { return static_cast<unsigned char>(i * 7 + pe * 31); }

void fill_large(int bytes) {
  for (int i = 0; i < bytes; ++i) large_source[i] = large_byte(me(), i);
  std::memset(large_dest, 77, static_cast<std::size_t>(bytes) + 1);
  shmem_barrier_all();
}

TEST(data, of_large_blocks) {
  for (const int bytes : {1024, large_max - 1}) {
    const auto count = static_cast<std::size_t>(bytes);
    for (int root = 0; root < pes(); ++root) {
      fill_large(bytes);
      ASSERT_EQ(shmem_broadcastmem(SHMEM_TEAM_WORLD, large_dest, large_source, count, root), 0);
      for (int i = 0; i < bytes; ++i) ASSERT_EQ(large_dest[i], large_byte(root, i)) << i;
      ASSERT_EQ(large_dest[bytes], 77);
      shmem_barrier_all();
    }
    fill_large(bytes);
    ASSERT_EQ(shmem_fcollectmem(SHMEM_TEAM_WORLD, large_dest, large_source, count), 0);
    for (int i = 0; i < bytes * pes(); ++i)
      ASSERT_EQ(large_dest[i], large_byte(i / bytes, i % bytes)) << i;
    shmem_barrier_all();
    fill_large(bytes * pes());
    ASSERT_EQ(shmem_alltoallmem(SHMEM_TEAM_WORLD, large_dest, large_source, count), 0);
    for (int i = 0; i < bytes * pes(); ++i)
      ASSERT_EQ(large_dest[i], large_byte(i / bytes, me() * bytes + i % bytes)) << i;
    shmem_barrier_all();
  }
}

TEST(data, without_memory_where_there_is_none_to_send) {
  EXPECT_EQ(shmem_broadcastmem(SHMEM_TEAM_WORLD, nullptr, nullptr, 0, 0), 0);
  EXPECT_EQ(shmem_collectmem(SHMEM_TEAM_WORLD, nullptr, nullptr, 0), 0);
  EXPECT_EQ(shmem_fcollectmem(SHMEM_TEAM_WORLD, nullptr, nullptr, 0), 0);
  EXPECT_EQ(shmem_alltoallmem(SHMEM_TEAM_WORLD, nullptr, nullptr, 0), 0);
  EXPECT_EQ(shmem_int_sum_reduce(SHMEM_TEAM_WORLD, nullptr, nullptr, 0), 0);
  EXPECT_EQ(shmem_int_sum_exscan(SHMEM_TEAM_WORLD, nullptr, nullptr, 0), 0);
}

// A program that relies on implementations by messages; SHMEM_DEBUG refuses it.
TEST(data, reaches_results_in_private_memory) {
  constexpr std::size_t bytes = 4096;
  const auto members = static_cast<std::size_t>(pes());
  static unsigned char source[bytes * 16];
  ASSERT_LE(members, 16u);
  for (std::size_t i = 0; i < sizeof source; ++i)
    source[i] = static_cast<unsigned char>(me() + static_cast<int>(i / bytes));
  std::vector<unsigned char> dest(bytes * members);
  ASSERT_EQ(shmem_broadcastmem(SHMEM_TEAM_WORLD, dest.data(), source, bytes, pes() - 1), 0);
  EXPECT_EQ(dest[bytes - 1], pes() - 1);
  ASSERT_EQ(shmem_fcollectmem(SHMEM_TEAM_WORLD, dest.data(), source, bytes), 0);
  for (std::size_t member = 0; member < members; ++member)
    EXPECT_EQ(dest[member * bytes + 7], member);
  ASSERT_EQ(shmem_alltoallmem(SHMEM_TEAM_WORLD, dest.data(), source, bytes), 0);
  for (std::size_t member = 0; member < members; ++member)
    EXPECT_EQ(dest[member * bytes + 7], member + static_cast<std::size_t>(me()));
  shmem_barrier_all();
}

// --- active sets

template <class Use>
void for_each_active_set(Use use) {
  for (int log_stride = 0; 1 << log_stride < 2 * pes(); ++log_stride) {
    const int stride = 1 << log_stride;
    for (int first = 0; first < pes(); ++first) {
      for (int size = 1; first + (size - 1) * stride < pes(); ++size) {
        const int distance = me() - first;
        const bool joins = distance >= 0 && distance % stride == 0 && distance / stride < size;
        use(first, log_stride, size, joins);
      }
    }
  }
}

TEST(active_sets, reduce_and_leave_the_work_array_as_it_was) {
  static long work[most];
  for_each_active_set([](int first, int log_stride, int size, bool joins) {
    long* const dest = memory<long>::dest;
    fill<long>(most);
    if (joins) {
      shmem_long_sum_to_all(dest, memory<long>::source, most, first, log_stride, size, work,
                            sync_array);
      for (int i = 0; i < most; ++i)
        ASSERT_EQ(dest[i], combined<long>(op::sum, first, 1 << log_stride, size, i));
      for (const long each : sync_array) ASSERT_EQ(each, SHMEM_SYNC_VALUE);
      shmem_barrier(first, log_stride, size, sync_array);
      shmem_sync(first, log_stride, size, sync_array);
    } else {
      ASSERT_EQ(dest[0], 77);
    }
  });
}

TEST(active_sets, broadcast_spares_the_root) {
  for_each_active_set([](int first, int log_stride, int size, bool joins) {
    long* const dest = memory<long>::dest;
    fill<long>(most);
    const int root = size - 1;
    const int root_pe = first + (root << log_stride);
    if (joins)
      shmem_broadcast64(dest, memory<long>::source, 5, root, first, log_stride, size, sync_array);
    for (int i = 0; i < 5; ++i)
      ASSERT_EQ(dest[i], joins && me() != root_pe ? value<long>(root_pe, i) : 77);
    shmem_barrier_all();
  });
}

TEST(active_sets, a_large_broadcast_spares_the_root) {
  constexpr int longs = large_max / 8;
  for_each_active_set([](int first, int log_stride, int size, bool joins) {
    fill_large(longs * 8);
    const int root_pe = first + ((size - 1) << log_stride);
    if (joins)
      shmem_broadcast64(large_dest, large_source, longs, size - 1, first, log_stride, size,
                        sync_array);
    const bool is_written = joins && me() != root_pe;
    for (int i = 0; i < longs * 8; ++i)
      ASSERT_EQ(large_dest[i], is_written ? large_byte(root_pe, i) : 77) << i;
    shmem_barrier_all();
  });
}

TEST(active_sets, collect_and_exchange) {
  for_each_active_set([](int first, int log_stride, int size, bool joins) {
    int* const dest = memory<int>::dest;
    int* const source = memory<int>::source;
    const auto pe_of = [&](int member) { return first + (member << log_stride); };
    fill<int>(most * pes());
    if (!joins) return;
    shmem_fcollect32(dest, source, 3, first, log_stride, size, sync_array);
    for (int i = 0; i < 3 * size; ++i) ASSERT_EQ(dest[i], value<int>(pe_of(i / 3), i % 3));
    shmem_barrier(first, log_stride, size, sync_array);
    const int self = (me() - first) >> log_stride;
    shmem_collect32(dest, source, static_cast<std::size_t>(self), first, log_stride, size,
                    sync_array);
    int next = 0;
    for (int member = 0; member < size; ++member) {
      for (int i = 0; i < member; ++i) ASSERT_EQ(dest[next++], value<int>(pe_of(member), i));
    }
    shmem_barrier(first, log_stride, size, sync_array);
    shmem_alltoall32(dest, source, 2, first, log_stride, size, sync_array);
    for (int i = 0; i < 2 * size; ++i)
      ASSERT_EQ(dest[i], value<int>(pe_of(i / 2), self * 2 + i % 2));
    shmem_barrier(first, log_stride, size, sync_array);
  });
}

template <class T>
using old_reduction = void (*)(T* dest, const T* source, int elements, int first, int log_stride,
                               int size, T* work, long* sync);

template <class T>
void check_old_reduction(op operation, old_reduction<T> reduce) {
  static T work[most];
  for_each_active_set([&](int first, int log_stride, int size, bool joins) {
    fill<T>(most);
    if (!joins) return;
    T* const dest = memory<T>::dest;
    T* const source = memory<T>::source;
    reduce(dest, source, most, first, log_stride, size, work, sync_array);
    shmem_barrier(first, log_stride, size, sync_array);
    reduce(source, source, 1, first, log_stride, size, work, sync_array);
    for (int i = 0; i < most; ++i)
      ASSERT_EQ(dest[i], combined<T>(operation, first, 1 << log_stride, size, i)) << i;
    ASSERT_EQ(source[0], dest[0]);
    ASSERT_EQ(source[1], value<T>(me(), 1));
  });
  shmem_barrier_all();
}

#define OLD_SUM(P, T, TYPE)                                       \
  TEST(active_sets, sums_of_##T) {                                \
    check_old_reduction<TYPE>(op::sum, shmem_##T##_sum_to_all);   \
    check_old_reduction<TYPE>(op::prod, shmem_##T##_prod_to_all); \
  }
ATOLL_SHMEM_TO_ALL_SUM(OLD_SUM, )
#define OLD_ORDER(P, T, TYPE)                                   \
  TEST(active_sets, order_of_##T) {                             \
    check_old_reduction<TYPE>(op::min, shmem_##T##_min_to_all); \
    check_old_reduction<TYPE>(op::max, shmem_##T##_max_to_all); \
  }
ATOLL_SHMEM_TO_ALL_ORDER(OLD_ORDER, )
#define OLD_BITS(P, T, TYPE)                                        \
  TEST(active_sets, bits_of_##T) {                                  \
    check_old_reduction<TYPE>(op::bit_and, shmem_##T##_and_to_all); \
    check_old_reduction<TYPE>(op::bit_or, shmem_##T##_or_to_all);   \
    check_old_reduction<TYPE>(op::bit_xor, shmem_##T##_xor_to_all); \
  }
ATOLL_SHMEM_TO_ALL_BITS(OLD_BITS, )

}  // namespace

TEST_MAIN(SHMEM_THREAD_SINGLE)
