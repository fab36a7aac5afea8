// SPDX-License-Identifier: BSD-3-Clause
//
// Peers that are lost: by what the network says of them, or because the receiver has heard of their
// end. The receiver may end the job; what follows here is for one that goes on. Nothing is sent to
// a lost peer and nothing that comes from it is taken in.
//
// Its transfers end when the provider says that they have failed, because until then the provider
// may still write where a get was to go. If the provider says nothing for a second, the connection
// is gone by then and it will not write any more: the transfers end without it, and their records
// are not used again.
#include <atoll/base/clock.hpp>
#include <atoll/base/text.hpp>
#include <atoll/transport/ofi/context.hpp>

#include <utility>

namespace atl::transport::ofi {

namespace {
constexpr std::int64_t grace_ns = 1'000'000'000;
}

void context::lose(rank_id rank, std::string_view cause) noexcept {
  peer_state& gone = peer_of(rank);
  if (gone.is_lost) return;
  to_.lost(rank, text(name_, ": ", cause));
  drop(gone);
}

void context::forget(rank_id rank) noexcept {
  if (rank == self_ || rank >= ranks_) return;
  const hold held(*this);
  drop(peer_of(rank));
}

void context::drop(peer_state& gone) noexcept {
  if (std::exchange(gone.is_lost, true)) return;
  for (std::size_t via = 0; via < gone.lanes.size(); ++via) {
    channel_state& each = gone.lanes[via];
    if (each.buffer != buffers::no_buffer)
      buffers_.give_back(static_cast<channel>(via), each.buffer);
    each = {};
  }
  gone.wants_credits = gone.wants_answer = gone.owes_answer = gone.has_transfers = gone.has_filled =
      false;
  end_lost_at_ns_ = now_ns() + grace_ns;
}

void context::end_lost_transfers() noexcept {
  if (now_ns() < end_lost_at_ns_) return;
  end_lost_at_ns_ = 0;
  for (work_record& each : works_.transfers()) {
    if (each.to == no_rank || each.token == nullptr || !peer_of(each.to).is_lost) continue;
    to_.abandon(std::exchange(each.token, nullptr));
    ++unreported_;
  }
}

/// The record of an operation of which the provider has said that it failed.
void context::release_failed(work_record& failed) noexcept {
  void* const token = failed.token;
  const bool is_transfer =
      failed.purpose == work_record::kind::transfer || failed.purpose == work_record::kind::atomic;
  if (failed.purpose == work_record::kind::transfer) local_.give_back(failed.registered);
  if (failed.buffer != buffers::no_buffer) buffers_.give_back(failed.origin, failed.buffer);
  works_.give_back(failed);
  if (!is_transfer || token == nullptr) return;
  to_.abandon(token);
  ++moved_;
}

}  // namespace atl::transport::ofi
