// SPDX-License-Identifier: BSD-3-Clause
//
// Fuzzes the reader of tuned tables: the input is a file. The result is a table whose text reads
// back as the same table, or `atl::error` that names the file and a remedy, and nothing else.
#include <atoll/base/error.hpp>
#include <atoll/coll/tuned/table.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size_bytes) {
  const std::string_view content(reinterpret_cast<const char*>(data), size_bytes);
  try {
    const auto table = atl::coll::parse_tuned_table(content, "input");
    const std::string text = atl::coll::text_of(table);
    const auto back = atl::coll::parse_tuned_table(text, "text");
    require(atl::coll::text_of(back) == text);
    require(atl::coll::digest_of(back) == atl::coll::digest_of(table));
  } catch (const atl::error& refused) {
    require(refused.object() == "input" && !refused.remedy().empty());
  }
  return 0;
}
