// SPDX-License-Identifier: BSD-3-Clause
//
// Draws pictures. The steps between frames follow from the physics: heat spreads by a variance of
// radius / 2 per step and dimension, and in the last frame it should cover a good part of the
// domain.
#include <apps/stencil2d/elegant.hpp>
#include <apps/stencil2d/pictures.hpp>
#include <apps/stencil2d/problem.hpp>
#include <apps/trial/png_file.hpp>
#include <atoll/base/error.hpp>
#include <atoll/coll/collectives.hpp>
#include <atoll/core/strided/strided.hpp>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <system_error>

namespace stencil2d {
using trial::can_write_png;
using trial::write_png;

namespace {

constexpr double spread = 0.05;  // of the domain's side, at the last frame
constexpr unsigned steps_max = 20'000;
constexpr unsigned frames = 8;  // beside the first field

struct schedule {
  unsigned every;
  unsigned count;  // of frames after the first
};

schedule schedule_for(const options& chosen, const layout& domain) {
  const double distance = spread * std::max(domain.points.x, domain.points.y);
  const double wanted = 2 * distance * distance / domain.radius;
  const auto enough = static_cast<unsigned>(std::min<double>(wanted, steps_max));
  const unsigned steps = chosen.steps != 0 ? chosen.steps : std::max(frames, enough);
  const unsigned every = chosen.every != 0 ? chosen.every : std::max(1U, steps / frames);
  return {every, steps / every};
}

std::string frame_path(const options& chosen, unsigned step) {
  char name[32];
  std::snprintf(name, sizeof name, "/frame-%05u.png", step);
  return chosen.picture_folder + name;
}

// Why this folder cannot be used; empty when it can.
std::string obstacle(const std::string& folder) {
  if (!can_write_png()) return "this program was built without libpng";
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) return failure.message();
  if (!std::filesystem::is_directory(folder, failure)) return "this is no folder";
  return ::access(folder.c_str(), W_OK) == 0 ? "" : "it cannot be written";
}

void fill(const setting& given, double* field) {
  const rect part = given.domain.part_of(given.rank);
  for (int y = part.y0; y < part.y1; ++y)
    for (int x = part.x0; x < part.x1; ++x)
      field[given.local.offset(x - part.x0, y - part.y0)] = initial_heat(given.domain.points, x, y);
}

// The whole domain at rank 0, from all blocks; `field` lies at the same place on all ranks.
std::vector<double> collect(const arena& memory, const setting& given, double* field) {
  const layout& domain = given.domain;
  const auto width = static_cast<std::ptrdiff_t>(domain.points.x);
  std::vector<double> values(static_cast<std::size_t>(width * domain.points.y));
  for (unsigned rank = 0; rank < memory.team().size(); ++rank) {
    const rect part = domain.part_of(rank);
    const std::size_t rows = static_cast<std::size_t>(part.height());
    const std::ptrdiff_t to_pitch = width * static_cast<std::ptrdiff_t>(sizeof(double));
    const std::ptrdiff_t pitch = given.local.pitch * static_cast<std::ptrdiff_t>(sizeof(double));
    atl::get(
        memory.job().primordial(), rank,
        atl::strided_transfer{.to = values.data() + part.y0 * width + part.x0,
                              .to_strides = {&to_pitch, 1},
                              .from = memory.peer_address(rank, field) + given.local.offset(0, 0),
                              .from_strides = {&pitch, 1},
                              .element_bytes = sizeof(double) * part.width(),
                              .counts = {&rows, 1}});
  }
  return values;
}

// The pictures of rank 0: it writes each and keeps some for heat.png; the first failure ends the
// drawing.
class album {
 public:
  album(const options& chosen, const schedule& plan) : chosen_(chosen), plan_(plan) {}

  void add(unsigned frame, const std::vector<double>& field, extent size) {
    const image picture = paint(field, size);
    write(frame_path(chosen_, frame * plan_.every), picture);
    // Heat spreads with the square root of time, so the frames kept are at the squares of 0 to 3.
    for (unsigned i = 0; i < 4; ++i)
      if (frame == (plan_.count * i * i + 4) / 9) kept_.push_back(picture);
  }

  void close() {
    const std::string path = chosen_.picture_folder + "/heat.png";
    write(path, side_by_side(kept_));
    if (!failure_.empty())
      throw atl::error("--png " + failed_, failure_, "name a folder with room for the pictures");
    if (!chosen_.quiet)
      std::printf("pictures: %s, and %u frames from %s on\n", path.c_str(), plan_.count + 1,
                  frame_path(chosen_, 0).c_str());
  }

 private:
  void write(const std::string& path, const image& picture) {
    if (!failure_.empty()) return;
    failure_ = write_png(path, picture);
    failed_ = path;
  }

  const options& chosen_;
  schedule plan_;
  std::vector<image> kept_;
  std::string failure_;
  std::string failed_;
};

}  // namespace

void check_pictures(const options& chosen, atl::team& world, bool first) {
  if (chosen.picture_folder.empty()) return;
  std::string cause = "rank 0 cannot write to it";
  int refused = 0;
  if (first) {
    cause = obstacle(chosen.picture_folder);
    refused = cause.empty() ? 0 : 1;
  }
  atl::coll::broadcast(world, 0, &refused, &refused, sizeof refused);
  if (refused == 0) return;
  throw atl::error("--png " + chosen.picture_folder, cause,
                   can_write_png() ? "name a folder that may be written"
                                   : "install libpng (libpng-dev) and build again");
}

void draw(const options& chosen, atl::team& world, bool first) {
  const setting given = setting_for(chosen, world.rank(), world.size(), world.size());
  arena memory(world, elegant::bytes_needed(given));
  elegant heat(memory, given);
  const schedule plan = schedule_for(chosen, given.domain);
  album pictures(chosen, plan);
  fill(given, heat.field());
  for (unsigned frame = 0; frame <= plan.count; ++frame) {
    world.barrier();
    if (first) pictures.add(frame, collect(memory, given, heat.field()), given.domain.points);
    world.barrier();
    if (frame < plan.count) heat.run(plan.every);
  }
  if (first) pictures.close();
}

}  // namespace stencil2d
