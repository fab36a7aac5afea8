// SPDX-License-Identifier: BSD-3-Clause
//
// Tests chapter 6: the types that travel between ranks, their mechanisms, and the types as which
// they arrive; and views, as ranges of C++20 too. Each object travels to the next rank and back.
#include <tests/multi/upcxx/job_main.hpp>
#include <upcxx/upcxx.hpp>

#include <algorithm>
#include <array>
#include <deque>
#include <forward_list>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <ranges>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace {

using upcxx::deserialized_type_t;
using upcxx::is_serializable;
using upcxx::is_trivially_serializable;
using upcxx::rpc;

int next() { return (upcxx::rank_me() + 1) % upcxx::rank_n(); }

template <class T>
auto there_and_back(const T& object) {
  return rpc(next(), [](const deserialized_type_t<T>& arrived) { return arrived; }, object).wait();
}

// --- classes, by mechanism ---------------------------------------------------------------------

struct by_fields {
  std::string name;
  int pair[2] = {};
  std::vector<std::string> grid[2][2];
  int left_behind = 5;
  bool operator==(const by_fields&) const = default;
  UPCXX_SERIALIZED_FIELDS(name, pair, grid)
};

class by_values {
 public:
  by_values(const std::string& words, int number) : words_(words), number_(number) {}
  bool operator==(const by_values&) const = default;
  UPCXX_SERIALIZED_VALUES(words_, number_ + 0)

 private:
  std::string words_;
  int number_;
};

class private_parts {
 public:
  static private_parts make(int n) {
    private_parts made;
    made.secret_ = n;
    return made;
  }
  int secret() const { return secret_; }
  UPCXX_SERIALIZED_FIELDS(secret_)

 private:
  private_parts() = default;
  int secret_ = 0;
};

struct nothing_travels {
  int number = 3;
  nothing_travels() = default;
  nothing_travels(const nothing_travels&) : number(4) {}
  UPCXX_SERIALIZED_FIELDS()
};

struct heir : by_fields {  // inherits the mechanism, and arrives as an heir
  int more = 9;
};
struct closed : by_fields {
  UPCXX_SERIALIZED_DELETE()
};
struct with_bases : by_fields, private by_values {
  with_bases() : by_values("", 0) {}
  explicit with_bases(const std::string& word) : by_values(word + "!", 1) { name = word; }
  with_bases(by_fields&& first, by_values&& second, long extra)
      : by_fields(std::move(first)), by_values(std::move(second)), last(extra) {}
  long last = 7;
  bool is_equal(const with_bases& o) const {
    return static_cast<const by_fields&>(*this) == static_cast<const by_fields&>(o) &&
           static_cast<const by_values&>(*this) == static_cast<const by_values&>(o) &&
           last == o.last;
  }
  UPCXX_SERIALIZED_VALUES(UPCXX_SERIALIZED_BASE(by_fields), UPCXX_SERIALIZED_BASE(by_values), last)
};

struct in_storage {
  std::string text;
  struct upcxx_serialization {
    template <class Writer>
    static void serialize(Writer& to, const in_storage& object) {
      const auto place = to.template reserve<std::uint32_t>();
      to.commit(place, static_cast<std::uint32_t>(
                           to.write_sequence(object.text.begin(), object.text.end())));
    }
    template <class Reader, class Storage>
    static in_storage* deserialize(Reader& from, Storage storage) {
      std::string text(from.template read<std::uint32_t>(), '\0');
      from.template read_sequence_into<char>(text.data(), text.size());
      return storage.construct(std::move(text));
    }
  };
};
struct in_memory {  // the older form
  int number;
  struct upcxx_serialization {
    template <class Writer>
    static void serialize(Writer& to, const in_memory& object) {
      to.write(object.number);
    }
    template <class Reader>
    static in_memory* deserialize(Reader& from, void* memory) {
      return ::new (memory) in_memory{from.template read<int>()};
    }
  };
};
struct becomes_text {
  int number;
  struct upcxx_serialization {
    template <class Writer>
    static void serialize(Writer& to, const becomes_text& object) {
      to.write(std::to_string(object.number));
    }
    template <class Reader, class Storage>
    static std::string* deserialize(Reader& from, Storage storage) {
      return storage.construct(from.template read<std::string>());
    }
  };
};
struct from_outside {
  std::vector<int> numbers;
};
struct counts_as_bytes {
  int number = 0;
  ~counts_as_bytes() {}
};

}  // namespace

template <>
struct upcxx::serialization<from_outside> {
  template <class Writer>
  static void serialize(Writer& to, const from_outside& object) {
    to.write(object.numbers);
  }
  template <class Reader, class Storage>
  static from_outside* deserialize(Reader& from, Storage storage) {
    return storage.construct(from.template read<std::vector<int>>());
  }
};
template <>
struct upcxx::is_trivially_serializable<counts_as_bytes> : std::true_type {};

namespace {

// --- traits ------------------------------------------------------------------------------------

template <class T, class As>
constexpr bool arrives_as = is_serializable<T>::value && std::is_same_v<deserialized_type_t<T>, As>;

static_assert(is_trivially_serializable<int>::value && is_trivially_serializable<int*>::value);
static_assert(is_trivially_serializable<const double>::value);
static_assert(!is_trivially_serializable<int&>::value && is_serializable<int&>::value);
static_assert(!is_serializable<volatile int>::value && !is_serializable<int[3]>::value);
static_assert(!is_serializable<std::unique_ptr<int>>::value && !is_serializable<closed>::value);
static_assert(is_trivially_serializable<counts_as_bytes>::value);
static_assert(!is_trivially_serializable<by_fields>::value && is_serializable<by_fields>::value);
static_assert(is_trivially_serializable<std::pair<int, char>>::value);
static_assert(is_trivially_serializable<std::tuple<int, std::array<char, 3>>>::value);
static_assert(!is_trivially_serializable<std::pair<int, std::string>>::value);
static_assert(is_serializable<std::hash<std::string>>::value);
static_assert(is_trivially_serializable<std::less<std::string>>::value);
static_assert(arrives_as<const std::string&, std::string> &&
              arrives_as<std::string&&, std::string>);
static_assert(arrives_as<const std::string, const std::string>);
static_assert(arrives_as<becomes_text, std::string> && arrives_as<heir, heir>);
static_assert(arrives_as<std::vector<becomes_text>, std::vector<std::string>>);
static_assert(arrives_as<std::pair<const becomes_text, int>, std::pair<const std::string, int>>);
static_assert(arrives_as<std::tuple<int&, becomes_text>, std::tuple<int, std::string>>);
static_assert(arrives_as<std::reference_wrapper<const becomes_text>, std::string>);
static_assert(arrives_as<upcxx::optional<becomes_text>, upcxx::optional<std::string>>);
static_assert(std::is_same_v<upcxx::optional<int>, std::optional<int>>);

by_fields some_fields() {
  by_fields made;
  made.name = "a name that does not fit into a small string";
  made.pair[1] = 2;
  made.grid[1][0] = {"x", "y"};
  return made;
}

TEST(serialization, brings_back_classes_of_every_mechanism) {
  by_fields fields = some_fields();
  fields.left_behind = 77;
  by_fields back = there_and_back(fields);
  EXPECT_EQ(back.left_behind, 5);
  back.left_behind = 77;
  EXPECT_EQ(back, fields);
  EXPECT_EQ(there_and_back(by_values("words", 3)), by_values("words", 3));
  EXPECT_EQ(there_and_back(nothing_travels()).number, 4);
  EXPECT_EQ(there_and_back(in_storage{"text"}).text, "text");
  EXPECT_EQ(there_and_back(in_memory{6}).number, 6);
  EXPECT_EQ(there_and_back(becomes_text{12}), "12");
  EXPECT_EQ(there_and_back(from_outside{{1, 2}}).numbers, (std::vector<int>{1, 2}));
  counts_as_bytes bytes;
  bytes.number = 8;
  EXPECT_EQ(there_and_back(bytes).number, 8);
}

TEST(serialization, of_bases_is_inherited_closed_or_written_out) {
  heir child;
  child.name = "child";
  child.more = 1;
  const heir arrived = there_and_back(child);
  EXPECT_EQ(arrived.name, "child");
  EXPECT_EQ(arrived.more, 9);
  with_bases object("both");
  object.last = 8;
  EXPECT_TRUE(there_and_back(object).is_equal(object));
  EXPECT_EQ(there_and_back(private_parts::make(4)).secret(), 4);
}

TEST(serialization, brings_back_containers_of_containers) {
  const std::vector<std::list<std::tuple<std::string, by_values>>> nested{
      {}, {{"a", by_values("b", 1)}, {"c", by_values("d", 2)}}};
  EXPECT_EQ(there_and_back(nested), nested);
  const std::map<std::string, std::deque<std::pair<int, std::string>>> tree{{"one", {{1, "uno"}}},
                                                                            {"none", {}}};
  EXPECT_EQ(there_and_back(tree), tree);
  const std::unordered_map<int, std::set<std::string>> hashed{{1, {"x", "y"}}, {2, {}}};
  EXPECT_EQ(there_and_back(hashed), hashed);
  const std::array<std::optional<std::string>, 3> maybe{"there", std::nullopt, ""};
  EXPECT_EQ(there_and_back(maybe), maybe);
  const std::forward_list<bool> forward{true, false};
  EXPECT_EQ(there_and_back(forward), forward);
  const std::vector<bool> bits{true, false, true};
  EXPECT_EQ(there_and_back(bits), bits);
  const std::vector<becomes_text> texts{{1}, {23}};
  EXPECT_EQ(there_and_back(texts), (std::vector<std::string>{"1", "23"}));
  const std::string large(100000, 'x');
  EXPECT_EQ(there_and_back(large), large);
}

TEST(serialization, of_a_value_is_what_the_traits_give) {
  EXPECT_EQ(upcxx::serialization_traits<becomes_text>::deserialized_value({5}), "5");
  const by_fields fields = some_fields();
  EXPECT_EQ(upcxx::serialization_traits<by_fields>::deserialized_value(fields), fields);
  const std::string word = "word";
  EXPECT_EQ(rpc(next(), [](const std::string& w) { return w; }, std::cref(word)).wait(), word);
}

// --- reading in place --------------------------------------------------------------------------

struct reads_in_place {
  std::string first = "old";
  std::string many[2] = {"old", "old"};
  upcxx::optional<std::string> maybe;
  struct upcxx_serialization {
    template <class Writer>
    static void serialize(Writer& to, const reads_in_place& object) {
      to.write(object.first);
      to.write_sequence(std::begin(object.many), std::end(object.many), 2);
      to.write(*object.maybe);
    }
    template <class Reader, class Storage>
    static reads_in_place* deserialize(Reader& from, Storage storage) {
      auto* made = storage.construct();
      from.template read_overwrite<std::string>(made->first);
      from.template read_sequence_overwrite<std::string>(made->many, 2);
      from.template read_into<std::string>(made->maybe);
      return made;
    }
  };
};

TEST(serialization, reads_over_objects_and_into_optionals) {
  reads_in_place sent;
  sent.first = "first";
  sent.many[1] = "second of many";
  sent.maybe = "maybe";
  const auto back = there_and_back(sent);
  EXPECT_EQ(back.first, "first");
  EXPECT_EQ(back.many[1], "second of many");
  EXPECT_EQ(back.maybe, "maybe");
}

// --- views -------------------------------------------------------------------------------------

using bytes_view = upcxx::view<int>;
using text_view = upcxx::view<std::string>;

static_assert(std::is_same_v<upcxx::view_default_iterator_t<int>, int*>);
static_assert(std::is_same_v<upcxx::view_default_iterator_t<std::string>,
                             upcxx::deserializing_iterator<std::string>>);
static_assert(
    std::is_same_v<deserialized_type_t<upcxx::view<int, std::list<int>::iterator>>, bytes_view>);
static_assert(std::is_same_v<deserialized_type_t<upcxx::view<becomes_text, becomes_text*>>,
                             upcxx::view<becomes_text>>);
static_assert(std::ranges::view<bytes_view> && std::ranges::contiguous_range<bytes_view> &&
              std::ranges::sized_range<bytes_view> && std::ranges::borrowed_range<bytes_view>);
static_assert(std::ranges::view<text_view> && std::ranges::input_range<text_view> &&
              std::ranges::sized_range<text_view>);
static_assert(std::is_constructible_v<std::span<const int>, bytes_view>);
static_assert(std::input_iterator<upcxx::deserializing_iterator<std::string>>);

TEST(view, of_bytes_is_a_range_over_the_message) {
  const std::list<int> numbers{1, 2, 3, 4, 5};
  const auto seen =
      rpc(
          next(),
          [](bytes_view v) {
            auto even = v | std::views::filter([](int n) { return n % 2 == 0; });
            const std::span<const int> elements(v);
            return std::tuple(std::ranges::distance(even), elements.size(), v.front(), v.back(),
                              v[2], *std::ranges::max_element(v), *v.rbegin());
          },
          upcxx::make_view(numbers))
          .wait();
  EXPECT_EQ(seen, std::tuple(2, 5u, 1, 5, 3, 5, 5));
  EXPECT_THROW(static_cast<void>(upcxx::view<int>().at(0)), std::out_of_range);
}

TEST(view, of_objects_is_read_on_the_way) {
  const std::vector<std::string> words{"one", "two", "three"};
  const auto joined = rpc(
                          next(),
                          [](text_view v) {
                            std::string text;
                            for (const std::string& word :
                                 v | std::views::transform([](std::string w) { return w + "."; }))
                              text += word;
                            upcxx::optional<std::string> first;
                            v.begin().deserialize_into(first);
                            std::string overwritten = "overwritten";
                            v.begin().deserialize_overwrite(overwritten);
                            return text + *first + overwritten + std::to_string(v.size());
                          },
                          upcxx::make_view(words))
                          .wait();
  EXPECT_EQ(joined, "one.two.three.oneone3");
}

// An iterator of the program's own: every number once, squared.
struct squares {
  using iterator_category = std::forward_iterator_tag;
  using value_type = int;
  using difference_type = std::ptrdiff_t;
  using pointer = const int*;
  using reference = int;
  int root = 0;
  int operator*() const { return root * root; }
  squares& operator++() {
    ++root;
    return *this;
  }
  squares operator++(int) { return {root++}; }
  bool operator==(const squares&) const = default;
};

TEST(view, is_made_of_iterators_containers_arrays_and_ranges) {
  const auto sum = [](bytes_view v) {
    int total = 0;
    for (const int each : v) total += each;
    return total;
  };
  const int array[] = {1, 2, 3};
  std::vector<int> numbers{4, 5, 6};
  const std::set<int> ordered{7, 8};
  EXPECT_EQ(rpc(next(), sum, upcxx::make_view(squares{1}, squares{4})).wait(), 14);
  EXPECT_EQ(rpc(next(), sum, upcxx::make_view(squares{1}, squares{4}, 3)).wait(), 14);
  EXPECT_EQ(rpc(next(), sum, upcxx::make_view(array)).wait(), 6);
  EXPECT_EQ(rpc(next(), sum, upcxx::make_view(std::span(numbers))).wait(), 15);
  EXPECT_EQ(rpc(next(), sum, upcxx::make_view(ordered)).wait(), 15);
  EXPECT_EQ(
      rpc(next(), sum, upcxx::make_view(std::ranges::subrange(numbers.begin() + 1, numbers.end())))
          .wait(),
      11);
  EXPECT_EQ(rpc(next(), sum, upcxx::view<int>()).wait(), 0);
}

}  // namespace
