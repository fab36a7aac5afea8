// SPDX-License-Identifier: BSD-3-Clause
//
// Counts words. Each rank sends every word of its part of the file, with a count of 1, to the
// word's owner, which adds them up. Rank 0 also counts alone, and compares each word.
#include <apps/kv/outbox.hpp>
#include <apps/kv/run.hpp>
#include <apps/kv/table.hpp>
#include <apps/kv/window.hpp>
#include <apps/kv/words.hpp>
#include <atoll/base/clock.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>

#include <algorithm>
#include <cstdio>
#include <string>
#include <unordered_map>
#include <vector>

namespace kv {
namespace {

using counts = table<std::string, std::uint64_t, add_up>;

double seconds_since(std::int64_t start_ns) {
  return static_cast<double>(atl::now_ns() - start_ns) * 1e-9;
}

/// The file, on all ranks, or the same refusal on all.
std::string read_everywhere(const std::string& path) {
  std::string text;
  std::string refused;
  try {
    text = read_file(path);
  } catch (const atl::error& problem) {
    refused = problem.cause();
  }
  const int rank = refused.empty() ? -1 : upcxx::rank_me();
  const int worst = upcxx::reduce_all(rank, upcxx::op_fast_max).wait();
  if (worst >= 0) {
    const upcxx::dist_object<std::string> causes(refused);
    const std::string cause = causes.fetch(worst).wait();
    upcxx::barrier();
    throw atl::error(atl::text("--text ", path, " on rank ", worst), cause,
                     "name a file that every rank can read");
  }
  return text;
}

void count_part(const std::string& text, const options& chosen, counts& into) {
  const key_range range = part_of({0, text.size()}, static_cast<std::uint64_t>(upcxx::rank_me()),
                                  static_cast<std::uint64_t>(upcxx::rank_n()));
  window under_way(chosen.window);
  auto out = make_outbox<counts::entry>(upcxx::rank_n(), chosen.batch,
                                        [&](int to, const std::vector<counts::entry>& batch) {
                                          under_way.add(into.insert_at(to, batch));
                                        });
  each_word(text, range.first, range.last, [&](std::string word) {
    const int owner = into.owner(word);
    out.add(owner, counts::entry(std::move(word), 1));
  });
  out.flush();
  under_way.drain();
}

counts::map count_alone(const std::string& text) {
  counts::map frequencies;
  each_word(text, 0, text.size(), [&](std::string word) { ++frequencies[std::move(word)]; });
  return frequencies;
}

/// Whether each word has its count in the table. Called by one rank, while the others answer.
bool agrees(const counts& counted, const counts::map& expected, const options& chosen) {
  bool right = true;
  window under_way(chosen.window);
  auto out = make_outbox<std::string>(
      upcxx::rank_n(), chosen.batch, [&](int to, std::vector<std::string>& batch) {
        const auto answer = counted.find_at(to, batch);
        under_way.add(answer.then([&, asked = std::move(batch)](const auto& got) {
          for (std::size_t i = 0; i < asked.size(); ++i)
            right = right && got[i] == expected.at(asked[i]);
        }));
      });
  for (const auto& [word, count] : expected) out.add(counted.owner(word), word);
  out.flush();
  under_way.drain();
  return right;
}

void print_most_frequent(const counts::map& frequencies, unsigned how_many) {
  std::vector<counts::entry> sorted(frequencies.begin(), frequencies.end());
  const std::size_t shown = std::min<std::size_t>(how_many, sorted.size());
  std::partial_sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(shown),
                    sorted.end(), [](const counts::entry& a, const counts::entry& b) {
                      return a.second != b.second ? a.second > b.second : a.first < b.first;
                    });
  for (std::size_t i = 0; i < shown; ++i) {
    std::printf("  %9llu  %s\n", static_cast<unsigned long long>(sorted[i].second),
                sorted[i].first.c_str());
  }
}

struct outcome {
  double alone_s = 0;
  double all_s = 0;
  std::uint64_t words = 0;
  bool right = false;
};

void print(const options& chosen, const outcome& result, const counts::map& frequencies) {
  const auto rate = [&](double time_s) {
    return static_cast<double>(result.words) / std::max(time_s, 1e-9) * 1e-6;
  };
  if (!chosen.quiet) {
    std::printf("kv: %llu words of %s, %zu different ones\n\n",
                static_cast<unsigned long long>(result.words), chosen.text_path.c_str(),
                frequencies.size());
    print_most_frequent(frequencies, chosen.top);
    std::printf("\n  one map    %8.2f M words/s\n", rate(result.alone_s));
    std::printf("  %d rank%s   %8.2f M words/s, %.0f %% of one map on every core\n\n",
                upcxx::rank_n(), upcxx::rank_n() == 1 ? " " : "s", rate(result.all_s),
                100 * result.alone_s / std::max(result.all_s, 1e-9) / upcxx::rank_n());
  }
  std::printf("kv: %s\n", result.right ? "every word counted as by one process" : "WRONG");
}

}  // namespace

bool count_words(const options& chosen) {
  const std::string text = read_everywhere(chosen.text_path);
  outcome result;
  counts table;
  upcxx::barrier();
  std::int64_t start_ns = atl::now_ns();
  count_part(text, chosen, table);
  upcxx::barrier();
  result.all_s = seconds_since(start_ns);

  const std::uint64_t different =
      upcxx::reduce_all(table.local_map().size(), upcxx::op_fast_add).wait();
  if (upcxx::rank_me() == 0) {
    start_ns = atl::now_ns();
    const counts::map expected = count_alone(text);
    result.alone_s = seconds_since(start_ns);
    for (const auto& [word, count] : expected) result.words += count;
    result.right = different == expected.size() && agrees(table, expected, chosen);
    print(chosen, result, expected);
  }
  return upcxx::broadcast(result.right, 0).wait();
}

}  // namespace kv
