// SPDX-License-Identifier: BSD-3-Clause
//
// The transport contract: the operations that a way of reaching peers must offer. A transport moves
// active messages. Bulk data goes by loads and stores where the peer's memory is mapped
// (core/segment/route.hpp), else by the transport's own puts and gets where it has them, and
// otherwise over these messages. Everything is chosen at run time: one job may use several
// transports, one per peer, and `list.cpp` names those that are built in.
//
// Data functions never block, throw or allocate. They return `done`, `posted` (under way; a poll
// reports the end to receiver::complete) or `retry`: nothing happened, make progress and post
// again. Control functions may throw `atl::error`.
//
// An operation that a transport may lack has a default here that says so: the core uses a native
// put or get only for memory that its owner could register, and does all others over messages.
//
// Two channels keep active messages free of deadlock. Requests and replies have separate queues and
// separate payload buffers, so a reply never waits behind a request; a handler of a reply may not
// send, so replies always drain. A thread that waits for room for a request polls both channels; a
// thread that waits for room for a reply polls replies only.
//
// Threads: in thread mode `any` any number of threads may call the data functions at the same time;
// in mode `single` only one thread calls them, and a transport omits what it does not need then.
#pragma once

#include <atoll/base/rank.hpp>
#include <atoll/base/threads/doorbell.hpp>
#include <atoll/memory/device/device.hpp>
#include <atoll/transport/message.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace atl::transport {

/// Every transport carries payloads of this size, so that fronts can answer for all before any is
/// open.
inline constexpr std::size_t medium_least = 65536;

/// The number of operations that a network has been given.
struct network_counts {
  std::uint64_t messages = 0;
  std::uint64_t transfers = 0;  // native puts, gets and atomics
};

/// A transport's description of itself; the core plans with it. It stays the same for the
/// transport's life: the core asks when it takes the transport, and never during transfers.
struct capabilities {
  std::size_t medium_max = 0;     // bytes of payload in one message, medium_least or more
  bool delivers_inline = false;   // send() runs the handler before it returns
  std::size_t transfer_max = 0;   // bytes of one native put or get; 0: it has none
  std::size_t transfer_min = 0;   // of many, smaller ones are better done by messages
  bool lends = false;             // lend() works, and costs less than a copy of much data
  int wait_descriptor = -1;       // becomes readable when a poll would find something; -1: none
  std::string_view network = {};  // the name of the network, alike on all ranks that have it
  const network_counts* counts = nullptr;  // of a network, read when nothing is under way
};

/// Receives what arrives: the core. Called by polls (and by sends that deliver inline). A message
/// that says it is taken out is the receiver's until deliver() returns: a poll in between neither
/// finds it again nor lets its sender write over it.
class receiver {
 public:
  /// Runs the handler before it returns.
  virtual void deliver(const arrival& message) noexcept = 0;

  /// A transfer that was `posted` is complete: what a put wrote is visible at the target.
  virtual void complete(void* context) noexcept = 0;

  /// All bytes of a loan are here, and it is over: calls `filled`. The transport may hold its lock.
  virtual void filled(const loan& ended) noexcept = 0;

  /// A transfer that was `posted` has not happened, or only in part: its peer is lost.
  virtual void abandon(void* context) noexcept = 0;

  /// Nothing reaches this peer any more, and nothing comes from it. The receiver may end the job.
  /// If it returns, the transport drops all that goes to the peer or comes from it. May be called
  /// while the transport holds its lock, so the receiver calls no transport from inside.
  virtual void lost(rank_id peer, std::string_view cause) noexcept = 0;

  /// The transport itself no longer works: the job ends.
  [[noreturn]] virtual void broken(std::string_view cause) noexcept = 0;

 protected:
  ~receiver() = default;
};

class transport {
 public:
  transport() = default;
  transport(const transport&) = delete;
  transport& operator=(const transport&) = delete;
  virtual ~transport() = default;

  virtual std::string_view name() const noexcept = 0;
  virtual capabilities describe() const noexcept = 0;

  /// Whether a message on this channel would find room now; another thread may still take it.
  virtual bool has_room(rank_id target, channel via) noexcept = 0;

  /// Sends one message; arguments and payload may be reused when it returns `done`.
  virtual post send(const message& out) noexcept = 0;

  /// Negotiated payload: a buffer of at least `bytes` (at most medium_max) that the caller fills in
  /// place; its `data` is null when none is free now (retry). Every buffer is ended by one commit
  /// or cancel.
  virtual staging prepare(channel via, std::size_t bytes) noexcept = 0;

  /// Sends a prepared buffer; `out.payload` is ignored and `out.bytes` may be less than prepared.
  /// After `retry` the buffer is still the caller's.
  virtual post commit(const staging& buffer, const message& out) noexcept = 0;

  /// Gives a prepared buffer back unsent.
  virtual void cancel(const staging& buffer) noexcept = 0;

  /// Delivers what has arrived, a bounded number, replies first; `replies_only` leaves requests
  /// where they are. Returns the number delivered.
  virtual std::size_t poll(bool replies_only) noexcept = 0;

  // --- native transfers, where describe() has a transfer_max ------------------------------------

  /// Lets all ranks put into this memory of the caller and get from it, until it is unregistered;
  /// the heaps are registered before publish(). Returns a key for the owner to hand to them, or
  /// no_memory_key where that cannot be. The memory must exist until then. Control.
  virtual std::uint64_t register_memory(std::span<std::byte>) noexcept { return no_memory_key; }
  virtual void unregister_memory(std::uint64_t) noexcept {}

  /// Lends memory of the caller to one rank, which gets from it, or fills it by puts that name the
  /// loan (transfer::loan): of loan::put_bytes each, the last of what is left. The borrower sees a
  /// put as complete as soon as its source may be changed. When the bytes of all are here, the
  /// receiver is told, and the loan is over. Where a broken connection has swallowed one it is
  /// never told, and what next comes from the borrower shows that the borrower is lost. Sets the
  /// loan's key and number; false where that cannot be. Any thread, also in handlers.
  virtual bool lend(rank_id, std::span<std::byte>, loan&) noexcept { return false; }
  /// Ends a loan that is not filled: no put or get of it is under way, and none will be.
  virtual void take_back(const loan&) noexcept {}

  /// register_memory() for memory of a device, which the processor does not touch: it may then be
  /// either end of a put or get.
  virtual std::uint64_t register_device_memory(std::span<std::byte>,
                                               const memory::device_description&) noexcept {
    return no_memory_key;
  }

  /// Puts or gets at most transfer_max bytes. Without `keeps_source` the bytes at `local` may be
  /// changed as soon as the call returns. The core omits `keeps_source` only for up to medium_max
  /// bytes, because a transport may have to copy them.
  virtual post put(const transfer&) noexcept { return post::retry; }
  virtual post get(const transfer&) noexcept { return post::retry; }

  // --- native atomics ---------------------------------------------------------------------------

  /// The operations on numbers of this type, in registered memory, that atomic() does where the
  /// target is the given rank. Every rank gives the same answer. They are atomic with respect to
  /// each other, whichever rank starts them (the target too), and with nothing else, in particular
  /// not with the processor's.
  virtual atomic_ops native_atomics(rank_id, data_type) const noexcept { return {}; }

  /// Starts one of these operations; every rank that does so to the same number must have it.
  /// When complete, the number is changed at the target.
  virtual post atomic(const atomic_transfer&) noexcept { return post::retry; }

  // --- a peer that is lost -----------------------------------------------------------------------

  /// The receiver has heard that this peer is lost: what waits for it is given up, and transfers to
  /// it that are under way end soon, by receiver::abandon(). From then on messages to it are taken
  /// and dropped where room would be waited for, and transfers answer `retry`: the core posts none.
  /// Not from inside a call of the receiver that holds the transport's lock.
  virtual void forget(rank_id) noexcept {}

  // --- starting and sleeping ---------------------------------------------------------------------

  /// Control: publish() returns how others find this rank, and connect() takes what all ranks
  /// published, by rank; nothing of a rank that does not have this network. Each is called once, in
  /// this order, before the first message is sent to another rank.
  virtual std::vector<std::byte> publish() { return {}; }
  virtual void connect(std::span<const std::span<const std::byte>>) {}

  /// Sends out what it has held back. A message that comes between the call and the sleep makes the
  /// wait descriptor readable.
  virtual sleep_terms before_sleep() noexcept { return {}; }
};

}  // namespace atl::transport
