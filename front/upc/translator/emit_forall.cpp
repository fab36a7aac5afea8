// SPDX-License-Identifier: BSD-3-Clause
//
// upc_forall that visits only the elements which this thread owns.
#include <front/upc/translator/emitter.hpp>

namespace atl::upc {

std::string emitter::owned_forall(const clang::ForStmt*, const clang::Expr*, const clang::Expr*) {
  return "";
}

}  // namespace atl::upc
