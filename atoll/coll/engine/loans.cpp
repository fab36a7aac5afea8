// SPDX-License-Identifier: BSD-3-Clause
//
// Large messages between hosts, which one side moves alone: a receiver lends its place and the
// sender puts, or a sender lends its data and the receiver gets. Where a side cannot lend, or the
// other cannot transfer, the message comes in pieces.
//
// The memory of an abandoned call stays registered until the other side has answered that no
// transfer of it is under way or will begin: a transfer that names memory which is not registered
// any more would break the connection to a rank that lives. So the lender recalls its loan. A
// receiver's own gets write to its memory, so its call ends when they have ended.
#include <atoll/base/assert.hpp>
#include <atoll/coll/engine/engine.hpp>
#include <atoll/coll/engine/mail.hpp>
#include <atoll/core/job/core_access.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/job/system_handlers.hpp>
#include <atoll/transport/transport.hpp>

#include <algorithm>
#include <utility>

namespace atl::coll {

// Lends the memory of one side to the network of the other, which then puts into it or gets from
// it; not where copying costs less, nor where peers may be lost. A network that has refused is not
// asked again.
void mailbox::lend(mail& lender) noexcept {
  const rank_id borrower = lender.name.peer;
  lender.lent = {};
  if (!core_access::goes_by_network(owner_, borrower) || !layer_access::direct_allowed(owner_) ||
      layer_access::losses(owner_).is_watched())
    return;
  transport::transport& via = core_access::via(owner_, borrower);
  const transport::capabilities& about = core_access::description_of(owner_, borrower);
  if (!about.lends || lender.bytes > about.transfer_max) return;
  if (std::ranges::find(lends_no_more_, &via) != lends_no_more_.end()) return;
  lender.box = this;
  lender.lent = {.filled = on_filled, .context = &lender};
  if (!via.lend(borrower, {lender.data, lender.bytes}, lender.lent)) {
    lends_no_more_.push_back(&via);
    return;
  }
  const std::lock_guard hold(guard_);
  lent_.push_back(&lender);
}

// Whether the other side has lent its memory, and the network here has transfers too.
bool mailbox::can_transfer(const mail& message) const noexcept {
  if (message.borrowed.number == transport::loan::no_number ||
      !layer_access::direct_allowed(owner_))
    return false;
  return core_access::description_of(owner_, message.name.peer).transfer_max != 0;
}

// Starts the next put or get; false when the network has no room now.
bool mailbox::start_transfer(mail& message, operation*& record) noexcept {
  const rank_id peer = message.name.peer;
  transport::transport& via = core_access::via(owner_, peer);
  record = layer_access::operations(owner_).take();
  ATOLL_ASSERT(record != nullptr, "out of memory for an operation record");
  piece* const begun = core_access::pieces(owner_).begin(*record, peer, piece_way::network);
  if (begun == nullptr) return true;  // the peer is lost; the record says so
  const std::size_t bytes = std::min(transport::loan::put_bytes, message.bytes - message.sent);
  const transport::transfer part{
      .target = peer,
      .memory = {.base = message.place, .key = message.borrowed.key},
      .local = message.data + message.sent,
      .remote = message.place + message.sent,
      .bytes = bytes,
      .context = begun,
      .keeps_source = true,
      .loan = message.gets ? transport::loan::no_number : message.borrowed.number};
  const transport::post posted = message.gets ? via.get(part) : via.put(part);
  if (posted == transport::post::posted) {
    message.sent += bytes;
    return true;
  }
  core_access::pieces(owner_).end(*begun);
  if (posted == transport::post::done) {
    message.sent += bytes;
    return true;
  }
  give_back(record);
  return false;
}

// Returns how the transfers of a record that is complete have ended.
operation_status mailbox::give_back(operation*& record) noexcept {
  const operation_status status = record->take_status();
  layer_access::operations(owner_).give_back(std::exchange(record, nullptr));
  return status;
}

// Starts as many transfers of a message as may be under way together; false when none is under way.
// There is one put at a time, so that this rank also receives between two of them. There are two
// gets, because each waits for a message to the peer and back.
bool mailbox::start_transfers(mail& message) noexcept {
  const std::size_t most = message.gets ? message.under_way.size() : 1;
  bool is_moving = false;
  for (std::size_t i = 0; i < most; ++i) {
    operation*& each = message.under_way[i];
    if (each == nullptr && message.sent < message.bytes && !start_transfer(message, each)) break;
    is_moving |= each != nullptr;
  }
  return is_moving;
}

// Ends the transfers that are complete here, and starts the next ones. Of an abandoned team none is
// started any more, since its memory may have another use.
bool mailbox::end_transfers() noexcept {
  return std::erase_if(moving_, [this](mail* message) { return end_transfers(*message); }) != 0;
}

// True when none is under way.
bool mailbox::end_transfers(mail& message) noexcept {
  for (operation*& each : message.under_way) {
    if (each == nullptr || !each->complete()) continue;
    const bool is_lost = give_back(each) != operation_status::done;
    message.stops |= is_lost && message.gets;  // bytes are missing: the message is never complete
  }
  message.stops |= is_abandoned(message.name.team);
  const auto is_moving = [](const operation* each) { return each != nullptr; };
  if (!message.stops && message.gets && message.sent < message.bytes) start_transfers(message);
  if (std::ranges::any_of(message.under_way, is_moving)) return false;
  if (message.recalled_as != 0) answer(message.name.peer, message.recalled_as);
  if (message.stops) return true;  // its call has ended, or will, since a member is lost
  if (message.sent == message.bytes && !message.gets) {
    retire(message);
    return true;
  }
  if (message.sent == message.bytes) message.attempt = &mailbox::tell_taken;
  outbox_.push_back(&message);
  return true;
}

bool mailbox::gets_for(const active_call& op) const noexcept {
  return std::ranges::any_of(
      moving_, [&](const mail* each) { return each->gets && each->group->is_of(op); });
}

std::size_t mailbox::loans() noexcept {
  const std::lock_guard hold(guard_);
  return lent_.size() + recalled_.size();
}

std::size_t mailbox::recalls_remembered() noexcept {
  const std::lock_guard hold(guard_);
  return recalled_by_.size();
}

// Takes back what the mail has lent, if it is not filled. False when its team is abandoned: then
// the answer to the recall ends the loan.
bool mailbox::end_loan(mail& lender) noexcept {
  transport::loan terms;
  {
    const std::lock_guard hold(guard_);
    if (is_abandoned(lender.name.team)) return false;
    std::erase(lent_, &lender);
    terms = std::exchange(lender.lent, {});
  }
  if (terms.number != transport::loan::no_number)
    core_access::via(owner_, lender.name.peer).take_back(terms);
  return true;
}

// Called while the network may hold its lock.
void mailbox::on_filled(void* context) noexcept {
  mail& receiver = *static_cast<mail*>(context);
  mailbox& box = *receiver.box;
  {
    const std::lock_guard hold(box.guard_);
    receiver.lent.number = transport::loan::no_number;  // it is over
  }
  box.retire(receiver);
}

// --- a message that its receiver gets ------------------------------------------------------------

mailbox::step mailbox::offer(mail& sender) noexcept {
  sender.allows_kernel = may_copy_by_kernel(sender.name.peer);
  if (sender.allows_kernel) core_access::memory(owner_).offer();
  lend(sender);
  sender.attempt = &mailbox::offer_again;
  return offer_again(sender);
}

mailbox::step mailbox::offer_again(mail& sender) noexcept {
  return post_terms(sender, system_handler::coll_offer) ? step::done : step::refused;
}

// The data have been offered, and the receiver is here.
mailbox::step mailbox::take(mail& receiver) noexcept {
  check_size(receiver.name, receiver.bytes, receiver.expected);
  if (can_transfer(receiver)) {
    if (!start_transfers(receiver)) return step::refused;
    moving_.push_back(&receiver);
    return step::done;
  }
  if (!copy_whole(receiver)) {
    receiver.gets = false;
    return ask(receiver);
  }
  receiver.attempt = &mailbox::tell_taken;
  return tell_taken(receiver);
}

mailbox::step mailbox::tell_taken(mail& receiver) noexcept {
  const message_name& name = receiver.name;
  const std::array<std::uint32_t, 4> args{low_half(name.team), high_half(name.team), name.sequence,
                                          name.tag};
  if (!post_short(name.peer, system_handler::coll_taken, args)) return step::refused;
  retire(receiver);
  return step::done;
}

void mailbox::on_offer(void* self, am_token& token, const std::uint32_t* args, unsigned, void*,
                       std::size_t) {
  static_cast<mailbox*>(self)->receive_terms(name_from(token, args, side_offer), args,
                                             &mailbox::take);
}

void mailbox::on_taken(void* self, am_token& token, const std::uint32_t* args, unsigned, void*,
                       std::size_t) {
  mailbox& box = *static_cast<mailbox*>(self);
  const message_name name = name_from(token, args, side_ready);
  mail* sender;
  {
    const std::lock_guard hold(box.guard_);
    if (box.is_abandoned(name.team)) return;  // the answer to the recall ends the loan
    sender = box.take_match(name);
    ATOLL_ASSERT(sender != nullptr, "data of a collective were taken that nobody has offered",
                 name.sequence, name.tag, name.peer);
  }
  box.retire(*sender);
}

// --- loans of calls that have lost a member ------------------------------------------------------

// Asks borrowers for the loans of an abandoned team. A loan to a rank that is lost gets no answer:
// end_loans_to_lost() ends it.
void mailbox::recall(std::uint64_t team) noexcept {
  std::vector<mail*> wanted;
  {
    const std::lock_guard hold(guard_);
    const auto others =
        std::partition(lent_.begin(), lent_.end(), [&](mail* m) { return m->name.team != team; });
    wanted.assign(others, lent_.end());
    lent_.erase(others, lent_.end());
    recalled_.insert(recalled_.end(), wanted.begin(), wanted.end());
    owed_.fetch_add(static_cast<std::uint32_t>(wanted.size()), std::memory_order_relaxed);
  }
  for (mail* const each : wanted) {
    each->attempt = &mailbox::recall_again;
    outbox_.push_back(each);
  }
  note_outbox();
}

mailbox::step mailbox::recall_again(mail& lender) noexcept {
  const message_name& name = lender.name;
  const std::array<std::uint32_t, 6> args{low_half(name.team),     high_half(name.team),
                                          name.sequence,           name.tag,
                                          low_half(bits(&lender)), high_half(bits(&lender))};
  return post_short(name.peer, system_handler::coll_recall, args) ? step::done : step::refused;
}

// The answer must come after all that the engine's thread still does with the loan. Another thread
// may be handling terms that came before this recall: no loan of this team is taken any more. Of an
// abandoned team none is taken anyway. The recall of a team that has ended here without a loss is
// remembered in vain.
void mailbox::on_recall(void* self, am_token& token, const std::uint32_t* args, unsigned, void*,
                        std::size_t) {
  mailbox& box = *static_cast<mailbox*>(self);
  {
    const std::lock_guard hold(box.guard_);
    const message_name name = name_from(token, args, side_data);
    if (!box.is_abandoned(name.team) && !box.has_recalled(name))
      box.recalled_by_.emplace_back(name.peer, name.team);
    box.recalls_.push_back({name, join_halves(args + 4)});
    box.owed_.fetch_add(1, std::memory_order_relaxed);
  }
  layer_access::attachments(box.owner_).activate(box.engine_);
}

bool mailbox::has_recalled(const message_name& name) const noexcept {
  return std::ranges::find(recalled_by_, std::pair(name.peer, name.team)) != recalled_by_.end();
}

// Terms that came before one of these recalls are in the table, or are granted already: handlers
// do both under the lock. So the recalls are taken first, and then the granted messages.
void mailbox::answer_recalls() noexcept {
  std::vector<recalled_loan> asked;
  {
    const std::lock_guard hold(guard_);
    asked.swap(recalls_);
  }
  take_granted();
  for (const recalled_loan& each : asked) {
    if (!stop_using(each)) answer(each.name.peer, each.mail_address);
  }
}

// True when transfers are under way: then the last of them answers. A message that is complete may
// still be here when its lender has used the mail again, even for another team.
bool mailbox::stop_using(const recalled_loan& loan) noexcept {
  const auto names = [&](const mail* each) {
    message_name name = each->name;
    name.side = loan.name.side;
    return each->other == loan.mail_address && name == loan.name;
  };
  {
    const std::lock_guard hold(guard_);
    for (mail* first : table_) {
      for (mail* each = first; each != nullptr; each = each->next) {
        if (names(each)) each->borrowed = {};
      }
    }
  }
  for (mail* const each : outbox_) {
    if (names(each)) each->borrowed = {};  // a receiver that tells that it has all does so first
  }
  const auto moving = std::ranges::find_if(moving_, names);
  if (moving == moving_.end()) return false;
  (*moving)->stops = true;
  (*moving)->recalled_as = loan.mail_address;
  return true;
}

void mailbox::answer(rank_id lender, std::uint64_t mail_address) noexcept {
  const std::lock_guard hold(guard_);
  mail* const message = new_mail({.peer = lender});
  message->other = mail_address;
  message->attempt = &mailbox::answer_again;
  outbox_.push_back(message);
}

mailbox::step mailbox::answer_again(mail& message) noexcept {
  const std::array<std::uint32_t, 2> args{low_half(message.other), high_half(message.other)};
  if (!post_short(message.name.peer, system_handler::coll_returned, args)) return step::refused;
  owed_.fetch_sub(1, std::memory_order_relaxed);
  const std::lock_guard hold(guard_);
  free_mail(&message);
  return step::done;
}

void mailbox::on_returned(void* self, am_token& token, const std::uint32_t* args, unsigned, void*,
                          std::size_t) {
  static_cast<mailbox*>(self)->end_recalled([&](const mail& each) {
    return bits(&each) == join_halves(args) && each.name.peer == token.source();
  });
}

void mailbox::end_loans_to_lost() noexcept {
  end_recalled(
      [this](const mail& each) { return layer_access::losses(owner_).is_lost(each.name.peer); });
}

// No put of them is under way: it would have come before the answer.
template <class Predicate>
void mailbox::end_recalled(Predicate is_over) noexcept {
  std::vector<std::pair<rank_id, transport::loan>> ended;
  {
    const std::lock_guard hold(guard_);
    const auto ended_count = std::erase_if(recalled_, [&](mail* each) {
      if (!is_over(*each)) return false;
      if (each->lent.number != transport::loan::no_number)
        ended.emplace_back(each->name.peer, std::exchange(each->lent, {}));
      return true;
    });
    owed_.fetch_sub(static_cast<std::uint32_t>(ended_count), std::memory_order_relaxed);
  }
  for (const auto& [borrower, terms] : ended) core_access::via(owner_, borrower).take_back(terms);
}

}  // namespace atl::coll
