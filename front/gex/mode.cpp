// SPDX-License-Identifier: BSD-3-Clause
//
// The notes of thread modes. Constructors write them in one thread, before main(); a shared library
// that is loaded later adds its own at that time.
#include <front/gex/mode.hpp>

#include <gasnetex_identity.h>
#include <atoll/base/text.hpp>

namespace atl::gex {

constinit mode_notes noted_modes;

const char* mode_name(int mode) noexcept {
  switch (mode) {
    case ATOLL_GEX_MODE_SEQ:
      return "SEQ";
    case ATOLL_GEX_MODE_PARSYNC:
      return "PARSYNC";
    case ATOLL_GEX_MODE_PAR:
      return "PAR";
    default:
      return "unknown";
  }
}

void mode_notes::note(int mode, const char* file) noexcept {
  if (mode <= 0 || mode >= modes || file_of_[mode] != nullptr) return;
  file_of_[mode] = file;
}

std::string mode_notes::disagreement() const {
  int first = 0;
  for (int mode = 1; mode < modes; ++mode) {
    if (file_of_[mode] == nullptr) continue;
    if (first == 0) {
      first = mode;
      continue;
    }
    return text(file_of_[first], " was compiled for GASNET_", mode_name(first), " and ",
                file_of_[mode], " for GASNET_", mode_name(mode));
  }
  return {};
}

}  // namespace atl::gex
