// SPDX-License-Identifier: BSD-3-Clause
//
// The types of UPC, read from Clang's types: which objects are shared, in which layout, how strict
// their accesses are, and how many elements they have. The address space says which are shared;
// type tags, which the normaliser wrote, say the rest. Clang keeps tags as sugar of types, which
// members and conversions lose, so the layout of an expression is found from the expression
// (layout_of, pointee_layout), not from its type. A pointer-to-shared whose tag is lost is an error
// of the translator: there is no default.
#pragma once

#include <front/upc/translator/parse.hpp>

#include <optional>

namespace atl::upc {

// A number of elements: a number, or a multiple of THREADS that is not known yet.
struct element_count {
  std::uint64_t number = 1;
  bool times_threads = false;
};

// How elements are spread. block 0 is `shared []`; generic is that of `shared void`.
struct layout {
  std::uint64_t block = 1;
  bool is_generic = false;
  bool operator==(const layout&) const = default;
};

enum class access_kind { unspecified, relaxed, strict };

// The qualifiers of a type, as they are written.
struct shared_qualifiers {
  std::optional<std::string> block;  // the tag: "4", "0" for [], "*", "#3" for an expression
  access_kind access = access_kind::unspecified;
  unsigned layouts = 0;  // how many layouts there are, typedefs included
};

class shared_types {
 public:
  explicit shared_types(const program& source) : program_(source) {}

  // --- Types ------------------------------------------------------------------------------------

  // Whether an object of this type lies in shared memory, as an array does whose elements do.
  [[nodiscard]] bool is_shared(clang::QualType type) const;
  [[nodiscard]] bool is_pointer_to_shared(clang::QualType type) const;
  [[nodiscard]] bool is_pointer_to_shared_void(clang::QualType type) const;
  // Whether the type is shared, or a declarator in it is of a pointer-to-shared. Members of
  // structures do not count.
  [[nodiscard]] bool mentions_shared(clang::QualType type) const;

  // Whether the name is of a type, at file scope, that contains a private array of a multiple of
  // THREADS elements. C cannot have such a name before THREADS is known, so the output spells the
  // type wherever it is used.
  [[nodiscard]] bool is_without_name(const clang::TypedefNameDecl* alias) const;
  // Whether the type must be spelled, because it mentions something shared, or such a name.
  [[nodiscard]] bool is_spelled_anew(clang::QualType type) const;

  // The qualifiers of UPC on a type, those of typedefs included; of an array, those of its
  // elements.
  [[nodiscard]] shared_qualifiers qualifiers_of(clang::QualType type) const;

  // The element of an array of arrays, without the qualifiers of UPC; the type itself if it is no
  // array.
  [[nodiscard]] clang::QualType element_of(clang::QualType type) const;
  // How many such elements an object of this type has.
  [[nodiscard]] element_count elements_of(clang::QualType type) const;
  [[nodiscard]] std::uint64_t element_bytes(clang::QualType type) const;

  // The layout of a shared object that was declared with this type; empty if no tag gives it.
  [[nodiscard]] std::optional<layout> declared_layout(clang::QualType type) const;

  // --- Expressions ------------------------------------------------------------------------------

  // Whether the lvalue lies in shared memory; also for a part of a complex number, whose type does
  // not say so.
  [[nodiscard]] bool is_shared_lvalue(const clang::Expr* lvalue) const;

  // The layout of what a shared lvalue designates, or of what a pointer-to-shared points to.
  [[nodiscard]] layout layout_of(const clang::Expr* lvalue) const;
  [[nodiscard]] layout pointee_layout(const clang::Expr* pointer) const;

  // The same; empty where it is not known.
  [[nodiscard]] std::optional<layout> find_layout(const clang::Expr* lvalue) const;
  [[nodiscard]] std::optional<layout> find_pointee_layout(const clang::Expr* pointer) const;

  // The value of upc_localsizeof, upc_blocksizeof or upc_elemsizeof; empty if the operand has none.
  // A value that depends on the number of threads is given as a multiple of THREADS, whose factor
  // may be wrong.
  [[nodiscard]] std::optional<element_count> value_of(
      const clang::UnaryExprOrTypeTraitExpr* expression, size_operator kind) const;

  // The block size that a tag stands for, for an object of this type.
  [[nodiscard]] std::uint64_t block_of_tag(const std::string& tag, clang::QualType type) const;

  // Whether accesses to this lvalue are strict: by its type, or else by the pragma in force.
  [[nodiscard]] bool is_strict(const clang::Expr* lvalue) const;

 private:
  [[nodiscard]] std::optional<layout> of_cast(const clang::CastExpr* cast) const;
  [[nodiscard]] layout insist(std::optional<layout> found, const clang::Expr* expression) const;
  [[nodiscard]] bool has_private_threads(clang::QualType type) const;
  [[nodiscard]] bool is_dynamic() const { return program_.options.static_threads == 0; }

  const program& program_;
};

}  // namespace atl::upc
