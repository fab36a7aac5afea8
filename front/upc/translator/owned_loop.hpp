// SPDX-License-Identifier: BSD-3-Clause
//
// Recognises a upc_forall whose iterations a thread can count out by itself: one step at a time
// from a first to a last number, with the affinity of `i`, `i + c`, `&a[i + c]` or a row `&a[i +
// c][0]`, and a body that changes neither the counter nor the bound. A loop that is unsure is not
// recognised: each of its iterations asks for its owner.
#pragma once

#include <front/upc/translator/shared_type.hpp>

#include <optional>
#include <set>
#include <vector>

namespace atl::upc {

struct owned_loop {
  const clang::VarDecl* counter = nullptr;
  bool declares_counter = false;
  const clang::Expr* first = nullptr;  // the counter's first value
  const clang::Expr* bound = nullptr;  // the loop goes on below it
  bool includes_bound = false;         // or up to it
  std::int64_t shift = 0;              // the affinity is that of element counter + shift
  const clang::Expr* base =
      nullptr;              // of the array or pointer; null for the affinity of an integer
  std::uint64_t block = 1;  // in elements of the loop, which may be rows
  std::uint64_t row = 1;    // elements of the array in one of the loop
};

// Nothing if the loop is not of this form.
std::optional<owned_loop> recognise(const program& source, const shared_types& types,
                                    const clang::ForStmt* loop, const clang::Expr* step,
                                    const clang::Expr* affinity);

// Shared lvalues in the body which this thread owns in each of its iterations, because they are
// elements with the same number of arrays in the same layout. The variable of each is that of its
// array or pointer.
struct owned_element {
  const clang::Expr* lvalue = nullptr;
  const clang::VarDecl* array = nullptr;
};
std::vector<owned_element> owned_elements(const program& source, const shared_types& types,
                                          const owned_loop& loop, const clang::Stmt* body);

}  // namespace atl::upc
