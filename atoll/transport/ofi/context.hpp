// SPDX-License-Identifier: BSD-3-Clause
//
// The libfabric transport of one rank: one reliable-datagram endpoint, one completion queue.
//
// Messages. Small ones to one peer gather in a packet. The first after a poll goes out at once, so
// that a lone message does not wait; those that follow before the next poll go together, and
// what a poll's handlers answer leaves when the poll ends. Large ones have a packet of their own.
// A packet leaves when there is a credit for it (peer_state.hpp).
//
// Arrival. A poll takes completions from the queue, sorts packets into queues by channel, and runs
// handlers on them where they lie, replies first. A poll of replies only leaves requests queued;
// when they hold too many receive buffers, they move to a shelf (arrivals.hpp).
//
// Transfers are the provider's own reads and writes, the latter with delivery-complete semantics.
//
// Replies and credits always move on, whatever else is under way:
//   - Every poll, of replies only too, takes in all that comes: requests that it may not handle go
//     to the shelf, which has a slot for every request that windows allow. So there are receive
//     buffers, and what is sent to a rank that polls leaves its sender.
//   - Packets of credits alone need no credit, and their buffers and records serve nothing else. So
//     credits are returned.
//   - Buffers of replies and their records serve nothing else, and the handler of a reply sends
//     nothing. So replies are handled, their credits are returned, and the next ones leave.
// Requests and transfers may wait for each other: for both it is enough that their target polls.
// Of the provider's own queue, where it ends, transfers fill half at most.
//
// Threads: one lock around everything (libfabric is opened for one thread at a time), which is not
// held while a handler runs. A poll that finds the lock taken leaves the work to its holder.
#pragma once

#include <atoll/transport/contact_table.hpp>
#include <atoll/transport/ofi/address_book.hpp>
#include <atoll/transport/ofi/arrivals.hpp>
#include <atoll/transport/ofi/atomics.hpp>
#include <atoll/transport/ofi/buffers.hpp>
#include <atoll/transport/ofi/fabric.hpp>
#include <atoll/transport/ofi/loans.hpp>
#include <atoll/transport/ofi/memory.hpp>
#include <atoll/transport/ofi/packet.hpp>
#include <atoll/transport/ofi/peer_state.hpp>
#include <atoll/transport/ofi/works.hpp>
#include <atoll/transport/transport.hpp>

#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace atl::transport::ofi {

class context final : public transport {
 public:
  context(const network_request& wanted, const network_name& named);
  ~context() override;

  std::string_view name() const noexcept override { return "ofi"; }
  capabilities describe() const noexcept override;
  bool has_room(rank_id target, channel via) noexcept override;
  post send(const message& out) noexcept override;
  staging prepare(channel via, std::size_t bytes) noexcept override;
  post commit(const staging& buffer, const message& out) noexcept override;
  void cancel(const staging& buffer) noexcept override;
  std::size_t poll(bool replies_only) noexcept override;
  std::uint64_t register_memory(std::span<std::byte> memory) noexcept override;
  void unregister_memory(std::uint64_t key) noexcept override;
  bool lend(rank_id borrower, std::span<std::byte> memory, loan& terms) noexcept override;
  void take_back(const loan& terms) noexcept override;
  std::uint64_t register_device_memory(std::span<std::byte> memory,
                                       const memory::device_description& device) noexcept override;
  post put(const transfer& request) noexcept override;
  post get(const transfer& request) noexcept override;
  atomic_ops native_atomics(rank_id target, data_type type) const noexcept override;
  post atomic(const atomic_transfer& request) noexcept override;
  std::vector<std::byte> publish() override;
  void connect(std::span<const std::span<const std::byte>> cards) override;
  void forget(rank_id rank) noexcept override;
  sleep_terms before_sleep() noexcept override;

 private:
  class hold;  // the lock, where there is more than one thread
  struct receive_buffer {
    work_record note;
    std::uint32_t held = 0;  // packets in it that were not handled
    bool finished = false;   // the provider is done with it
  };
  struct card;
  struct outgoing {
    std::byte* data;
    std::size_t bytes;
    std::uint32_t buffer;  // that it lies in; given back when the provider is done with it
  };

  void note_atomics(rank_id rank, const card& peer_card);
  void insert_at_start();
  void insert_at_start(rank_id rank, fi_addr_t& name);
  bool knows(peer_state& peer) noexcept;
  [[gnu::noinline]] bool insert_address_of(peer_state& peer) noexcept;

  // Sending: context.cpp.
  post send_gathered(const message& out, std::size_t bytes) noexcept;
  post send_alone(const message& out) noexcept;
  post send_prepared(const staging& buffer, const message& out) noexcept;
  void gather(const staging& buffer, const message& out, channel_state& to) noexcept;
  void leave(rank_id to, channel via) noexcept;
  bool leaves_alone(const channel_state& to) const noexcept {
    return to.round != round_ && polling_ == 0;
  }
  bool flush(rank_id to, channel via) noexcept;
  bool post_packet(rank_id to, channel via, const outgoing& packet) noexcept;
  bool hand_over(rank_id to, reserve origin, const outgoing& packet) noexcept;
  void write_head(rank_id to, channel via, std::byte* data) noexcept;
  void remember(rank_id to) noexcept;

  // Arrival and completion: progress.cpp.
  std::size_t receive(bool to_the_end) noexcept;
  void complete(const fi_cq_data_entry& entry) noexcept;
  std::size_t complete_transfer(work_record& ended) noexcept;
  std::size_t complete_atomic(work_record& ended) noexcept;
  void release_failed(work_record& failed) noexcept;
  void take_in(std::byte* data, std::size_t bytes, std::uint32_t buffer) noexcept;
  void take_number(const packet_head& head) noexcept;
  void take_question(const packet_head& head) noexcept;
  void take_answer(const packet_head& head) noexcept;
  void take_credits(const packet_head& head) noexcept;
  bool report_failure(int code) noexcept;
  void report_operation(const fi_cq_err_entry& failed) noexcept;
  bool post_receive(std::uint32_t index) noexcept;
  void post_receives() noexcept;
  void release(std::uint32_t index) noexcept;
  void shelve_requests() noexcept;
  bool next_packet(bool replies_only, arrived& packet) noexcept;
  std::size_t run_handlers(const arrived& packet) noexcept;
  void finish(const arrived& packet) noexcept;
  void send_waiting() noexcept;
  void send_credits(rank_id to) noexcept;
  bool send_head(rank_id to, std::uint32_t bits) noexcept;
  void ask_debtors() noexcept;
  void forget_wake() noexcept;
  void note_transfers() noexcept;

  // Peers that are lost: losses.cpp.
  void lose(rank_id rank, std::string_view cause) noexcept;
  void drop(peer_state& gone) noexcept;
  void end_lost_transfers() noexcept;

  // Transfers: rma.cpp.
  post start_write(const transfer& request, work_record& note, const void* from, void* descriptor,
                   std::uint64_t flags) noexcept;
  bool lends() const noexcept { return native_ && net_.can().is_stream && net_.can().tells_target; }
  void throttle(peer_state& target) noexcept;
  void end_loan(std::uint64_t data, bool has_come) noexcept;
  post settle(int code, work_record& note) noexcept;
  std::byte* pass_through(work_record& note, std::size_t bytes) noexcept;
  work_record* take_transfer(work_record::kind kind, rank_id target, void* token) noexcept;

  /// The state of a peer, made at the first contact.
  peer_state& peer_of(rank_id rank) noexcept {
    return peers_.get(rank, [&] { return peer_state{.rank = rank}; });
  }

  rank_id self_;
  rank_id ranks_;
  bool threaded_;
  bool native_;  // puts and gets go by the provider
  bool direct_;  // the core asks for native transfers
  std::uint32_t window_;
  receiver& to_;
  std::uint64_t tag_ = 0;

  std::mutex lock_;
  fabric net_;
  std::string name_;          // of the network, alike on all ranks that have it
  network_counts counts_;     // under the lock
  std::size_t transfer_min_;  // bytes; the core sends what is shorter by messages
  std::uint32_t transfers_;   // that may be under way
  buffers buffers_;
  atomic_words words_;
  local_memory local_;  // unregistered before its fabric closes
  exposed_memory exposed_;
  loan_table loans_;
  address_book addresses_;
  std::vector<bool> is_on_this_machine_;  // by rank, where connections are the kernel's; else empty
  std::vector<fi_addr_t> names_;          // by rank, where libfabric has them from the start
  std::vector<std::uint8_t> atomics_of_;  // by rank: which of the following
  std::vector<atomic_sets> atomics_;      // that ranks have, each set once
  contact_table<peer_state> peers_;
  std::vector<rank_id> waiting_;  // peers to whom something is to be sent
  std::vector<rank_id> visiting_;
  std::vector<receive_buffer> receives_;
  std::uint32_t receives_posted_ = 0;
  work_table works_;
  std::array<arrivals, 2> arrived_;  // by channel
  std::uint64_t round_ = 1;          // counts polls
  std::uint32_t polling_ = 0;        // polls that are running, one in the handler of another
  std::size_t moved_ = 0;            // transfers completed in this poll
  bool slept_ = false;               // a thread was allowed to sleep, and none has polled since
  std::size_t unreported_ = 0;       // completed before a sleep; no poll has reported them
  std::int64_t ask_at_ns_ = 0;       // when to look for debtors next
  std::int64_t ask_every_ns_ = 0;
  bool heard_answer_ = false;             // since they were looked for last
  std::int64_t nap_ns_ = 0;               // limit of the last sleep; 0: something came since
  std::uint64_t refused_ = 0;             // packets that were none of this job's
  std::uint32_t undescribed_errors_ = 0;  // in a row
  std::int64_t end_lost_at_ns_ = 0;  // when transfers to lost peers end in any case; 0: none do
};

/// Holds the lock, if there are other threads to keep out.
class context::hold {
 public:
  explicit hold(context& owner) noexcept : owner_(owner) { lock(); }
  hold(const hold&) = delete;
  hold& operator=(const hold&) = delete;
  ~hold() { unlock(); }
  void lock() noexcept {
    if (owner_.threaded_) owner_.lock_.lock();
  }
  void unlock() noexcept {
    if (owner_.threaded_) owner_.lock_.unlock();
  }

 private:
  context& owner_;
};

}  // namespace atl::transport::ofi
