// SPDX-License-Identifier: BSD-3-Clause
//
// Reports what is wrong in the user's words: the file and line as written, `shared [4] int *` and
// not the attributes that Clang was given, the line of the source below the message. All complaints
// of the translator go through here, Clang's own and those of the checks (check_*.cpp).
#pragma once

#include <front/upc/translator/clang.hpp>
#include <front/upc/translator/normalise.hpp>

namespace atl::upc {

class diagnostics : public clang::DiagnosticConsumer {
 public:
  // From now on, places are in this normalised text; null while the program's own files are read.
  void read_normalised(const normalised* text) { text_ = text; }

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic& diagnostic) override;

  // A complaint of ours about a place in the normalised text.
  void complain(const clang::SourceManager& sources, clang::SourceLocation place,
                const std::string& kind, const std::string& message);

  // The words of the user where the normaliser has written something else; empty elsewhere.
  [[nodiscard]] std::string written_at(const clang::SourceManager& sources,
                                       clang::SourceLocation place) const;

  // Errors so far, those of Clang and ours.
  [[nodiscard]] unsigned errors() const { return getNumErrors() + own_errors_; }

 private:
  [[nodiscard]] std::string keyword_before(const clang::SourceManager& sources,
                                           clang::SourceLocation place) const;
  [[nodiscard]] const edit* last_edit_until(std::size_t offset) const;
  [[nodiscard]] std::string size_operator_at(const clang::SourceManager& sources,
                                             clang::SourceLocation place) const;
  void print(const clang::SourceManager* sources, clang::SourceLocation place,
             const std::string& kind, const std::string& message);

  const normalised* text_ = nullptr;
  unsigned own_errors_ = 0;
};

}  // namespace atl::upc
