// SPDX-License-Identifier: BSD-3-Clause
//
// Point-to-point synchronization: wait and test, of one variable or of a set. A set is an array, a
// mask of the variables to ignore (`status`, null for none), and a value for all or an array of
// them. In the `any` forms a search begins behind the variable that was found last, so that every
// variable that meets its condition is found in the end.
#include <front/shmem/waiting.hpp>

#include <atoll/base/halves.hpp>

#include <atomic>
#include <cstdint>

namespace atl::shmem {
namespace {

template <class T>
bool test(const char* call, const volatile T* variable, int cmp, T operand) noexcept {
  process_state& us = running(call);
  check_comparison(call, cmp);
  check_waited(us, call, variable, sizeof *variable);
  if (compare(load(variable), cmp, operand)) return after_test(us, true);
  us.runtime.progress();
  return after_test(us, compare(load(variable), cmp, operand));
}

/// Where the next search in a set begins: behind the last variable that was found there, so that
/// each that holds is found in its turn. Sets may share an entry; a set whose entry names another
/// one begins anywhere. Relaxed: every place is correct, and the right one is only fairer.
class search_start {
 public:
  search_start(const volatile void* first, std::size_t count) noexcept {
    const std::uint64_t mixed =
        (reinterpret_cast<std::uintptr_t>(first) + count) * 0x9e3779b97f4a7c15u;
    entry_ = &entries[mixed >> 58];
    set_ = static_cast<std::uint32_t>(mixed >> 16);
    const std::uint64_t known = entry_->load(std::memory_order_relaxed);
    const std::uint64_t other = known * 6364136223846793005u + 1442695040888963407u;
    index_ = high_half(known) == set_ ? low_half(known) : high_half(other);
  }

  std::size_t index() const noexcept { return index_; }
  void found(std::size_t index) const noexcept {
    entry_->store(join_halves(static_cast<std::uint32_t>(index + 1), set_),
                  std::memory_order_relaxed);
  }

 private:
  static std::atomic<std::uint64_t> entries[64];  // the set, and the place

  std::atomic<std::uint64_t>* entry_;
  std::uint32_t set_;
  std::uint32_t index_;
};

std::atomic<std::uint64_t> search_start::entries[64];

/// The variables of a call, and the values that they are compared with.
template <class T>
struct variables {
  const volatile T* first;
  std::size_t count;
  const int* status;
  int cmp;
  const T* values;     // one, or one per variable
  std::size_t stride;  // between them: 0 or 1

  bool counts(std::size_t i) const noexcept { return status == nullptr || status[i] == 0; }
  bool holds(std::size_t i) const noexcept {
    return compare(load(first + i), cmp, values[i * stride]);
  }
  bool is_empty() const noexcept {
    for (std::size_t i = 0; i < count; ++i) {
      if (counts(i)) return false;
    }
    return true;
  }
  bool all_hold() const noexcept {
    for (std::size_t i = 0; i < count; ++i) {
      if (counts(i) && !holds(i)) return false;
    }
    return true;
  }
  std::size_t find_any() const noexcept {
    const search_start start(first, count);
    for (std::size_t n = 0; n < count; ++n) {
      const std::size_t i = (start.index() % count + n) % count;
      if (!counts(i) || !holds(i)) continue;
      start.found(i);
      return i;
    }
    return SIZE_MAX;
  }
  std::size_t find_some(std::size_t* indices) const noexcept {
    std::size_t found = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (counts(i) && holds(i)) indices[found++] = i;
    }
    return found;
  }
};

template <class T>
void wait_until_all(const char* call, const variables<T>& set) noexcept {
  process_state& us = running(call);
  check_comparison(call, set.cmp);
  check_waited(us, call, set.first, set.count * sizeof *set.first);
  wait_for(us, [&] { return set.all_hold(); });
}

template <class T>
std::size_t wait_until_any(const char* call, const variables<T>& set) noexcept {
  process_state& us = running(call);
  check_comparison(call, set.cmp);
  check_waited(us, call, set.first, set.count * sizeof *set.first);
  if (set.is_empty()) return SIZE_MAX;
  std::size_t found = SIZE_MAX;
  wait_for(us, [&] { return (found = set.find_any()) != SIZE_MAX; });
  return found;
}

template <class T>
std::size_t wait_until_some(const char* call, const variables<T>& set,
                            std::size_t* indices) noexcept {
  process_state& us = running(call);
  check_comparison(call, set.cmp);
  check_waited(us, call, set.first, set.count * sizeof *set.first);
  if (set.is_empty()) return 0;
  std::size_t found = 0;
  wait_for(us, [&] { return (found = set.find_some(indices)) != 0; });
  return found;
}

template <class T>
int test_all(const char* call, const variables<T>& set) noexcept {
  process_state& us = running(call);
  check_comparison(call, set.cmp);
  check_waited(us, call, set.first, set.count * sizeof *set.first);
  if (set.all_hold()) return after_test(us, true) ? 1 : 0;
  us.runtime.progress();
  return after_test(us, set.all_hold()) ? 1 : 0;
}

template <class T>
std::size_t test_any(const char* call, const variables<T>& set) noexcept {
  process_state& us = running(call);
  check_comparison(call, set.cmp);
  check_waited(us, call, set.first, set.count * sizeof *set.first);
  if (set.count == 0) return SIZE_MAX;
  us.runtime.progress();
  const std::size_t found = set.find_any();
  after_test(us, found != SIZE_MAX);
  return found;
}

template <class T>
std::size_t test_some(const char* call, const variables<T>& set, std::size_t* indices) noexcept {
  process_state& us = running(call);
  check_comparison(call, set.cmp);
  check_waited(us, call, set.first, set.count * sizeof *set.first);
  us.runtime.progress();
  const std::size_t found = set.find_some(indices);
  after_test(us, found != 0);
  return found;
}

}  // namespace
}  // namespace atl::shmem

using namespace atl::shmem;

// clang-format off

#define SINGLE(P, T, TYPE)                                                                         \
  ATOLL_SHMEM_ENTRY(void, T##_wait_until, (volatile TYPE* ivar, int cmp, TYPE cmp_value),          \
                    wait_until<TYPE>("shmem_wait_until", ivar, cmp, cmp_value))                    \
  ATOLL_SHMEM_ENTRY(int, T##_test, (volatile TYPE* ivar, int cmp, TYPE cmp_value),                 \
                    return test<TYPE>("shmem_test", ivar, cmp, cmp_value))
ATOLL_SHMEM_WAIT(SINGLE, )

// The names of a set: VECTOR is empty or _vector, PARAMETER the value or values, FIRST the address
// of the first of them.
#define SET(T, TYPE, VECTOR, PARAMETER, FIRST, STRIDE)                                             \
  ATOLL_SHMEM_ENTRY(void, T##_wait_until_all##VECTOR,                                              \
                    (volatile TYPE* ivars, size_t nelems, const int* status, int cmp, PARAMETER),  \
                    wait_until_all<TYPE>("shmem_wait_until_all" #VECTOR,                           \
                                         {ivars, nelems, status, cmp, FIRST, STRIDE}))             \
  ATOLL_SHMEM_ENTRY(size_t, T##_wait_until_any##VECTOR,                                            \
                    (volatile TYPE* ivars, size_t nelems, const int* status, int cmp, PARAMETER),  \
                    return wait_until_any<TYPE>("shmem_wait_until_any" #VECTOR,                    \
                                                {ivars, nelems, status, cmp, FIRST, STRIDE}))      \
  ATOLL_SHMEM_ENTRY(size_t, T##_wait_until_some##VECTOR,                                           \
                    (volatile TYPE* ivars, size_t nelems, size_t* indices, const int* status,      \
                     int cmp, PARAMETER),                                                          \
                    return wait_until_some<TYPE>("shmem_wait_until_some" #VECTOR,                  \
                                                 {ivars, nelems, status, cmp, FIRST, STRIDE},      \
                                                 indices))                                         \
  ATOLL_SHMEM_ENTRY(int, T##_test_all##VECTOR,                                                     \
                    (volatile TYPE* ivars, size_t nelems, const int* status, int cmp, PARAMETER),  \
                    return test_all<TYPE>("shmem_test_all" #VECTOR,                                \
                                          {ivars, nelems, status, cmp, FIRST, STRIDE}))            \
  ATOLL_SHMEM_ENTRY(size_t, T##_test_any##VECTOR,                                                  \
                    (volatile TYPE* ivars, size_t nelems, const int* status, int cmp, PARAMETER),  \
                    return test_any<TYPE>("shmem_test_any" #VECTOR,                                \
                                          {ivars, nelems, status, cmp, FIRST, STRIDE}))            \
  ATOLL_SHMEM_ENTRY(size_t, T##_test_some##VECTOR,                                                 \
                    (volatile TYPE* ivars, size_t nelems, size_t* indices, const int* status,      \
                     int cmp, PARAMETER),                                                          \
                    return test_some<TYPE>("shmem_test_some" #VECTOR,                              \
                                           {ivars, nelems, status, cmp, FIRST, STRIDE}, indices))
#define SETS(P, T, TYPE)                                                                           \
  SET(T, TYPE, , TYPE cmp_value, &cmp_value, 0)                                                    \
  SET(T, TYPE, _vector, const TYPE* cmp_values, cmp_values, 1)
ATOLL_SHMEM_WAIT(SETS, )

// The deprecated names: they wait until the variable differs from a value.
#define OLD_WAIT(P, T, TYPE)                                                                       \
  ATOLL_SHMEM_ENTRY(void, T##_wait, (volatile TYPE* ivar, TYPE cmp_value),                         \
                    wait_until<TYPE>("shmem_wait", ivar, SHMEM_CMP_NE, cmp_value))
ATOLL_SHMEM_TO_ALL_BITS(OLD_WAIT, )

// clang-format on

ATOLL_SHMEM_ENTRY(void, wait, (volatile long* ivar, long cmp_value),
                  wait_until<long>("shmem_wait", ivar, SHMEM_CMP_NE, cmp_value))
ATOLL_SHMEM_ENTRY(void, wait_until, (volatile long* ivar, int cmp, long cmp_value),
                  atl::shmem::wait_until<long>("shmem_wait_until", ivar, cmp, cmp_value))
