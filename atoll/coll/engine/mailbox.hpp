// SPDX-License-Identifier: BSD-3-Clause
//
// Messages between the members of a team that take part in one collective. A message is named by
// team, number of the call, peer and tag; sender and receiver give the same name and size. Each
// name is used once, so matching is one look into a table: the second of the two finds the first.
//
// Small messages are eager (call::eager_bytes): they travel at once, and one that arrives before
// its receiver waits in the table. A large one travels when its receiver has said that it is ready,
// in pieces straight to its place; by one copy where the place is mapped here or the kernel reaches
// it; or by puts where the receiver's network can lend the place to the sender's. The network tells
// the receiver when the bytes are there, since a message that follows a put may come although a
// broken connection has lost the put. In a call with `by=get` the roles are exchanged: the sender
// offers its data, and the receiver copies or gets them and then tells the sender.
//
// No call blocks, because the engine's lock is held: flush() sends again what the transport has
// refused, and until that is sent the threads of this rank sleep only briefly.
//
// Threads: send, receive and flush by the thread that holds the engine; handlers run on any thread
// and meet them under a lock that is held for a look-up and at most one copy of an eager message.
#pragma once

#include <atoll/base/rank.hpp>
#include <atoll/coll/engine/block_pool.hpp>
#include <atoll/coll/engine/task.hpp>
#include <atoll/core/am/am.hpp>
#include <atoll/core/progress/attachment.hpp>
#include <atoll/core/progress/event.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace atl::transport {
class transport;
}

namespace atl {
class runtime;
}

namespace atl::coll {

struct active_call;
struct mail;
class mailbox;

/// Messages under way that a task waits for together: `co_await group` goes on when all that were
/// started with it are complete; then the group may be used again. Lives in the task's frame, and
/// must be awaited before it ends.
class transfers {
 public:
  transfers() = default;
  transfers(const transfers&) = delete;
  transfers& operator=(const transfers&) = delete;

  // Acquire: pairs with the release in finish(); what arrived is visible.
  bool await_ready() const noexcept { return left_.load(std::memory_order_acquire) == 1; }
  bool await_suspend(task::handle leaf) noexcept;
  void await_resume() noexcept { left_.store(1, std::memory_order_relaxed); }

 private:
  friend class mailbox;

  bool is_of(const active_call& op) const noexcept { return op_ == &op; }
  void add(active_call& op) noexcept {
    if (op_ != &op) op_ = &op;  // once: others may read it while more are added
    left_.fetch_add(1, std::memory_order_relaxed);
  }
  /// Ends one message of the group. Any thread; the group may be gone afterwards.
  void finish() noexcept;

  active_call* op_ = nullptr;
  std::atomic<std::uint32_t> left_ = 1;  // one more than are under way, until it is awaited
};

/// The name of a message, seen from one side.
struct message_name {
  std::uint64_t team = 0;
  std::uint32_t sequence = 0;
  std::uint32_t tag = 0;
  rank_id peer = no_rank;  // the other side's job rank
  std::uint32_t side = 0;  // data to receive, readiness of a receiver, or an offer

  friend bool operator==(const message_name&, const message_name&) noexcept = default;
};

class mailbox {
 public:
  /// Registers its handlers in the runtime's own endpoint. `engine` calls flush() when it advances.
  mailbox(runtime& owner, attachment& engine);
  mailbox(const mailbox&) = delete;
  mailbox& operator=(const mailbox&) = delete;
  ~mailbox();

  /// One message to `name.peer`, and one from it, on behalf of `op`.
  void send(active_call& op, transfers& group, const message_name& name, const void* from,
            std::size_t bytes) noexcept;
  void receive(active_call& op, transfers& group, const message_name& name, void* to,
               std::size_t bytes) noexcept;

  /// Tries again what was refused, and streams what receivers are ready for. True when something
  /// moved.
  bool flush() noexcept;

  /// Whether flush() has anything to do.
  bool has_work() const noexcept {
    return !outbox_.empty() || !moving_.empty() || owes() ||
           granted_.load(std::memory_order_relaxed) != nullptr;
  }
  /// A team has lost a member: its messages are neither sent nor received any more, and its loans
  /// end when their borrowers have answered.
  void abandon(std::uint64_t team) noexcept;

  /// The team has ended here, with no call under way. If it has lost a member, messages of others
  /// that do not know this yet may still come, and are dropped.
  void forget(std::uint64_t team, bool has_lost_member) noexcept;

  /// Whether a network may still write to memory that an abandoned operation receives into by gets.
  bool gets_for(const active_call& op) const noexcept;

  /// Ranks were lost: abandoned loans to them end without an answer.
  void end_loans_to_lost() noexcept;

  /// Whether recalled loans have not ended, or recalls are not answered, although no operation may
  /// be under way. Until then the engine also looks for lost ranks. Any thread.
  bool owes() const noexcept { return owed_.load(std::memory_order_relaxed) != 0; }

  /// The loans that have not ended, and the recalls of others that are remembered; for tests.
  std::size_t loans() noexcept;
  std::size_t recalls_remembered() noexcept;

  std::uint64_t allocations() noexcept;

 private:
  friend struct mail;  // names attempts
  enum class step : std::uint8_t { done, refused };

  /// A loan that its lender wants back: of which message, and the lender's mail. The mail alone
  /// names nothing, since the lender uses it again when a loan is over.
  struct recalled_loan {
    message_name name;  // without its side
    std::uint64_t mail_address;
  };

  static constexpr std::size_t bucket_count = 1024;

  static void on_eager(void* self, am_token& token, const std::uint32_t* args, unsigned nargs,
                       void* payload, std::size_t bytes);
  static void on_ready(void* self, am_token& token, const std::uint32_t* args, unsigned nargs,
                       void* payload, std::size_t bytes);
  static void on_piece(void* self, am_token& token, const std::uint32_t* args, unsigned nargs,
                       void* payload, std::size_t bytes);

  static void on_offer(void* self, am_token& token, const std::uint32_t* args, unsigned nargs,
                       void* payload, std::size_t bytes);
  static void on_taken(void* self, am_token& token, const std::uint32_t* args, unsigned nargs,
                       void* payload, std::size_t bytes);
  static void on_recall(void* self, am_token& token, const std::uint32_t* args, unsigned nargs,
                        void* payload, std::size_t bytes);
  static void on_returned(void* self, am_token& token, const std::uint32_t* args, unsigned nargs,
                          void* payload, std::size_t bytes);
  static void on_filled(void* context) noexcept;
  void receive_terms(const message_name& name, const std::uint32_t* args,
                     step (mailbox::*attempt)(mail&) noexcept) noexcept;

  mail** place_of(const message_name& name) noexcept;
  void insert(mail& message) noexcept;
  mail* take_match(const message_name& name) noexcept;
  mail* new_mail(const message_name& name) noexcept;
  void free_mail(mail* message) noexcept;

  bool post_eager(const message_name& name, const void* from, std::size_t bytes) noexcept;
  bool post_terms(const mail& own, std::uint8_t handler) noexcept;
  bool post_short(rank_id peer, std::uint8_t handler, std::span<const std::uint32_t> args) noexcept;
  bool post_piece(mail& message, const void* from, std::size_t bytes, std::size_t counted) noexcept;
  void receive_large(active_call& op, transfers& group, const message_name& name, void* to,
                     std::size_t bytes) noexcept;
  void try_or_keep(mail& message) noexcept;
  void note_outbox() noexcept;
  step try_again(mail& message) noexcept;
  step send_again(mail& message) noexcept;
  step ask(mail& receiver) noexcept;
  step ready_again(mail& receiver) noexcept;
  bool may_copy_by_kernel(rank_id peer) noexcept;
  bool copy_whole(const mail& message) noexcept;
  step stream(mail& message) noexcept;

  // Loans, and messages that receivers get: in loans.cpp.
  void lend(mail& lender) noexcept;
  bool can_transfer(const mail& message) const noexcept;
  bool start_transfer(mail& message, operation*& record) noexcept;
  bool start_transfers(mail& message) noexcept;
  bool end_transfers() noexcept;
  bool end_transfers(mail& message) noexcept;
  operation_status give_back(operation*& record) noexcept;
  step offer(mail& sender) noexcept;
  step offer_again(mail& sender) noexcept;
  step take(mail& receiver) noexcept;
  step tell_taken(mail& receiver) noexcept;
  void recall(std::uint64_t team) noexcept;
  step recall_again(mail& lender) noexcept;
  void answer_recalls() noexcept;
  bool stop_using(const recalled_loan& loan) noexcept;
  bool has_recalled(const message_name& name) const noexcept;
  void answer(rank_id lender, std::uint64_t mail_address) noexcept;
  step answer_again(mail& message) noexcept;
  template <class Predicate>
  void end_recalled(Predicate is_over) noexcept;

  void retire(mail& message) noexcept;
  bool end_loan(mail& lender) noexcept;
  void take_granted() noexcept;
  bool is_abandoned(std::uint64_t team) const noexcept;
  void note_abandoned(std::uint64_t team) noexcept;
  void check_size(const message_name& name, std::size_t wanted, std::size_t came) const noexcept;

  runtime& owner_;
  attachment& engine_;
  std::size_t piece_bytes_max_;
  std::vector<mail*> outbox_;  // to try again; the engine's thread
  std::vector<mail*> moving_;  // by puts or gets of this side; the engine's thread
  std::vector<const transport::transport*> lends_no_more_;  // networks that have refused a buffer
  bool waits_for_room_ = false;           // the runtime has been told that the outbox is not empty
  std::atomic<mail*> granted_ = nullptr;  // large sends whose receiver is ready; pushed by handlers

  // Own loans that are recalled and have not ended, and recalls of others that are not answered.
  std::atomic<std::uint32_t> owed_ = 0;

  std::mutex guard_;                    // of what follows
  std::vector<mail*> lent_;             // those whose memory is lent
  std::vector<mail*> recalled_;         // the same, of abandoned teams
  std::vector<recalled_loan> recalls_;  // that have come, to be answered
  // Lenders and teams, mostly none. They go when the team is abandoned here or ends; of recalls
  // that come after its end without a loss, they stay.
  std::vector<std::pair<rank_id, std::uint64_t>> recalled_by_;
  std::array<mail*, bucket_count> table_{};
  mail* free_ = nullptr;
  std::vector<std::uint64_t> abandoned_;  // teams; mostly none
  block_pool blocks_;                     // of mails, and of payloads that came early
};

}  // namespace atl::coll
