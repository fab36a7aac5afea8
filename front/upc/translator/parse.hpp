// SPDX-License-Identifier: BSD-3-Clause
//
// Parses normalised text with Clang and hands the program, when it has no errors, to a function.
#pragma once

#include <front/upc/translator/clang.hpp>
#include <front/upc/translator/diagnostics.hpp>
#include <front/upc/translator/normalise.hpp>
#include <front/upc/translator/options.hpp>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace atl::upc {

// A program that was parsed: Clang's tree, the text that it was made of, and the values of the
// block sizes that are expressions ("upc:#N" is blocks[N]).
struct program {
  clang::ASTContext& tree;
  const normalised& source;
  const translator_options& options;
  diagnostics& complaints;
  std::vector<llvm::APSInt> blocks;
  // The operators of the enumerations "__upc_size_N" that the parser has met, and those of them
  // whose value depends on the number of threads.
  std::map<std::string, const clang::UnaryExprOrTypeTraitExpr*> sizes{};
  std::set<std::string> sizes_with_threads{};

  [[nodiscard]] const clang::SourceManager& sources() const { return tree.getSourceManager(); }
  // The place of a location in the normalised text.
  [[nodiscard]] std::size_t place(clang::SourceLocation location) const;
  // The operator (upc_blocksizeof or a relative) that this expression stands for; null for any
  // other.
  [[nodiscard]] const clang::UnaryExprOrTypeTraitExpr* size_operator_of(
      const clang::Expr* expression) const;
  // Reports an error of the program at a place.
  void error(clang::SourceLocation place, const std::string& message) const {
    complaints.complain(sources(), place, "error", message);
  }
};

// The length of what is put before the program's text.
std::size_t prelude_size();

// False if there were errors; then `use` was not called.
bool parse(const normalised& source, const translator_options& options, diagnostics& complaints,
           const std::function<void(program&)>& use);

}  // namespace atl::upc
