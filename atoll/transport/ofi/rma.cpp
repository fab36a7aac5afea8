// SPDX-License-Identifier: BSD-3-Clause
//
// Puts and gets by the provider. A put's completion means that the data is visible at the target;
// until then its source is the provider's, unless it was small enough to be taken along, or was
// copied to a buffer of ours because the caller does not keep it.
#include <atoll/base/text.hpp>
#include <atoll/transport/ofi/context.hpp>

#include <rdma/fi_errno.h>

#include <cstring>

namespace atl::transport::ofi {

post context::put(const transfer& what) noexcept {
  const hold held(*this);
  work* const note = take_transfer(work::kind::transfer, what.target, what.context);
  if (note == nullptr) return post::retry;
  if (what.bytes <= net_.can().inject_max) {
    return start_write(what, *note, what.here, nullptr, FI_INJECT);
  }
  const std::byte* from = what.here;
  const bool copies = what.bytes <= payload_max && !local_.knows(what.here, what.bytes);
  if (!what.keeps_source || copies) {
    std::byte* const copy = pass_through(*note, what.bytes);
    if (copy == nullptr) return post::retry;
    std::memcpy(copy, what.here, what.bytes);
    from = copy;
  }
  void* descriptor = nullptr;
  const int refused = local_.describe({from, what.bytes}, FI_WRITE, descriptor, note->registered);
  if (refused != 0) return settle(refused, *note);
  return start_write(what, *note, from, descriptor, 0);
}

post context::start_write(const transfer& what, work& note, const void* from, void* descriptor,
                          std::uint64_t flags) noexcept {
  note.here = {const_cast<void*>(from), what.bytes};  // only read
  note.there = {
      .addr = net_.name_of(what.there, what.memory), .len = what.bytes, .key = what.memory.key};
  fi_msg_rma write{};
  write.msg_iov = &note.here;
  write.desc = &descriptor;
  write.iov_count = 1;
  write.addr = peers_[what.target].address;
  write.rma_iov = &note.there;
  write.rma_iov_count = 1;
  write.context = &note;
  const std::uint64_t all = flags | FI_COMPLETION | FI_DELIVERY_COMPLETE;
  return settle(static_cast<int>(::fi_writemsg(net_.endpoint(), &write, all)), note);
}

post context::get(const transfer& what) noexcept {
  const hold held(*this);
  work* const note = take_transfer(work::kind::transfer, what.target, what.context);
  if (note == nullptr) return post::retry;
  std::byte* to = what.here;
  if (what.bytes <= payload_max && !local_.knows(what.here, what.bytes)) {
    to = pass_through(*note, what.bytes);
    if (to == nullptr) return post::retry;
    note->home = what.here;
    note->bytes = what.bytes;
  }
  void* descriptor = nullptr;
  const int refused = local_.describe({to, what.bytes}, FI_READ, descriptor, note->registered);
  if (refused != 0) return settle(refused, *note);
  const ssize_t code =
      ::fi_read(net_.endpoint(), to, what.bytes, descriptor, peers_[what.target].address,
                net_.name_of(what.there, what.memory), what.memory.key, note);
  return settle(static_cast<int>(code), *note);
}

/// A buffer of the transport's for this transfer; null, and the note is gone, when there is none.
std::byte* context::pass_through(work& note, std::size_t bytes) noexcept {
  note.buffer = buffers_.take(channel::request, bytes);
  if (note.buffer != buffers::none) return buffers_.at(channel::request, note.buffer);
  works_.give_back(note);
  return nullptr;
}

/// Turns the code of a provider's call into `posted` or `retry`; any failure but -FI_EAGAIN ends
/// the job.
post context::settle(int code, work& note) noexcept {
  if (code == 0) return post::posted;
  if (code != -FI_EAGAIN) {
    const bool is_atomic = note.what == work::kind::atomic;
    to_.lost(note.to,
             text(is_atomic ? "an atomic" : "a put or get", " failed: ", ::fi_strerror(-code)));
  }
  local_.give_back(note.registered);
  if (note.buffer != buffers::none) buffers_.give_back(note.of, note.buffer);
  works_.give_back(note);
  return post::retry;
}

/// A note of something whose end the sink is told; null when there is none.
work* context::take_transfer(work::kind what, rank_id target, void* token) noexcept {
  work* const note = works_.take(reserve::transfer);
  if (note == nullptr) return nullptr;
  note->what = what;
  note->to = target;
  note->answers = peers_[target].answers;
  note->token = token;
  return note;
}

}  // namespace atl::transport::ofi
