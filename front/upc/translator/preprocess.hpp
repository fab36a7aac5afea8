// SPDX-License-Identifier: BSD-3-Clause
//
// Runs Clang's preprocessor over a program into memory. Text that system headers contributed is
// parsed, but it is not emitted: the output includes those headers again, so that the host's
// compiler reads its own. Therefore the macros of the program that a system header has looked up
// (_GNU_SOURCE, NDEBUG) are noted here, to be defined again.
#pragma once

#include <front/upc/translator/options.hpp>

#include <memory>
#include <string>
#include <vector>

namespace clang {
class CompilerInvocation;
class DiagnosticConsumer;
}  // namespace clang

namespace atl::upc {

struct preprocessed {
  bool has_failed = false;
  std::string text;                      // as of `cc -E`, with line markers and #include directives
  std::vector<std::string> definitions;  // "NAME body" of macros that system headers have looked up
};

preprocessed preprocess(const translator_options& options, clang::DiagnosticConsumer& diagnostics);

// Clang's view of the command line: where headers lie, the target, the dialect of C. Null if it
// refuses.
std::shared_ptr<clang::CompilerInvocation> make_invocation(const translator_options& options,
                                                           clang::DiagnosticConsumer& diagnostics);

}  // namespace atl::upc
