// SPDX-License-Identifier: BSD-3-Clause
//
// Allgather within a host: all write their blocks into their lanes, and each copies those of all,
// from the next member's to its own, so that not all read from the same lane at first. Among many
// members each would touch a page and a line of memory of every other one, so there the first
// member collects all blocks and the others read only its lane.
#include <atoll/coll/engine/algorithms.hpp>
#include <atoll/coll/hierarchical/hosts.hpp>
#include <atoll/coll/shared/exchange.hpp>

namespace atl::coll {

namespace {

template <bool Counted>
class shared_allgather : public shared_exchange<shared_allgather<Counted>, Counted> {
 public:
  using shared_exchange<shared_allgather, Counted>::shared_exchange;

  void deposit(const shared_piece& part) noexcept {
    const std::byte* const own = this->call_.from + part.offset;
    copy_bytes(this->own_data(part.turn), own, part.bytes);
    this->announce(part.turn);
    std::byte* const to = place(this->call_.rank, part);
    if (to != own) copy_bytes(to, own, part.bytes);
  }
  void take(const shared_piece& part) noexcept {
    const rank_id size = this->call_.size;
    for (rank_id i = 1, member = this->call_.rank; i < size; ++i) {
      if (++member == size) member = 0;
      copy_bytes(place(member, part), this->data(member, part.turn), part.bytes);
    }
  }

 private:
  std::byte* place(rank_id member, const shared_piece& part) const noexcept {
    return this->call_.to + member * this->call_.bytes + part.offset;
  }
};

}  // namespace

task allgather_gathered(call& c) {
  call collected = c.on_host(1);
  collected.kind = collective::gather;
  collected.root = 0;
  task gathered = run_part(collected);
  co_await gathered;
  call broadcast_call = c.on_host(2);
  broadcast_call.kind = collective::broadcast;
  broadcast_call.root = 0;
  broadcast_call.from = c.to;
  broadcast_call.bytes = c.size * c.bytes;
  task read = run_part(broadcast_call);
  co_await read;
}

constinit const shared_form allgather_shared = form_of<shared_allgather<false>>();
constinit const shared_form allgather_shared_counted = form_of<shared_allgather<true>>();

}  // namespace atl::coll
