// SPDX-License-Identifier: BSD-3-Clause
//
// The common part of the two halves of the program of standards_test.cpp: one half is compiled as
// C++17, the other as C++20. Both see the types and functions here, so these must be the same to
// both.
#pragma once

#include <upcxx/upcxx.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace standards {

/// Travels by its fields.
struct person {
  std::string name;
  std::vector<int> scores;
  UPCXX_SERIALIZED_FIELDS(name, scores)
};

/// Travels by its values.
class span_of_time {
 public:
  span_of_time(int begin, int end) : begin_(begin), end_(end) {}
  int length() const { return end_ - begin_; }
  UPCXX_SERIALIZED_VALUES(begin_, end_)

 private:
  int begin_;
  int end_;
};

/// Sizes and alignments of what programs hold and pass on.
template <class... T>
std::vector<std::size_t> layout_of() {
  return {sizeof(T)..., alignof(T)...};
}
inline std::vector<std::size_t> layout_in_unit() {
  using upcxx::future;
  return layout_of<future<>, future<int>, future<std::string>, future<int, double>, future<int&>,
                   upcxx::promise<>, upcxx::promise<int>, upcxx::global_ptr<int>,
                   upcxx::global_ptr<const int>, upcxx::team_id, upcxx::team, upcxx::persona,
                   upcxx::dist_id<int>, upcxx::dist_object<int>, upcxx::dist_object<std::string>,
                   upcxx::view<int>, upcxx::view<std::string>, upcxx::atomic_domain<int>,
                   atl::upcxx_front::value_cell<int, std::string>, atl::upcxx_front::reader,
                   atl::upcxx_front::writer, decltype(upcxx::operation_cx::as_future())>();
}

/// The serialization traits of some types in one half.
inline std::vector<bool> traits_in_unit() {
  return {upcxx::is_trivially_serializable<std::pair<int, std::array<double, 3>>>::value,
          upcxx::is_trivially_serializable<std::string>::value,
          upcxx::is_trivially_serializable<upcxx::global_ptr<int>>::value,
          upcxx::is_trivially_serializable<std::tuple<int, upcxx::team_id>>::value,
          upcxx::is_serializable<person>::value,
          upcxx::is_serializable<span_of_time>::value,
          upcxx::is_serializable<upcxx::view<person>>::value,
          upcxx::is_serializable<std::vector<bool>>::value,
          upcxx::is_serializable<upcxx::dist_object<int>>::value};
}

/// The addresses of functions that the halves pass to each other: equal if both halves know them by
/// one name.
using code = void (*)();
inline std::vector<code> code_in_unit() {
  using atl::upcxx_front::bound_call;
  using atl::upcxx_front::run_arrived;
  using call = bound_call<int (*)(person), person>;
  const auto fetch =
      static_cast<upcxx::future<int> (upcxx::dist_object<int>::*)(upcxx::intrank_t) const>(
          &upcxx::dist_object<int>::fetch);
  static_cast<void>(fetch);
  return {reinterpret_cast<code>(&run_arrived<call, true>),
          reinterpret_cast<code>(&upcxx::make_future<int, std::string>),
          reinterpret_cast<code>(&upcxx::to_global_ptr<int>),
          reinterpret_cast<code>(&layout_in_unit)};
}

// In the half of C++20.
std::vector<std::size_t> layout_in_cxx20();
std::vector<bool> traits_in_cxx20();
std::vector<code> code_in_cxx20();
int total_of(person player);
upcxx::future<int> add_up(upcxx::global_ptr<const int> numbers, int count);
upcxx::future<std::string, int> ask_for(upcxx::intrank_t rank, const person& player);
void fulfil(upcxx::promise<int, std::string> to, int number);
int sum_of_all(upcxx::view<span_of_time> spans);
int held_by(upcxx::dist_object<std::vector<int>>& object);

}  // namespace standards
