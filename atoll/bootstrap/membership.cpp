// SPDX-License-Identifier: BSD-3-Clause
//
// Writes and reads the mark of membership. The mark is "PID/LAUNCH/SOCKET": a process id, a hash of
// all variables by which launchers tell a process apart, and the identity of the socket that PMI_FD
// names, because the variables may be the same in two launches that lie inside each other. A
// descriptor that is not open any more says nothing: an MPI library that is finalised closes it.
#include <atoll/bootstrap/membership.hpp>

#include <atoll/base/hash.hpp>
#include <atoll/base/text.hpp>
#include <atoll/bootstrap/foreign.hpp>
#include <atoll/bootstrap/settings.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <string>

namespace atl::bootstrap {
namespace {

constexpr std::array launch_variables{"ATOLL_JOB",          "ATOLL_RANK",
                                      "PMIX_NAMESPACE",     "PMIX_RANK",
                                      "PMI_RANK",           "PMI_FD",
                                      "PMI_PORT",           "PMI_ID",
                                      "PMI_JOBID",          "OMPI_COMM_WORLD_RANK",
                                      "SLURM_JOB_ID",       "SLURM_STEP_ID",
                                      "SLURM_PROCID",       "FLUX_JOB_ID",
                                      "FLUX_TASK_RANK",     "PALS_APID",
                                      "PALS_RANKID",        "ALPS_APP_PE",
                                      "JSM_NAMESPACE",      "JSM_NAMESPACE_RANK",
                                      "MV2_COMM_WORLD_RANK"};

void add_text(stable_hash& hash, std::string_view text) {
  hash.add(text);
  hash.add(static_cast<unsigned char>(0xff));  // the end of a text
}

/// The identity of the socket to the PMI server, 0 where there is none.
std::uint64_t pmi_socket() {
  const auto text = foreign_variable("PMI_FD");
  int number = -1;
  std::from_chars(text.data(), text.data() + text.size(), number);
  struct stat status{};
  if (number < 0 || fstat(number, &status) != 0 || !S_ISSOCK(status.st_mode)) return 0;
  return status.st_ino;
}

std::string launch_hash() {
  stable_hash hash;
  for (const char* name : launch_variables) add_text(hash, foreign_variable(name));
  char digits[17] = {};
  std::to_chars(digits, digits + 16, hash.value(), 16);
  return digits;
}

}  // namespace

bool has_inherited_job(const settings& settings) {
  const std::string_view mark = settings.text(setting::member);
  return !mark.empty() && mark.substr(0, mark.find('/')) != std::to_string(getpid());
}

bool is_started_by_rank(const settings& settings) {
  const std::string_view mark = settings.text(setting::member);
  const auto first = mark.find('/');
  const auto last = mark.rfind('/');
  if (first == last || !has_inherited_job(settings)) return false;
  const auto socket = pmi_socket();
  return mark.substr(first + 1, last - first - 1) == launch_hash() &&
         (socket == 0 || mark.substr(last + 1) == std::to_string(socket));
}

bool has_launcher(const settings& settings) {
  if (is_started_by_rank(settings)) return false;
  const bool has_rank = !settings.text(setting::rank).empty() && !has_inherited_job(settings);
  return has_rank || find_foreign_launcher(foreign_variable) ||
         !foreign_variable("PMI_PORT").empty();
}

void mark_children() {
  set_for_children("ATOLL_MEMBER", text(getpid(), "/", launch_hash(), "/", pmi_socket()));
}

}  // namespace atl::bootstrap
