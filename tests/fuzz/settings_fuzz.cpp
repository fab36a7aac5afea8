// SPDX-License-Identifier: BSD-3-Clause
//
// Fuzzes the settings parser: the input is an environment, one "NAME=value" per line (or ended by a
// zero byte). Reading any environment ends in values inside their ranges, in warnings of one
// printable line each, or in `atl::error` - never in anything else.
#include <atoll/base/error.hpp>
#include <atoll/base/settings.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

std::vector<std::string> split_entries(const std::uint8_t* data, std::size_t size_bytes) {
  std::vector<std::string> entries(1);
  for (std::size_t i = 0; i < size_bytes; ++i) {
    const char c = static_cast<char>(data[i]);
    if (c == '\n' || c == '\0')
      entries.emplace_back();
    else
      entries.back() += c;
  }
  return entries;
}

void require(bool condition) {
  if (!condition) std::abort();
}

void check_values(const atl::settings& all) {
  for (const auto& row : atl::setting_table()) {
    if (all.text(row.id).empty()) continue;
    const bool ranged =
        row.kind == atl::setting_kind::number || row.kind == atl::setting_kind::bytes;
    if (ranged) require(all.number(row.id) >= row.min && all.number(row.id) <= row.max);
    if (row.kind == atl::setting_kind::flag) require(all.number(row.id) <= 1);
    if (row.kind == atl::setting_kind::choice) require(all.choice(row.id) < row.choices.size());
  }
  for (const auto& line : all.warnings()) {
    require(line.size() < 400);
    for (char c : line) require(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size_bytes) {
  const auto entries = split_entries(data, size_bytes);
  std::vector<const char*> environment;
  for (const auto& entry : entries) environment.push_back(entry.c_str());
  environment.push_back(nullptr);
  try {
    check_values(atl::settings::read(environment.data()));
  } catch (const atl::error& refused) {
    require(!refused.object().empty() && !refused.remedy().empty());
  }
  return 0;
}
