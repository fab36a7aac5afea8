// SPDX-License-Identifier: BSD-3-Clause
//
// The exchange by puts. Each member counts the exchanges in which everything that it sends has
// arrived. No message asks whether an array may be written: each exchange alternates with one in
// the other direction among the same members, and one writes the array that the other sends from. A
// member that has finished the exchange back no longer needs what it sent, and finish() waits for
// that.
//
// A piece is a strided put of one dimension; to a rank of this host it copies rows of a plane that
// is still in the cache.
#include <apps/fft3d/exchange.hpp>
#include <atoll/core/strided/strided.hpp>

#include <algorithm>
#include <vector>

namespace fft3d {
namespace {

class put_exchange final : public exchange {
 public:
  put_exchange(trial::arena& memory, const destination& to, overlap timing,
               message_buffers& buffers)
      : memory_(memory), to_(to), timing_(timing), flags_(memory), kept_(buffers.outgoing) {
    if (timing == overlap::early) return;
    const std::size_t size = to.movement.planes(to.members.rank()) * to.movement.plane_size;
    kept_.resize(std::max(kept_.size(), size));
  }

  void begin() override { kept_planes_ = 0; }

  void send(std::size_t plane, const complex* values) override {
    if (timing_ == overlap::early) {
      put(plane, values);
      to_.members.owner().progress();
      return;
    }
    const std::size_t size = to_.movement.plane_size;
    std::copy_n(values, size, kept_.data() + kept_planes_++ * size);
  }

  void finish() override {
    const std::size_t size = to_.movement.plane_size;
    for (std::size_t plane = 0; plane < kept_planes_; ++plane)
      put(plane, kept_.data() + plane * size);
    ++count_;
    for_others([&](atl::rank_id, atl::rank_id peer) { flags_.notify(peer, count_); });
    for_others([&](atl::rank_id, atl::rank_id peer) { flags_.wait(peer, count_); });
  }

 private:
  // Visits members by number in the team and in the job, from the one after this rank on, so that
  // not all write to the same one.
  template <class Visit>
  void for_others(Visit visit) {
    const atl::rank_id size = to_.members.size();
    for (atl::rank_id step = 1; step < size; ++step) {
      const atl::rank_id member = (to_.members.rank() + step) % size;
      visit(member, to_.members.job_rank(member));
    }
  }

  void put(std::size_t plane, const complex* values) {
    for_others([&](atl::rank_id member, atl::rank_id peer) {
      put_piece(to_.movement.piece_of(to_.members.rank(), plane, member), peer, values);
    });
    const atl::rank_id me = to_.members.rank();
    put_piece(to_.movement.piece_of(me, plane, me), to_.members.job_rank(me), values);
  }

  void put_piece(const piece& shape, atl::rank_id peer, const complex* values) {
    if (shape.rows == 0 || shape.length == 0) return;
    const auto to_stride = static_cast<std::ptrdiff_t>(shape.to_stride * sizeof(complex));
    const auto from_stride = static_cast<std::ptrdiff_t>(shape.from_stride * sizeof(complex));
    atl::put_nbi(memory_.job().primordial(), peer,
                 atl::strided_transfer{.to = memory_.peer_address(peer, to_.array) + shape.to,
                                       .to_strides = {&to_stride, 1},
                                       .from = values + shape.from,
                                       .from_strides = {&from_stride, 1},
                                       .element_bytes = shape.length * sizeof(complex),
                                       .counts = {&shape.rows, 1}});
  }

  trial::arena& memory_;
  destination to_;
  overlap timing_;
  trial::flags flags_;
  std::uint64_t count_ = 0;
  std::vector<complex>& kept_;  // planes that are sent at the end
  std::size_t kept_planes_ = 0;
};

}  // namespace

std::unique_ptr<exchange> make_puts(trial::arena& memory, const destination& to, overlap timing,
                                    message_buffers& buffers) {
  return std::make_unique<put_exchange>(memory, to, timing, buffers);
}

std::size_t bytes_of_puts(std::size_t ranks) { return trial::flags::bytes_needed(ranks); }

}  // namespace fft3d
