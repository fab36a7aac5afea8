// SPDX-License-Identifier: BSD-3-Clause
//
// Matches the two sides of a message, and moves the data. The side that comes first waits in the
// table, where the second side finds it:
//   small message               the receiver, or data that arrived before it
//   large message, put          the sender, or the notice that the receiver is ready
//   large message, got          the sender that has offered its data, or the receiver before that
// Once a receiver of a large message has said that it is ready, it is not in the table: the pieces
// name it by its address, which the sender returns unchanged. The messages that networks move are
// in loans.cpp.
#include <atoll/coll/engine/mailbox.hpp>

#include <atoll/base/assert.hpp>
#include <atoll/base/copy.hpp>
#include <atoll/coll/engine/engine.hpp>
#include <atoll/coll/engine/mail.hpp>
#include <atoll/coll/engine/table.hpp>
#include <atoll/core/job/core_access.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/job/system_handlers.hpp>
#include <atoll/trace/counters.hpp>
#include <atoll/transport/transport.hpp>

#include <algorithm>
#include <new>
#include <utility>

namespace atl::coll {

namespace {

// post_eager() sends one message, whatever the transport.
static_assert(eager_bytes_max <= transport::medium_least);
static_assert(std::max(eager_bytes_on_host, eager_bytes_between_hosts) <= eager_bytes_max);
constexpr unsigned refusals_max = 4;  // per flush: what follows would be refused as well

}  // namespace

// --- transfers ---------------------------------------------------------------------------------

bool transfers::await_suspend(task::handle leaf) noexcept {
  execution& run = *leaf.promise().run;
  run.leaf = leaf;
  run.waits = true;
  // Acquire and release: pairs with finish(). The thread that brings the count to zero continues
  // the operation: this one goes on here, or the last message puts the operation on the list of
  // ready ones, which is read when this task has stopped.
  if (left_.fetch_sub(1, std::memory_order_acq_rel) != 1) return true;
  run.waits = false;
  return false;
}

void transfers::finish() noexcept {
  active_call& op = *op_;
  // Pairs with await_suspend(). The group may be gone afterwards.
  if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) op.owner->make_ready(op);
}

// --- the table ---------------------------------------------------------------------------------

mailbox::mailbox(runtime& owner, attachment& engine)
    : owner_(owner),
      engine_(engine),
      piece_bytes_max_(layer_access::system_endpoint(owner).medium_max(owner.rank())) {
  handler_table& table = layer_access::system_endpoint(owner).handlers();
  const auto add = [&](std::uint8_t index, am_handler run, unsigned nargs, std::string_view name) {
    const bool added =
        table.set(index, {.run = run, .context = this, .nargs = nargs, .name = name});
    ATOLL_ASSERT(added, "a handler of the collectives is taken", unsigned{index});
  };
  add(system_handler::coll_eager, on_eager, 4, "collective's data");
  add(system_handler::coll_ready, on_ready, 13, "collective's receiver");
  add(system_handler::coll_piece, on_piece, 6, "collective's piece");
  add(system_handler::coll_offer, on_offer, 13, "collective's sender");
  add(system_handler::coll_taken, on_taken, 4, "collective's data taken");
  add(system_handler::coll_recall, on_recall, 6, "collective's recall of a loan");
  add(system_handler::coll_returned, on_returned, 2, "collective's loan returned");
}

mailbox::~mailbox() = default;

mail** mailbox::place_of(const message_name& name) noexcept {
  std::uint64_t mixed = (name.team + 1) * 0x9e3779b97f4a7c15u;
  mixed ^= (std::uint64_t{name.sequence} << 32 | name.tag) * 0xc2b2ae3d27d4eb4fu;
  mixed ^= (std::uint64_t{name.peer} << 1 | name.side) * 0x165667b19e3779f9u;
  return &table_[(mixed >> 40) % bucket_count];
}

void mailbox::insert(mail& message) noexcept {
  mail** const bucket = place_of(message.name);
  message.next = *bucket;
  *bucket = &message;
}

mail* mailbox::take_match(const message_name& name) noexcept {
  for (mail** position = place_of(name); *position != nullptr; position = &(*position)->next) {
    if ((*position)->name == name) {
      mail* const found = *position;
      *position = found->next;
      return found;
    }
  }
  return nullptr;
}

mail* mailbox::new_mail(const message_name& name) noexcept {
  mail* message = free_;
  if (message != nullptr) {
    free_ = message->next;
  } else {
    message = static_cast<mail*>(blocks_.take(sizeof(mail)));
  }
  return new (message) mail{.name = name};
}

void mailbox::free_mail(mail* message) noexcept {
  message->next = free_;
  free_ = message;
}

std::uint64_t mailbox::allocations() noexcept {
  const std::lock_guard hold(guard_);
  return blocks_.allocations();
}

// --- posting -----------------------------------------------------------------------------------

bool mailbox::post_eager(const message_name& name, const void* from, std::size_t bytes) noexcept {
  const std::array<std::uint32_t, 4> args{low_half(name.team), high_half(name.team), name.sequence,
                                          name.tag};
  return layer_access::system_endpoint(owner_).request(
      {.target = name.peer,
       .kind = bytes == 0 ? am_category::short_ : am_category::medium,
       .handler = system_handler::coll_eager,
       .nargs = args.size(),
       .args = args.data(),
       .payload = from,
       .bytes = bytes},
      true);
}

// Whether the kernel of the other side may write into buffers of this rank, or read them. Where
// ranks share cores, pieces are faster: they stay in the core's cache. A rank that lives on when a
// peer is lost may have left its buffer before the other side comes to it; the handler of pieces
// drops them then.
bool mailbox::may_copy_by_kernel(rank_id peer) noexcept {
  if (!owner_.is_neighbour(peer) || owner_.is_oversubscribed()) return false;
  return !layer_access::losses(owner_).is_watched();
}

// Tells the other side of a large message where the memory of this side is, and who may reach it.
bool mailbox::post_terms(const mail& own, std::uint8_t handler) noexcept {
  const message_name& name = own.name;
  const std::uint64_t size = own.bytes | (own.allows_kernel ? by_kernel_flag : 0);
  const std::array<std::uint32_t, 13> args{low_half(name.team),
                                           high_half(name.team),
                                           name.sequence,
                                           name.tag,
                                           low_half(bits(&own)),
                                           high_half(bits(&own)),
                                           low_half(bits(own.data)),
                                           high_half(bits(own.data)),
                                           low_half(size),
                                           high_half(size),
                                           low_half(own.lent.key),
                                           high_half(own.lent.key),
                                           own.lent.number};
  return post_short(name.peer, handler, args);
}

bool mailbox::post_short(rank_id peer, std::uint8_t handler,
                         std::span<const std::uint32_t> args) noexcept {
  return layer_access::system_endpoint(owner_).request(
      {.target = peer,
       .handler = handler,
       .nargs = static_cast<std::uint8_t>(args.size()),
       .args = args.data()},
      true);
}

bool mailbox::post_piece(mail& message, const void* from, std::size_t bytes,
                         std::size_t counted) noexcept {
  const std::array<std::uint32_t, 6> args{low_half(message.other), high_half(message.other),
                                          low_half(message.sent),  high_half(message.sent),
                                          low_half(counted),       high_half(counted)};
  return layer_access::system_endpoint(owner_).request(
      {.target = message.name.peer,
       .kind = bytes == 0 ? am_category::short_ : am_category::medium,
       .handler = system_handler::coll_piece,
       .nargs = args.size(),
       .args = args.data(),
       .payload = from,
       .bytes = bytes},
      true);
}

// --- sending -----------------------------------------------------------------------------------

void mailbox::send(active_call& op, transfers& group, const message_name& name, const void* from,
                   std::size_t bytes) noexcept {
  const bool is_eager = bytes <= op.call.eager_bytes;
  if (is_eager && outbox_.empty() && post_eager(name, from, bytes)) return;
  group.add(op);
  std::byte* const data = static_cast<std::byte*>(const_cast<void*>(from));
  mail* granted = nullptr;
  {
    const std::lock_guard hold(guard_);
    message_name wanted = name;
    wanted.side = is_eager ? side_data : side_ready;
    const bool offers = !is_eager && op.call.gets;
    mail* const ready = is_eager || offers ? nullptr : take_match(wanted);
    mail* const message = ready != nullptr ? ready : new_mail(wanted);
    message->group = &group;
    message->data = data;
    message->bytes = bytes;
    if (is_eager) {
      message->attempt = &mailbox::send_again;
      granted = message;
    } else if (ready != nullptr) {
      message->attempt = &mailbox::stream;
      granted = message;
    } else {
      insert(*message);
    }
    if (offers) {
      message->attempt = &mailbox::offer;
      granted = message;
    }
  }
  if (granted != nullptr) try_or_keep(*granted);
}

// Messages are sent in the order in which they came.
void mailbox::try_or_keep(mail& message) noexcept {
  if (outbox_.empty() && try_again(message) == step::done) return;
  outbox_.push_back(&message);
  note_outbox();
}

// A peer that has room again may ring no bell, so a thread that waits for something else could
// sleep too long.
void mailbox::note_outbox() noexcept {
  if (waits_for_room_ == !outbox_.empty()) return;
  waits_for_room_ = !outbox_.empty();
  if (!waits_for_room_) return layer_access::attachments(owner_).end_silent_wait();
  layer_access::attachments(owner_).begin_silent_wait();
  if (owner_.threaded())
    layer_access::wake_own_threads(owner_);  // a thread may already be in a long sleep
}

mailbox::step mailbox::try_again(mail& message) noexcept {
  return (this->*message.attempt)(message);
}

mailbox::step mailbox::send_again(mail& message) noexcept {
  if (!post_eager(message.name, message.data, message.bytes)) return step::refused;
  retire(message);
  return step::done;
}

// A receiver asks for its data.
mailbox::step mailbox::ask(mail& receiver) noexcept {
  receiver.allows_kernel = may_copy_by_kernel(receiver.name.peer);
  if (receiver.allows_kernel) core_access::memory(owner_).offer();
  lend(receiver);
  receiver.attempt = &mailbox::ready_again;
  return ready_again(receiver);
}

mailbox::step mailbox::ready_again(mail& receiver) noexcept {
  // From there on the handler's.
  return post_terms(receiver, system_handler::coll_ready) ? step::done : step::refused;
}

// The message is complete. A handler may come here while the engine's thread abandons the team:
// then the mail stays, because a recall names it.
void mailbox::retire(mail& message) noexcept {
  transfers& group = *message.group;
  if (message.box != nullptr && !end_loan(message)) return;
  {
    const std::lock_guard hold(guard_);
    free_mail(&message);
  }
  group.finish();
}

// Copies all between the two places, by this process or by the kernel; false where neither can.
bool mailbox::copy_whole(const mail& message) noexcept {
  const rank_id peer = message.name.peer;
  void* const address = reinterpret_cast<void*>(message.place);
  std::byte* const mapped = owner_.heaps().routes()[peer].direct(address, message.bytes);
  if (mapped != nullptr) {
    copy_bytes(message.gets ? message.data : mapped, message.gets ? mapped : message.data,
               message.bytes);
    return true;
  }
  if (!message.allows_kernel) return false;
  memory::kernel_copy& kernel = core_access::kernel_copy(owner_);
  if (!kernel.pays(message.bytes, 1, false) || !kernel.reaches(peer)) return false;
  const bool is_done = message.gets
                           ? kernel.read(peer, message.place, message.data, message.bytes)
                           : kernel.write(peer, message.place, message.data, message.bytes);
  if (is_done) trace::count(trace::counter::kernel_copies);
  return is_done;
}

mailbox::step mailbox::stream(mail& message) noexcept {
  check_size(message.name, message.expected, message.bytes);
  if (can_transfer(message)) {
    if (!start_transfers(message)) return step::refused;
    moving_.push_back(&message);
    return step::done;
  }
  // A refusal costs the copy once: `sent` remembers that it was done.
  if (message.sent == 0 && copy_whole(message)) message.sent = message.bytes;
  if (message.sent == message.bytes) {
    if (!post_piece(message, nullptr, 0, message.bytes)) return step::refused;
    retire(message);
    return step::done;
  }
  while (message.sent < message.bytes) {
    const std::size_t piece = std::min(piece_bytes_max_, message.bytes - message.sent);
    if (!post_piece(message, message.data + message.sent, piece, piece)) return step::refused;
    message.sent += piece;
  }
  retire(message);
  return step::done;
}

// The last to be granted is the first of the list, and the outbox sends in the order of grants: a
// receiver that waits for the first of several pieces would otherwise get it after all others, and
// then have nothing under way.
void mailbox::take_granted() noexcept {
  // Acquire: pairs with the release in receive_terms().
  mail* const newest = granted_.exchange(nullptr, std::memory_order_acquire);
  const auto known = static_cast<std::ptrdiff_t>(outbox_.size());
  for (mail* each = newest; each != nullptr; each = each->next) outbox_.push_back(each);
  std::reverse(outbox_.begin() + known, outbox_.end());
}

bool mailbox::flush() noexcept {
  // Relaxed: what it counts is taken under the lock.
  if (owed_.load(std::memory_order_relaxed) != 0) answer_recalls();
  take_granted();
  const bool has_ended = !moving_.empty() && end_transfers();
  std::size_t kept = 0;
  unsigned refusals = 0;
  const std::size_t old_size = outbox_.size();
  for (mail* const message : outbox_) {
    if (refusals < refusals_max && try_again(*message) == step::done) continue;
    ++refusals;
    outbox_[kept++] = message;
  }
  outbox_.resize(kept);
  note_outbox();
  return has_ended || kept < old_size;
}

// Messages in the table stay there: nothing names them any more. Answers are of no team, and the
// lenders of recalled loans have left their list already.
void mailbox::abandon(std::uint64_t team) noexcept {
  {
    const std::lock_guard hold(guard_);
    if (is_abandoned(team)) return;
    note_abandoned(team);
  }
  take_granted();
  std::erase_if(outbox_, [&](const mail* each) {
    return each->name.team == team && each->attempt != &mailbox::answer_again;
  });
  recall(team);
}

// Its recalls need not be remembered any more, because no terms of it are looked at.
void mailbox::note_abandoned(std::uint64_t team) noexcept {
  abandoned_.push_back(team);
  std::erase_if(recalled_by_, [team](const auto& each) { return each.second == team; });
}

void mailbox::forget(std::uint64_t team, bool has_lost_member) noexcept {
  const std::lock_guard hold(guard_);
  if (is_abandoned(team)) return;
  if (has_lost_member) return note_abandoned(team);
  std::erase_if(recalled_by_, [team](const auto& each) { return each.second == team; });
}

bool mailbox::is_abandoned(std::uint64_t team) const noexcept {
  return std::ranges::find(abandoned_, team) != abandoned_.end();
}

// --- receiving ---------------------------------------------------------------------------------

void mailbox::check_size(const message_name& name, std::size_t wanted,
                         std::size_t came) const noexcept {
  if (wanted == came) [[likely]]
    return;
  owner_.fail(text("collective ", name.sequence, " of team ", name.team),
              text("a message between ranks ", owner_.rank(), " and ", name.peer, " has ", came,
                   " bytes where ", wanted, " are expected"),
              "give the same sizes, root and operation on all members, in the same order");
}

void mailbox::receive(active_call& op, transfers& group, const message_name& name, void* to,
                      std::size_t bytes) noexcept {
  group.add(op);
  if (bytes > op.call.eager_bytes) return receive_large(op, group, name, to, bytes);
  {
    const std::lock_guard hold(guard_);
    mail* const early = take_match(name);
    if (early == nullptr) {
      mail* const receiver = new_mail(name);
      receiver->group = &group;
      receiver->data = static_cast<std::byte*>(to);
      receiver->bytes = bytes;
      return insert(*receiver);
    }
    check_size(name, bytes, early->bytes);
    copy_bytes(to, early->data, bytes);
    block_pool::give_back(early->data);
    free_mail(early);
  }
  group.finish();
}

// A receiver that gets waits for the offer; another one asks.
void mailbox::receive_large(active_call& op, transfers& group, const message_name& name, void* to,
                            std::size_t bytes) noexcept {
  const bool gets = op.call.gets;
  mail* receiver = nullptr;
  {
    const std::lock_guard hold(guard_);
    message_name wanted = name;
    if (gets) wanted.side = side_offer;
    mail* const offered = gets ? take_match(wanted) : nullptr;
    receiver = offered != nullptr ? offered : new_mail(wanted);
    receiver->group = &group;
    receiver->data = static_cast<std::byte*>(to);
    receiver->bytes = bytes;
    receiver->left.store(bytes, std::memory_order_relaxed);
    receiver->gets = gets;
    receiver->attempt = gets ? &mailbox::take : &mailbox::ask;
    if (gets && offered == nullptr) return insert(*receiver);
  }
  try_or_keep(*receiver);
}

void mailbox::on_eager(void* self, am_token& token, const std::uint32_t* args, unsigned,
                       void* payload, std::size_t bytes) {
  mailbox& box = *static_cast<mailbox*>(self);
  const message_name name = name_from(token, args, side_data);
  transfers* group;
  std::byte* to;
  {
    const std::lock_guard hold(box.guard_);
    if (box.is_abandoned(name.team)) return;
    mail* const receiver = box.take_match(name);
    if (receiver == nullptr) {
      mail* const early = box.new_mail(name);
      early->bytes = bytes;
      if (bytes != 0) {
        early->data = static_cast<std::byte*>(box.blocks_.take(bytes));
        copy_bytes(early->data, payload, bytes);
      }
      box.insert(*early);
      return;
    }
    box.check_size(name, receiver->bytes, bytes);
    group = receiver->group;
    to = receiver->data;
    box.free_mail(receiver);
  }
  copy_bytes(to, payload, bytes);
  group->finish();
}

// The terms of the other side of a large message have come. This side, where it is here, makes its
// first attempt in the next flush.
void mailbox::receive_terms(const message_name& name, const std::uint32_t* args,
                            step (mailbox::*attempt)(mail&) noexcept) noexcept {
  const std::lock_guard hold(guard_);
  if (is_abandoned(name.team)) return;
  mail* const own = take_match(name);
  mail* const message = own != nullptr ? own : new_mail(name);
  message->other = join_halves(args + 4);
  message->place = join_halves(args + 6);
  const std::uint64_t size = join_halves(args + 8);
  message->expected = size & ~by_kernel_flag;
  message->allows_kernel = (size & by_kernel_flag) != 0;
  if (!has_recalled(name)) message->borrowed = {.key = join_halves(args + 10), .number = args[12]};
  if (own == nullptr) return insert(*message);
  message->attempt = attempt;
  message->next = granted_.load(std::memory_order_relaxed);
  // Release: pairs with the acquire in take_granted(). Pushed under the lock, taken without.
  while (!granted_.compare_exchange_weak(message->next, message, std::memory_order_release,
                                         std::memory_order_relaxed)) {
  }
}

void mailbox::on_ready(void* self, am_token& token, const std::uint32_t* args, unsigned, void*,
                       std::size_t) {
  static_cast<mailbox*>(self)->receive_terms(name_from(token, args, side_ready), args,
                                             &mailbox::stream);
}

// The sender has compared the sizes before the first piece.
void mailbox::on_piece(void* self, am_token&, const std::uint32_t* args, unsigned, void* payload,
                       std::size_t bytes) {
  mailbox& box = *static_cast<mailbox*>(self);
  mail& receiver = *reinterpret_cast<mail*>(static_cast<std::uintptr_t>(join_halves(args)));
  const std::size_t counted = join_halves(args + 4);
  if (layer_access::losses(box.owner_).count() != 0) [[unlikely]] {
    const std::lock_guard hold(box.guard_);
    if (box.is_abandoned(receiver.name.team)) return;
  }
  copy_bytes(receiver.data + join_halves(args + 2), payload, bytes);
  // Acquire and release: the thread that brings the count to zero sees what the others copied.
  if (receiver.left.fetch_sub(counted, std::memory_order_acq_rel) == counted) box.retire(receiver);
}

}  // namespace atl::coll
