// SPDX-License-Identifier: BSD-3-Clause
//
// Views: made from any iterators by the sender, over the bytes of the message at the receiver.
#include <gtest/gtest.h>
#include <upcxx/serialization.hpp>

#include <algorithm>
#include <deque>
#include <iterator>
#include <list>
#include <map>
#include <numeric>
#include <ranges>
#include <sstream>
#include <string>
#include <vector>

namespace {

using atl::upcxx_front::bad_read;
using atl::upcxx_front::reader;
using atl::upcxx_front::writer;
using upcxx::make_view;
using upcxx::view;

struct shrinks {
  long value;
  struct upcxx_serialization {
    template <class Writer>
    static void serialize(Writer& to, const shrinks& object) {
      to.write(static_cast<char>(object.value));
    }
    template <class Reader, class Storage>
    static char* deserialize(Reader& from, Storage storage) {
      return storage.construct(from.template read<char>());
    }
  };
};

struct writes_nothing {
  ~writes_nothing() {}
  struct upcxx_serialization {
    template <class Writer>
    static void serialize(Writer&, const writes_nothing&) {}
    template <class Reader, class Storage>
    static writes_nothing* deserialize(Reader&, Storage storage) {
      return storage.construct();
    }
  };
};

template <class T>
using arrives = upcxx::deserialized_type_t<T>;

static_assert(std::is_same_v<arrives<view<int, std::list<int>::iterator>>, view<int>>);
static_assert(std::is_same_v<view<int>::iterator, const int*>);
static_assert(std::is_same_v<upcxx::view_default_iterator_t<int>, int*>);
static_assert(std::is_same_v<upcxx::view_default_iterator_t<std::string>,
                             upcxx::deserializing_iterator<std::string>>);
static_assert(std::is_same_v<arrives<view<shrinks, shrinks*>>, view<shrinks>>);
static_assert(std::is_same_v<view<shrinks>::iterator::value_type, char>);
static_assert(std::is_same_v<arrives<view<view<int, const int*>, std::list<int>::iterator>>,
                             view<view<int>>>);
static_assert(!upcxx::is_trivially_serializable<view<int>>::value);
static_assert(upcxx::is_serializable<view<std::vector<int>>>::value);
static_assert(std::input_iterator<upcxx::deserializing_iterator<std::string>>);
static_assert(std::ranges::contiguous_range<view<int>> && std::ranges::view<view<int>>);
static_assert(std::ranges::input_range<view<std::string>>);

TEST(view, of_bytes_points_into_the_message) {
  const std::list<int> numbers{3, 1, 4, 1, 5};
  writer to;
  to.write('x');
  to.write(make_view(numbers));
  to.write('y');
  reader from(to.bytes());
  EXPECT_EQ(from.read<char>(), 'x');
  const auto seen = from.read<view<int, std::list<int>::const_iterator>>();
  static_assert(std::is_same_v<decltype(seen), const view<int>>);
  EXPECT_EQ(from.read<char>(), 'y');
  EXPECT_TRUE(std::equal(seen.begin(), seen.end(), numbers.begin(), numbers.end()));
  EXPECT_GE(reinterpret_cast<const std::byte*>(seen.data()), to.data());
  EXPECT_LT(reinterpret_cast<const std::byte*>(seen.data()), to.data() + to.size());
  EXPECT_EQ(seen[2], 4);
  EXPECT_EQ(seen.at(4), 5);
  EXPECT_THROW(seen.at(5), std::out_of_range);
  EXPECT_EQ(seen.front() + seen.back(), 8);
  EXPECT_EQ(*seen.rbegin(), 5);
  EXPECT_EQ(seen.size(), 5u);
}

TEST(view, of_objects_deserializes_on_the_way) {
  const std::map<int, std::string> names{{1, "one"}, {2, "two"}, {3, "three"}};
  writer to;
  to.write(make_view(names.begin(), names.end(), 3));
  to.write('y');
  reader from(to.bytes());
  const auto seen = from.read<view<std::pair<const int, std::string>>>();
  EXPECT_EQ(from.read<char>(), 'y') << "what follows is found without looking at the elements";
  int sum = 0;
  std::string text;
  for (const auto& [number, name] : seen) {
    sum += number;
    text += name;
  }
  EXPECT_EQ(sum, 6);
  EXPECT_EQ(text, "onetwothree");
  EXPECT_EQ((*++seen.begin()).second, "two") << "an element may be passed over unread";
  EXPECT_EQ(std::ranges::distance(seen), 3);
}

TEST(view, may_be_made_of_iterators_whose_elements_are_rvalues) {
  std::vector<std::string> words{"one", "two"};
  const auto moved = upcxx::make_view(std::make_move_iterator(words.begin()),
                                      std::make_move_iterator(words.end()));
  writer to;
  to.write(moved);
  reader from(to.bytes());
  const auto arrived = from.read<arrives<decltype(moved)>>();
  EXPECT_EQ(std::vector<std::string>(arrived.begin(), arrived.end()), words);
}

TEST(view, gives_elements_into_storage_of_the_reader) {
  const std::vector<std::string> words{"one", "two"};
  writer to;
  to.write(make_view(words));
  const auto seen = reader(to.bytes()).read<view<std::string>>();
  auto each = seen.begin();
  EXPECT_TRUE(each < seen.end());
  upcxx::optional<std::string> inside;
  EXPECT_EQ(*each.deserialize_into(inside), "one");
  std::string target = "before";
  each.deserialize_overwrite(target);
  EXPECT_EQ(target, "one");
  ++each;
  alignas(std::string) std::byte memory[sizeof(std::string)];
  std::string* made = each.deserialize_into(memory);
  EXPECT_EQ(*made, "two");
  std::destroy_at(made);
}

TEST(view, elements_may_arrive_as_another_type) {
  const shrinks sent[] = {{65}, {66}};
  writer to;
  to.write(make_view(sent));
  const auto seen = reader(to.bytes()).read<view<shrinks>>();
  EXPECT_EQ(std::string(seen.begin(), seen.end()), "AB");
}

TEST(view, of_elements_without_bytes_still_has_its_length) {
  const std::vector<writes_nothing> sent(3);
  writer to;
  to.write(make_view(sent));
  const auto seen = reader(to.bytes()).read<view<writes_nothing>>();
  EXPECT_EQ(std::ranges::distance(seen), 3);
}

TEST(view, of_views_arrives_as_view_of_views) {
  const std::deque<int> first{1, 2};
  const std::deque<int> two{3};
  const std::vector sent{make_view(first), make_view(two)};
  writer to;
  to.write(make_view(sent));
  const auto seen = reader(to.bytes()).read<view<view<int>>>();
  int sum = 0;
  for (view<int> each : seen) sum += std::accumulate(each.begin(), each.end(), 0);
  EXPECT_EQ(sum, 6);
}

TEST(view, that_arrived_can_be_passed_on) {
  const std::vector<std::string> words{"one", "two"};
  writer to;
  to.write(make_view(words));
  writer again;
  again.write(reader(to.bytes()).read<view<std::string>>());
  const auto seen = reader(again.bytes()).read<view<std::string>>();
  EXPECT_EQ(std::vector<std::string>(seen.begin(), seen.end()), words);
}

TEST(view, is_made_of_anything_with_forward_iterators) {
  const int array[] = {1, 2, 3};
  EXPECT_EQ(make_view(array).size(), 3u);
  EXPECT_EQ(make_view(std::span(array)).size(), 3u);
  const std::vector<int> numbers{1, 2, 3};
  EXPECT_EQ(make_view(numbers.rbegin(), numbers.rend()).size(), 3u);
  auto squares = std::views::iota(1, 4) | std::views::transform([](int n) { return n * n; });
  EXPECT_EQ(std::ranges::distance(squares), 3);
  EXPECT_TRUE(view<int>().empty());
  EXPECT_TRUE((view<int, std::list<int>::iterator>().empty()));
}

TEST(view, of_some_elements_of_one_that_arrived_can_be_passed_on) {
  const std::vector<std::string> words{"one", "two", "three", "four"};
  writer to;
  to.write(make_view(words));
  const auto arrived = reader(to.bytes()).read<view<std::string>>();
  const auto first = ++arrived.begin();
  const auto last = std::next(first, 2);
  const auto counted = make_view(first, last, 2);
  static_assert(std::is_same_v<decltype(counted), const view<std::string>>);
  writer again;
  again.write(counted);
  again.write(make_view(first, arrived.end()));  // make_view counts the elements itself
  again.write_sequence(arrived.begin(), arrived.end());
  reader from(again.bytes());
  const auto some = from.read<view<std::string>>();
  EXPECT_EQ(std::vector<std::string>(some.begin(), some.end()),
            (std::vector<std::string>{"two", "three"}));
  EXPECT_EQ(from.read<view<std::string>>().size(), 3u);
  EXPECT_EQ(from.read<std::string>(), "one");
}

// Iterators as they were written before C++20: the category is a typedef, there is no default
// constructor, and a member that is a reference forbids the assignment.
template <class T>
class old_iterator {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using pointer = T*;
  using reference = T&;

  old_iterator(std::vector<T>& elements, std::size_t index) : elements_(elements), index_(index) {}
  const T& operator*() const { return elements_[index_]; }
  T& operator*() { return elements_[index_]; }
  bool operator==(const old_iterator& other) const { return index_ == other.index_; }
  bool operator!=(const old_iterator& other) const { return index_ != other.index_; }
  old_iterator& operator++() {
    ++index_;
    return *this;
  }
  old_iterator operator++(int) { return {elements_, index_++}; }

 private:
  std::vector<T>& elements_;
  std::size_t index_;
};

template <class T>
void pass_by_old_iterators(std::vector<T> sent) {
  const old_iterator<T> first(sent, 0);
  const old_iterator<T> last(sent, sent.size());
  writer to;
  to.write(make_view(first, last));
  to.write(make_view(first, last, static_cast<std::ptrdiff_t>(sent.size())));
  EXPECT_EQ(to.write_sequence(first, last), sent.size());
  reader from(to.bytes());
  const auto seen = from.read<view<T>>();
  EXPECT_EQ(std::vector<T>(seen.begin(), seen.end()), sent);
  EXPECT_EQ(from.read<view<T>>().size(), sent.size());
  for (const T& each : sent) EXPECT_EQ(from.read<T>(), each);
  EXPECT_EQ(from.left(), 0u);
}

TEST(view, may_be_made_of_iterators_from_before_cpp20) {
  pass_by_old_iterators<long>({1, 2, 3});
  pass_by_old_iterators<std::string>({"one", "two", "three"});
}

TEST(view, may_be_made_of_as_many_elements_of_an_input_as_are_told) {
  std::istringstream numbers("1 2 3 4");
  using input = std::istream_iterator<int>;
  writer to;
  to.write(make_view(input(numbers), input(), 3));
  const auto seen = reader(to.bytes()).read<view<int>>();
  EXPECT_EQ(std::vector<int>(seen.begin(), seen.end()), (std::vector<int>{1, 2, 3}));
  int next = 0;
  EXPECT_TRUE(numbers >> next && next == 4) << "no more is read than is sent";
}

TEST(view, an_empty_one_travels) {
  const std::vector<double> no_numbers;
  const std::vector<std::string> no_words;
  writer to;
  to.write(make_view(no_numbers));
  to.write(make_view(no_words));
  reader from(to.bytes());
  EXPECT_TRUE(from.read<view<double>>().empty());
  EXPECT_TRUE(from.read<view<std::string>>().empty());
  EXPECT_EQ(from.left(), 0u);
}

TEST(view, that_would_point_to_misaligned_elements_is_refused) {
  const std::vector<double> numbers{1, 2};
  writer to;
  to.write(make_view(numbers));
  alignas(8) std::byte buffer[64];
  std::copy(to.bytes().begin(), to.bytes().end(), buffer + 4);
  reader from({buffer + 4, to.size()});
  EXPECT_THROW(from.read<view<double>>(), bad_read);
}

TEST(view, a_false_length_is_found_out) {
  writer to;
  to.write(std::size_t{3});
  to.write(std::size_t{1000});
  EXPECT_THROW(reader(to.bytes()).read<view<std::string>>(), bad_read);
  EXPECT_THROW(reader(to.bytes()).read<view<std::uint64_t>>(), bad_read);
}

}  // namespace
