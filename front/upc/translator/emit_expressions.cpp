// SPDX-License-Identifier: BSD-3-Clause
//
// Expressions. value() gives the C text of an expression's value, address() that of the pointer to
// a shared lvalue. A node that means the same in C is copied, and only its children are replaced;
// so most of a program stays as it was written.
#include <front/upc/translator/emitter.hpp>

#include <algorithm>
#include <utility>

namespace atl::upc {
namespace {

using clang::dyn_cast;

bool is_null(const clang::Expr* expression) {
  const auto* cast = dyn_cast<clang::CastExpr>(expression->IgnoreParens());
  if (cast == nullptr) return false;
  return cast->getCastKind() == clang::CK_NullToPointer || is_null(cast->getSubExpr());
}

bool holds_shared(const shared_types& types, const clang::Stmt* node) {
  if (node == nullptr) return false;
  const auto* expression = dyn_cast<clang::Expr>(node);
  if (expression != nullptr && types.mentions_shared(expression->getType())) return true;
  for (const clang::Stmt* child : node->children()) {
    if (holds_shared(types, child)) return true;
  }
  return false;
}

}  // namespace

// Copies the node's own text, with the values of its children in it.
std::string emitter::children(const clang::Stmt* node) {
  pieces found;
  for (const clang::Stmt* child : node->children()) {
    if (child == nullptr || child->getBeginLoc().isInvalid()) continue;
    const auto* expression = dyn_cast<clang::Expr>(child);
    found.push_back({begin_of(child), end_of(child),
                     expression != nullptr ? value(expression) : statement(child)});
  }
  return copy(begin_of(node), end_of(node), std::move(found));
}

std::string emitter::value(const clang::Expr* expression) {
  const edit* around = program_.source.edit_around(begin_of(expression), end_of(expression));
  if (around != nullptr && !around->is_qualifier) return placed_call(expression, around->emitted);
  ++depth_;
  std::string text = node_value(expression);
  --depth_;
  return placed_call(expression, text);
}

std::string emitter::node_value(const clang::Expr* expression) {
  if (const auto* size = program_.size_operator_of(expression)) return size_of(size);
  const clang::QualType type = expression->getType();
  if (expression->isGLValue() && types_.is_shared(type) &&
      !llvm::isa<clang::StmtExpr>(expression)) {
    return load(expression);  // its value is not used
  }
  if (const auto* node = dyn_cast<clang::CastExpr>(expression)) return cast(node);
  if (const auto* node = dyn_cast<clang::UnaryOperator>(expression)) return unary(node);
  if (wrapped_.count(expression) != 0)
    return wrapped_sum(llvm::cast<clang::CompoundAssignOperator>(expression));
  if (const auto* node = dyn_cast<clang::BinaryOperator>(expression)) return binary(node);
  if (const auto* node = dyn_cast<clang::ConditionalOperator>(expression)) return conditional(node);
  if (const auto* node = dyn_cast<clang::BinaryConditionalOperator>(expression))
    return short_conditional(node);
  if (const auto* node = dyn_cast<clang::UnaryExprOrTypeTraitExpr>(expression))
    return size_of(node);
  if (const auto* node = dyn_cast<clang::TypeTraitExpr>(expression)) return type_trait(node);
  if (const auto* node = dyn_cast<clang::CompoundLiteralExpr>(expression)) return literal(node);
  if (const auto* node = dyn_cast<clang::DeclRefExpr>(expression)) return reference(node);
  if (const auto* node = dyn_cast<clang::InitListExpr>(expression)) {
    const clang::InitListExpr* written = node->isSemanticForm() ? node->getSyntacticForm() : node;
    return children(written != nullptr ? written : node);
  }
  if (const auto* node = dyn_cast<clang::GenericSelectionExpr>(expression)) {
    return "(" + value(node->getResultExpr()) + ")";
  }
  if (const auto* node = dyn_cast<clang::ChooseExpr>(expression))
    return "(" + value(node->getChosenSubExpr()) + ")";
  if (const auto* node = dyn_cast<clang::OpaqueValueExpr>(expression))
    return value(node->getSourceExpr());
  if (const auto* node = dyn_cast<clang::VAArgExpr>(expression);
      node != nullptr && types_.is_spelled_anew(type)) {
    return "__builtin_va_arg(" + value(node->getSubExpr()) + ", " + type_name(type) + ")";
  }
  if (const auto* node = dyn_cast<clang::StmtExpr>(expression)) {
    const std::string block = statement(node->getSubStmt());
    return copy(begin_of(node), end_of(node),
                {{begin_of(node->getSubStmt()), end_of(node->getSubStmt()), block}});
  }
  return children(expression);
}

// An expression whose value is not used; assignments of structures then need no copy of their
// value.
std::string emitter::discard(const clang::Expr* expression) {
  const clang::Expr* bare = expression->IgnoreParens();
  const auto* node = dyn_cast<clang::BinaryOperator>(bare);
  if (node != nullptr && node->getOpcode() == clang::BO_Assign && node->getType()->isRecordType()) {
    const std::string text = copy_object(node);
    if (!text.empty()) return text;
  }
  if (const auto* change = dyn_cast<clang::UnaryOperator>(bare);
      change != nullptr && change->isPostfix()) {
    return increment(change);
  }
  return value(expression);
}

// A value as an argument of a macro, which commas in braces and comma operators would end.
std::string emitter::argument(const clang::Expr* expression) {
  const std::string text = value(expression);
  const auto* bare = dyn_cast<clang::BinaryOperator>(expression->IgnoreImplicit());
  const bool is_comma = bare != nullptr && bare->getOpcode() == clang::BO_Comma;
  return is_comma || text.find('{') != std::string::npos ? "(" + text + ")" : text;
}

// A value that is compared with zero.
std::string emitter::condition(const clang::Expr* expression) {
  if (!types_.is_pointer_to_shared(expression->getType())) return value(expression);
  return "(!atoll_upc_is_null(" + value(expression) + "))";
}

std::string emitter::reference(const clang::DeclRefExpr* expression) {
  if (expression->getDecl() == main_ && main_ != nullptr) return "atoll_upc_user_main";
  if (const auto* function = dyn_cast<clang::FunctionDecl>(expression->getDecl());
      function != nullptr) {
    if (is_main(function)) return "atoll_upc_user_main";
  }
  return copy(begin_of(expression), end_of(expression));
}

std::string emitter::unary(const clang::UnaryOperator* expression) {
  const clang::Expr* operand = expression->getSubExpr();
  switch (expression->getOpcode()) {
    case clang::UO_AddrOf:
      if (types_.is_shared(operand->getType())) {
        takes_address_ = llvm::isa<clang::ArraySubscriptExpr>(operand->IgnoreParens());
        return address(operand);
      }
      break;
    case clang::UO_LNot:
      if (types_.is_pointer_to_shared(operand->getType()))
        return "atoll_upc_is_null(" + value(operand) + ")";
      break;
    case clang::UO_PreInc:
    case clang::UO_PreDec:
    case clang::UO_PostInc:
    case clang::UO_PostDec:
      return increment(expression);
    default:
      break;
  }
  return children(expression);
}

std::string emitter::binary(const clang::BinaryOperator* expression) {
  const clang::Expr *left = expression->getLHS(), *right = expression->getRHS();
  const bool is_left = types_.is_pointer_to_shared(left->getType());
  const bool is_right = types_.is_pointer_to_shared(right->getType());
  if (const auto* node = dyn_cast<clang::CompoundAssignOperator>(expression)) return update(node);
  if (expression->getOpcode() == clang::BO_Assign) return assign(expression);
  if (expression->isLogicalOp()) {
    return copy(begin_of(expression), end_of(expression),
                {{begin_of(left), end_of(left), condition(left)},
                 {begin_of(right), end_of(right), condition(right)}});
  }
  if (expression->getOpcode() == clang::BO_Comma) {
    return copy(begin_of(expression), end_of(expression),
                {{begin_of(left), end_of(left), discard(left)},
                 {begin_of(right), end_of(right), value(right)}});
  }
  if (expression->isComparisonOp() && (is_left || is_right)) return compare(expression);
  if (expression->getOpcode() == clang::BO_Sub && is_left && is_right) {
    const element_count elements = types_.elements_of(left->getType()->getPointeeType());
    const std::string difference = "atoll_upc_subtract(" + value(left) + ", " + value(right) +
                                   ", " + arguments_of_step(left) + ")";
    if (elements.number == 1 && !elements.times_threads) return difference;
    return "(" + difference + " / (ptrdiff_t)(" + count(elements) + "))";
  }
  if (expression->isAdditiveOp() && (is_left || is_right)) {
    const clang::Expr* pointer = is_left ? left : right;
    const std::string number = value(is_left ? right : left);
    return step(pointer, value(pointer),
                expression->getOpcode() == clang::BO_Sub ? "-(ptrdiff_t)(" + number + ")" : number);
  }
  return children(expression);
}

std::string emitter::compare(const clang::BinaryOperator* expression) {
  const clang::Expr *left = expression->getLHS(), *right = expression->getRHS();
  const std::string sign = expression->getOpcodeStr().str();
  if (expression->isEqualityOp()) {
    const std::string negation = expression->getOpcode() == clang::BO_NE ? "!" : "";
    if (is_null(right)) return "(" + negation + "atoll_upc_is_null(" + value(left) + "))";
    if (is_null(left)) return "(" + negation + "atoll_upc_is_null(" + value(right) + "))";
    return "(" + negation + "atoll_upc_equal(" + value(left) + ", " + value(right) + "))";
  }
  return "(atoll_upc_compare(" + value(left) + ", " + value(right) + ", " +
         arguments_of_step(left) + ") " + sign + " 0)";
}

std::string emitter::conditional(const clang::ConditionalOperator* expression) {
  const clang::Expr* parts[] = {expression->getCond(), expression->getTrueExpr(),
                                expression->getFalseExpr()};
  return copy(begin_of(expression), end_of(expression),
              {{begin_of(parts[0]), end_of(parts[0]), condition(parts[0])},
               {begin_of(parts[1]), end_of(parts[1]), value(parts[1])},
               {begin_of(parts[2]), end_of(parts[2]), value(parts[2])}});
}

// a ?: b, which evaluates a once.
std::string emitter::short_conditional(const clang::BinaryConditionalOperator* expression) {
  const clang::Expr *first = expression->getCommon(), *second = expression->getFalseExpr();
  if (!types_.is_pointer_to_shared(expression->getType())) {
    return "(" + value(first) + " ?: " + value(second) + ")";
  }
  return "__extension__({ const atoll_upc_pointer atoll_upc_first = " + value(first) +
         "; atoll_upc_is_null(atoll_upc_first) ? " + value(second) + " : atoll_upc_first; })";
}

std::string emitter::literal(const clang::CompoundLiteralExpr* expression) {
  const clang::Expr* list = expression->getInitializer();
  if (!types_.is_spelled_anew(expression->getType())) {
    return copy(begin_of(expression), end_of(expression),
                {{begin_of(list), end_of(list), value(list)}});
  }
  return "(" + type_name(expression->getType()) + ")" + value(list);
}

// --- sizeof and its family ----------------------------------------------------------------------

std::string emitter::size_of(const clang::UnaryExprOrTypeTraitExpr* expression) {
  const auto found =
      program_.source.size_operators.find(program_.place(expression->getOperatorLoc()));
  if (found != program_.source.size_operators.end())
    return size_of_shared(expression, found->second);
  const clang::QualType type = expression->getTypeOfArgument();
  const bool is_size = expression->getKind() == clang::UETT_SizeOf;
  const bool is_by_type = types_.is_spelled_anew(type);
  if (is_by_type && is_size) return size(type);
  if (is_by_type) return "_Alignof(" + type_name(types_.element_of(type)) + ")";
  if (expression->isArgumentType()) return copy(begin_of(expression), end_of(expression));
  const clang::Expr* operand = expression->getArgumentExpr();
  if (!holds_shared(types_, operand) || type->isVariablyModifiedType()) {
    return copy(begin_of(expression), end_of(expression),
                {{begin_of(operand), end_of(operand), value(operand)}});
  }
  return is_size ? size(type) : "_Alignof(" + type_name(type) + ")";
}

std::string emitter::size_of_shared(const clang::UnaryExprOrTypeTraitExpr* expression,
                                    size_operator kind) {
  const clang::QualType type = expression->getTypeOfArgument();
  if (!types_.is_shared(type)) {
    refuse(expression,
           "the operand of upc_localsizeof, upc_blocksizeof and upc_elemsizeof must be shared");
    return "0";
  }
  const std::string element = "sizeof(" + type_name(types_.element_of(type)) + ")";
  if (kind == size_operator::element_size) return element;
  layout spread{1, false};
  if (expression->isArgumentType()) {
    spread = types_.declared_layout(type).value_or(spread);
  } else {
    spread = types_.layout_of(expression->getArgumentExpr());
  }
  if (kind == size_operator::block_size) return "((size_t)" + std::to_string(spread.block) + ")";
  return "(" + local_elements(types_.elements_of(type), spread.block) + " * " + element + ")";
}

// The elements of an array that lie on thread 0, which has the most.
std::string emitter::local_elements(element_count elements, std::uint64_t block) const {
  const unsigned threads = program_.options.static_threads;
  if (block == 0) return count(elements);
  if (elements.times_threads) {
    const std::uint64_t full = elements.number / block * block, rest = elements.number % block;
    if (rest == 0) return std::to_string(full);
    const std::string last = count({rest, true});
    return "(" + std::to_string(full) + " + (" + last + " < " + std::to_string(block) + " ? " +
           last + " : " + std::to_string(block) + "))";
  }
  if (threads == 0) return std::to_string(std::min(elements.number, block));
  const std::uint64_t row = block * threads;
  return std::to_string(elements.number / row * block + std::min(elements.number % row, block));
}

// --- addresses ----------------------------------------------------------------------------------

// The size of an element and the block size, as arguments of the functions of arithmetic.
std::string emitter::arguments_of_step(const clang::Expr* pointer) {
  const clang::QualType element = types_.element_of(pointer->getType()->getPointeeType());
  const std::string bytes = element->isVoidType() ? "1" : "sizeof(" + type_name(element) + ")";
  return bytes + ", " + std::to_string(types_.pointee_layout(pointer).block);
}

// pointer + number; the pointee may be an array.
std::string emitter::step(const clang::Expr* pointer, const std::string& base,
                          const std::string& number) {
  const element_count elements = types_.elements_of(pointer->getType()->getPointeeType());
  const bool is_plain = elements.number == 1 && !elements.times_threads;
  const std::string factor = is_plain ? "" : " * (ptrdiff_t)(" + count(elements) + ")";
  return "atoll_upc_add(" + base + ", " +
         (is_plain ? number : "(ptrdiff_t)(" + number + ")" + factor) + ", " +
         arguments_of_step(pointer) + ")";
}

std::string emitter::address(const clang::Expr* lvalue) {
  const clang::Expr* expression = lvalue->IgnoreParens();
  for (const owned_access& each : walked_)
    if (each.lvalue == expression) return each.text;
  if (const auto* reference = dyn_cast<clang::DeclRefExpr>(expression)) {
    if (const auto* variable = dyn_cast<clang::VarDecl>(reference->getDecl())) {
      return "ATOLL_UPC_OBJECT(" + object_name(variable) + ")";
    }
  }
  if (const auto* subscript = dyn_cast<clang::ArraySubscriptExpr>(expression))
    return indexed(subscript);
  if (const auto* node = dyn_cast<clang::MemberExpr>(expression)) return member(node);
  if (const auto* unary = dyn_cast<clang::UnaryOperator>(expression)) {
    if (unary->getOpcode() == clang::UO_Deref) return argument(unary->getSubExpr());
    if (unary->getOpcode() == clang::UO_Extension) return address(unary->getSubExpr());
    // The parts of a complex number lie one after the other.
    if (unary->getOpcode() == clang::UO_Real)
      return "atoll_upc_member(" + address(unary->getSubExpr()) + ", 0)";
    if (unary->getOpcode() == clang::UO_Imag) {
      return "atoll_upc_member(" + address(unary->getSubExpr()) + ", sizeof(" +
             type_name(unary->getType().getUnqualifiedType()) + "))";
    }
  }
  if (const auto* cast = dyn_cast<clang::CastExpr>(expression)) return address(cast->getSubExpr());
  refuse(expression, "the translator cannot take the address of this shared expression");
  return "ATOLL_UPC_NULL";
}

// a[i][j] of an array of arrays is one step of i * columns + j elements from a.
std::string emitter::subscripts(const clang::Expr* lvalue, std::string& number) {
  const auto* subscript = dyn_cast<clang::ArraySubscriptExpr>(lvalue->IgnoreParens());
  if (subscript == nullptr) return address(lvalue);
  const clang::Expr* base = subscript->getBase()->IgnoreParens();
  const element_count elements = types_.elements_of(subscript->getType());
  const bool is_plain = elements.number == 1 && !elements.times_threads;
  const bool may_be_end = std::exchange(takes_address_, false);
  const std::string index = checked_subscript(subscript, value(subscript->getIdx()), may_be_end);
  std::string outer;
  const auto* decay = dyn_cast<clang::ImplicitCastExpr>(base);
  const bool is_array = decay != nullptr && decay->getCastKind() == clang::CK_ArrayToPointerDecay;
  const std::string pointer =
      is_array ? subscripts(decay->getSubExpr(), outer) : argument(subscript->getBase());
  const std::string own = is_plain && outer.empty() ? index
                          : is_plain
                              ? "(ptrdiff_t)(" + index + ")"
                              : "(ptrdiff_t)(" + index + ") * (ptrdiff_t)(" + count(elements) + ")";
  number = outer.empty() ? own : outer + " + " + own;
  return pointer;
}

std::string emitter::indexed(const clang::ArraySubscriptExpr* expression) {
  std::string number;
  const std::string base = subscripts(expression, number);
  return "atoll_upc_index(" + base + ", " + number + ", " +
         arguments_of_step(expression->getBase()) + ")";
}

// All members of one path together are one step of bytes.
std::string emitter::member(const clang::MemberExpr* expression) {
  const auto* field = dyn_cast<clang::FieldDecl>(expression->getMemberDecl());
  const clang::Expr* base = expression->getBase();
  std::string path = field->getName().str();
  const clang::RecordDecl* record = field->getParent();
  bool is_named = !field->getName().empty();
  while (!expression->isArrow()) {
    const auto* outer = dyn_cast<clang::MemberExpr>(base->IgnoreParens());
    if (outer == nullptr) break;
    const auto* outer_field = dyn_cast<clang::FieldDecl>(outer->getMemberDecl());
    if (!outer_field->getName().empty())
      path = outer_field->getName().str() + (path.empty() ? "" : "." + path);
    record = outer_field->getParent();
    expression = outer;
    base = outer->getBase();
  }
  is_named = is_named && !path.empty();
  const std::string pointer = expression->isArrow() ? argument(base) : address(base);
  const std::string bytes = is_named
                                ? "__builtin_offsetof(" + record_name(record) + ", " + path + ")"
                                : std::to_string(program_.tree.getFieldOffset(field) / 8);
  return "atoll_upc_member(" + pointer + ", " + bytes + ")";
}

}  // namespace atl::upc
