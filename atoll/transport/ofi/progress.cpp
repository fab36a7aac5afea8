// SPDX-License-Identifier: BSD-3-Clause
//
// Polling: takes completions, queues packets, runs handlers, and sends what has gathered. The lock
// is not held while handlers run; their packet stays in its buffer until finish().
#include <atoll/base/clock.hpp>
#include <atoll/base/text.hpp>
#include <atoll/transport/ofi/context.hpp>

#include <rdma/fi_errno.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace atl::transport::ofi {

namespace {

constexpr std::size_t batch_max = 16;    // completions taken at once
constexpr std::size_t packets_max = 64;  // handled in one poll: keeps it bounded
constexpr std::uint32_t undescribed_errors_max =
    100;  // polls that find an error without a description
// Limits of the sleep of a rank that must poll: short first, for what is under way, then longer.
constexpr std::int64_t nap_ns_min = 50'000;
constexpr std::int64_t ask_ns_min = 1'000'000'000;
constexpr std::int64_t ask_ns_max = 8 * ask_ns_min;
constexpr std::uint32_t swallowed_after = 3;   // answers
constexpr std::uint64_t ask_rounds = 1 << 14;  // of polls without a sleep
constexpr std::int64_t nap_ns_max = 1'000'000;
// The limit where a descriptor wakes such a rank, and no operation of ours is under way. (A small
// packet that left at once may have to be repeated, which then happens that much later.)
constexpr std::int64_t rest_ns_max = 20'000'000;

const char* name_of(work_record::kind kind) noexcept {
  if (kind == work_record::kind::packet) return "sending";
  return kind == work_record::kind::atomic ? "an atomic" : "a put or get";
}

void add_bits(std::byte* packet, std::uint32_t bits) noexcept {
  packet_head head;
  std::memcpy(&head, packet, sizeof head);
  head.from |= bits;
  std::memcpy(packet, &head, sizeof head);
}

}  // namespace

std::size_t context::poll(bool replies_only) noexcept {
  // Another thread that holds the lock in a poll does this thread's work, too.
  if (threaded_ && !lock_.try_lock()) return 0;
  ++round_;
  ++polling_;
  const bool woken = slept_;
  if (woken) forget_wake();
  if (round_ % ask_rounds == 0) ask_debtors();
  if (end_lost_at_ns_ != 0) end_lost_transfers();
  local_.tidy();
  if (!waiting_.empty()) send_waiting();
  std::size_t moved = receive(woken) + std::exchange(unreported_, 0);
  if (replies_only) shelve_requests();
  arrived packet;
  for (std::size_t i = 0; i < packets_max && next_packet(replies_only, packet); ++i) {
    if (threaded_) lock_.unlock();
    moved += run_handlers(packet);
    if (threaded_) lock_.lock();
    finish(packet);
  }
  if (!waiting_.empty()) send_waiting();
  if (moved != 0) nap_ns_ = 0;
  --polling_;
  if (threaded_) lock_.unlock();
  return moved;
}

// --- completions ---------------------------------------------------------------------------------

/// Takes completions; returns the number of transfers that ended. `to_the_end`: until the provider
/// has looked at its sockets and found nothing, which it does only when its queue is empty.
std::size_t context::receive(bool to_the_end) noexcept {
  if (receives_posted_ < receives_.size()) post_receives();
  moved_ = 0;
  std::array<fi_cq_data_entry, batch_max> batch;
  for (;;) {
    const ssize_t count = ::fi_cq_read(net_.completions(), batch.data(), batch.size());
    if (count == -FI_EAGAIN || count == 0) break;
    if (count < 0) {
      if (report_failure(static_cast<int>(-count))) continue;
      break;
    }
    undescribed_errors_ = 0;
    for (ssize_t i = 0; i < count; ++i) complete(batch[static_cast<std::size_t>(i)]);
    if (count < static_cast<ssize_t>(batch.size()) && !to_the_end) break;
  }
  return moved_;
}

void context::complete(const fi_cq_data_entry& entry) noexcept {
  if (entry.op_context == nullptr) {
    if ((entry.flags & FI_REMOTE_CQ_DATA) != 0) end_loan(entry.data, true);
    return;
  }
  work_record& note = *static_cast<work_record*>(entry.op_context);
  switch (note.purpose) {
    case work_record::kind::receive:
      if ((entry.flags & FI_RECV) != 0 && entry.len != 0) {
        std::byte* const data = net_.can().many_per_receive ? static_cast<std::byte*>(entry.buf)
                                                            : buffers_.receive(note.buffer);
        take_in(data, entry.len, note.buffer);
      }
      if ((entry.flags & FI_MULTI_RECV) != 0 || !net_.can().many_per_receive) {
        receives_[note.buffer].finished = true;
        --receives_posted_;
        if (receives_[note.buffer].held == 0) post_receive(note.buffer);
      }
      return;
    case work_record::kind::packet:
      buffers_.give_back(note.origin, note.buffer);
      works_.give_back(note);
      return;
    case work_record::kind::transfer:
      moved_ += complete_transfer(note);
      return;
    case work_record::kind::atomic:
      moved_ += complete_atomic(note);
      return;
  }
}

std::size_t context::complete_transfer(work_record& ended) noexcept {
  local_.give_back(ended.registered);
  if (ended.buffer != buffers::no_buffer) {
    if (ended.home != nullptr && ended.token != nullptr) {
      std::memcpy(ended.home, buffers_.address_of(channel::request, ended.buffer), ended.bytes);
    }
    buffers_.give_back(ended.origin, ended.buffer);
  }
  void* const token = ended.token;
  works_.give_back(ended);
  if (token != nullptr) to_.complete(token);  // null: it was abandoned
  return 1;
}

/// A packet has come into a receive buffer.
void context::take_in(std::byte* data, std::size_t bytes, std::uint32_t buffer) noexcept {
  packet_head head;
  if (!read_head({data, bytes}, tag_, ranks_, head)) {
    ++refused_;
    return;
  }
  const peer_state& source = peer_of(head.source());
  arrivals& queue = arrived_[index_of(head.via())];
  take_number(head);
  take_credits(head);
  if (bytes != sizeof head && queue.full())
    lose(head.source(), "it sent more packets than its window allows");
  if (source.is_lost) return;
  if (bytes == sizeof head) return take_question(head);
  ++receives_[buffer].held;
  queue.push({.data = data, .bytes = static_cast<std::uint32_t>(bytes), .receive = buffer});
}

void context::take_number(const packet_head& head) noexcept {
  packet_numbers& numbers = peer_of(head.source()).numbers;
  if (!net_.can().keeps_order) return numbers.take(head.number);
  if (numbers.next(head.number)) return;
  lose(head.source(), text("the connection broke: packet ", head.number, " came where packet ",
                           numbers.heard() - 1, " was to come"));
}

/// A packet without messages: it may ask, or answer.
void context::take_question(const packet_head& head) noexcept {
  if (!head.asks() && !head.answers()) return;
  peer_state& from = peer_of(head.source());
  if (head.asks()) {
    from.wants_credits = from.wants_answer = true;
    remember(head.source());
  }
  if (head.answers()) heard_answer_ = true;
  if (head.answers() && std::exchange(from.owes_answer, false)) take_answer(head);
  if (!net_.can().keeps_order) from.numbers.set_mark(head.number);
}

/// The first answer since this side has last asked.
void context::take_answer(const packet_head& head) noexcept {
  peer_state& from = peer_of(head.source());
  if (!from.numbers.answered()) {
    return lose(head.source(), text("the connection broke: ", from.numbers.missing(),
                                    " packets before packet ", head.number, " have never come"));
  }
  ++from.answers;
  // A put swallowed before these questions would have shown at the peer by their numbers.
  if (from.answers - from.answers_when_filled >= swallowed_after) from.has_filled = false;
  if (!net_.can().is_stream) return;
  // A transfer and its completion arrive before a later question and its answer. One answer may
  // have been late, to a question before the last.
  const auto swallowed = [&](const work_record& each) {
    return each.to == head.source() && from.answers - each.answers >= swallowed_after;
  };
  const auto transfers = works_.transfers();
  if (std::any_of(transfers.begin(), transfers.end(), swallowed)) {
    lose(head.source(), "the connection broke: it has swallowed a put or get");
  }
}

void context::take_credits(const packet_head& head) noexcept {
  peer_state& from = peer_of(head.source());
  for (std::size_t via = 0; via < 2; ++via) {
    if (head.credits[via] > from.lanes[via].under_way) {
      return lose(head.source(), "it returned credits that it was never given");
    }
    from.lanes[via].under_way -= head.credits[via];
  }
}

/// Ends the job for what the completion queue has reported, unless that is harmless. False when the
/// queue describes no error: that may pass, and if it does not the queue itself is broken.
bool context::report_failure(int code) noexcept {
  fi_cq_err_entry failed{};
  const ssize_t count =
      code == FI_EAVAIL ? ::fi_cq_readerr(net_.completions(), &failed, 0) : ssize_t{-code};
  if (count == 0 || count == -FI_EAGAIN) {
    if (++undescribed_errors_ < undescribed_errors_max) return false;
    to_.broken("its completion queue reports an error without a description");
  }
  if (count < 0) {
    to_.broken(
        text("its completion queue cannot be read: ", ::fi_strerror(static_cast<int>(-count))));
  }
  undescribed_errors_ = 0;
  if (failed.op_context == nullptr && (failed.flags & FI_REMOTE_CQ_DATA) != 0) {
    end_loan(failed.data, false);
    return true;
  }
  // A receive buffer that comes back with its connection serves the next one, and the numbers of
  // packets tell whether one is missing. A put, a get or an atomic that was cancelled has not
  // happened, and nothing else would ever say so.
  auto* const note = static_cast<work_record*>(failed.op_context);
  const bool was_sent = note != nullptr && note->purpose != work_record::kind::receive;
  const bool is_transfer = was_sent && note->purpose != work_record::kind::packet;
  if (failed.err != FI_ECANCELED || is_transfer) report_operation(failed);
  if (was_sent) release_failed(*note);
  return true;
}

void context::report_operation(const fi_cq_err_entry& failed) noexcept {
  const auto* const note = static_cast<const work_record*>(failed.op_context);
  const bool was_sent = note != nullptr && note->purpose != work_record::kind::receive;
  const char* const detail =
      ::fi_cq_strerror(net_.completions(), failed.prov_errno, failed.err_data, nullptr, 0);
  const char* action = "receiving";
  if (was_sent) action = name_of(note->purpose);
  const std::string cause =
      text(action, " failed: ", ::fi_strerror(failed.err),
           detail != nullptr && *detail != 0 ? text(" (", detail, ")") : std::string());
  if (!was_sent) to_.broken(cause);
  lose(note->to, cause);
}

// --- receive buffers -----------------------------------------------------------------------------

bool context::post_receive(std::uint32_t index) noexcept {
  receive_buffer& slot = receives_[index];
  std::byte* const memory = buffers_.receive(index);
  const std::size_t bytes = buffers_.plan().receive_bytes;
  void* descriptor = local_.describe_own(memory, bytes);
  slot.note.local = {memory, bytes};
  fi_msg receive{};
  receive.msg_iov = &slot.note.local;
  receive.desc = &descriptor;
  receive.iov_count = 1;
  receive.addr = FI_ADDR_UNSPEC;
  receive.context = &slot.note;
  const std::uint64_t flags = net_.can().many_per_receive ? FI_MULTI_RECV : 0;
  const ssize_t code = ::fi_recvmsg(net_.endpoint(), &receive, flags);
  if (code == -FI_EAGAIN) return false;
  if (code != 0) {
    to_.broken(
        text("no buffer can be posted for what arrives: ", ::fi_strerror(static_cast<int>(-code))));
  }
  slot.finished = false;
  ++receives_posted_;
  return true;
}

void context::post_receives() noexcept {
  for (std::uint32_t i = 0; i < receives_.size(); ++i) {
    if (receives_[i].finished && receives_[i].held == 0 && !post_receive(i)) return;
  }
}

/// A packet of this buffer was handled, or has moved.
void context::release(std::uint32_t index) noexcept {
  receive_buffer& slot = receives_[index];
  if (--slot.held == 0 && slot.finished) post_receive(index);
}

/// Queued requests must not hold so many buffers that replies find none.
void context::shelve_requests() noexcept {
  arrivals& requests = arrived_[index_of(channel::request)];
  while (2 * receives_posted_ <= receives_.size() && requests.holds_buffers()) {
    release(requests.shelve());
  }
}

// --- handling ------------------------------------------------------------------------------------

bool context::next_packet(bool replies_only, arrived& packet) noexcept {
  arrivals& replies = arrived_[index_of(channel::reply)];
  arrivals& requests = arrived_[index_of(channel::request)];
  if (!replies.empty()) {
    packet = replies.pop();
    return true;
  }
  if (replies_only || requests.empty()) return false;
  packet = requests.pop();
  return true;
}

/// Runs the handlers of a packet's messages, without the lock.
std::size_t context::run_handlers(const arrived& packet) noexcept {
  packet_head head;
  std::memcpy(&head, packet.data, sizeof head);
  part_reader parts({packet.data, packet.bytes}, head);
  std::size_t count = 0;
  for (arrival in; parts.next(in); ++count) to_.deliver(in);
  if (!parts.is_complete()) {
    const hold held(*this);
    lose(head.source(), "it sent a packet that makes no sense");
  }
  return count;
}

/// The packet's memory is free again, and its sender gets the credit back.
void context::finish(const arrived& packet) noexcept {
  packet_head head;
  std::memcpy(&head, packet.data, sizeof head);
  if (packet.receive != arrived::no_buffer) {
    release(packet.receive);
  } else {
    arrived_[index_of(head.via())].give_back(packet);
  }
  peer_state& source = peer_of(head.source());
  if (source.is_lost) return;
  const std::uint32_t enough = source.wants_credits ? 1 : window_ / 2;
  if (++source.lanes[index_of(head.via())].owed >= enough) remember(head.source());
}

// --- what waits to be sent -----------------------------------------------------------------------

/// Sends packets that have gathered, and credits that nothing else carries. A packet that finds no
/// room stays listed.
void context::send_waiting() noexcept {
  visiting_.swap(waiting_);
  for (const rank_id to : visiting_) {
    peer_state& target = peer_of(to);
    target.is_listed = false;
    if (target.is_lost) continue;
    for (const channel via : {channel::reply, channel::request}) {
      const channel_state& target_lane = target.lanes[index_of(via)];
      if (target_lane.buffer != buffers::no_buffer && !flush(to, via)) remember(to);
    }
    send_credits(to);
  }
  visiting_.clear();
}

void context::send_credits(rank_id to) noexcept {
  peer_state& target = peer_of(to);
  if (target.is_lost) return;
  const std::uint32_t enough = target.wants_credits ? 1 : window_ / 2;
  const bool owes = target.lanes[0].owed >= enough || target.lanes[1].owed >= enough;
  if (!owes && !target.wants_answer) return;
  if (!send_head(to, target.wants_answer ? packet_head::answer_bit : 0)) return remember(to);
  target.wants_answer = false;
  if (owes) target.wants_credits = false;
}

/// Sends a packet without messages, with these bits; false when there is no room.
bool context::send_head(rank_id to, std::uint32_t bits) noexcept {
  const std::uint32_t buffer = buffers_.take_for_credits();
  if (buffer == buffers::no_buffer) return false;
  const outgoing alone{buffers_.for_credits(buffer), sizeof(packet_head), buffer};
  write_head(to, channel::request, alone.data);
  add_bits(alone.data, bits);
  if (hand_over(to, reserve::credits, alone)) return true;
  buffers_.give_back(reserve::credits, buffer);
  return false;
}

/// Finds out to which peers puts and gets are under way. Only where take_answer() wants to know.
void context::note_transfers() noexcept {
  if (!net_.can().is_stream) return;
  for (const work_record& each : works_.transfers()) {
    if (each.to != no_rank) peer_of(each.to).has_transfers = true;
  }
}

/// Asks each peer that for a while has owed credits, has had packets missing, or has had
/// transfers under way to it: once a second, and less and less often if it does not answer.
void context::ask_debtors() noexcept {
  const std::int64_t now = now_ns();
  if (now < ask_at_ns_) return;
  const bool first = ask_at_ns_ == 0;
  bool waits = false;
  note_transfers();
  peers_.for_each([&](peer_state& target) {
    if (target.is_lost) return;
    const bool owes = target.lanes[0].under_way + target.lanes[1].under_way != 0;
    const bool transfers = std::exchange(target.has_transfers, false);
    const bool asks = owes || transfers || target.has_filled || target.numbers.missing() != 0;
    const bool sent = asks && !first && send_head(target.rank, packet_head::ask_bit);
    target.owes_answer |= sent;
    waits |= sent;
  });
  const bool answered = std::exchange(heard_answer_, false);
  ask_every_ns_ =
      waits && !answered ? std::clamp(2 * ask_every_ns_, ask_ns_min, ask_ns_max) : ask_ns_min;
  ask_at_ns_ = now + ask_every_ns_;
}

/// The event that ended a sleep does not announce more. A thread that clears it must then look at
/// everything there is, because a thread that still sleeps is not woken again.
void context::forget_wake() noexcept {
  slept_ = false;
  net_.take_new_events();
}

// A rank does not notice when others put to its memory or get from it. It stays awake while there
// is something new at the network between two attempts to sleep: the next transfer is likely near.
sleep_terms context::before_sleep() noexcept {
  const hold held(*this);
  ask_debtors();
  if (end_lost_at_ns_ != 0) end_lost_transfers();
  if (!waiting_.empty()) send_waiting();
  const bool served = net_.take_new_events();
  if (served) nap_ns_ = 0;
  if (!net_.may_sleep()) return {.allowed = false};
  // The next poll reports what this look has taken in.
  unreported_ += receive(true);
  const bool waits = !arrived_[0].empty() || !arrived_[1].empty();
  const bool idle = !waits && unreported_ == 0 && !served;
  if (!idle) return {.allowed = false};
  slept_ = true;
  const bool wakes = net_.descriptor() >= 0 && !net_.can().needs_polls && waiting_.empty();
  if (wakes) return {};
  const bool rests = net_.descriptor() >= 0 && waiting_.empty() && works_.all_free();
  nap_ns_ = std::clamp(2 * nap_ns_, nap_ns_min, rests ? rest_ns_max : nap_ns_max);
  return {.allowed = true, .ns_max = nap_ns_};
}

}  // namespace atl::transport::ofi
