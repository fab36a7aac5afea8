// SPDX-License-Identifier: BSD-3-Clause
//
// The transfers of the explicit variants. A border is a strided transfer of one dimension: its rows
// lie a pitch apart.
#include <apps/stencil2d/shared_fields.hpp>

namespace stencil2d {
namespace {

std::ptrdiff_t start_of(const block& shape, const rect& region) {
  return shape.offset(region.x0, region.y0);
}

extent size_of(const rect& region) { return {region.width(), region.height()}; }

}  // namespace

shared_fields::shared_fields(arena& from, const setting& given)
    : given_(given),
      from_(from),
      cuts_(cut(given.local, given.domain.ranks)),
      now_(from.take<double>(given.local.elements)),
      next_(from.take<double>(given.local.elements)),
      flags_(from, given.domain, given.rank),
      pitch_bytes_(given.local.pitch * static_cast<std::ptrdiff_t>(sizeof(double))) {
  for (std::size_t d = 0; d < directions.size(); ++d) {
    const unsigned peer = given.domain.neighbour(given.rank, d);
    const block remote = given.domain.block_of(peer);
    const rect border = given.local.border(d);
    const rect halo = given.local.halo(d);
    links_[d] = {.rank = peer,
                 .border = start_of(given.local, border),
                 .its_halo = start_of(remote, remote.halo(opposite(d))),
                 .sends = size_of(border),
                 .halo = start_of(given.local, halo),
                 .its_border = start_of(remote, remote.border(opposite(d))),
                 .gets = size_of(halo)};
  }
}

unsigned shared_fields::own_directions() const noexcept {
  unsigned bits = 0;
  for (std::size_t d = 0; d < directions.size(); ++d)
    if (links_[d].rank == given_.rank) bits |= 1U << d;
  return bits;
}

// The arrays that describe a transfer need not outlive the call of put_nbi or get_nbi.
void shared_fields::put_border(std::size_t direction) noexcept {
  const link& to = links_[direction];
  const std::size_t rows = static_cast<std::size_t>(to.sends.y);
  const atl::strided_transfer transfer{.to = from_.peer_address(to.rank, now_) + to.its_halo,
                                       .to_strides = {&pitch_bytes_, 1},
                                       .from = now_ + to.border,
                                       .from_strides = {&pitch_bytes_, 1},
                                       .element_bytes = sizeof(double) * to.sends.x,
                                       .counts = {&rows, 1}};
  atl::put_nbi(from_.job().primordial(), to.rank, transfer);
}

void shared_fields::get_halo(std::size_t direction) noexcept {
  const link& from = links_[direction];
  const std::size_t rows = static_cast<std::size_t>(from.gets.y);
  const atl::strided_transfer transfer{
      .to = now_ + from.halo,
      .to_strides = {&pitch_bytes_, 1},
      .from = from_.peer_address(from.rank, now_) + from.its_border,
      .from_strides = {&pitch_bytes_, 1},
      .element_bytes = sizeof(double) * from.gets.x,
      .counts = {&rows, 1}};
  atl::get_nbi(from_.job().primordial(), from.rank, transfer);
}

}  // namespace stencil2d
