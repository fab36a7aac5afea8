// SPDX-License-Identifier: BSD-3-Clause
//
// Recognises a upc_forall whose iterations a thread can count out by itself: one step at a time
// from a first to a last number, with the affinity of `i`, `i + c`, `&a[i + c]` or a row
// `&a[i+c][0]`, and a body that changes neither the counter nor the bound. A loop about which it is
// unsure is not recognised: each of its iterations asks for its owner.
#pragma once

#include <front/upc/translator/shared_type.hpp>

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace atl::upc {

struct owned_loop {
  const clang::VarDecl* counter = nullptr;
  bool declares_counter = false;
  const clang::Expr* first = nullptr;  // the counter's first value
  const clang::Expr* bound = nullptr;  // the loop goes on below it
  bool includes_bound = false;         // or up to it
  std::int64_t shift = 0;              // the affinity is that of element counter + shift
  const clang::Expr* base = nullptr;   // the array or pointer; null for the affinity of an integer
  std::uint64_t block = 1;             // in elements of the loop, which may be rows
  std::uint64_t row = 1;               // elements of the array in one of the loop
};

// Empty if the loop is not of this form.
std::optional<owned_loop> recognise(const program& source, const shared_types& types,
                                    const clang::ForStmt* loop, const clang::Expr* step,
                                    const clang::Expr* affinity);

// Shared lvalues in the body that this thread owns in each of its iterations, because they are
// elements with the same number, of arrays in the same layout. The variable of each is its array or
// pointer.
struct owned_element {
  const clang::Expr* lvalue = nullptr;
  const clang::VarDecl* array = nullptr;
};
std::vector<owned_element> owned_elements(const program& source, const shared_types& types,
                                          const owned_loop& loop, const clang::Stmt* body);

// --- Runs ----------------------------------------------------------------------------------------
//
// In a counted loop, the elements that an expression names one after the other lie side by side as
// long as they are in one block: a run. One private pointer reaches its elements, or, where another
// host has them, a copy.

// An expression that names the next element in each iteration: a[i + c], a[k][i], or *p++.
struct run_site {
  std::vector<const clang::Expr*> lvalues;  // it, wherever it is written
  const clang::VarDecl* moved = nullptr;    // p of *p++
  std::string walker;                       // the name of the pointer that is moved instead of p
  std::uint64_t block = 0;
  bool is_read = false, is_written = false;
};

struct run_loop {
  owned_loop counted;  // without an affinity
  std::vector<run_site> sites;
  bool may_copy = false;    // values may be fetched before a run and stored after it
  const char* reason = "";  // why they may not
  // All elements are in blocks of one, and the order of the iterations makes no difference: each
  // writes elements of its own, and otherwise only adds to numbers.
  bool has_any_order = false;
  std::vector<const clang::CompoundAssignOperator*> sums;  // that must wrap, in another order
};

// Shorter blocks have no runs: setting one up costs more than it saves.
inline constexpr std::uint64_t shortest_run = 8;

// Reads the loop if it is an innermost one that counts and has such expressions. Those for which
// `is_owned` holds are private already.
using lvalue_test = std::function<bool(const clang::Expr*)>;
std::optional<run_loop> recognise_runs(const program& source, const shared_types& types,
                                       const clang::ForStmt* loop, const clang::Expr* step,
                                       const lvalue_test& is_owned);

// Loops whose elements follow each other in blocks that are too short for runs: a pointer-to-shared
// steps from each element to the next, which takes no division. Only the sites of the result are
// used. If the order makes no difference, elements in blocks of one are visited thread by thread,
// since those of a thread lie side by side.
std::optional<run_loop> recognise_walks(const program& source, const shared_types& types,
                                        const clang::ForStmt* loop, const clang::Expr* step,
                                        const lvalue_test& is_owned);

// Whether relaxed writes of the loop to other hosts may wait until it ends.
bool may_hold_writes(const program& source, const shared_types& types, const clang::ForStmt* loop,
                     const lvalue_test& is_owned);

// --- Strips --------------------------------------------------------------------------------------
//
// The body of a counted loop over elements i that has one loop inside, whose iterations read
// elements a[i ^ x] or a[i + x], where x changes from one inner iteration to the next. For a given
// x, the elements i of a strip need elements that lie side by side. So the inner loop is run for a
// whole strip:
//
//   for (i...) { T sum = 0; for (k...) sum += a[i ^ x(k)]; rest(i, sum); }
//
//   for each strip of i { for (i of it) sums[i] = 0;
//                         for (k...) for (i of it) sums[i] += a[i ^ x(k)];
//                         for (i of it) rest(i, sums[i]); }

struct strip_site {
  const clang::ArraySubscriptExpr* lvalue = nullptr;
  const clang::Expr* other = nullptr;  // x; null where the index is the counter
  bool is_exclusive_or = false;        // else a sum
  clang::QualType type;                // of the index
};

struct strip_loop {
  std::vector<const clang::DeclStmt*> first;  // the declarations before the inner loop
  const clang::ForStmt* inner = nullptr;
  std::vector<const clang::Stmt*> rest;          // the statements behind it
  std::vector<const clang::VarDecl*> variables;  // those of which each element has its own
  std::vector<strip_site> sites;
  std::vector<strip_site> late_sites;       // a[i], read behind the inner loop
  std::vector<const clang::Expr*> written;  // elements that the thread owns
  std::uint64_t length = 0;                 // of a strip: a power of two
};

// Shorter strips do not pay; longer ones exceed the first-level cache.
inline constexpr std::uint64_t shortest_strip = 16, longest_strip = 1024;

// Empty if the body is not of this form, or the order of its accesses makes a difference.
std::optional<strip_loop> recognise_strips(const program& source, const shared_types& types,
                                           const clang::ForStmt* loop, const clang::Expr* step,
                                           const lvalue_test& is_owned);

}  // namespace atl::upc
