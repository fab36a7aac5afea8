// SPDX-License-Identifier: BSD-3-Clause
//
// The refusal of a table. It is not in the header, which programs of C++17 include.
#include <atoll/base/sparse_table.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>

namespace atl {

void refuse_table(std::size_t rows, std::size_t bytes, int cause) {
  throw error(text("a table of ", rows, " rows, ", bytes_text(bytes)), errno_text(cause),
              "raise the limit of addresses of a process (ulimit -v), allow more overcommit "
              "(vm.overcommit_memory), or start fewer ranks");
}

}  // namespace atl
