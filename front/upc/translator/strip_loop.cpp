// SPDX-License-Identifier: BSD-3-Clause
//
// Finds loops that may be run strip by strip (owned_loop.hpp). Elements of a strip then take turns
// in another order, so no element may see what another one does: before and inside of the inner
// loop an element writes only variables of its own, or elements of its own number that are read in
// no other way. Shared elements that the thread writes and those that it reads by a[i ^ x] may
// still be the same ones; the emitted code compares their places before each strip.
#include <front/upc/translator/loop_reader.hpp>

#include <algorithm>

namespace atl::upc {
namespace {

class strip_reader : public loop_reader {
 public:
  strip_reader(const program& source, const shared_types& types, const clang::ForStmt* loop,
               const lvalue_test& is_owned)
      : loop_reader(source, types, loop), is_owned_(is_owned) {}

  std::optional<strip_loop> run(const clang::Expr* step) {
    if (!read_count(step) || !divide_body() || !read_head() || !read_first()) return std::nullopt;
    for (const clang::Stmt* each : found_.rest) note_changed(each);
    if (!read_inner(found_.inner->getBody())) return std::nullopt;
    for (const clang::Stmt* each : found_.rest)
      if (!read_rest(each)) return std::nullopt;
    if (writes_in_inner_ && !found_.rest.empty()) return std::nullopt;
    return choose_length() ? std::optional(std::move(found_)) : std::nullopt;
  }

 private:
  // Divides the body into declarations, one loop, and the rest.
  bool divide_body() {
    const clang::Stmt* body = loop_->getBody();
    std::vector<const clang::Stmt*> parts{body};
    if (const auto* block = llvm::dyn_cast<clang::CompoundStmt>(body))
      parts.assign(block->body_begin(), block->body_end());
    for (const clang::Stmt* part : parts) {
      if (found_.inner != nullptr) {
        found_.rest.push_back(part);
      } else if (const auto* inner = llvm::dyn_cast<clang::ForStmt>(part)) {
        found_.inner = inner;
      } else if (const auto* declaration = llvm::dyn_cast<clang::DeclStmt>(part)) {
        found_.first.push_back(declaration);
      } else {
        return false;
      }
    }
    const bool is_forall =
        found_.inner != nullptr &&
        source_.source.foralls.count(source_.place(found_.inner->getForLoc())) != 0;
    return found_.inner != nullptr && !is_forall;
  }

  // The inner loop counts between numbers that are the same for all elements.
  struct head_reader : loop_reader {
    using loop_reader::loop_reader;
    const clang::VarDecl* counter() {
      return read_count(loop_->getInc()) && result_.declares_counter ? result_.counter : nullptr;
    }
    [[nodiscard]] const owned_loop& counted() const { return result_; }
  };
  bool read_head() {
    head_reader head(source_, types_, found_.inner);
    inner_counter_ = head.counter();
    return inner_counter_ != nullptr && is_unchanged(head.counted().first) &&
           is_unchanged(head.counted().bound);
  }

  [[nodiscard]] bool is_own_variable(const clang::VarDecl* variable) const {
    return std::find(found_.variables.begin(), found_.variables.end(), variable) !=
           found_.variables.end();
  }

  bool read_first() {
    for (const clang::DeclStmt* statement : found_.first) {
      for (const clang::Decl* each : statement->decls()) {
        const auto* variable = llvm::dyn_cast<clang::VarDecl>(each);
        if (variable == nullptr || !variable->getType()->isArithmeticType() ||
            variable->getType().isVolatileQualified() || !is_private_local(variable))
          return false;
        allowed_.insert(result_.counter);
        const bool is_initial_value_fixed =
            variable->getInit() == nullptr || (is_unchanged(variable->getInit()) &&
                                               !variable->getInit()->HasSideEffects(source_.tree));
        allowed_.erase(result_.counter);
        if (!is_initial_value_fixed) return false;
        found_.variables.push_back(variable);
        allowed_.insert(variable);
      }
    }
    for (const clang::VarDecl* variable : found_.variables) allowed_.erase(variable);
    return true;
  }

  // Variables that the rest changes, which nothing before it may name.
  void note_changed(const clang::Stmt* node) {
    walk(node, [&](const clang::Stmt* each) {
      if (const clang::Expr* target = target_of(each); target != nullptr)
        changed_.insert(root_of(target));
      return true;
    });
  }

  // The operand that an assignment, ++ or -- changes.
  static const clang::Expr* target_of(const clang::Stmt* node) {
    const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(node);
    const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(node);
    if (binary != nullptr && binary->isAssignmentOp()) return binary->getLHS();
    return unary != nullptr && unary->isIncrementDecrementOp() ? unary->getSubExpr() : nullptr;
  }

  // Whether a statement is of a kind whose elements may take turns in another order.
  bool is_plain(const clang::Stmt* node) const {
    if (const auto* call = llvm::dyn_cast<clang::CallExpr>(node)) return is_pure_call(call);
    return llvm::isa<clang::CompoundStmt, clang::IfStmt, clang::NullStmt, clang::ParenExpr,
                     clang::CastExpr, clang::UnaryOperator, clang::BinaryOperator,
                     clang::ConditionalOperator, clang::DeclRefExpr, clang::ArraySubscriptExpr,
                     clang::MemberExpr, clang::IntegerLiteral, clang::FloatingLiteral,
                     clang::CharacterLiteral, clang::ConstantExpr, clang::DeclStmt>(node);
  }

  bool read_inner(const clang::Stmt* node) {
    if (node == nullptr) return true;
    if (!is_plain(node) || llvm::isa<clang::DeclStmt>(node)) return false;
    if (const auto* expression = llvm::dyn_cast<clang::Expr>(node)) {
      if (expression->isGLValue() && types_.is_shared_lvalue(expression))
        return read_shared(expression->IgnoreParens());
      if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(expression);
          reference != nullptr && !is_readable(reference->getDecl()))
        return false;
    }
    if (const clang::Expr* target = target_of(node); target != nullptr) {
      if (types_.is_shared_lvalue(target)) {
        if (!add_written(target)) return false;
        writes_in_inner_ = true;
      } else if (!is_own_variable(variable_of(target))) {
        return false;
      }
    }
    // Private memory, except named variables, may be that of shared elements.
    const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(node);
    if (unary != nullptr &&
        (unary->getOpcode() == clang::UO_Deref || unary->getOpcode() == clang::UO_AddrOf))
      return false;
    if (llvm::isa<clang::ArraySubscriptExpr, clang::MemberExpr>(node)) {
      const clang::VarDecl* root = root_of(llvm::cast<clang::Expr>(node));
      if (root == nullptr || !root->hasLocalStorage()) return false;
    }
    return std::all_of(node->child_begin(), node->child_end(),
                       [&](const clang::Stmt* child) { return read_inner(child); });
  }

  bool is_readable(const clang::ValueDecl* name) const {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(name);
    if (variable == nullptr)
      return llvm::isa<clang::EnumConstantDecl>(name) || llvm::isa<clang::FunctionDecl>(name);
    if (variable == result_.counter || variable == inner_counter_ || is_own_variable(variable))
      return true;
    return changed_.count(variable) == 0 && is_unchanged_name(variable);
  }

  // An element of the thread's own, or a[i ^ x].
  bool read_shared(const clang::Expr* lvalue) {
    if (types_.is_strict(lvalue)) return false;
    if (is_owned_(lvalue)) return is_whole_element(lvalue);
    const auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(lvalue);
    if (subscript == nullptr || !subscript->getType()->isArithmeticType() ||
        subscript->getType().isVolatileQualified())
      return false;
    const clang::VarDecl* array = variable_of(subscript->getBase());
    if (array == nullptr) return false;
    const bool is_array = types_.is_shared(array->getType()) && array->getType()->isArrayType();
    if (!is_array && !(types_.is_pointer_to_shared(array->getType()) && is_unchanged_name(array)))
      return false;
    const std::optional<layout> spread = types_.find_layout(lvalue);
    return spread && !spread->is_generic && add_site(subscript, spread->block);
  }

  // Adds an element a[i] that the thread may not own, which follows that of the iteration before.
  void add_late_site(const clang::Expr* lvalue) {
    const auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(lvalue);
    if (subscript == nullptr || is_owned_(lvalue) || !is_whole_element(lvalue) ||
        subscript->getType().isVolatileQualified() || !is_counter(subscript->getIdx()))
      return;
    const clang::VarDecl* array = variable_of(subscript->getBase());
    const bool is_array = types_.is_shared(array->getType()) && array->getType()->isArrayType();
    const std::optional<layout> spread = types_.find_layout(lvalue);
    const bool is_known = is_array || (types_.is_pointer_to_shared(array->getType()) &&
                                       changed_.count(array) == 0 && is_unchanged_name(array));
    if (!is_known || !spread || spread->is_generic || spread->block == 1) return;
    found_.late_sites.push_back({.lvalue = subscript, .type = subscript->getIdx()->getType()});
  }

  // Whether this is a[i] of an array, and not a part of it, so that i gives its place.
  bool is_whole_element(const clang::Expr* lvalue) const {
    const auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(lvalue);
    return subscript != nullptr && subscript->getType()->isArithmeticType() &&
           variable_of(subscript->getBase()) != nullptr;
  }

  bool add_site(const clang::ArraySubscriptExpr* lvalue, std::uint64_t block) {
    strip_site site;
    site.lvalue = lvalue;
    const clang::Expr* index = bare(lvalue->getIdx());
    site.type = index->getType();
    if (!is_counter(index)) {
      const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(index);
      if (operation == nullptr) return false;
      site.is_exclusive_or = operation->getOpcode() == clang::BO_Xor;
      if (!site.is_exclusive_or && operation->getOpcode() != clang::BO_Add) return false;
      const bool is_left = is_counter(operation->getLHS());
      if (!is_left && !is_counter(operation->getRHS())) return false;
      site.other = is_left ? operation->getRHS() : operation->getLHS();
      if (!is_fit_for_index(site)) return false;
    }
    blocks_.push_back(block);
    found_.sites.push_back(site);
    return true;
  }

  // Whether x is the same for all elements, and i and x give the same index in 64 bits.
  bool is_fit_for_index(const strip_site& site) {
    const clang::QualType counter = result_.counter->getType();
    if (!site.other->getType()->isIntegerType() || !site.type->isIntegerType()) return false;
    const std::uint64_t width = source_.tree.getTypeSize(site.type);
    const bool is_signed = site.type->isSignedIntegerOrEnumerationType();
    if (width < source_.tree.getTypeSize(counter)) return false;
    if (counter->isSignedIntegerOrEnumerationType() && !is_signed) return false;
    if (!site.is_exclusive_or && !is_signed && width < 64) return false;  // a sum that wraps
    bool divides = false;
    walk(site.other, [&](const clang::Stmt* node) {
      const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(node);
      divides |= binary != nullptr &&
                 (binary->getOpcode() == clang::BO_Div || binary->getOpcode() == clang::BO_Rem);
      return !divides;
    });
    allowed_.insert(inner_counter_);
    const bool is_same = !divides && is_unchanged(site.other);
    allowed_.erase(inner_counter_);
    return is_same;
  }

  bool add_written(const clang::Expr* target) {
    const clang::Expr* lvalue = target->IgnoreParens();
    if (types_.is_strict(lvalue) || !is_owned_(lvalue) || !is_whole_element(lvalue)) return false;
    found_.written.push_back(lvalue);
    return true;
  }

  // The rest runs in its order; it must not change values that the inner loop of a later element
  // reads.
  bool read_rest(const clang::Stmt* node) {
    if (node == nullptr) return true;
    if (!is_plain(node) && !llvm::isa<clang::ContinueStmt>(node)) return false;
    if (const auto* expression = llvm::dyn_cast<clang::Expr>(node);
        expression != nullptr && expression->isGLValue() && types_.is_shared_lvalue(expression)) {
      const clang::Expr* lvalue = expression->IgnoreParens();
      if (types_.is_strict(lvalue)) return false;
      add_late_site(lvalue);
    }
    if (const clang::Expr* target = target_of(node); target != nullptr) {
      const bool is_shared = types_.is_shared_lvalue(target);
      if (is_shared && !add_written(target)) return false;
      const clang::VarDecl* root = root_of(target);
      if (!is_shared && (root == nullptr || !root->getType()->isScalarType() ||
                         root->getType().isVolatileQualified() || !is_private_local(root)))
        return false;
    }
    if (const auto* declaration = llvm::dyn_cast<clang::DeclStmt>(node)) {
      for (const clang::Decl* each : declaration->decls())
        if (!read_rest(llvm::cast<clang::VarDecl>(each)->getInit())) return false;
      return true;
    }
    return std::all_of(node->child_begin(), node->child_end(),
                       [&](const clang::Stmt* child) { return read_rest(child); });
  }

  // Elements a[i ^ x] of an aligned strip lie in one block.
  bool choose_length() {
    found_.length = longest_strip;
    bool has_exclusive_or = false;
    for (std::size_t i = 0; i < found_.sites.size(); ++i) {
      const std::uint64_t block = blocks_[i];
      has_exclusive_or = has_exclusive_or || found_.sites[i].is_exclusive_or;
      if (found_.sites[i].is_exclusive_or && block != 0)
        found_.length = std::min(found_.length, block & (~block + 1));
    }
    return has_exclusive_or && found_.length >= shortest_strip;
  }

  const lvalue_test& is_owned_;
  strip_loop found_;
  std::vector<std::uint64_t> blocks_;  // of the sites
  const clang::VarDecl* inner_counter_ = nullptr;
  std::set<const clang::VarDecl*> changed_;
  bool writes_in_inner_ = false;
};

}  // namespace

std::optional<strip_loop> recognise_strips(const program& source, const shared_types& types,
                                           const clang::ForStmt* loop, const clang::Expr* step,
                                           const lvalue_test& is_owned) {
  return strip_reader(source, types, loop, is_owned).run(step);
}

}  // namespace atl::upc
