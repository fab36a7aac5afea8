// SPDX-License-Identifier: BSD-3-Clause
//
// Tests chapters 3 and 4: global pointers as values, their arithmetic, casts and members; shared
// storage.
#include <tests/multi/upcxx/job_main.hpp>
#include <upcxx/upcxx.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <type_traits>
#include <unordered_set>
#include <vector>

namespace {

using upcxx::global_ptr;
using upcxx::memory_kind;

// --- the type ----------------------------------------------------------------------------------

struct incomplete;

static_assert(std::is_default_constructible_v<global_ptr<int>>);
static_assert(std::is_trivially_copyable_v<global_ptr<int>>);
static_assert(std::is_trivially_destructible_v<global_ptr<incomplete>>);
static_assert(upcxx::is_trivially_serializable<global_ptr<const int>>::value);
static_assert(upcxx::is_trivially_serializable<global_ptr<int, memory_kind::any>>::value);
static_assert(std::totally_ordered<global_ptr<int>>);
static_assert(std::is_same_v<global_ptr<int>::element_type, int>);
static_assert(std::is_same_v<global_ptr<const int>::pointer_type, const int*>);
static_assert(global_ptr<int>::kind == memory_kind::host);
static_assert(global_ptr<int, memory_kind::any>::kind == memory_kind::any);
static_assert(std::is_base_of_v<global_ptr<const int>, global_ptr<int>>);
static_assert(std::is_convertible_v<global_ptr<int>, global_ptr<const int>>);
static_assert(!std::is_convertible_v<global_ptr<const int>, global_ptr<int>>);
static_assert(std::is_convertible_v<global_ptr<int>, global_ptr<const int, memory_kind::any>>);
static_assert(!std::is_convertible_v<global_ptr<int, memory_kind::any>, global_ptr<int>>);
static_assert(!std::is_convertible_v<global_ptr<int>, bool>);
static_assert(std::is_constructible_v<bool, global_ptr<int>>);
static_assert(std::is_convertible_v<std::nullptr_t, global_ptr<int>>);
static_assert(!std::is_constructible_v<global_ptr<int>, int*>);
static_assert(noexcept(std::hash<global_ptr<int>>()(global_ptr<int>())));

template <class T>
T first_of(global_ptr<const T> readable) {
  return upcxx::rget(readable).wait();
}

TEST(global_ptr, is_null_or_points_into_an_array) {
  constexpr int count = 10;
  const global_ptr<int> array = upcxx::new_array<int>(count);
  for (int i = 0; i < count; ++i) array.local()[i] = i * i;
  const global_ptr<int> end = array + count;
  EXPECT_EQ(end - array, count);
  EXPECT_EQ(array - end, -count);
  EXPECT_EQ(end - count, array);
  EXPECT_EQ(array + 0, array);
  int expected = 0;
  for (global_ptr<int> p = array; p != end; ++p, ++expected) {
    EXPECT_EQ(*p.local(), expected * expected);
    EXPECT_EQ(p - array, expected);
    EXPECT_EQ(p.where(), upcxx::rank_me());
    EXPECT_LE(array, p);
    EXPECT_GT(end, p);
    EXPECT_EQ(first_of(p), *p.local());  // deduced through the conversion to const
  }
  global_ptr<int> p = end;
  EXPECT_EQ((p--).local(), end.local());
  EXPECT_EQ((p -= 4) - array, 5);
  EXPECT_EQ((p += 2), 7 + array);
  EXPECT_EQ(p, array - -7);
  const global_ptr<const int> readable = p;
  EXPECT_EQ(readable - array, 7);
  EXPECT_EQ(p - readable, 0);
  EXPECT_TRUE(readable == p && p == readable && !(p < readable) && p <= readable);
  upcxx::delete_array(array);
}

TEST(global_ptr, of_any_kind_compares_with_host_pointers) {
  const global_ptr<int> host = upcxx::new_<int>(1);
  const global_ptr<int, memory_kind::any> any_kind = host;
  EXPECT_TRUE(any_kind == host && !(any_kind != host));
  EXPECT_EQ(any_kind.local(), host.local());
  EXPECT_EQ(any_kind.where(), host.where());
  EXPECT_EQ(any_kind.dynamic_kind(), memory_kind::host);
  EXPECT_EQ(upcxx::static_kind_cast<memory_kind::host>(any_kind), host);
  EXPECT_EQ(upcxx::dynamic_kind_cast<memory_kind::host>(any_kind), host);
  EXPECT_EQ(upcxx::dynamic_kind_cast<memory_kind::any>(host), any_kind);
  EXPECT_TRUE(upcxx::dynamic_kind_cast<memory_kind::hip_device>(any_kind).is_null());
  EXPECT_TRUE(upcxx::static_kind_cast<memory_kind::host>(
                  global_ptr<int, memory_kind::cuda_device>().is_null()
                      ? global_ptr<int, memory_kind::any>()
                      : any_kind)
                  .is_null());
  upcxx::delete_(host);
}

TEST(global_ptr, orders_hashes_and_prints_by_what_it_points_to) {
  const global_ptr<char> array = upcxx::new_array<char>(64);
  upcxx::dist_object<global_ptr<char>> directory(array);
  std::vector<global_ptr<char>> pointers{nullptr};
  for (int rank = 0; rank < upcxx::rank_n(); ++rank) {
    const auto pointer = directory.fetch(rank).wait();
    for (int i = 0; i < 64; ++i) pointers.push_back(pointer + i);
  }
  std::unordered_set<global_ptr<char>> hashed(pointers.begin(), pointers.end());
  EXPECT_EQ(hashed.size(), pointers.size());
  std::map<std::string, global_ptr<char>> printed;
  for (const auto& each : pointers) {
    std::ostringstream text;
    text << each;
    printed[text.str()] = each;
  }
  EXPECT_EQ(printed.size(), pointers.size());
  std::sort(pointers.begin(), pointers.end(), std::less<global_ptr<char>>());
  EXPECT_TRUE(std::is_sorted(pointers.rbegin(), pointers.rend(), std::greater<>()));
  EXPECT_EQ(
      std::adjacent_find(pointers.begin(), pointers.end(), std::greater_equal<global_ptr<char>>()),
      pointers.end());
  upcxx::barrier();
  upcxx::delete_array(array);
}

TEST(global_ptr, means_the_same_object_on_every_rank) {
  const global_ptr<int> own = upcxx::new_<int>(upcxx::rank_me() + 100);
  upcxx::dist_object<global_ptr<int>> directory(own);
  for (int rank = 0; rank < upcxx::rank_n(); ++rank) {
    const auto pointer = directory.fetch(rank).wait();
    EXPECT_EQ(pointer.where(), rank);
    EXPECT_EQ(pointer.is_local(), upcxx::local_team_contains(rank));
    if (!pointer.is_local()) continue;
    EXPECT_EQ(*pointer.local(), rank + 100);
    EXPECT_EQ(upcxx::to_global_ptr(pointer.local()), pointer);
    EXPECT_EQ(upcxx::try_global_ptr(static_cast<const int*>(pointer.local())), pointer);
  }
  int unshared = 0;
  EXPECT_TRUE(upcxx::try_global_ptr(&unshared).is_null());
  EXPECT_TRUE(upcxx::try_global_ptr<int>(nullptr).is_null());
  EXPECT_TRUE(upcxx::to_global_ptr<int>(nullptr).is_null());
  upcxx::barrier();
  upcxx::delete_(own);
}

// --- casts and members -------------------------------------------------------------------------

struct left {
  int l = 1;
};
struct right {
  int r = 2;
};
struct derived : left, right {
  int b = 3;
};

TEST(global_ptr, is_cast_with_its_address_adjusted) {
  const global_ptr<derived> object = upcxx::new_<derived>();
  const global_ptr<right> side = upcxx::static_pointer_cast<right>(object);
  EXPECT_EQ(side.local()->r, 2);
  EXPECT_EQ(upcxx::static_pointer_cast<derived>(side), object);
  EXPECT_EQ(upcxx::reinterpret_pointer_cast<derived>(upcxx::reinterpret_pointer_cast<char>(object)),
            object);
  EXPECT_EQ(upcxx::static_pointer_cast<derived>(upcxx::static_pointer_cast<void>(object)), object);
  EXPECT_EQ(upcxx::const_pointer_cast<derived>(global_ptr<const derived>(object)), object);
  EXPECT_TRUE(upcxx::static_pointer_cast<right>(global_ptr<derived>()).is_null());
  upcxx::delete_(object);
}

struct plain {
  char tag;
  double value;
  int counts[3][4];
  left inner;
};
class mixed {
 public:
  int open = 1;
  left inner;
  int counts[3] = {};
  int hidden() const { return hidden_; }

 private:
  int hidden_ = 5;
};
struct shared_base {
  int far_away = 7;
  virtual ~shared_base() = default;
};
struct virtual_heir : virtual shared_base {
  int near_by = 8;
};

TEST(memberof, gives_members_of_local_and_remote_objects) {
  upcxx::dist_object<global_ptr<plain>> plains(upcxx::new_<plain>());
  upcxx::dist_object<global_ptr<mixed>> mixes(upcxx::new_<mixed>());
  upcxx::dist_object<global_ptr<virtual_heir>> heirs(upcxx::new_<virtual_heir>());
  const int next = (upcxx::rank_me() + 1) % upcxx::rank_n();
  const auto remote = plains.fetch(next).wait();
  const global_ptr<double> value = upcxx_memberof(remote, value);
  const global_ptr<int> counts = upcxx_memberof(remote, counts);
  const global_ptr<const int> in_const = upcxx_memberof(global_ptr<const plain>(remote), inner.l);
  const global_ptr<int, memory_kind::any> of_any =
      upcxx_memberof((global_ptr<plain, memory_kind::any>(remote)), inner.l);
  EXPECT_EQ(of_any, upcxx::const_pointer_cast<int>(in_const));
  EXPECT_EQ(
      upcxx::reinterpret_pointer_cast<char>(counts) - upcxx::reinterpret_pointer_cast<char>(remote),
      static_cast<std::ptrdiff_t>(offsetof(plain, counts)));
  upcxx::rput(2.5, value).wait();
  upcxx::rput(9, counts + 11).wait();
  upcxx::barrier();
  EXPECT_EQ(plains->local()->value, 2.5);
  EXPECT_EQ(plains->local()->counts[2][3], 9);
  EXPECT_TRUE(upcxx_memberof_general(remote, tag).ready());
  EXPECT_EQ(upcxx_experimental_memberof_unsafe(remote, value), upcxx_memberof(remote, value));

  const auto other = mixes.fetch(next).wait();
  EXPECT_EQ(upcxx::rget(upcxx_memberof_general(other, open).wait()).wait(), 1);
  EXPECT_EQ(upcxx::rget(upcxx_memberof_general(other, inner.l).wait()).wait(), 1);
  const global_ptr<int> element = upcxx_memberof_general(other, counts).wait() + 2;
  EXPECT_EQ(element - upcxx_memberof_general(other, counts).wait(), 2);

  const auto heir = heirs.fetch(next).wait();
  EXPECT_EQ(upcxx::rget(upcxx_memberof_general(heir, far_away).wait()).wait(), 7);
  EXPECT_EQ(upcxx::rget(upcxx_memberof_general(heir, near_by).wait()).wait(), 8);
  upcxx::barrier();
  upcxx::delete_(*plains);
  upcxx::delete_(*mixes);
  upcxx::delete_(*heirs);
}

// --- storage -----------------------------------------------------------------------------------

struct counted {
  static inline std::vector<int> log;
  explicit counted(int n = 0) : number(n) {
    if (n < 0) throw std::runtime_error("refused");
    log.push_back(n);
  }
  counted(const counted&) = delete;
  ~counted() { log.push_back(-number - 1); }
  int number;
};
struct third_fails {
  static inline int made = 0;
  static inline std::vector<int> ended;
  int number = made;
  third_fails() {
    if (made == 2) throw 3;
    ++made;
  }
  third_fails(const third_fails&) = delete;
  ~third_fails() { ended.push_back(number); }
};
struct alignas(256) aligned {
  char bytes[300] = {};
};

TEST(storage, constructs_and_destroys_one_object) {
  counted::log.clear();
  const std::size_t initial = upcxx::shared_segment_used();
  const auto object = upcxx::new_<counted>(4);
  EXPECT_EQ(object.local()->number, 4);
  EXPECT_GT(upcxx::shared_segment_used(), initial);
  EXPECT_LE(upcxx::shared_segment_used(), upcxx::shared_segment_size());
  upcxx::delete_(object);
  EXPECT_EQ(counted::log, (std::vector<int>{4, -5}));
  EXPECT_THROW(static_cast<void>(upcxx::new_<counted>(-1)), std::runtime_error);
  EXPECT_THROW(static_cast<void>(upcxx::new_<counted>(std::nothrow, -1)), std::runtime_error);
  EXPECT_EQ(upcxx::shared_segment_used(), initial);
  upcxx::delete_(global_ptr<counted>());
  upcxx::delete_(global_ptr<const int>(upcxx::new_<int>(std::nothrow, 3)));
  EXPECT_EQ(upcxx::shared_segment_used(), initial);
}

TEST(storage, takes_arrays_back_in_reverse_order_when_a_constructor_throws) {
  const std::size_t initial = upcxx::shared_segment_used();
  EXPECT_THROW(static_cast<void>(upcxx::new_array<third_fails>(4)), int);
  EXPECT_EQ(third_fails::ended, (std::vector<int>{1, 0}));
  EXPECT_EQ(upcxx::shared_segment_used(), initial);
  const auto empty = upcxx::new_array<counted>(0);
  EXPECT_FALSE(empty.is_null());
  upcxx::delete_array(empty);
  const auto two = upcxx::new_array<std::string>(2, std::nothrow);
  two.local()[1] = "long enough not to be in the string itself, whatever the library";
  upcxx::delete_array(two);
  upcxx::delete_array(global_ptr<std::string>());
  EXPECT_EQ(upcxx::shared_segment_used(), initial);
}

TEST(storage, is_aligned_as_asked) {
  const std::size_t initial = upcxx::shared_segment_used();
  const auto address = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p); };
  const auto single = upcxx::new_<aligned>();
  const auto many = upcxx::new_array<aligned>(3);
  EXPECT_EQ(address(single.local()) % 256, 0u);
  EXPECT_EQ(address(many.local()) % 256, 0u);
  for (std::size_t alignment = 1; alignment <= 4096; alignment *= 2) {
    void* const raw = upcxx::allocate(2 * alignment, alignment);
    const auto typed = upcxx::allocate<int>(3, std::max(alignment, alignof(int)));
    EXPECT_EQ(address(raw) % alignment, 0u);
    EXPECT_EQ(address(typed.local()) % alignment, 0u);
    EXPECT_FALSE(upcxx::try_global_ptr(static_cast<char*>(raw)).is_null());
    upcxx::deallocate(typed);
    upcxx::deallocate(raw);
  }
  upcxx::deallocate(nullptr);
  upcxx::deallocate(global_ptr<int>());
  upcxx::delete_(single);
  upcxx::delete_array(many);
  EXPECT_EQ(upcxx::shared_segment_used(), initial);
}

// An extension: the parts of a pointer as the reference implementation gives them.
TEST(global_ptr, is_made_again_from_its_owner_and_the_address_there) {
  const upcxx::detail::internal_only key;
  const global_ptr<int> own = upcxx::new_<int>(upcxx::rank_me());
  EXPECT_EQ(own.raw_internal(key), own.local());
  upcxx::dist_object<global_ptr<int>> directory(own);
  for (int rank = 0; rank < upcxx::rank_n(); ++rank) {
    const global_ptr<int> pointer = directory.fetch(rank).wait();
    const auto notified = [](const upcxx::dist_object<global_ptr<int>>& local) {
      return reinterpret_cast<std::uintptr_t>(local->local());
    };
    int* const raw = pointer.raw_internal(key);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(raw), upcxx::rpc(rank, notified, directory).wait());
    EXPECT_EQ(global_ptr<int>(key, rank, raw), pointer);
    const global_ptr<const int> readable(key, rank, raw);
    EXPECT_EQ(first_of(readable), rank);
    EXPECT_EQ(readable.raw_internal(key), raw);
  }
  EXPECT_EQ(global_ptr<int>().raw_internal(key), nullptr);
  EXPECT_TRUE(global_ptr<int>(key, 0, nullptr).is_null());
  upcxx::barrier();
  upcxx::delete_(own);
}

TEST(storage, says_how_much_was_wanted_when_there_is_none) {
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  EXPECT_TRUE(upcxx::new_array<double>(most, std::nothrow).is_null());
  EXPECT_TRUE(upcxx::new_array<std::string>(most / 64, std::nothrow).is_null());
  EXPECT_TRUE(upcxx::allocate<double>(most / 8).is_null());
  EXPECT_EQ(upcxx::allocate(most / 2), nullptr);
  try {
    static_cast<void>(upcxx::new_array<char>(std::size_t{1} << 50));
    FAIL() << "this is too much";
  } catch (const std::bad_alloc& refused) {
    const std::string message = refused.what();
    EXPECT_NE(message.find("upcxx::bad_shared_alloc"), std::string::npos);
    EXPECT_NE(message.find("asked for 1125899906842624 bytes"), std::string::npos) << message;
    EXPECT_NE(message.find("rank " + std::to_string(upcxx::rank_me())), std::string::npos);
    EXPECT_NE(message.find("-shared-heap"), std::string::npos) << message;
  }
  static_assert(std::is_base_of_v<std::bad_alloc, upcxx::bad_shared_alloc>);
}

}  // namespace
