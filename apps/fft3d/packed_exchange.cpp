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

constexpr std::size_t parts_wanted = 8;

enum class call : std::uint8_t { blocking, started };

void copy_rows(const piece& shape, const complex* from, std::size_t from_stride, complex* to,
               std::size_t to_stride) {
  for (std::size_t row = 0; row < shape.rows; ++row)
    std::copy_n(from + row * from_stride, shape.length, to + row * to_stride);
}

class packed_exchange final : public exchange {
 public:
  packed_exchange(const destination& to, std::size_t parts, call made, overlap timing)
      : to_(to),
        call_(made),
        timing_(timing),
        planes_of_part_((to.numbers.planes_max + parts - 1) / parts),
        block_(planes_of_part_ * to.numbers.piece_max) {
    if (block_ == 0) return;
    const std::size_t count = (to.numbers.planes_max + planes_of_part_ - 1) / planes_of_part_;
    under_way_.resize(count);
    outgoing_.resize(count * part_size());
    incoming_.resize(count * part_size());
  }

  void begin() override { started_ = 0; }

  void send(std::size_t plane, const complex* values) override {
    const unsigned me = to_.members.rank();
    for (unsigned receiver = 0; receiver < to_.members.size(); ++receiver) {
      const piece shape = to_.numbers.piece_of(me, plane, receiver);
      copy_rows(shape, values + shape.from, shape.from_stride, place(outgoing_, plane, receiver),
                shape.length);
    }
    if (timing_ == overlap::late) return;
    start_until(std::min((plane + 1) / planes_of_part_, under_way_.size()));  // 0: pieces are empty
    to_.members.owner().progress();
  }

  void finish() override {
    if (call_ == call::started) start_until(under_way_.size());
    for (std::size_t part = 0; part < under_way_.size(); ++part) {
      if (call_ == call::blocking) {
        atl::coll::alltoall(to_.members, incoming_.data() + part * part_size(),
                            outgoing_.data() + part * part_size(), block_ * sizeof(complex));
      } else {
        to_.members.owner().wait(under_way_[part]);
      }
      unpack(part);
    }
  }

 private:
  std::size_t part_size() const { return block_ * to_.members.size(); }

  complex* place(std::vector<complex>& buffer, std::size_t plane, unsigned peer) {
    const std::size_t part = plane / planes_of_part_;
    return buffer.data() + part * part_size() + peer * block_ +
           plane % planes_of_part_ * to_.numbers.piece_max;
  }

  void start_until(std::size_t end) {
    for (; started_ < end; ++started_) {
      under_way_[started_] = atl::coll::start_alltoall(
          to_.members, incoming_.data() + started_ * part_size(),
          outgoing_.data() + started_ * part_size(), block_ * sizeof(complex));
    }
  }

  void unpack(std::size_t part) {
    const unsigned me = to_.members.rank();
    for (unsigned sender = 0; sender < to_.members.size(); ++sender) {
      const std::size_t end = std::min((part + 1) * planes_of_part_, to_.numbers.planes(sender));
      for (std::size_t plane = part * planes_of_part_; plane < end; ++plane) {
        const piece shape = to_.numbers.piece_of(sender, plane, me);
        copy_rows(shape, place(incoming_, plane, sender), shape.length, to_.array + shape.to,
                  shape.to_stride);
      }
    }
  }

  destination to_;
  call call_;
  overlap timing_;
  std::size_t planes_of_part_;
  std::size_t block_;  // numbers of a part for one receiver
  std::size_t started_ = 0;
  std::vector<atl::event> under_way_;  // by part
  std::vector<complex> outgoing_;
  std::vector<complex> incoming_;
};

}  // namespace

std::unique_ptr<exchange> make_blocking(const destination& to) {
  return std::make_unique<packed_exchange>(to, 1, call::blocking, overlap::late);
}

std::unique_ptr<exchange> make_slabs(const destination& to, overlap timing) {
  return std::make_unique<packed_exchange>(to, parts_wanted, call::started, timing);
}

}  // namespace fft3d
