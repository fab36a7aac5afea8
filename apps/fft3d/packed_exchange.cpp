// SPDX-License-Identifier: BSD-3-Clause
//
// The exchanges by collectives. An all-to-all has blocks of one size, so every piece gets the space
// of the largest. A part is the planes that travel in one collective: [receiver][plane][piece]. A
// blocking collective has one part, and nothing else happens while it runs.
#include <apps/fft3d/exchange.hpp>
#include <atoll/coll/collectives.hpp>

#include <algorithm>
#include <vector>

namespace fft3d {
namespace {

void copy_rows(const piece& shape, const complex* from, std::size_t from_stride, complex* to,
               std::size_t to_stride) {
  for (std::size_t row = 0; row < shape.rows; ++row)
    std::copy_n(from + row * from_stride, shape.length, to + row * to_stride);
}

class packed_exchange final : public exchange {
 public:
  packed_exchange(const destination& to, std::size_t parts, bool is_blocking, overlap timing,
                  message_buffers& buffers)
      : to_(to),
        is_blocking_(is_blocking),
        timing_(timing),
        packing_(packing_of(to.movement, parts)),
        buffers_(buffers),
        under_way_(packing_.parts) {
    for (std::vector<complex>* each : {&buffers.outgoing, &buffers.incoming})
      each->resize(std::max(each->size(), packing_.buffer_size(to.members.size())));
  }

  void begin() override { started_ = 0; }

  void send(std::size_t plane, const complex* values) override {
    const unsigned me = to_.members.rank();
    for (unsigned receiver = 0; receiver < to_.members.size(); ++receiver) {
      const piece shape = to_.movement.piece_of(me, plane, receiver);
      copy_rows(shape, values + shape.from, shape.from_stride,
                place(buffers_.outgoing, plane, receiver), shape.length);
    }
    if (timing_ == overlap::late) return;
    start_until(
        std::min((plane + 1) / packing_.planes_of_part, under_way_.size()));  // 0: pieces are empty
    to_.members.owner().progress();
  }

  void finish() override {
    if (!is_blocking_) start_until(under_way_.size());
    for (std::size_t part = 0; part < under_way_.size(); ++part) {
      if (is_blocking_) {
        atl::coll::alltoall(to_.members, buffers_.incoming.data() + part * part_size(),
                            buffers_.outgoing.data() + part * part_size(), block_bytes());
      } else {
        to_.members.owner().wait(under_way_[part]);
      }
      unpack(part);
    }
  }

 private:
  std::size_t part_size() const { return packing_.part_size(to_.members.size()); }
  std::size_t block_bytes() const { return packing_.block * sizeof(complex); }

  complex* place(std::vector<complex>& buffer, std::size_t plane, unsigned peer) {
    const std::size_t planes = packing_.planes_of_part;
    return buffer.data() + plane / planes * part_size() + peer * packing_.block +
           plane % planes * to_.movement.piece_max;
  }

  void start_until(std::size_t end) {
    for (; started_ < end; ++started_) {
      under_way_[started_] = atl::coll::start_alltoall(
          to_.members, buffers_.incoming.data() + started_ * part_size(),
          buffers_.outgoing.data() + started_ * part_size(), block_bytes());
    }
  }

  void unpack(std::size_t part) {
    const unsigned me = to_.members.rank();
    for (unsigned sender = 0; sender < to_.members.size(); ++sender) {
      const std::size_t end =
          std::min((part + 1) * packing_.planes_of_part, to_.movement.planes(sender));
      for (std::size_t plane = part * packing_.planes_of_part; plane < end; ++plane) {
        const piece shape = to_.movement.piece_of(sender, plane, me);
        copy_rows(shape, place(buffers_.incoming, plane, sender), shape.length,
                  to_.array + shape.to, shape.to_stride);
      }
    }
  }

  destination to_;
  bool is_blocking_;
  overlap timing_;
  packing packing_;
  message_buffers& buffers_;
  std::size_t started_ = 0;
  std::vector<atl::event> under_way_;  // by part
};

}  // namespace

std::unique_ptr<exchange> make_blocking(const destination& to, message_buffers& buffers) {
  return std::make_unique<packed_exchange>(to, 1, true, overlap::late, buffers);
}

std::unique_ptr<exchange> make_slabs(const destination& to, overlap timing,
                                     message_buffers& buffers) {
  return std::make_unique<packed_exchange>(to, parts_of_slabs, false, timing, buffers);
}

}  // namespace fft3d
