// SPDX-License-Identifier: BSD-3-Clause
//
// atoll-upc, the translator of UPC: preprocess, normalise, parse, check, emit C. One file at a
// time, in one process. It ends with 0, with 1 if the program has errors, and with 2 if the command
// line has errors.
#include <front/upc/translator/diagnostics.hpp>
#include <front/upc/translator/emitter.hpp>
#include <front/upc/translator/normalise.hpp>
#include <front/upc/translator/options.hpp>
#include <front/upc/translator/parse.hpp>
#include <front/upc/translator/preprocess.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace {

int write(const atl::upc::translator_options& options, const std::string& text) {
  const bool is_file = !options.output.empty() && options.output != "-";
  std::FILE* file = is_file ? std::fopen(options.output.c_str(), "w") : stdout;
  const bool is_written =
      file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (file != nullptr && (is_file ? std::fclose(file) : std::fflush(file)) == 0 && is_written)
    return 0;
  std::fprintf(stderr, "atoll-upc: cannot write %s: %s\n",
               is_file ? options.output.c_str() : "standard output", std::strerror(errno));
  return 1;
}

}  // namespace

int main(int count, char** arguments) {
  using namespace atl::upc;
  const translator_options options = read_options(count, arguments);
  diagnostics complaints;
  const preprocessed text = preprocess(options, complaints);
  if (text.has_failed) return 1;
  if (options.only_preprocess) return write(options, text.text);
  const normalised source = normalise(text.text);
  if (options.show_normalised) return write(options, source.text);
  complaints.read_normalised(&source);
  std::string emitted;
  const bool is_right = parse(source, options, complaints, [&](program& parsed) {
    if (!options.only_parse) emitted = emitter(parsed, text).unit();
  });
  if (!is_right || options.only_parse) return is_right ? 0 : 1;
  return write(options, emitted);
}
