// SPDX-License-Identifier: BSD-3-Clause
//
// Reads the options of the start, and starts `atoll run`, which is found beside the library.
// Options stand before all arguments of the program, and the first word that is none ends them, so
// that a program keeps its own -n. Under a launcher only options that no program has are taken.
#include <front/upc/launch.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/parse.hpp>
#include <atoll/base/settings.hpp>
#include <atoll/base/system/code_folder.hpp>
#include <atoll/base/text.hpp>
#include <atoll/bootstrap/membership.hpp>

#include <unistd.h>

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace atl::upc {
namespace {

struct start_options {
  std::optional<int> threads;
  std::size_t heap_bytes = 0;
};

int parse_threads(std::string_view option, std::string_view value) {
  int threads = 0;
  const auto [end, failure] = std::from_chars(value.data(), value.data() + value.size(), threads);
  if (failure != std::errc{} || end != value.data() + value.size() || threads < 1) {
    throw error(text("the option ", option), text("'", value, "' is no number of threads"),
                "write a number from 1 on, such as -n 4");
  }
  return threads;
}

// UPC counts in megabytes where a number has no unit.
std::size_t parse_heap_bytes(std::string_view name, std::string_view value) {
  const auto bytes = parse_size(value, {.unit_bytes = 0x1p20, .least = 1, .most = 0x1p46});
  if (!bytes) {
    throw error(std::string(name), text("'", value, "' is not a size"),
                "write a number and a unit, such as 64MB or 2GB");
  }
  return static_cast<std::size_t>(*bytes);
}

bool take_prefix(std::string_view& word, std::string_view prefix) {
  if (!word.starts_with(prefix)) return false;
  word.remove_prefix(prefix.size());
  return true;
}

/// Reads one option from the words; returns how many words it has, 0 when the first is no option.
int read_option(const std::vector<std::string_view>& words, bool has_launcher,
                start_options& found) {
  std::string_view word = words[0];
  const bool has_next = words.size() > 1;
  if (take_prefix(word, "-fupc-heap-")) {
    found.heap_bytes = parse_heap_bytes("-fupc-heap", word);
    return 1;
  }
  if ((word == "-fupc-threads" || (word == "-n" && !has_launcher)) && has_next) {
    found.threads = parse_threads(words[0], words[1]);
    return 2;
  }
  const bool is_number =
      word.size() > 2 && word.substr(2).find_first_not_of("0123456789") == word.npos;
  if (take_prefix(word, "-fupc-threads-") || take_prefix(word, "-fupc-threads=") ||
      (!has_launcher && is_number && take_prefix(word, "-n"))) {
    found.threads = parse_threads(words[0], word);
    return 1;
  }
  return 0;
}

/// Removes the options at the front of the arguments, and returns them.
start_options take_words(int* argc, char*** argv, bool has_launcher) {
  start_options found;
  int next = 1;
  while (next < *argc) {
    const std::vector<std::string_view> words(*argv + next, *argv + *argc);
    const int taken = read_option(words, has_launcher, found);
    if (taken == 0) break;
    next += taken;
  }
  char** const words = *argv;
  for (int i = 1; next + i - 1 <= *argc; ++i) words[i] = words[next + i - 1];  // with the last null
  *argc -= next - 1;
  return found;
}

[[noreturn]] void become_launcher(int threads, char** argv) {
  const std::string command =
      folder_of_code(reinterpret_cast<const void*>(&take_options)) + "/../bin/atoll";
  const std::string number = text(threads);
  char path[4096];
  const auto length = ::readlink("/proc/self/exe", path, sizeof path - 1);
  if (length <= 0)
    throw error("the start of threads", "the program's path is unknown", "use upcrun");
  path[length] = '\0';
  std::vector<const char*> words = {"atoll", "run", "-n", number.c_str(), path};
  for (char** word = argv + 1; *word != nullptr; ++word) words.push_back(*word);
  words.push_back(nullptr);
  ::execv(command.c_str(), const_cast<char* const*>(words.data()));
  throw error(text("the start of ", threads, " threads"), text(command, " cannot be executed"),
              "start the program by upcrun, or install Atoll's commands");
}

std::string_view program_name(char*** argv) noexcept {
  return argv != nullptr && **argv != nullptr ? std::string_view(**argv) : "the program";
}

}  // namespace

bool polite_is_wanted() noexcept {
  const std::string_view value = foreign_variable("UPC_POLITE_SYNC");
  return !value.empty() && value != "0" && value != "no";
}

bool cache_is_wanted() noexcept {
  const std::string_view value = foreign_variable("UPC_CACHE");
  return value != "0" && value != "no";
}

launch_options take_options(int* argc, char*** argv, int threads) {
  const bool has_launcher = bootstrap::has_launcher(settings::from_environment());
  start_options asked;
  if (argc != nullptr && argv != nullptr) asked = take_words(argc, argv, has_launcher);
  if (asked.threads && threads != 0 && *asked.threads != threads) {
    throw error(
        "the program",
        text("it was translated for ", threads, " threads, and ", *asked.threads, " are asked for"),
        text("start ", threads, " threads, or translate it without -T"));
  }
  if (!has_launcher && threads == 0 && !asked.threads && !foreign_variable("UPCRUN_BARE").empty()) {
    throw error("upcrun", text(program_name(argv), " was compiled for any number of threads"),
                "say how many by -n");
  }
  if (!has_launcher && argv != nullptr && asked.threads.value_or(threads) > 1) {
    if (asked.heap_bytes != 0)
      set_for_children("UPC_SHARED_HEAP_SIZE", text((asked.heap_bytes + 1023) / 1024, "K"));
    become_launcher(asked.threads.value_or(threads), *argv);
  }
  const std::string_view heap = foreign_variable("UPC_SHARED_HEAP_SIZE");
  if (asked.heap_bytes == 0 && !heap.empty())
    asked.heap_bytes = parse_heap_bytes("UPC_SHARED_HEAP_SIZE", heap);
  return {.shared_heap_bytes = asked.heap_bytes};
}

}  // namespace atl::upc
