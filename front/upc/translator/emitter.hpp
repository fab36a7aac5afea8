// SPDX-License-Identifier: BSD-3-Clause
//
// Writes the program as C. Text of the user is copied; what means something else in UPC is replaced
// piece by piece:
//
//   emit_types.cpp         the C type of a type: a pointer-to-shared is atoll_upc_pointer
//   emit_expressions.cpp   operators, by node
//   emit_access.cpp        loads, stores and updates of shared lvalues
//   emit_casts.cpp         conversions
//   emit_checks.cpp        checks at run time
//   emit_statements.cpp    statements, upc_forall in its general form
//   emit_forall.cpp        upc_forall that visits what a thread owns
//   emit_runs.cpp          loops over elements that lie side by side
//   emit_strips.cpp        loops whose elements take turns inside of an inner loop
//   emit_pragmas.cpp       pragmas before loops
//   emit_declarations.cpp  declarations and functions
//   static_objects.cpp     static shared objects, and initialisers that run at the start
//   emit_program.cpp       the whole unit, text and line numbers
//
// Copying a keyword of UPC unchanged reports an error, so no UPC is left in the output.
#pragma once

#include <front/upc/translator/parse.hpp>
#include <front/upc/translator/preprocess.hpp>
#include <front/upc/translator/shared_type.hpp>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace atl::upc {

// Text that replaces [begin, end) of the normalised text.
struct replacement {
  std::size_t begin = 0, end = 0;
  std::string text;
};
using pieces = std::vector<replacement>;

// An expression that this thread owns in a loop, and the private expression that replaces it.
struct owned_access {
  const clang::Expr* lvalue = nullptr;
  std::string text;
};

struct owned_loop;
struct run_site;
struct run_loop;
struct strip_loop;
// The pragmas before a loop (emit_pragmas.cpp).
struct loop_pragmas {
  bool exist = false;
  bool describes_loop = false;  // as OpenMP's do
  bool divides_loop = false;    // and only a loop may follow
  bool describes_nest = false;  // and the loops in it
  std::string hints;            // "_Pragma(...) " for another loop
};

struct strip_names;
struct strip_parts;
struct strip_site;

class emitter {
 public:
  emitter(program& source, const preprocessed& preprocessed_text)
      : program_(source), preprocessed_(preprocessed_text), types_(source) {}

  // The whole unit in C.
  std::string unit();

 private:
  // --- Text (emit_program.cpp) -------------------------------------------------------------------
  [[nodiscard]] std::size_t begin_of(const clang::Stmt* node) const;
  [[nodiscard]] std::size_t end_of(const clang::Stmt* node) const;
  [[nodiscard]] std::size_t begin_of(const clang::Decl* node) const;
  [[nodiscard]] static const clang::Stmt* last_part(const clang::Stmt* node);
  [[nodiscard]] bool is_forall(const clang::Stmt* node) const;
  [[nodiscard]] bool ends_in_forall(const clang::Stmt* node) const;
  [[nodiscard]] static bool needs_semicolon(const clang::Stmt* node);
  [[nodiscard]] std::size_t end_of_token(clang::SourceLocation place) const;
  [[nodiscard]] std::size_t after_semicolon(std::size_t place) const;
  [[nodiscard]] std::size_t end_of_declarator(std::size_t place) const;
  [[nodiscard]] std::string copy(std::size_t begin, std::size_t end) const;
  [[nodiscard]] std::string copy(std::size_t begin, std::size_t end, pieces replaced) const;
  [[nodiscard]] static std::string string_of_c(const std::string& text);
  [[nodiscard]] std::string line_directive(clang::SourceLocation place) const;
  [[nodiscard]] std::string line_after(std::size_t begin, std::size_t end,
                                       const std::string& text) const;
  [[nodiscard]] clang::SourceLocation location(std::size_t place) const;
  void refuse(const clang::Stmt* node, const std::string& message) const;
  std::string prologue() const;
  std::string top_level();
  std::string gap(std::size_t begin, std::size_t end);

  // --- Types (emit_types.cpp) --------------------------------------------------------------------
  [[nodiscard]] std::string declare(clang::QualType type, const std::string& name);
  [[nodiscard]] std::string type_name(clang::QualType type) { return declare(type, ""); }
  [[nodiscard]] std::string declare_function(const clang::FunctionType* type,
                                             const std::string& name,
                                             llvm::ArrayRef<clang::ParmVarDecl*> parameters);
  [[nodiscard]] std::string declare_array(const clang::ArrayType* type, const std::string& name);
  [[nodiscard]] std::string declare_pointer(const clang::PointerType* type,
                                            const std::string& name);
  [[nodiscard]] std::string base_name(clang::QualType type);
  [[nodiscard]] std::string record_name(const clang::TagDecl* declaration);
  [[nodiscard]] std::string count(element_count number) const;
  [[nodiscard]] std::string size(clang::QualType type);

  // --- Expressions (emit_expressions.cpp, emit_access.cpp, emit_casts.cpp) -----------------------
  [[nodiscard]] std::string value(const clang::Expr* expression);
  [[nodiscard]] std::string node_value(const clang::Expr* expression);
  [[nodiscard]] std::string argument(const clang::Expr* expression);
  [[nodiscard]] std::string discard(const clang::Expr* expression);
  [[nodiscard]] std::string condition(const clang::Expr* expression);
  [[nodiscard]] std::string address(const clang::Expr* lvalue);
  [[nodiscard]] std::string children(const clang::Stmt* node);
  [[nodiscard]] std::string unary(const clang::UnaryOperator* expression);
  [[nodiscard]] std::string binary(const clang::BinaryOperator* expression);
  [[nodiscard]] std::string compare(const clang::BinaryOperator* expression);
  [[nodiscard]] std::string conditional(const clang::ConditionalOperator* expression);
  [[nodiscard]] std::string short_conditional(const clang::BinaryConditionalOperator* expression);
  [[nodiscard]] std::string size_of(const clang::UnaryExprOrTypeTraitExpr* expression);
  [[nodiscard]] std::string size_of_shared(const clang::UnaryExprOrTypeTraitExpr* expression,
                                           size_operator kind);
  [[nodiscard]] std::string local_elements(element_count elements, std::uint64_t block) const;
  [[nodiscard]] std::string literal(const clang::CompoundLiteralExpr* expression);
  [[nodiscard]] std::string type_trait(const clang::TypeTraitExpr* expression) const;
  [[nodiscard]] bool has_same_layouts(clang::QualType first, clang::QualType second) const;
  [[nodiscard]] std::string reference(const clang::DeclRefExpr* expression);
  [[nodiscard]] std::string step(const clang::Expr* pointer, const std::string& base,
                                 const std::string& number);
  [[nodiscard]] std::string indexed(const clang::ArraySubscriptExpr* expression);
  [[nodiscard]] std::string subscripts(const clang::Expr* lvalue, std::string& number);
  [[nodiscard]] std::string member(const clang::MemberExpr* expression);
  [[nodiscard]] std::string arguments_of_step(const clang::Expr* pointer);

  // Checks at run time (emit_checks.cpp): the arguments, inside code that reports what is wrong.
  [[nodiscard]] std::string source_place(clang::SourceLocation place) const;
  [[nodiscard]] std::string checked_subscript(const clang::ArraySubscriptExpr* expression,
                                              const std::string& index, bool may_be_end);
  [[nodiscard]] std::string accessed(const clang::Expr* lvalue);
  [[nodiscard]] std::string checked_access(const clang::Expr* place, clang::QualType type,
                                           const std::string& pointer);
  [[nodiscard]] std::string placed_call(const clang::Expr* expression,
                                        const std::string& text) const;

  [[nodiscard]] std::string load(const clang::Expr* lvalue);
  [[nodiscard]] std::string assign(const clang::BinaryOperator* expression);
  [[nodiscard]] std::string copy_object(const clang::BinaryOperator* expression);
  [[nodiscard]] std::string update(const clang::CompoundAssignOperator* expression);
  [[nodiscard]] std::string increment(const clang::UnaryOperator* expression);
  [[nodiscard]] std::string step_private(const clang::Expr* lvalue, const std::string& number,
                                         bool is_post);
  [[nodiscard]] std::string step_shared(const clang::Expr* lvalue, const std::string& number,
                                        bool is_post);
  [[nodiscard]] std::string structure_of(const clang::MemberExpr* lvalue);
  [[nodiscard]] std::string field(const clang::MemberExpr* lvalue);
  [[nodiscard]] std::string update_field(const clang::MemberExpr* lvalue,
                                         const std::string& operation, const std::string& operand,
                                         bool is_post);
  [[nodiscard]] std::string store_field(const clang::MemberExpr* lvalue,
                                        const std::string& new_value);
  [[nodiscard]] std::string macro(const char* name, const clang::Expr* lvalue) const;
  [[nodiscard]] std::string owned(const clang::Expr* lvalue);

  [[nodiscard]] std::string cast(const clang::CastExpr* expression);
  [[nodiscard]] std::string cast_pointer(const clang::CastExpr* expression);
  [[nodiscard]] std::string written_cast(const clang::ExplicitCastExpr* expression);
  [[nodiscard]] static const clang::FieldDecl* bit_field(const clang::Expr* lvalue);

  // --- Statements (emit_statements.cpp, emit_forall.cpp) -----------------------------------------
  [[nodiscard]] std::string statement(const clang::Stmt* node);
  [[nodiscard]] std::string statement_text(const clang::Stmt* node);
  [[nodiscard]] std::string conditional_statement(const clang::Stmt* node,
                                                  const clang::Expr* condition);
  [[nodiscard]] bool is_directive(const std::string& pragma) const;
  [[nodiscard]] loop_pragmas pragmas_before(const clang::Stmt* loop) const;
  [[nodiscard]] std::string for_loop(const clang::ForStmt* loop);
  [[nodiscard]] std::string transformed_loop(const clang::ForStmt* loop);
  [[nodiscard]] std::string copied_loop(const clang::ForStmt* loop);
  [[nodiscard]] std::string forall(const clang::ForStmt* loop, affinity_kind kind);
  [[nodiscard]] std::string forall_as_block(const clang::ForStmt* loop, affinity_kind kind);
  [[nodiscard]] std::string general_forall(const clang::ForStmt* loop, const clang::Expr* step,
                                           const clang::Expr* affinity);
  [[nodiscard]] std::string owned_forall(const clang::ForStmt* loop, const clang::Expr* step,
                                         const clang::Expr* affinity);
  [[nodiscard]] std::string owned_blocks(const owned_loop& loop, const clang::ForStmt* whole,
                                         const clang::Expr* step, const std::string& number,
                                         const std::string& declared);
  [[nodiscard]] std::string owned_block(const clang::ForStmt* loop, const clang::Expr* step,
                                        const std::string& number, const std::string& declared,
                                        const std::string& counter);
  [[nodiscard]] std::string owned_cycle(const owned_loop& loop, const std::string& number,
                                        const std::string& declared, const clang::Stmt* body);
  void declare_owned(const owned_loop& loop, const std::string& number, const clang::Stmt* body,
                     std::string& pointers, std::string& moves);
  [[nodiscard]] std::string address_of_site(const run_site& site);
  [[nodiscard]] std::string arguments_of_site(const run_site& site);
  [[nodiscard]] std::string in_runs(const run_loop& loop, const std::string& place,
                                    const std::string& from, const std::string& to,
                                    const std::string& set, const clang::Stmt* body);
  [[nodiscard]] std::string one_by_one(const run_loop& loop, const clang::Stmt* body);
  [[nodiscard]] std::string by_threads(run_loop loop, const std::string& number,
                                       const std::string& declared, const clang::Stmt* body);
  [[nodiscard]] std::string wrapped_sum(const clang::CompoundAssignOperator* sum);
  [[nodiscard]] std::string loop_in_runs(const clang::ForStmt* loop);
  [[nodiscard]] std::string first_value(const owned_loop& loop);
  [[nodiscard]] std::string walks(const run_loop& loop, const std::string& number,
                                  const std::string& declared, const clang::Stmt* body);
  void carry(const strip_loop& loop, const strip_names& names, std::string& out, std::string& back);
  [[nodiscard]] std::string head_of_strips(const strip_loop& loop, const strip_names& names);
  [[nodiscard]] std::string left_of_site(const strip_loop& loop, const strip_names& names,
                                         std::size_t i);
  [[nodiscard]] std::string test_of_site(const strip_loop& loop, const strip_names& names,
                                         const strip_site& site, const std::string& pointer);
  [[nodiscard]] std::string test_of_strip(const strip_loop& loop, const strip_names& names);
  [[nodiscard]] std::string rest_of_strip(const strip_loop& loop, const strip_names& names);
  [[nodiscard]] strip_parts parts_of_strip(const strip_loop& loop, const strip_names& names);
  [[nodiscard]] std::string body_of_strip(const strip_loop& loop, const std::string& exclusive,
                                          const std::string& sum);
  [[nodiscard]] std::string inner_of_strip(const strip_loop& loop, const strip_names& names);
  [[nodiscard]] std::string in_strips(const strip_loop& loop, const std::string& place,
                                      const std::string& low, const std::string& stop,
                                      const std::string& set, const clang::Stmt* body);
  [[nodiscard]] bool may_run_forall(const clang::Stmt* node) const;

  // --- Declarations (emit_declarations.cpp) ------------------------------------------------------
  using declarations = std::vector<clang::Decl*>;
  [[nodiscard]] std::string declaration_statement(const clang::DeclStmt* node);
  [[nodiscard]] std::string group(const declarations& members, std::size_t begin, std::size_t end);
  [[nodiscard]] bool needs_rewriting(const clang::Decl* declaration) const;
  void collect(const clang::Decl* declaration, pieces& found);
  void collect_type(clang::TypeLoc type, pieces& found);
  void collect_record(const clang::RecordDecl* record, pieces& found);
  [[nodiscard]] std::string rewritten(const clang::Decl* declaration);
  [[nodiscard]] std::string variable(const clang::VarDecl* declaration);
  [[nodiscard]] std::string attributes(const clang::Decl* declaration) const;
  [[nodiscard]] std::string function(const clang::FunctionDecl* declaration, std::size_t begin);
  [[nodiscard]] std::string function_header(const clang::FunctionDecl* declaration);
  [[nodiscard]] std::string old_style_header(const clang::FunctionDecl* declaration);
  [[nodiscard]] std::string function_body(const clang::FunctionDecl* declaration);
  [[nodiscard]] std::string main_wrapper(const clang::FunctionDecl* declaration);
  [[nodiscard]] static bool is_main(const clang::FunctionDecl* declaration);

  // --- Static objects (static_objects.cpp) -------------------------------------------------------
  [[nodiscard]] std::string object_name(const clang::VarDecl* variable);
  [[nodiscard]] std::string declare_object(const clang::VarDecl* variable);
  [[nodiscard]] bool starts_with_pointer(const clang::VarDecl* variable) const;
  [[nodiscard]] std::string initialise_at_start(const clang::VarDecl* variable);
  [[nodiscard]] std::string initialise_in_place(const clang::VarDecl* variable);
  void initialise_shared(const clang::VarDecl* variable);
  void initialise_elements(const clang::VarDecl* variable, const clang::Expr* initialiser,
                           std::uint64_t first);
  [[nodiscard]] std::string initial_value(const clang::Expr* initialiser, clang::QualType type);
  [[nodiscard]] std::string object_table();

  program& program_;
  const preprocessed& preprocessed_;
  shared_types types_;
  const clang::FunctionDecl* function_ = nullptr;  // the one that is being emitted
  std::string before_;  // declarations to put before what is being emitted
  std::map<const clang::VarDecl*, std::string> object_names_;
  std::vector<const clang::VarDecl*> objects_;  // static shared objects that this unit defines
  std::set<const clang::VarDecl*> known_objects_;
  std::vector<std::string> initialise_on_all_;    // statements that each thread runs at the start
  std::vector<std::string> initialise_on_first_;  // and those that thread 0 runs
  std::vector<owned_access> owned_;               // of the loops around what is being emitted
  std::vector<owned_access> walked_;      // elements, and the pointers-to-shared that are at them
  std::set<const clang::Expr*> wrapped_;  // sums that must not leave the range of their type
  bool is_controlled_ = false;  // inside a upc_forall that chooses the iterations of this thread
  const clang::FunctionDecl* main_ = nullptr;
  std::string hints_;           // pragmas for the loop that is being emitted
  bool keeps_loops_ = false;    // inside a nest that a pragma describes
  bool holds_writes_ = false;   // inside a loop whose writes go out behind it
  bool takes_address_ = false;  // of what is emitted next: one element behind an array has one too
  unsigned depth_ = 0;          // inside expressions, where no line directive may stand
  unsigned names_ = 0;          // a number for each name that is made up
};

}  // namespace atl::upc
