// SPDX-License-Identifier: BSD-3-Clause
//
// The memory of an entry is estimated from the nodes of the library's maps: a node with key, hash,
// link and string, the string's own block when the value does not fit into it, and a bucket.
#include <CLI/CLI.hpp>
#include <apps/kv/options.hpp>
#include <apps/trial/choice.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>

#include <iostream>

namespace kv {
namespace {

constexpr const char* about =
    "kv: a hash table over all ranks. Inserts keys with values and finds them again, in three\n"
    "ways, beside a std::unordered_map of one process; or counts the words of a text. Fails when\n"
    "a key is lost, a value is wrong, or a key is found that nobody inserted.\n\n"
    "    atoll run -n 2 kv --keys 1000000\n"
    "    atoll run -n 2 kv --text book.txt";

void add_options(CLI::App& app, options& into) {
  app.add_option("-k,--keys", into.keys, "keys of all ranks together")
      ->check(CLI::Range(key_number{1}, key_number{1} << 40))
      ->capture_default_str();
  app.add_option("--value-bytes", into.value_bytes, "bytes of each value")
      ->check(CLI::Range(std::size_t{0}, std::size_t{1} << 20))
      ->capture_default_str();
  trial::add_choice(app, "-m,--mode", into.mode,
                    {{"all", way::every},
                     {"one-by-one", way::one_by_one},
                     {"batches", way::batches},
                     {"one-sided", way::one_sided}},
                    "all, one-by-one, batches, or one-sided (default: all)");
  app.add_option("-w,--window", into.window, "messages of a rank under way at a time")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 16))
      ->capture_default_str();
  app.add_option("-b,--batch", into.batch, "keys in a message of --mode batches")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 20))
      ->capture_default_str();
  app.add_option("-s,--seed", into.seed, "of the keys")->capture_default_str();
  CLI::Option* const rounds =
      app.add_option("-r,--rounds", into.rounds, "how often each way runs; the median counts")
          ->check(CLI::Range(1U, 1000U))
          ->capture_default_str();
  CLI::Option* const json =
      app.add_option("--json", into.json_path, "write the times of all ways to this file")
          ->option_text("FILE");
  app.add_option("-t,--text", into.text_path, "count the words of this file instead")
      ->option_text("FILE")
      ->excludes(json)
      ->excludes(rounds);
  app.add_option("--top", into.top, "how many of the most frequent words to show")
      ->check(CLI::Range(0U, 1000U))
      ->capture_default_str();
  app.add_flag("-q,--quiet", into.quiet, "print only the last line");
}

}  // namespace

bool parse(int argc, char** argv, bool speak, options& into, int& exit_code) {
  CLI::App app(about);
  add_options(app, into);
  try {
    app.parse(argc, argv);
    return true;
  } catch (const CLI::Success&) {
    exit_code = 0;
    if (speak) std::cout << app.help();
  } catch (const CLI::ParseError& mistake) {
    exit_code = 2;
    if (speak) std::cerr << "kv: " << mistake.what() << "; see kv --help\n";
  }
  return false;
}

std::uint64_t memory_needed(const options& chosen) {
  constexpr std::uint64_t node_bytes = 80;
  constexpr std::uint64_t short_bytes = 15;  // of a string without a block of its own
  const std::uint64_t value = chosen.value_bytes;
  const std::uint64_t in_map = node_bytes + (value > short_bytes ? value + 32 : 0);
  const std::uint64_t in_slots = chosen.runs(way::one_sided) ? 4 * (value + 24) : 0;
  return chosen.keys * (in_map + in_slots);
}

void check_memory(const options& chosen, std::uint64_t available) {
  const std::uint64_t needed = memory_needed(chosen);
  if (needed <= available) return;
  throw atl::error(
      "memory",
      atl::text(chosen.keys, " keys with values of ", chosen.value_bytes, " bytes need about ",
                atl::bytes_text(needed), " and the machine has now ", atl::bytes_text(available)),
      "use fewer keys or smaller values");
}

}  // namespace kv
