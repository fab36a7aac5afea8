// SPDX-License-Identifier: BSD-3-Clause
//
// The table is written by thread 0 alone, to the standard error stream, so that the program's
// output is unchanged.
#include <front/upc/statistics.hpp>

#include <atoll/base/settings.hpp>
#include <atoll/base/text.hpp>
#include <front/upc/process_state.hpp>

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <vector>

namespace atl::upc {
namespace {

struct row {
  std::string_view name;
  double unit;  // the divisor of the numbers
};

constexpr std::array<row, statistic_count> rows{{
    {"reads of own memory", 1},
    {"  bytes", 1},
    {"reads on this host", 1},
    {"  bytes", 1},
    {"reads on other hosts", 1},
    {"  bytes", 1},
    {"writes of own memory", 1},
    {"  bytes", 1},
    {"writes on this host", 1},
    {"  bytes", 1},
    {"writes on other hosts", 1},
    {"  bytes", 1},
    {"lines fetched", 1},
    {"  reads that they served", 1},
    {"barriers", 1},
    {"  ms in them", 1e6},
    {"locks taken", 1},
    {"  ms waiting for them", 1e6},
    {"collective functions", 1},
    {"  ms in them", 1e6},
}};

std::string line(std::string_view name, std::string_view sum, std::string_view least,
                 std::string_view most) {
  std::array<char, 128> words{};
  const int length = std::snprintf(
      words.data(), words.size(), "%-26.*s %16.*s %22.*s %22.*s\n", static_cast<int>(name.size()),
      name.data(), static_cast<int>(sum.size()), sum.data(), static_cast<int>(least.size()),
      least.data(), static_cast<int>(most.size()), most.data());
  return {words.data(), static_cast<std::size_t>(length)};
}

std::string number(double value, double unit) {
  std::array<char, 32> digits{};
  std::snprintf(digits.data(), digits.size(), unit == 1 ? "%.0f" : "%.3f", value / unit);
  return digits.data();
}

std::string of_thread(double value, double unit, std::size_t thread) {
  return text(number(value, unit), " (", thread, ")");
}

}  // namespace

bool statistics_are_wanted() noexcept {
  const std::string_view value = foreign_variable("UPC_STATS");
  return !value.empty() && value != "0" && value != "no";
}

unsigned statistics::distance_to(rank_id thread) const noexcept {
  if (thread == us_.rank()) return 0;
  return thread < us_.size() && us_.routes[thread].local != nullptr ? 1 : 2;
}

void statistics::add_read(rank_id thread, std::size_t bytes) noexcept {
  const std::size_t first =
      static_cast<std::size_t>(statistic::own_reads) + 2 * distance_to(thread);
  ++values_[first];
  values_[first + 1] += bytes;
}

void statistics::add_write(rank_id thread, std::size_t bytes) noexcept {
  const std::size_t first =
      static_cast<std::size_t>(statistic::own_writes) + 2 * distance_to(thread);
  ++values_[first];
  values_[first + 1] += bytes;
}

void statistics::publish() noexcept { us_.words->statistics = values_; }

void statistics::report() noexcept {
  if (us_.rank() == 0) {
    std::vector<statistic_values> by_thread(us_.size());
    for (rank_id thread = 0; thread < us_.size(); ++thread) {
      const auto* const words =
          reinterpret_cast<const thread_words*>(us_.remote_address(thread, us_.words_offset));
      atl::get(us_.heaps, &by_thread[thread], thread, &words->statistics, sizeof by_thread[0]);
    }
    std::fputs(table_of(by_thread).c_str(), stderr);
  }
  us_.world->barrier();
}

std::string table_of(std::span<const statistic_values> by_thread) {
  std::string table = line(text("UPC: ", by_thread.size(), " threads"), "all threads",
                           "least (thread)", "most (thread)");
  for (std::size_t i = 0; i < statistic_count; ++i) {
    double sum = 0;
    std::size_t least = 0, most = 0;
    for (std::size_t thread = 0; thread < by_thread.size(); ++thread) {
      const std::uint64_t value = by_thread[thread][i];
      sum += static_cast<double>(value);
      if (value < by_thread[least][i]) least = thread;
      if (value > by_thread[most][i]) most = thread;
    }
    if (sum == 0) continue;
    table += line(rows[i].name, number(sum, rows[i].unit),
                  of_thread(static_cast<double>(by_thread[least][i]), rows[i].unit, least),
                  of_thread(static_cast<double>(by_thread[most][i]), rows[i].unit, most));
  }
  return table;
}

}  // namespace atl::upc
