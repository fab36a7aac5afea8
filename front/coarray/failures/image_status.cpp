// SPDX-License-Identifier: BSD-3-Clause
//
// Queries of the state of images, see image_status.hpp.
#include <front/coarray/failures/image_status.hpp>

#include <atoll/core/job/layer_access.hpp>
#include <front/coarray/data/number_types.hpp>
#include <front/coarray/failures/failed_images.hpp>
#include <front/coarray/status.hpp>

#include <cstdlib>
#include <cstring>
#include <vector>

namespace atl::coarray {
namespace {

void fill(gfortran::array_descriptor& list, const std::vector<int>& images, int kind) noexcept {
  const auto bytes = static_cast<std::size_t>(kind);
  auto* const data = static_cast<std::byte*>(std::malloc(images.size() * bytes + 1));
  if (data == nullptr) refuse("a list of images", "there is no memory for it", "use less");
  for (std::size_t i = 0; i < images.size(); ++i) {
    with_integer(kind, [&]<class T>(T) {
      const T image = static_cast<T>(images[i]);
      std::memcpy(data + i * bytes, &image, sizeof image);
    });
  }
  list.data = data;
  list.dtype = {bytes, 0, 1, gfortran::type_code::integer, 0};
  list.span = kind;
  list.offset = 0;
  list.dim[0] = {1, 0, static_cast<std::ptrdiff_t>(images.size()) - 1};
}

// A program may ask only once, so answer_others(), which does not poll every time, is not enough.
void look_for_failures(process_state& us) noexcept {
  if (!us.is_aware) become_aware(us);
  us.runtime.progress();
}

/// An image that does not exist counts as stopped, as in the compiler's own library.
image_state state_in(const process_state& us, const image_team& team, int image) noexcept {
  const bool exists = image >= 1 && static_cast<rank_id>(image) <= team.core->size();
  if (!exists) return image_state::stopped;
  const rank_id rank = team.core->job_rank(static_cast<rank_id>(image - 1));
  if (has_failed(us, rank)) return image_state::failed;
  return us.runtime.stopped(rank) ? image_state::stopped : image_state::active;
}

}  // namespace

image_state state_of_image(int image, const image_team* team) noexcept {
  process_state& us = running();
  look_for_failures(us);
  return state_in(us, team != nullptr ? *team : *us.current, image);
}

std::vector<int> images_in(image_state state, const image_team* team) {
  process_state& us = running();
  look_for_failures(us);
  us.failures_reported = layer_access::losses(us.runtime).count();
  const image_team& chosen_team = team != nullptr ? *team : *us.current;
  std::vector<int> images;
  for (int image = 1; static_cast<rank_id>(image) <= chosen_team.core->size(); ++image) {
    if (state_in(us, chosen_team, image) == state) images.push_back(image);
  }
  return images;
}

void list_images(gfortran::array_descriptor& list, image_state state, const image_team* team,
                 int kind) noexcept {
  fill(list, images_in(state, team), kind);
}

}  // namespace atl::coarray
