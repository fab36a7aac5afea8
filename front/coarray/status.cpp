// SPDX-License-Identifier: BSD-3-Clause
//
// Telling an error to a statement, or ending the job for it.
#include <front/coarray/status.hpp>

#include <atoll/base/text.hpp>
#include <front/coarray/process_state.hpp>

#include <algorithm>
#include <cstring>

namespace atl::coarray {

void status_variables::fail(statement_error which, const char* call, std::string_view cause,
                            std::string_view remedy) const noexcept {
  if (stat == nullptr) refuse(call, cause, remedy);
  *stat = code_of(*codes, which);
  if (message == nullptr || message_bytes == 0) return;
  const std::string report = text(call, ": ", cause);
  const std::size_t kept = std::min(report.size(), message_bytes);
  std::memcpy(message, report.data(), kept);
  std::memset(message + kept, ' ', message_bytes - kept);
}

}  // namespace atl::coarray
