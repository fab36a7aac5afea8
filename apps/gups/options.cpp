// SPDX-License-Identifier: BSD-3-Clause
//
// The options of gups. The rules limit the look-ahead to 1024, of which gathered updates have one
// half and those under way the other, so the least is 2.
#include <CLI/CLI.hpp>
#include <apps/gups/options.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>

#include <iostream>

namespace gups {
namespace {

constexpr const char* about =
    "gups: RandomAccess of the HPC Challenge. All ranks update random words of one table of 2^m\n"
    "words, in one of five ways, and then verify it. Fails when more than 1 % of the words are\n"
    "wrong, or any at all: no update is ever lost here.\n\n"
    "    atoll run -n 2 gups --log2-size 24";

void add_options(CLI::App& app, options& into) {
  app.add_option("-m,--log2-size", into.log2_size, "logarithm of the words of the table")
      ->check(CLI::Range(4U, 40U))
      ->capture_default_str();
  app.add_option("-u,--updates", into.updates,
                 "updates of all ranks together (default: four times the table)")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 44));
  app.add_option("-l,--look-ahead", into.lookahead,
                 "updates of a rank that are known or under way at a time")
      ->check(CLI::Range(std::size_t{2}, lookahead_max))
      ->capture_default_str();
  app.add_option("-v,--variant", into.variant,
                 "all, atomics, am, aggregated, shmem_atomics or shmem_boxes")
      ->check(CLI::IsMember({"all", "atomics", "am", "aggregated", "shmem_atomics", "shmem_boxes"}))
      ->option_text("WORD (default: all)");
  app.add_option("-r,--rounds", into.rounds, "how often each variant runs; the median counts")
      ->check(CLI::Range(1U, 1000U))
      ->capture_default_str();
  app.add_flag("-q,--quiet", into.quiet, "print only the last line");
  app.add_option("--json", into.json_path, "write results and timings to this file")
      ->option_text("FILE");
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
    if (speak) std::cerr << "gups: " << mistake.what() << "; see gups --help\n";
  }
  return false;
}

void check_memory(const options& chosen, std::uint64_t available) {
  const std::uint64_t needed = chosen.words() * sizeof(std::uint64_t);
  if (needed <= available) return;
  throw atl::error(atl::text("gups --log2-size ", chosen.log2_size),
                   atl::text("the table has ", atl::bytes_text(needed), ", and there is now ",
                             atl::bytes_text(available)),
                   "use a smaller --log2-size");
}

}  // namespace gups
