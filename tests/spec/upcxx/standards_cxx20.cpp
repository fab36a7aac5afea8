// SPDX-License-Identifier: BSD-3-Clause
//
// The half that is compiled as C++20, see standards_test.cpp. It uses features that only C++20 has.
#include <tests/spec/upcxx/standards.hpp>

#include <compare>
#include <concepts>
#include <coroutine>
#include <numeric>
#include <ranges>
#include <span>

static_assert(__cplusplus >= 202002L);
static_assert(std::three_way_comparable<upcxx::global_ptr<int>, std::strong_ordering>);
static_assert(std::three_way_comparable<upcxx::team_id, std::strong_ordering>);
static_assert(std::totally_ordered<upcxx::dist_id<int>>);
static_assert(std::ranges::view<upcxx::view<int>>);

namespace standards {

std::vector<std::size_t> layout_in_cxx20() { return layout_in_unit(); }
std::vector<bool> traits_in_cxx20() { return traits_in_unit(); }
std::vector<code> code_in_cxx20() { return code_in_unit(); }

int total_of(person player) {
  return std::accumulate(player.scores.begin(), player.scores.end(),
                         static_cast<int>(player.name.size()));
}

upcxx::future<int> add_up(upcxx::global_ptr<const int> numbers, int count) {
  int sum = 0;
  for (int i = 0; i < count; ++i) sum += co_await upcxx::rget(numbers + i);
  co_return sum;
}

upcxx::future<std::string, int> ask_for(upcxx::intrank_t rank, const person& player) {
  const auto answer = [](const person& received, upcxx::view<int> scores) {
    return upcxx::make_future(received.name, static_cast<int>(std::ranges::distance(scores)));
  };
  return upcxx::rpc(rank, answer, player, upcxx::make_view(std::span(player.scores)));
}

void fulfil(upcxx::promise<int, std::string> to, int number) {
  to.fulfill_result(number, std::to_string(number));
}

int sum_of_all(upcxx::view<span_of_time> spans) {
  int sum = 0;
  for (const span_of_time& each : spans) sum += each.length();
  return sum;
}

int held_by(upcxx::dist_object<std::vector<int>>& object) {
  return static_cast<int>(object->size());
}

}  // namespace standards
