// SPDX-License-Identifier: BSD-3-Clause
//
// Writing and reading back: every mechanism, every container, what is written and how much of it.
#include <gtest/gtest.h>
#include <upcxx/serialization.hpp>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace {

using atl::upcxx_front::bad_read;
using atl::upcxx_front::end_of;
using atl::upcxx_front::reader;
using atl::upcxx_front::static_end;
using atl::upcxx_front::unbounded;
using atl::upcxx_front::writer;

template <class T>
auto travel(const T& object) {
  return upcxx::serialization_traits<T>::deserialized_value(object);
}

template <class T>
void expect_same_after_travel(const T& object) {
  EXPECT_EQ(travel(object), object);
  std::byte little[3];
  writer to(little);
  to.write(object);
  reader from(to.bytes());
  std::optional<T> inside;
  from.read_into<T>(inside);
  EXPECT_EQ(*inside, object);
  EXPECT_EQ(from.left(), 0u);
  EXPECT_LE(to.size(), end_of(object, 0));
}

struct plain {
  int a;
  double b;
  bool operator==(const plain&) const = default;
};

/// Notices when it is copied as bytes, or destroyed too often or too seldom.
struct watched {
  static inline int alive = 0;
  watched* self = this;
  watched() { ++alive; }
  watched(const watched&) { ++alive; }
  watched& operator=(const watched&) { return *this; }
  ~watched() {
    EXPECT_EQ(self, this);
    --alive;
  }
  bool operator==(const watched&) const { return true; }
};

class with_fields : watched {
 public:
  with_fields(int number, std::string text) : number_(number), text_(std::move(text)) {}
  bool operator==(const with_fields&) const = default;

 private:
  with_fields() = default;
  int number_ = 0;
  std::string text_;
  short grid_[2][3] = {{1, 2, 3}, {4, 5, 6}};
  std::string names_[2] = {"first", "second"};
  int local_only_ = 7;

 public:
  UPCXX_SERIALIZED_FIELDS(number_, text_, grid_, names_)
};

class with_values : watched {
 public:
  explicit with_values(double value) : value_(value) {}
  bool operator==(const with_values&) const = default;

 private:
  with_values(float value, const std::string& mark) : value_(value) { EXPECT_EQ(mark, "mark"); }
  double value_;

 public:
  UPCXX_SERIALIZED_VALUES(float(value_), std::string("mark"))
};

struct nested_custom : watched {
  std::vector<int> numbers;
  struct upcxx_serialization {
    template <class Writer>
    static void serialize(Writer& to, const nested_custom& object) {
      auto count = to.template reserve<std::size_t>();
      to.commit(count, to.write_sequence(object.numbers.begin(), object.numbers.end()));
    }
    template <class Reader, class Storage>
    static nested_custom* deserialize(Reader& from, Storage storage) {
      nested_custom* object = storage.construct();
      object->numbers.resize(from.template read<std::size_t>());
      from.template read_sequence_overwrite<int>(object->numbers.data(), object->numbers.size());
      return object;
    }
  };
  bool operator==(const nested_custom&) const = default;
};

struct outside_custom {
  int value = 0;
  bool operator==(const outside_custom&) const = default;
};

struct older_form {
  int value = 0;
  ~older_form() {}
  struct upcxx_serialization {
    template <class Writer>
    static void serialize(Writer& to, const older_form& object) {
      to.write(object.value);
    }
    template <class Reader>
    static older_form* deserialize(Reader& from, void* memory) {
      return ::new (memory) older_form{from.template read<int>()};
    }
  };
  bool operator==(const older_form& other) const { return value == other.value; }
};

struct becomes_int {
  int value;
  struct upcxx_serialization {
    template <class Writer>
    static void serialize(Writer& to, const becomes_int& object) {
      to.write(object.value);
    }
    template <class Reader, class Storage>
    static int* deserialize(Reader& from, Storage storage) {
      return storage.construct(from.template read<int>());
    }
  };
};

struct immovable {
  int value;
  explicit immovable(int number) : value(number) {}
  immovable(const immovable&) = delete;
  immovable& operator=(const immovable&) = delete;
  UPCXX_SERIALIZED_VALUES(value)
};

struct padded_base {
  int number = 0;
  char letter = 0;

 private:
  char unused_ = 0;  // makes the padding at the end usable by derived classes
};

struct in_padding : padded_base {
  char extra = 'm';
  UPCXX_SERIALIZED_FIELDS(UPCXX_SERIALIZED_BASE(padded_base))
};

struct side {
  int number;
  explicit side(int n) : number(n) {}
  bool operator==(const side&) const = default;
  UPCXX_SERIALIZED_VALUES(number)
};

struct derived_by_fields : watched, side {
  derived_by_fields() : side(0) {}
  int own = 0;
  bool operator==(const derived_by_fields&) const = default;
  UPCXX_SERIALIZED_FIELDS(own, UPCXX_SERIALIZED_BASE(side))
};

struct derived_by_values : side {
  int own;
  derived_by_values(int o, side&& s) : side(s), own(o) {}
  bool operator==(const derived_by_values&) const = default;
  UPCXX_SERIALIZED_VALUES(own, UPCXX_SERIALIZED_BASE(side))
};

struct node_of_tree {
  int value = 0;
  std::vector<node_of_tree> below;
  bool operator==(const node_of_tree&) const = default;
  UPCXX_SERIALIZED_FIELDS(value, below)
};

struct nothing_to_send {
  int value = 3;
  bool operator==(const nothing_to_send&) const = default;
  UPCXX_SERIALIZED_FIELDS()
};

struct inherits_values : side {
  explicit inherits_values(int n) : side(n) {}
};
struct inherits_custom : nested_custom {};
struct closed : side {
  UPCXX_SERIALIZED_DELETE()
};
struct not_at_all {
  ~not_at_all() {}
};
struct declared_bytes {
  int value = 0;
  ~declared_bytes() {}
};

}  // namespace

template <>
struct upcxx::is_trivially_serializable<declared_bytes> : std::true_type {};

template <>
struct upcxx::serialization<outside_custom> {
  template <class Writer>
  static void serialize(Writer& to, const outside_custom& object) {
    to.write(object.value);
  }
  template <class Reader, class Storage>
  static outside_custom* deserialize(Reader& from, Storage storage) {
    return storage.construct(from.template read<int>());
  }
};

namespace {

template <class T, bool Bytes, bool Travels, class Arrives = void>
consteval bool is_as_said() {
  bool right = upcxx::is_trivially_serializable<T>::value == Bytes &&
               upcxx::is_serializable<T>::value == Travels;
  if constexpr (Travels)
    right = right && std::is_same_v<upcxx::deserialized_type_t<T>, Arrives>;
  else
    right = right && !requires { typename upcxx::serialization_traits<T>::deserialized_type; };
  return right;
}

static_assert(is_as_said<int, true, true, int>());
static_assert(is_as_said<const int, true, true, const int>());
static_assert(is_as_said<const int&, false, true, int>());
static_assert(is_as_said<int&&, false, true, int>());
static_assert(is_as_said<int*, true, true, int*>());
static_assert(is_as_said<volatile int, false, false>());
static_assert(is_as_said<const volatile int&, false, false>());
static_assert(is_as_said<int[3], false, false>());
static_assert(is_as_said<const int[3][2], false, false>());
static_assert(is_as_said<int (&)[3], false, false>());
static_assert(is_as_said<void, false, false>());
static_assert(is_as_said<plain, true, true, plain>());
static_assert(is_as_said<std::string, false, true, std::string>());
static_assert(is_as_said<const std::string, false, true, const std::string>());
static_assert(is_as_said<not_at_all, false, false>());
static_assert(is_as_said<closed, false, false>());
static_assert(is_as_said<declared_bytes, true, true, declared_bytes>());
static_assert(is_as_said<const declared_bytes&, false, true, declared_bytes>());
static_assert(is_as_said<becomes_int, false, true, int>());
static_assert(is_as_said<const becomes_int, false, true, const int>());
static_assert(is_as_said<becomes_int&, false, true, int>());
static_assert(is_as_said<with_fields, false, true, with_fields>());
static_assert(is_as_said<inherits_values, false, true, inherits_values>());
static_assert(is_as_said<inherits_custom, false, true, nested_custom>());
static_assert(is_as_said<std::pair<int, const char>, true, true, std::pair<int, const char>>());
static_assert(is_as_said<std::tuple<int, double>, true, true, std::tuple<int, double>>());
static_assert(is_as_said<std::array<int, 3>, true, true, std::array<int, 3>>());
static_assert(is_as_said<std::pair<not_at_all, int>, false, false>());
static_assert(is_as_said<std::tuple<int (&)[4], int>, false, false>());
static_assert(
    is_as_said<std::tuple<const int, becomes_int&>, false, true, std::tuple<const int, int>>());
static_assert(is_as_said<std::vector<becomes_int>, false, true, std::vector<int>>());
static_assert(is_as_said<std::vector<not_at_all>, false, false>());
static_assert(is_as_said<std::map<int, becomes_int>, false, true, std::map<int, int>>());
static_assert(is_as_said<std::reference_wrapper<const becomes_int>, false, true, int>());
static_assert(upcxx::is_trivially_serializable<std::less<int>>::value);
static_assert(upcxx::is_serializable<std::hash<std::string>>::value);
static_assert(upcxx::is_trivially_serializable<std::optional<int>>::value);

static_assert(static_end<std::uint64_t>(0) == 8 && static_end<char>(8) == 9);
static_assert(static_end<int>(9) == 16 && static_end<std::string>(0) == unbounded);
static_assert(static_end<side>(0) == 4 && static_end<derived_by_values>(0) == 8);

TEST(serialization, plain_objects_travel_as_their_bytes) {
  expect_same_after_travel(42);
  expect_same_after_travel(plain{3, 2.5});
  expect_same_after_travel(std::pair<char, double>('a', 3.5));
  expect_same_after_travel(std::array<int, 5>{1, 2, 3, 4, 5});
  expect_same_after_travel(std::optional<int>(5));
}

TEST(serialization, each_mechanism_of_a_class_brings_the_object_back) {
  {
    expect_same_after_travel(with_fields(5, "a text that is longer than a small string holds"));
    expect_same_after_travel(with_values(2.5));
    nested_custom custom;
    custom.numbers = {3, 1, 4, 1, 5};
    expect_same_after_travel(custom);
    expect_same_after_travel(outside_custom{9});
    expect_same_after_travel(older_form{11});
    expect_same_after_travel(node_of_tree{1, {{2, {}}, {3, {{4, {}}}}}});
    expect_same_after_travel(nothing_to_send());
  }
  EXPECT_EQ(watched::alive, 0);
}

TEST(serialization, bases_are_parts_and_what_was_not_sent_stays) {
  derived_by_fields fields;
  fields.own = 3;
  fields.number = 4;
  expect_same_after_travel(fields);
  expect_same_after_travel(derived_by_values(5, side(6)));
  EXPECT_EQ(travel(inherits_values(7)).number, 7);

  in_padding sent;
  sent.number = 1;
  sent.extra = 'x';
  const in_padding arrived = travel(sent);
  EXPECT_EQ(arrived.number, 1);
  EXPECT_EQ(arrived.extra, 'm') << "a field that was not listed keeps its initial value";
}

TEST(serialization, containers_come_back_equal) {
  expect_same_after_travel(std::string("hello"));
  expect_same_after_travel(std::u16string(u"hello"));
  expect_same_after_travel(std::vector<int>{1, 2, 3});
  expect_same_after_travel(std::vector<bool>{true, false, true});
  expect_same_after_travel(std::vector<std::string>{"a", "", "ccc"});
  expect_same_after_travel(std::deque<with_values>{with_values(1), with_values(2)});
  expect_same_after_travel(std::list<int>{3, 2, 1});
  expect_same_after_travel(std::forward_list<std::string>{"x", "y"});
  expect_same_after_travel(std::set<int>{5, 1, 3});
  expect_same_after_travel(std::multiset<std::string>{"b", "a", "b"});
  expect_same_after_travel(std::map<int, std::string>{{1, "one"}, {2, "two"}});
  expect_same_after_travel(std::multimap<int, int>{{1, 1}, {1, 2}, {0, 3}});
  expect_same_after_travel(std::unordered_set<int>{5, 1, 3});
  expect_same_after_travel(std::unordered_multiset<int>{5, 5, 3});
  expect_same_after_travel(std::unordered_map<std::string, int>{{"one", 1}, {"two", 2}});
  expect_same_after_travel(std::unordered_multimap<int, int>{{1, 1}, {1, 2}});
  expect_same_after_travel(std::optional<std::string>("inside"));
  expect_same_after_travel(std::optional<std::string>());
  expect_same_after_travel(std::array<std::string, 2>{"a", "b"});
  expect_same_after_travel(std::tuple<int, std::string, double>(1, "x", 2.5));
  expect_same_after_travel(
      std::vector<std::list<std::map<int, with_fields>>>{{}, {{{1, with_fields(2, "z")}}, {}}});
  EXPECT_EQ(watched::alive, 0);
}

struct modular {
  int modulus = 1;
  std::size_t operator()(int n) const { return static_cast<std::size_t>(n % modulus); }
  bool operator()(int a, int b) const { return a % modulus == b % modulus; }
};

TEST(serialization, containers_keep_the_objects_that_order_and_hash_them) {
  std::unordered_set<int, modular, modular> sent(1, modular{10}, modular{10});
  sent.insert({3, 13, 4});
  auto arrived = travel(sent);
  EXPECT_EQ(arrived.size(), 2u);
  EXPECT_EQ(arrived.hash_function().modulus, 10);
  EXPECT_EQ(arrived.count(23), 1u);
}

TEST(serialization, elements_may_arrive_as_another_type) {
  EXPECT_EQ(travel(std::vector<becomes_int>{{1}, {2}}), (std::vector<int>{1, 2}));
  EXPECT_EQ(travel(std::map<int, becomes_int>{{1, {2}}}), (std::map<int, int>{{1, 2}}));
  EXPECT_EQ(travel(std::make_tuple(becomes_int{4}, 'c')), std::make_tuple(4, 'c'));
  int number = 5;
  const std::pair<const int&, const std::string&> references(number, std::string("t"));
  EXPECT_EQ(travel(std::pair<int&, int>(number, 1)), std::make_pair(5, 1));
  EXPECT_EQ(travel(std::ref(number)), 5);
}

TEST(serialization, what_cannot_move_is_read_in_place) {
  writer to;
  to.write(immovable(1));
  to.write(immovable(2));
  const immovable neighbours[2] = {immovable(3), immovable(4)};
  to.write(neighbours);
  reader from(to.bytes());
  std::optional<immovable> inside;
  EXPECT_EQ(from.read_into<immovable>(inside)->value, 1);
  immovable target(0);
  from.read_overwrite<immovable>(target);
  EXPECT_EQ(target.value, 2);
  immovable targets[2] = {immovable(0), immovable(0)};
  from.read_sequence_overwrite<immovable>(targets, 2);
  EXPECT_EQ(targets[1].value, 4);
  EXPECT_EQ(from.left(), 0u);
}

TEST(serialization, arrays_are_written_and_read_whole) {
  writer to;
  const int numbers[2][3] = {{1, 2, 3}, {4, 5, 6}};
  const std::string words[2] = {"one", "a word that does not fit into a small string"};
  to.write(numbers);
  to.write(words);
  to.write('x');
  reader from(to.bytes());
  int numbers_read[2][3];
  from.read_into<int[2][3]>(numbers_read);
  std::string words_read[2];
  from.read_overwrite<std::string[2]>(words_read);
  EXPECT_EQ(numbers_read[1][2], 6);
  EXPECT_EQ(words_read[1], words[1]);
  EXPECT_EQ(from.read<char>(), 'x');
}

TEST(serialization, reserved_places_survive_growth) {
  std::byte little[16];
  writer to(little);
  const auto place = to.reserve<std::size_t>();
  const std::list<int> numbers(1000, 7);
  to.commit(place, to.write_sequence(numbers.begin(), numbers.end()));
  EXPECT_TRUE(to.spilled());
  reader from(to.bytes());
  const auto count = from.read<std::size_t>();
  ASSERT_EQ(count, 1000u);
  std::vector<int> back;
  from.read_sequence_into_iterator<int>(std::back_inserter(back), count);
  EXPECT_EQ(back, std::vector<int>(1000, 7));
}

TEST(serialization, a_sequence_is_the_same_bytes_as_its_elements_one_by_one) {
  const std::vector<plain> elements(7, plain{1, 2});
  writer together;
  together.write('c');
  together.write_sequence(elements.begin(), elements.end());
  writer apart;
  apart.write('c');
  for (const plain& each : elements) apart.write(each);
  EXPECT_EQ(together.size(), apart.size());
  writer without_elements;
  without_elements.write('c');
  without_elements.write_sequence(elements.begin(), elements.begin());
  EXPECT_EQ(without_elements.size(), 1u);
}

TEST(serialization, a_buffer_of_the_bound_is_enough) {
  const auto object = std::make_tuple('a', std::string(37, 'x'), 3.5, std::vector<short>(11, 2));
  std::vector<std::byte> buffer(end_of(object, 0));
  ASSERT_LT(buffer.size(), 200u);
  writer to(buffer);
  to.write(object);
  EXPECT_FALSE(to.spilled());
  EXPECT_EQ(to.data(), buffer.data());
}

TEST(serialization, alignment_beyond_a_buffers_own_is_reported) {
  struct alignas(64) wide {
    int value;
  };
  writer to;
  to.write(1);
  EXPECT_EQ(to.alignment(), 8u);
  to.write(wide{5});
  EXPECT_EQ(to.alignment(), 64u);
  EXPECT_EQ(travel(wide{5}).value, 5);
}

TEST(serialization, reading_beyond_the_end_is_found_out) {
  writer to;
  to.write(std::vector<std::string>{"one", "two", "three"});
  for (std::size_t size = 0; size < to.size(); ++size) {
    reader from(std::span<const std::byte>(to.bytes()).first(size));
    EXPECT_THROW(from.read<std::vector<std::string>>(), bad_read) << size;
  }
  writer huge;
  huge.write(std::size_t{1} << 60);
  EXPECT_THROW(reader(huge.bytes()).read<std::vector<int>>(), bad_read);
  EXPECT_THROW(reader(huge.bytes()).read<std::string>(), bad_read);
  EXPECT_THROW(reader(huge.bytes()).read<std::vector<std::string>>(), bad_read);
}

TEST(serialization, a_failed_read_destroys_what_it_had_constructed) {
  writer to;
  to.write(std::vector<with_fields>{with_fields(1, "one"), with_fields(2, std::string(99, 'x'))});
  reader from(std::span<const std::byte>(to.bytes()).first(to.size() - 20));
  EXPECT_THROW(from.read<std::vector<with_fields>>(), bad_read);
  EXPECT_EQ(watched::alive, 0);
}

TEST(serialization, types_said_to_be_bytes_are_never_constructed_or_destroyed) {
  declared_bytes object;
  object.value = 8;
  EXPECT_EQ(travel(object).value, 8);
  EXPECT_EQ(travel(std::make_pair(object, 1)).first.value, 8);
}

}  // namespace
