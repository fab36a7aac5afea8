// SPDX-License-Identifier: BSD-3-Clause
//
// Puts and gets by the provider. A put's completion means that the data is visible at the target;
// until then its source is the provider's, unless it was small enough to be taken along, or was
// copied to a buffer of ours because the caller does not keep it. A put that fills a loan is told
// to its target instead, by a completion there, and is complete here when its source is free.
#include <atoll/base/text.hpp>
#include <atoll/transport/ofi/connections.hpp>
#include <atoll/transport/ofi/context.hpp>

#include <rdma/fi_errno.h>

#include <cstring>

namespace atl::transport::ofi {

namespace {

// The kernel takes no more ahead of a rank of this machine: a part of the cache of a core.
constexpr std::size_t ahead_bytes_max = std::size_t{256} << 10;

// Shorter puts leave the buffers as they are: a search for sockets costs more than it gains them.
constexpr std::size_t throttled_bytes_min = std::size_t{64} << 10;

}  // namespace

post context::put(const transfer& request) noexcept {
  const hold held(*this);
  work_record* const note =
      take_transfer(work_record::kind::transfer, request.target, request.context);
  if (note == nullptr) return post::retry;
  if (request.on_device) {
    void* const own = local_.describe_own(request.local, request.bytes);
    return start_write(request, *note, request.local, own, 0);
  }
  if (request.bytes <= net_.can().inject_max) {
    return start_write(request, *note, request.local, nullptr, FI_INJECT);
  }
  const std::byte* from = request.local;
  const bool copies = request.bytes <= payload_max && !local_.knows(request.local, request.bytes);
  if (!request.keeps_source || copies) {
    std::byte* const copy = pass_through(*note, request.bytes);
    if (copy == nullptr) return post::retry;
    std::memcpy(copy, request.local, request.bytes);
    from = copy;
  }
  void* descriptor = nullptr;
  const int refused =
      local_.describe({from, request.bytes}, FI_WRITE, descriptor, note->registered);
  if (refused != 0) return settle(refused, *note);
  return start_write(request, *note, from, descriptor, 0);
}

post context::start_write(const transfer& request, work_record& note, const void* from,
                          void* descriptor, std::uint64_t flags) noexcept {
  note.local = {const_cast<void*>(from), request.bytes};  // only read
  note.remote = {.addr = net_.name_of(request.remote, request.memory),
                 .len = request.bytes,
                 .key = request.memory.key};
  fi_msg_rma write{};
  write.msg_iov = &note.local;
  write.desc = &descriptor;
  write.iov_count = 1;
  write.rma_iov = &note.remote;
  write.rma_iov_count = 1;
  write.context = &note;
  const bool fills = request.loan != loan::no_number;
  peer_state& target = peer_of(request.target);
  write.addr = target.address;
  if (fills) write.data = loan_data(request.loan, target.sent);
  const std::uint64_t until = fills ? FI_REMOTE_CQ_DATA : FI_DELIVERY_COMPLETE;
  const std::uint64_t all_flags = flags | FI_COMPLETION | until;
  const post posted =
      settle(static_cast<int>(::fi_writemsg(net_.endpoint(), &write, all_flags)), note);
  if (posted != post::posted) return posted;
  if (!target.is_throttled && request.bytes >= throttled_bytes_min) [[unlikely]]
    throttle(target);
  if (!fills) return posted;
  ++target.sent;
  target.has_filled = true;
  target.answers_when_filled = target.answers;
  return posted;
}

// Between ranks of one machine the kernel copies twice and no wire is the limit. With a send buffer
// of megabytes, which the kernel chooses by itself, a rank runs so far ahead of its peer that what
// is under way leaves the caches, and both copies become slower. Elsewhere the kernel's choice
// stays, because a long wire needs that much under way. Called when a put has been taken, so there
// is a connection.
void context::throttle(peer_state& target) noexcept {
  target.is_throttled = true;
  if (is_on_this_machine_.empty() || !is_on_this_machine_[target.rank]) return;
  const network_address own = addresses_.address(self_), peer = addresses_.address(target.rank);
  limit_send_buffers({own.data.data(), own.bytes}, {peer.data.data(), peer.bytes}, ahead_bytes_max);
}

// --- loans ---------------------------------------------------------------------------------------

bool context::lend(rank_id borrower, std::span<std::byte> memory, loan& terms) noexcept {
  const hold held(*this);
  if (!lends() || memory.size() > net_.can().transfer_max || peer_of(borrower).is_lost)
    return false;
  terms.key = exposed_.add_loan(memory);
  if (terms.key == no_memory_key) return false;
  loans_.add(terms, borrower, memory.size());
  return true;
}

void context::take_back(const loan& terms) noexcept {
  const hold held(*this);
  exposed_.remove(terms.key);
  const loan_table::entry* const found = loans_.find(terms.number);
  if (found == nullptr) return;
  if (peer_of(found->borrower).is_lost) return loans_.close(terms.number);
  loans_.remove(terms.number);
}

/// A put to a loan has come, or has failed.
void context::end_loan(std::uint64_t data, bool has_come) noexcept {
  loan_table::entry* const found = loans_.find(loan_of(data));
  if (found == nullptr) {
    ++refused_;
    return;
  }
  peer_state& source = peer_of(found->borrower);
  if (source.is_lost) return;
  if (!has_come) return lose(source.rank, "a put from it failed");
  if (!source.numbers.next_low(number_of(data))) {
    return lose(source.rank,
                text("the connection broke: put ", number_of(data), " came where packet ",
                     source.numbers.heard() - 1, " was to come"));
  }
  if (--found->puts != 0) return;
  const loan ended = found->terms;
  exposed_.remove(ended.key);
  loans_.remove(ended.number);
  to_.filled(ended);
  ++moved_;
}

post context::get(const transfer& request) noexcept {
  const hold held(*this);
  work_record* const note =
      take_transfer(work_record::kind::transfer, request.target, request.context);
  if (note == nullptr) return post::retry;
  std::byte* to = request.local;
  if (!request.on_device && request.bytes <= payload_max &&
      !local_.knows(request.local, request.bytes)) {
    to = pass_through(*note, request.bytes);
    if (to == nullptr) return post::retry;
    note->home = request.local;
    note->bytes = request.bytes;
  }
  void* descriptor = nullptr;
  int refused = 0;
  if (request.on_device) {
    descriptor = local_.describe_own(to, request.bytes);
  } else {
    refused = local_.describe({to, request.bytes}, FI_READ, descriptor, note->registered);
  }
  if (refused != 0) return settle(refused, *note);
  const ssize_t code =
      ::fi_read(net_.endpoint(), to, request.bytes, descriptor, peer_of(request.target).address,
                net_.name_of(request.remote, request.memory), request.memory.key, note);
  return settle(static_cast<int>(code), *note);
}

/// A buffer of the transport's for this transfer; null when there is none: the record has then been
/// given back.
std::byte* context::pass_through(work_record& note, std::size_t bytes) noexcept {
  note.buffer = buffers_.take(channel::request, bytes);
  if (note.buffer != buffers::no_buffer) return buffers_.address_of(channel::request, note.buffer);
  works_.give_back(note);
  --counts_.transfers;
  return nullptr;
}

/// Turns the code of a provider's call into `posted` or `retry`; with any failure but -FI_EAGAIN
/// the peer is lost.
post context::settle(int code, work_record& note) noexcept {
  if (code == 0) return post::posted;
  if (code != -FI_EAGAIN) {
    const bool is_atomic = note.purpose == work_record::kind::atomic;
    lose(note.to,
         text(is_atomic ? "an atomic" : "a put or get", " failed: ", ::fi_strerror(-code)));
  }
  local_.give_back(note.registered);
  if (note.buffer != buffers::no_buffer) buffers_.give_back(note.origin, note.buffer);
  works_.give_back(note);
  --counts_.transfers;
  return post::retry;
}

/// A record of a transfer or an atomic to a peer whose address is known, whose end is reported to
/// the receiver; null when all are in use, or the peer is lost.
work_record* context::take_transfer(work_record::kind kind, rank_id target, void* token) noexcept {
  peer_state& remote = peer_of(target);
  const bool is_reached = !remote.is_lost && knows(remote);
  work_record* const note = is_reached ? works_.take(reserve::transfer) : nullptr;
  if (note == nullptr) return nullptr;
  ++counts_.transfers;
  note->purpose = kind;
  note->to = target;
  note->answers = remote.answers;
  note->token = token;
  return note;
}

}  // namespace atl::transport::ofi
