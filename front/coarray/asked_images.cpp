// SPDX-License-Identifier: BSD-3-Clause
//
// Variables that ask for images, and starting the program anew.
#include <front/coarray/asked_images.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/job_limits.hpp>
#include <atoll/base/parse.hpp>
#include <atoll/base/text.hpp>
#include <atoll/bootstrap/membership.hpp>
#include <atoll/bootstrap/restart.hpp>
#include <atoll/bootstrap/settings.hpp>

#include <optional>

namespace atl::coarray {
namespace {

// Variables of gfortran 16, ifx and NAG, each for its own library.
constexpr const char* variables_of_others[] = {"GFORTRAN_NUM_IMAGES", "FOR_COARRAY_NUM_IMAGES",
                                               "NAGFORTRAN_NUM_IMAGES"};

rank_id count_in(const char* name, std::string_view value) {
  const std::optional<rank_id> count = parse_number<rank_id>(value);
  if (count && *count >= 1 && *count <= settable_ranks_max) return *count;
  throw error(text(name, "=", value), "this is no number of images",
              text("give a number from 1 to ", settable_ranks_max, ", or unset it"));
}

}  // namespace

asked_images asked_images::read(const settings& configuration) {
  const setting_row& own = setting::images;
  if (!configuration.text(own).empty())
    return {static_cast<rank_id>(configuration.number(own)), std::string(own.name)};
  for (const char* const name : variables_of_others) {
    const std::string_view value = foreign_variable(name);
    if (!value.empty()) return {count_in(name, value), name};
  }
  return {};
}

void start_images_if_asked(const settings& configuration) {
  if (bootstrap::has_launcher(configuration)) return;
  const asked_images requested = asked_images::read(configuration);
  if (requested.count > 1) bootstrap::restart_as_job(requested.count, requested.variable);
}

}  // namespace atl::coarray
