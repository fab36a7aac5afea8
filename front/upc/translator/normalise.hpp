// SPDX-License-Identifier: BSD-3-Clause
//
// Turns the words of UPC into C that Clang parses. It works on tokens, and brackets are all the
// grammar that it knows:
//
// clang-format off
//   shared [4]          an address space (shared or not) and a type tag "upc:4" (the layout)
//   shared [N * 2]      the tag "upc:#7"; Clang evaluates the expression, as a constant of an enumeration
//                       that is declared inside the attribute, in the scope where it was written
//   shared int a[4][n]  as a parameter: shared int (*a)[n], which it is
//   upc_blocksizeof x   (0 * sizeof(enum __upc_size_3 {__upc_size_3_value = sizeof x ...}) + __upc_size_3_value), whose
//                       value is set when the enumeration is parsed, so that constants are right at once
//   strict, relaxed     the type tags "upc:strict" and "upc:relaxed"
//   THREADS             without -T, an enumeration constant whose value no program uses (threads_stand_in)
//   upc_forall (a;b;c;d)  for (a;b; (c), (void)(d))
//   upc_barrier e;      a call
// clang-format on
//
// Each replacement is noted as an edit, with what the user wrote and what the emitted C says at
// that place. Text of system headers passes unchanged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace atl::upc {

// Stands for THREADS in constant expressions when the number of threads is not known: a prime, so
// that a number of elements that it divides is that quotient times THREADS.
constexpr std::uint64_t threads_stand_in = 1'573'477;

// Prefixes of the names of the enumerations that hold block sizes, and of those that hold values of
// upc_blocksizeof and its relatives; and the prefix of all names that the normalised text adds.
constexpr const char* layout_prefix = "__upc_layout_";
constexpr const char* size_prefix = "__upc_size_";
constexpr const char* own_prefix = "__upc_";

struct edit {
  std::size_t begin = 0, end = 0;  // the place in the normalised text
  std::string user;                // what the user wrote
  std::string emitted;             // what the output says
  bool is_qualifier = false;       // a part of a type: it must never reach the output as it is
};

// A header whose text is parsed but not emitted; `include` is the directive that the output
// repeats.
struct hidden_text {
  std::size_t begin = 0, end = 0;
  std::string include;
};

enum class size_operator { local_size, block_size, element_size };
enum class affinity_kind { expression, none };

struct fault {
  std::size_t place = 0;
  std::string message;
};

struct normalised {
  std::string text;
  std::vector<edit> edits;                              // by place, none inside another
  std::vector<hidden_text> hidden;                      // by place
  std::map<std::size_t, size_operator> size_operators;  // by the place of the word sizeof
  std::map<std::size_t, affinity_kind> foralls;         // by the place of the word for
  std::map<std::size_t, bool> strict_from;  // from a place on, accesses are strict by pragma or not
  std::vector<std::string> layouts;         // what stands in the brackets of "upc:#N"
  std::vector<fault> faults;                // what is not UPC

  [[nodiscard]] bool is_strict_at(std::size_t place) const;
  [[nodiscard]] bool is_hidden(std::size_t place) const;
  // The edit that [begin, end) is a part of; null if there is none.
  [[nodiscard]] const edit* edit_around(std::size_t begin, std::size_t end) const;
  // The edits that begin in [begin, end).
  [[nodiscard]] std::vector<const edit*> edits_in(std::size_t begin, std::size_t end) const;
};

normalised normalise(const std::string& preprocessed);

// The text to put before the program: it declares the names that the normalised text uses.
std::string normaliser_prelude();

}  // namespace atl::upc
