// SPDX-License-Identifier: BSD-3-Clause
//
// The measurement. The rules allow a process at most 1024 updates that are generated and not done.
// So it generates half as many, starts them, and waits for the half before.
#include <apps/gups/aggregated.hpp>
#include <apps/gups/atomics.hpp>
#include <apps/gups/messages.hpp>
#include <apps/gups/run.hpp>
#include <apps/gups/symmetric_atomics.hpp>
#include <apps/gups/symmetric_boxes.hpp>
#include <atoll/base/clock.hpp>
#include <atoll/base/system/memory_limits.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <utility>

namespace gups {
namespace {

/// Calls `start` with all updates of a part of the stream, a block at a time.
template <class Start>
void for_blocks(part share, std::size_t block_size, Start start) {
  std::vector<word> block(block_size);
  word update = element(share.first);
  for (std::uint64_t left = share.count(); left != 0; left -= block.size()) {
    if (left < block.size()) block.resize(left);
    for (word& each : block) each = update = next(update);
    start(std::span<const word>(block));
  }
}

/// A variant whose updates are done when the call returns, made with the size of a block.
template <class Variant>
concept completes_blocks = requires(Variant& variant, std::span<const word> block) {
  { variant.update(block) } -> std::same_as<void>;
};

/// All ranks do as many blocks as rank 0, whose share is the largest; the last may be empty.
template <completes_blocks Variant>
void update_all(Variant& variant, const options& chosen, part share) {
  const std::size_t block_size = chosen.lookahead / 2;
  const part largest = part_of(chosen.update_count(), 0, static_cast<word>(upcxx::rank_n()));
  std::uint64_t left = (largest.count() + block_size - 1) / block_size;
  for_blocks(share, block_size, [&](std::span<const word> block) {
    variant.update(block);
    --left;
  });
  for (; left != 0; --left) variant.update({});
}

template <class Variant>
void update_all(Variant& variant, const options& chosen, part share) {
  upcxx::future<> previous = upcxx::make_future();
  for_blocks(share, chosen.lookahead / 2, [&](std::span<const word> block) {
    upcxx::future<> now = variant.start(block);
    previous.wait();
    previous = std::move(now);
  });
  previous.wait();
}

double seconds_since(std::int64_t start_ns) {
  return static_cast<double>(atl::now_ns() - start_ns) * 1e-9;
}

struct round_result {
  double seconds;
  std::uint64_t wrong;  // words of all ranks
};

template <class Variant>
Variant make(const table& global_table, const options& chosen) {
  if constexpr (completes_blocks<Variant>) {
    return Variant(global_table, chosen.lookahead / 2);
  } else {
    return Variant(global_table);
  }
}

template <class Variant>
round_result run_round(const options& chosen) {
  table global_table(chosen.log2_size, Variant::placement);
  auto variant = make<Variant>(global_table, chosen);
  const auto me = static_cast<std::uint64_t>(upcxx::rank_me());
  const auto ranks = static_cast<std::uint64_t>(upcxx::rank_n());
  global_table.fill();
  upcxx::barrier();
  const std::int64_t start_ns = atl::now_ns();
  update_all(variant, chosen, part_of(chosen.update_count(), me, ranks));
  upcxx::barrier();
  const double seconds = seconds_since(start_ns);
  const std::uint64_t wrong = global_table.wrong_words(chosen.update_count());
  return {upcxx::reduce_all(seconds, upcxx::op_fast_max).wait(),
          upcxx::reduce_all(wrong, upcxx::op_fast_add).wait()};
}

/// The seconds of one core on a private table, with one rank's share of the updates.
double seconds_alone(const options& chosen) {
  if (chosen.words() * sizeof(word) > atl::read_available_memory()) return 0;
  const private_words words(chosen.words());
  if (words.first() == nullptr) return 0;
  const table_part local{.at_owner = words.first(), .count = chosen.words()};
  for (word i = 0; i < local.count; ++i) local.at_owner[i] = i;
  const std::int64_t start_ns = atl::now_ns();
  const part share = part_of(chosen.update_count(), 0, static_cast<word>(upcxx::rank_n()));
  for_blocks(share, chosen.lookahead,
             [&](std::span<const word> block) { apply_updates(local, local.count - 1, block); });
  return seconds_since(start_ns);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 != 0 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double rate_of(double updates, double seconds) { return updates * 1e-9 / std::max(seconds, 1e-9); }

/// Rank 0 runs this while all others sleep in the barrier.
measured run_alone(const options& chosen) {
  measured result{.name = "one core"};
  if (upcxx::rank_me() == 0) {
    std::vector<double> rounds(chosen.rounds);
    for (double& each : rounds) each = seconds_alone(chosen);
    result.seconds = median(rounds);
    const double updates = static_cast<double>(chosen.update_count()) / upcxx::rank_n();
    if (result.seconds > 0) result.rate = rate_of(updates, result.seconds);
  }
  upcxx::barrier();
  result.seconds = upcxx::broadcast(result.seconds, 0).wait();
  result.rate = upcxx::broadcast(result.rate, 0).wait();
  return result;
}

struct way {
  const char* name;
  round_result (*run)(const options& chosen);
};

constexpr way ways[] = {{atomics::name, run_round<atomics>},
                        {messages::name, run_round<messages>},
                        {aggregated::name, run_round<aggregated>},
                        {symmetric_atomics::name, run_round<symmetric_atomics>},
                        {symmetric_boxes::name, run_round<symmetric_boxes>}};

}  // namespace

results run_all(const options& chosen) {
  results outcome{.alone = run_alone(chosen), .variants = {}};
  std::vector<std::vector<double>> seconds;
  std::vector<const way*> chosen_ways;
  for (const way& each : ways)
    if (chosen.runs(each.name)) chosen_ways.push_back(&each);
  for (const way* each : chosen_ways) outcome.variants.push_back({.name = each->name});
  seconds.resize(chosen_ways.size());
  for (unsigned round = 0; round < chosen.rounds; ++round) {
    for (std::size_t i = 0; i < chosen_ways.size(); ++i) {
      const round_result result = chosen_ways[i]->run(chosen);
      seconds[i].push_back(result.seconds);
      const double error = static_cast<double>(result.wrong) / static_cast<double>(chosen.words());
      outcome.variants[i].error = std::max(outcome.variants[i].error, error);
    }
  }
  for (std::size_t i = 0; i < chosen_ways.size(); ++i) {
    measured& variant = outcome.variants[i];
    variant.seconds = median(seconds[i]);
    variant.rate = rate_of(static_cast<double>(chosen.update_count()), variant.seconds);
  }
  return outcome;
}

}  // namespace gups
