// SPDX-License-Identifier: BSD-3-Clause
//
// The list is of the harmless settings, so that a new one is refused until it is known to be one.
#include <tools/tune/job_settings.hpp>

#include <atoll/base/text.hpp>

#include <algorithm>
#include <array>
#include <string_view>

namespace atl::tune {

namespace {

constexpr std::array<std::string_view, 18> harmless{
    "ATOLL_COLL_TABLE",    "ATOLL_BARRIER_RADIX",  // the command sets both for its jobs
    "ATOLL_NETWORK",       "ATOLL_OFI_PROVIDER",    "ATOLL_OFI_INTERFACE",  "ATOLL_INTERFACE",
    "ATOLL_MODULE_PATH",   "ATOLL_VERBOSE",         "ATOLL_IMAGES",         "ATOLL_TUNE_SAVE",
    "ATOLL_SEGMENT_LIMIT", "ATOLL_SYMMETRIC_LIMIT", "ATOLL_MEMORY_LIMIT",   "ATOLL_DEVICE_PATH",
    "ATOLL_DEVICE_PIN",    "ATOLL_DEVICE_CHUNK",    "ATOLL_DEVICE_STAGING", "ATOLL_OFI_DEVICES"};

bool is_default(const settings& current, const settings& usual, const setting_row& row) {
  switch (row.kind) {
    case setting_kind::flag:
      return current.flag(row) == usual.flag(row);
    case setting_kind::number:
    case setting_kind::bytes:
      return current.number(row) == usual.number(row);
    case setting_kind::choice:
      return current.choice(row) == usual.choice(row);
    case setting_kind::text:
      break;
  }
  return current.text(row) == usual.text(row);
}

}  // namespace

std::vector<std::string> settings_that_change_times(const settings& current) {
  constexpr const char* nothing[] = {nullptr};
  const settings usual = settings::read(nothing);
  std::vector<std::string> found;
  for (const setting_row* row : all_settings()) {
    const bool counts = !row->set_by_launcher && std::ranges::count(harmless, row->name) == 0;
    if (counts && !is_default(current, usual, *row))
      found.push_back(text(row->name, "=", current.text(*row)));
  }
  return found;
}

}  // namespace atl::tune
