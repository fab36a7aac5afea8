// SPDX-License-Identifier: BSD-3-Clause
//
// The state machine of a job's ranks. Counters of the ranks that wait and of those that are gone
// keep the common questions cheap with thousands of ranks: all ranks are looked at only when every
// rank waits, or when one waits and another is gone.
#include <tools/run/rendezvous.hpp>

#include <utility>

namespace atl::tools {
namespace {

std::string rank_text(rank_id rank) { return "rank " + std::to_string(rank); }

}  // namespace

std::string_view name_of(rendezvous::collective which) noexcept {
  switch (which) {
    case rendezvous::collective::exchange:
      return "an exchange";
    case rendezvous::collective::fence:
      return "a fence";
    case rendezvous::collective::stop:
      return "a stop";
    case rendezvous::collective::none:
      break;
  }
  return "nothing";
}

rendezvous::rendezvous(rank_id size) : members_(size) {}

std::optional<rendezvous::refusal> rendezvous::join(rank_id rank, std::string_view version,
                                                    pid_t pid) {
  if (rank >= size())
    return refusal{"the job has only " + std::to_string(size()) + " ranks",
                   "leave the variables set by `atoll run` as they are"};
  auto& member = members_[rank];
  if (member.state == membership::inside)
    return refusal{"this rank has already joined the job, as process " +
                       std::to_string(member.pid) + ", and has not left",
                   "run one Atoll program at a time in a rank; what a rank starts is a job of its "
                   "own, if it gets the environment that the rank has after it joined"};
  if (version_.empty()) {
    version_ = version;
    version_rank_ = rank;
  }
  if (version != version_)
    return refusal{"it uses Atoll " + std::string(version) + ", but rank " +
                       std::to_string(version_rank_) + " uses Atoll " + version_,
                   "let all ranks load the same libatoll.so"};
  if (member.state == membership::left) {
    --gone_;
    --departed_;
  }
  member.state = membership::inside;
  member.pid = pid;
  member.has_stopped = false;
  ++member.rounds;
  return std::nullopt;
}

bool rendezvous::enter(rank_id rank, collective which, bootstrap::wire::bytes blob) {
  auto& member = members_[rank];
  if (member.state != membership::inside || member.waits_in != collective::none) return false;
  if (member.has_stopped && which != collective::stop) return false;
  member.waits_in = which;
  member.blob = std::move(blob);
  member.has_stopped = which == collective::stop;
  ++(member.has_stopped ? stopping_ : waiting_);
  return true;
}

void rendezvous::leave(rank_id rank) {
  auto& member = members_[rank];
  if (member.state != membership::inside) return;
  if (std::exchange(member.waits_in, collective::none) != collective::none)
    --(member.has_stopped ? stopping_ : waiting_);
  member.state = membership::left;
  ++gone_;
  ++departed_;
}

void rendezvous::fail(rank_id rank) {
  if (members_[rank].state != membership::inside) return;
  leave(rank);
  members_[rank].has_failed = true;
  members_[rank].blob.clear();
  ++failed_;
}

void rendezvous::process_ended(rank_id rank) {
  auto& member = members_[rank];
  if (std::exchange(member.process_ended, true)) return;
  ++gone_;
  if (member.state == membership::outside) ++departed_;
}

rendezvous::collective rendezvous::complete() const {
  if (stopping_ > 0 && stopping_ + departed_ == size()) return collective::stop;
  if (failed_ > 0) return complete_without_failed();
  if (waiting_ < size()) return collective::none;
  const auto& first = members_.front();
  for (const auto& member : members_)
    if (member.waits_in != first.waits_in || member.rounds != first.rounds) return collective::none;
  return first.waits_in;
}

/// All that are left wait in one collective, or in fences and stops.
rendezvous::collective rendezvous::complete_without_failed() const {
  auto found = collective::none;
  for (const auto& member : members_) {
    if (member.state == membership::left) continue;
    if (member.waits_in == collective::none) return collective::none;
    const bool both_end = member.waits_in != collective::exchange && found != collective::exchange;
    if (found != collective::none && found != member.waits_in && !both_end) return collective::none;
    if (found == collective::none || member.waits_in == collective::fence) found = member.waits_in;
  }
  return found;
}

std::vector<bootstrap::wire::bytes> rendezvous::pass() {
  std::vector<bootstrap::wire::bytes> blobs;
  blobs.reserve(members_.size());
  for (auto& member : members_) {
    blobs.push_back(std::exchange(member.blob, {}));
    member.waits_in = collective::none;
    ++member.collectives;
  }
  waiting_ = 0;
  stopping_ = 0;
  return blobs;
}

bool rendezvous::cannot_enter(const record& other, const record& waiting) const {
  if (other.has_failed) return false;
  const bool both_end =
      failed_ > 0 && waiting.waits_in == collective::fence && other.waits_in == collective::stop;
  if (both_end) return false;
  if (other.has_stopped && other.state == membership::inside) return true;
  if (other.waits_in != collective::none)
    return other.waits_in != waiting.waits_in || other.rounds != waiting.rounds;
  return other.process_ended || other.rounds > waiting.rounds ||
         (other.state == membership::left && other.rounds == waiting.rounds);
}

std::optional<std::string> rendezvous::stuck() const {
  if (waiting_ == 0 || (gone_ == 0 && stopping_ == 0 && waiting_ < size())) return std::nullopt;
  const auto waits = [](const record& member) {
    return member.waits_in != collective::none && !member.has_stopped;
  };
  rank_id first = 0;
  while (!waits(members_[first])) ++first;
  for (rank_id other = 0; other < size(); ++other)
    if (cannot_enter(members_[other], members_[first]))
      return rank_text(first) + " " + describe(first) + " for all ranks, but " + rank_text(other) +
             " " + describe(other);
  return std::nullopt;
}

std::string rendezvous::describe(rank_id rank) const {
  const auto& member = members_[rank];
  const std::string again =
      member.rounds > 1 ? " (round " + std::to_string(member.rounds) + ")" : "";
  if (member.has_failed) return "has failed" + again;
  if (member.has_stopped && member.state == membership::inside) return "has stopped" + again;
  if (member.waits_in != collective::none)
    return "waits in " + std::string(name_of(member.waits_in)) + again;
  switch (member.state) {
    case membership::inside:
      return (member.process_ended ? "has ended" : "has joined") + again;
    case membership::left:
      return (member.process_ended ? "has left and ended" : "has left") + again;
    case membership::outside:
      break;
  }
  return member.process_ended ? "has ended without joining" : "has not joined";
}

}  // namespace atl::tools
