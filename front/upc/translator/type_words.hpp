// SPDX-License-Identifier: BSD-3-Clause
//
// Types in the words of the user, for messages: `shared [4] int *` and not the attributes that
// stand for it. Clang's own messages take their types from here too (show_types_in).
#pragma once

#include <front/upc/translator/clang.hpp>
#include <front/upc/translator/normalise.hpp>

namespace atl::upc {

class type_words {
 public:
  type_words(clang::ASTContext& tree, const normalised& source, bool has_dynamic_threads)
      : tree_(tree), source_(source), has_dynamic_threads_(has_dynamic_threads) {}

  // 'shared [4] int *', in quotes; a type name of the program is shown with its meaning.
  [[nodiscard]] std::string quoted(clang::QualType type) const;
  [[nodiscard]] std::string text(clang::QualType type) const {
    return declare(type, "", false, {});
  }

  // The brackets of a layout by its tag: "" for the default, "[]" for "0", "[N * 2]" for "#1".
  [[nodiscard]] static std::string layout(const std::string& tag, const normalised& source);

  // From now on, messages of this engine show types in this way. Must outlive the engine's use.
  void show_types_in(clang::DiagnosticsEngine& engine);

 private:
  struct qualifiers {
    bool is_shared = false, is_const = false, is_volatile = false, is_restrict = false;
    std::string layout, access;
    [[nodiscard]] std::string text() const;
  };

  [[nodiscard]] std::string declare(clang::QualType type, const std::string& name,
                                    bool resolves_names, qualifiers outer) const;
  [[nodiscard]] std::string declare_bare(const clang::Type* type, const std::string& name,
                                         bool resolves_names, const qualifiers& own) const;
  void read_tag(const clang::BTFTagAttributedType* type, qualifiers& own) const;
  [[nodiscard]] std::string bound(const clang::ArrayType* type) const;
  [[nodiscard]] std::string parameters(const clang::FunctionType* type, bool resolves_names) const;

  clang::ASTContext& tree_;
  const normalised& source_;
  bool has_dynamic_threads_;
};

}  // namespace atl::upc
