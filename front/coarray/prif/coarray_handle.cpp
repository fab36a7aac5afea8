// SPDX-License-Identifier: BSD-3-Clause
//
// Cobounds, and images by cosubscripts: the first cosubscript counts fastest.
#include <front/coarray/prif/coarray_handle.hpp>

#include <atoll/base/text.hpp>

#include <algorithm>

namespace atl::coarray::prif {

std::int64_t handle::last_extent(rank_id images) const noexcept {
  std::int64_t product = 1;
  for (int d = 0; d < corank - 1; ++d) product *= extent[d];
  return (static_cast<std::int64_t>(images) + product - 1) / product;
}

std::int64_t handle::upper(int dimension, rank_id images) const noexcept {
  const bool is_last = dimension == corank - 1;
  return lower[dimension] + (is_last ? last_extent(images) : extent[dimension]) - 1;
}

int handle::image_at(const c_descriptor& subscripts, rank_id images) const noexcept {
  std::int64_t index = 0;
  std::int64_t product = 1;
  for (int d = 0; d < corank; ++d) {
    const std::int64_t distance =
        element_at<const std::int64_t>(subscripts, static_cast<std::size_t>(d)) - lower[d];
    if (distance < 0 || (d != corank - 1 && distance >= extent[d])) return 0;
    if (distance > static_cast<std::int64_t>(images)) return 0;
    index += distance * product;
    product *= extent[d];
  }
  return index < static_cast<std::int64_t>(images) ? static_cast<int>(index) + 1 : 0;
}

std::int64_t handle::subscript_of(int image, int dimension) const noexcept {
  std::int64_t rest = image - 1;
  for (int d = 0; d < dimension; ++d) rest /= extent[d];
  return lower[dimension] + (dimension == corank - 1 ? rest : rest % extent[dimension]);
}

void set_cobounds(handle& object, const c_descriptor& lower, const c_descriptor& upper) noexcept {
  const auto corank = static_cast<int>(lower.extent(0));
  const auto uppers = static_cast<int>(upper.extent(0));
  if (corank < 1 || corank > gfortran::max_rank || uppers < corank - 1 || uppers > corank) {
    refuse("the cobounds of a coarray",
           text("there are ", corank, " lower and ", uppers, " upper ones"),
           "give 1 to 15 lower cobounds, and as many upper ones or one less");
  }
  object.corank = corank;
  for (int d = 0; d < corank; ++d) {
    const auto index = static_cast<std::size_t>(d);
    object.lower[d] = element_at<const std::int64_t>(lower, index);
    object.extent[d] = 1;
    if (d == corank - 1) return;
    object.extent[d] = element_at<const std::int64_t>(upper, index) - object.lower[d] + 1;
    if (object.extent[d] >= 1) continue;
    refuse("the cobounds of a coarray", text("codimension ", d + 1, " is empty"),
           "let each upper cobound but the last be at least the lower one");
  }
}

void deallocate(process_state& us, std::span<handle* const> gone) noexcept {
  for (handle* const each : gone) {
    if (each->whole->cleanup != nullptr) each->whole->cleanup(each);
  }
  for (handle* const each : gone) {
    established* const whole = each->whole;
    std::erase(whole->object.team->allocated, &whole->object);
    give_back(us, whole->object);
    delete each;
    delete whole;
  }
}

}  // namespace atl::coarray::prif
