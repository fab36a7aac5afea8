// SPDX-License-Identifier: BSD-3-Clause
//
// The command line of atoll-upc. It is a program for upcc to call, so it reads the options of C
// compilers in their usual spelling; those that concern code generation mean nothing here.
#include <front/upc/translator/options.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace atl::upc {
namespace {

constexpr const char* help_text = R"(usage: atoll-upc [OPTION]... FILE [-o FILE]
Translates a program in UPC into C for the host's C compiler. The command upcc calls this program.

  -T N, -TN, -T=N        compile for N threads; without it THREADS is known when the program starts
  -o FILE                write to FILE; '-' is standard output
  -E                     preprocess only
  -fsyntax-only          diagnose only
  -normalised            write what the parser is given, to find mistakes of the translator
  -check                 emitted code checks subscripts, accesses and casts, and says where a call
                         failed; without transformations
  -lines, -nolines       write #line directives that name the lines of the program (default: -lines)
  -opt-enable=NAME,...   switch a transformation on (all are on by default)
  -opt-disable=NAME,...  switch it off: ownership (strip-mine upc_forall to the elements that a thread owns),
                         runs (loops over elements that lie side by side use a private pointer, or copies),
                         strips (an inner loop that reads a[i ^ x] is run for many elements i at a time),
                         writes (those of a loop to another host go out together)
  -Wno-NAME, -WNAME, -Werror, -Werror=NAME, -w
                         switch warnings: upc-race, upc-forall, upc-barrier, upc-cast, upc-names, upc-sizeof,
                         main, return-type, incompatible-pointer-types (on), upc-remote-loop (off; -Wextra)
  -I -D -U -include -isystem -idirafter -iquote -std= -m... -f... -nostdinc
                         as for a C compiler
  --help, --version
)";

[[noreturn]] void refuse(const std::string& message) {
  std::fprintf(stderr, "atoll-upc: %s; try atoll-upc --help\n", message.c_str());
  std::exit(2);
}

bool starts_with(const std::string& text, const char* prefix) { return text.rfind(prefix, 0) == 0; }

unsigned threads_of(const std::string& text) {
  char* end = nullptr;
  const unsigned long number = std::strtoul(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0' || number == 0 || number > 1'000'000'000) {
    refuse("-T " + text + ": the number of threads must be a positive integer");
  }
  return static_cast<unsigned>(number);
}

// The words of the command line, one after the other.
class argument_reader {
 public:
  argument_reader(int count, const char* const* arguments)
      : arguments_(arguments + 1, arguments + count) {}

  [[nodiscard]] bool has_more() const { return next_ < arguments_.size(); }
  std::string word() { return arguments_[next_++]; }
  std::string value_of(const std::string& option) {
    if (!has_more()) refuse(option + " needs an argument");
    return word();
  }

 private:
  std::vector<std::string> arguments_;
  std::size_t next_ = 0;
};

void switch_transformations(translator_options& result, const std::string& names, bool is_on) {
  std::stringstream list(names);
  for (std::string name; std::getline(list, name, ',');) {
    if (is_on) {
      result.without.erase(name);
    } else {
      result.without.insert(name);
    }
  }
}

// Options of the translator itself; false for those of a C compiler.
bool read_own(translator_options& result, const std::string& word, argument_reader& words) {
  if (word == "--help") {
    std::fputs(help_text, stdout);
    std::exit(0);
  }
  if (word == "--version") {
    std::printf("atoll-upc (Atoll) %s, with Clang %s\n", ATOLL_VERSION_STRING, ATOLL_CLANG_VERSION);
    std::exit(0);
  }
  if (word == "-o") {
    result.output = words.value_of(word);
  } else if (word == "-E") {
    result.only_preprocess = true;
  } else if (word == "-fsyntax-only") {
    result.only_parse = true;
  } else if (word == "-normalised") {
    result.show_normalised = true;
  } else if (word == "-check") {
    result.with_checks = true;
  } else if (word == "-lines" || word == "-nolines") {
    result.with_lines = word == "-lines";
  } else if (starts_with(word, "-opt-disable=")) {
    switch_transformations(result, word.substr(13), false);
  } else if (starts_with(word, "-opt-enable=")) {
    switch_transformations(result, word.substr(12), true);
  } else if (starts_with(word, "-T")) {
    std::string number = word.substr(2);
    if (!number.empty() && number[0] == '=') number.erase(0, 1);
    result.static_threads = threads_of(number.empty() ? words.value_of(word) : number);
  } else {
    return false;
  }
  return true;
}

// -fopenmp and its relatives. Directives stay text, which the host's compiler reads. The header of
// OpenMP has an attribute with arguments that Clang does not know.
void read_directives(translator_options& result, const std::string& word) {
  if (word == "-fopenmp" || starts_with(word, "-fopenmp=")) {
    result.has_openmp = true;
    result.for_clang.push_back("-D_OPENMP=201511");
  } else if (word == "-fopenacc") {
    result.has_openacc = true;
    result.for_clang.push_back("-D_OPENACC=201711");
  } else if (word == "-fopenmp-simd") {
    result.has_openmp_simd = true;  // GCC defines no macro
  }
  result.for_clang.push_back("-D__malloc__(...)=__malloc__");
}

// Options of a C compiler that the parser needs; the others do not concern it, and are left out.
void read_foreign(translator_options& result, const std::string& word, argument_reader& words) {
  if (starts_with(word, "-W") || word == "-w") {
    result.warned.read(word);
    return;
  }
  for (const char* option : {"-I", "-D", "-U"}) {
    if (word == option) {
      result.for_clang.push_back(word + words.value_of(word));
      return;
    }
    if (starts_with(word, option)) {
      result.for_clang.push_back(word);
      return;
    }
  }
  for (const char* option : {"-include", "-isystem", "-idirafter", "-iquote", "-imacros"}) {
    if (word == option) {
      result.for_clang.push_back(word);
      result.for_clang.push_back(words.value_of(word));
      return;
    }
  }
  for (const char* prefix : {"-std=", "-m", "-f", "-nostdinc", "-O", "-pthread", "-ansi"}) {
    if (!starts_with(word, prefix)) continue;
    if (starts_with(word, "-fopenmp") || starts_with(word, "-fopenacc"))
      return read_directives(result, word);
    if (word == "-fstrict-aliasing" || word == "-fno-strict-aliasing")
      result.has_strict_aliasing = word == "-fstrict-aliasing";
    result.for_clang.push_back(word);
    return;
  }
}

// The folder of this program, which is needed to find the files that are installed beside it.
std::filesystem::path program_folder() {
  std::error_code failure;
  return std::filesystem::read_symlink("/proc/self/exe", failure).parent_path();
}

std::string folder_with(const std::string& file, const std::filesystem::path& installed,
                        const char* of_build) {
  std::error_code failure;
  if (std::filesystem::exists(installed / file, failure))
    return installed.lexically_normal().string();
  return of_build;
}

}  // namespace

translator_options read_options(int count, const char* const* arguments) {
  translator_options result;
  argument_reader words(count, arguments);
  while (words.has_more()) {
    const std::string word = words.word();
    if (word.size() > 1 && word[0] == '-') {
      if (!read_own(result, word, words)) read_foreign(result, word, words);
    } else if (result.input.empty()) {
      result.input = word;
    } else {
      refuse("one file at a time: " + result.input + " and " + word);
    }
  }
  if (result.input.empty()) refuse("no input file");
  return result;
}

std::string resource_folder() {
  return folder_with("include/stddef.h", program_folder() / ATOLL_CLANG_FOLDER_BESIDE,
                     ATOLL_CLANG_FOLDER);
}

std::string header_folder() {
  return folder_with("upc.h", program_folder() / ATOLL_HEADER_FOLDER_BESIDE, ATOLL_HEADER_FOLDER);
}

}  // namespace atl::upc
