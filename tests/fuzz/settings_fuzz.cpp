// SPDX-License-Identifier: BSD-3-Clause
//
// Fuzzes the settings parser: the input is an environment, one "NAME=value" per line (or ended by a
// zero byte). Reading any environment gives values inside their ranges, warnings of one printable
// line each, or `atl::error`, and nothing else.
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

void check_values(const atl::settings& values) {
  require(!atl::all_settings().empty());
  for (const atl::setting_row* each : atl::all_settings()) {
    const atl::setting_row& row = *each;
    if (values.text(row).empty()) continue;
    const bool ranged =
        row.kind == atl::setting_kind::number || row.kind == atl::setting_kind::bytes;
    if (ranged) require(values.number(row) >= row.min && values.number(row) <= row.max);
    if (row.kind == atl::setting_kind::flag) require(values.number(row) <= 1);
    if (row.kind == atl::setting_kind::choice) require(values.choice(row) < row.choices.size());
  }
  for (const auto& line : values.warnings()) {
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
