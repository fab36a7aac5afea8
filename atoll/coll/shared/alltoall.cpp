// SPDX-License-Identifier: BSD-3-Clause
//
// All-to-all within a host: each member writes a part of all its blocks into its lane, and copies
// its own from the lanes of all, beginning with the next member's.
#include <atoll/coll/engine/algorithms.hpp>
#include <atoll/coll/shared/exchange.hpp>

namespace atl::coll {

namespace {

template <bool Counted>
class shared_alltoall : public shared_exchange<shared_alltoall<Counted>, Counted> {
 public:
  using shared_exchange<shared_alltoall, Counted>::shared_exchange;

  void deposit(const shared_piece& part) noexcept {
    std::byte* const lane = this->own_data(part.turn);
    for (rank_id member = 0; member < this->call_.size; ++member) {
      if (member == this->call_.rank) continue;
      const std::byte* const block = this->call_.from + member * this->call_.bytes + part.offset;
      copy_bytes(lane + member * this->cut.piece, block, part.bytes);
    }
    this->announce(part.turn);
    const std::size_t own = this->call_.rank * this->call_.bytes + part.offset;
    copy_bytes(this->call_.to + own, this->call_.from + own, part.bytes);
  }
  void take(const shared_piece& part) noexcept {
    const rank_id size = this->call_.size;
    const std::size_t own_offset = this->call_.rank * this->cut.piece;
    for (rank_id i = 1, member = this->call_.rank; i < size; ++i) {
      if (++member == size) member = 0;
      std::byte* const to = this->call_.to + member * this->call_.bytes + part.offset;
      copy_bytes(to, this->data(member, part.turn) + own_offset, part.bytes);
    }
  }
};

}  // namespace

constinit const shared_form alltoall_shared = form_of<shared_alltoall<false>>();
constinit const shared_form alltoall_shared_counted = form_of<shared_alltoall<true>>();

}  // namespace atl::coll
