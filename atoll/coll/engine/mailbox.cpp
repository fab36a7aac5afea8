// SPDX-License-Identifier: BSD-3-Clause
//
// Matching and moving. The second side of a message to come finds the first in the table: data
// that came early, or the receiver that waits for it; of a large message the sender, or the
// notice that the receiver is ready. The receiver of a large message is not in the table: the
// pieces name it by its address, which the sender returns unchanged.
#include <atoll/coll/engine/mailbox.hpp>

#include <atoll/base/assert.hpp>
#include <atoll/base/copy.hpp>
#include <atoll/base/halves.hpp>
#include <atoll/coll/engine/engine.hpp>
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

constexpr std::uint32_t side_data = 0, side_ready = 1;
// post_eager() sends one message, whatever the transport.
static_assert(eager_bytes_max <= transport::medium_least);
static_assert(std::max(eager_bytes_on_host, eager_bytes_between_hosts) <= eager_bytes_max);
constexpr unsigned refusals_max = 4;  // per flush: what follows would be refused as well

std::uint64_t bits(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

message_name name_from(const am_token& token, const std::uint32_t* args, std::uint32_t side) {
  return {.team = join_halves(args),
          .sequence = args[2],
          .tag = args[3],
          .peer = token.source(),
          .side = side};
}

// A bit in the size that a ready message gives: the kernel may write the data.
constexpr std::uint64_t by_kernel_flag = std::uint64_t{1} << 63;

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
  active& op = *op_;
  // Pairs with await_suspend(). The group may be gone afterwards.
  if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) op.owner->make_ready(op);
}

// --- the table ---------------------------------------------------------------------------------

struct mailbox::mail {
  message_name name;
  mail* next = nullptr;  // in a bucket, the list of free ones, or of granted ones
  transfers* group = nullptr;
  std::byte* data = nullptr;  // target or source; of early data: a block
  std::size_t bytes = 0;
  std::size_t sent = 0;               // of a large one, by its sender
  std::atomic<std::size_t> left = 0;  // of a large one, at its receiver
  std::uint64_t receiver = 0;         // at the sender: the receiver's mail and the place there
  std::uint64_t place = 0;
  std::uint64_t expected = 0;                          // bytes that the receiver waits for
  bool takes_kernel_writes = false;                    // whether the kernel may write them there
  mailbox* box = nullptr;                              // of a receiver
  transport::loan lent = {};                           // that its network may fill
  operation* put = nullptr;                            // by the network, at its sender
  step (mailbox::*attempt)(mail&) noexcept = nullptr;  // in the outbox: what to try again
};

mailbox::mailbox(runtime& owner)
    : owner_(owner),
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
}

mailbox::~mailbox() = default;

mailbox::mail** mailbox::place_of(const message_name& name) noexcept {
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

mailbox::mail* mailbox::take_match(const message_name& name) noexcept {
  for (mail** position = place_of(name); *position != nullptr; position = &(*position)->next) {
    if ((*position)->name == name) {
      mail* const found = *position;
      *position = found->next;
      return found;
    }
  }
  return nullptr;
}

mailbox::mail* mailbox::new_mail(const message_name& name) noexcept {
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

// Whether the sender's kernel may write into buffers of this rank. Where ranks share cores, pieces
// are faster: they stay in the core's cache. A rank that lives on when a peer is lost may have left
// its buffer before the sender comes to write; the handler of pieces drops them then.
bool mailbox::takes_by_kernel(rank_id sender) noexcept {
  if (!owner_.is_neighbour(sender) || owner_.is_oversubscribed()) return false;
  return !layer_access::losses(owner_).is_watched();
}

// Lends the receiver's buffer to the sender's network, which then puts into it; not where copying
// costs less, nor, as above, where peers may be lost. A network that has refused is not asked
// again.
void mailbox::lend(mail& receiver) noexcept {
  const rank_id sender = receiver.name.peer;
  if (!core_access::goes_by_network(owner_, sender) || !layer_access::direct_allowed(owner_) ||
      layer_access::losses(owner_).is_watched())
    return;
  transport::transport& via = core_access::via(owner_, sender);
  const transport::capabilities& about = core_access::description_of(owner_, sender);
  if (!about.lends || receiver.bytes > about.transfer_max) return;
  if (std::ranges::find(lends_no_more_, &via) != lends_no_more_.end()) return;
  receiver.box = this;
  receiver.lent = {.filled = on_filled, .context = &receiver};
  if (!via.lend(sender, {receiver.data, receiver.bytes}, receiver.lent))
    lends_no_more_.push_back(&via);
}

bool mailbox::post_ready(const mail& receiver) noexcept {
  const message_name& name = receiver.name;
  const std::uint64_t size = receiver.bytes | (receiver.takes_kernel_writes ? by_kernel_flag : 0);
  const std::array<std::uint32_t, 13> args{low_half(name.team),
                                           high_half(name.team),
                                           name.sequence,
                                           name.tag,
                                           low_half(bits(&receiver)),
                                           high_half(bits(&receiver)),
                                           low_half(bits(receiver.data)),
                                           high_half(bits(receiver.data)),
                                           low_half(size),
                                           high_half(size),
                                           low_half(receiver.lent.key),
                                           high_half(receiver.lent.key),
                                           receiver.lent.number};
  return layer_access::system_endpoint(owner_).request({.target = name.peer,
                                                        .handler = system_handler::coll_ready,
                                                        .nargs = args.size(),
                                                        .args = args.data()},
                                                       true);
}

bool mailbox::post_piece(mail& message, const void* from, std::size_t bytes,
                         std::size_t counted) noexcept {
  const std::array<std::uint32_t, 6> args{low_half(message.receiver), high_half(message.receiver),
                                          low_half(message.sent),     high_half(message.sent),
                                          low_half(counted),          high_half(counted)};
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

void mailbox::send(active& op, transfers& group, const message_name& name, const void* from,
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
    mail* const ready = is_eager ? nullptr : take_match(wanted);
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

mailbox::step mailbox::ready_again(mail& message) noexcept {
  return post_ready(message) ? step::done : step::refused;  // from here on the handler's
}

void mailbox::retire(mail& message) noexcept {
  transfers& group = *message.group;
  if (message.box != nullptr && message.lent.number != transport::loan::no_number)
    core_access::via(owner_, message.name.peer).take_back(message.lent);
  {
    const std::lock_guard hold(guard_);
    free_mail(&message);
  }
  group.finish();
}

// Copies all to the receiver's place, by this process or by the kernel; false where neither can.
bool mailbox::copy_whole(const mail& message) noexcept {
  const rank_id peer = message.name.peer;
  void* const address = reinterpret_cast<void*>(message.place);
  std::byte* const mapped = owner_.heaps().routes()[peer].direct(address, message.bytes);
  if (mapped != nullptr) {
    copy_bytes(mapped, message.data, message.bytes);
    return true;
  }
  if (!message.takes_kernel_writes) return false;
  memory::kernel_copy& kernel = core_access::kernel_copy(owner_);
  if (!kernel.pays(message.bytes, 1, false) || !kernel.reaches(peer)) return false;
  if (!kernel.write(peer, message.place, message.data, message.bytes)) return false;
  trace::count(trace::counter::kernel_copies);
  return true;
}

// Whether the receiver has lent its place, and the network here has puts too.
bool mailbox::can_put(const mail& message) const noexcept {
  if (message.lent.number == transport::loan::no_number || !layer_access::direct_allowed(owner_))
    return false;
  return core_access::description_of(owner_, message.name.peer).transfer_max != 0;
}

// Starts the next put to the receiver's place; false when the network has no room now. One is under
// way at a time, so that between two of them this rank receives, too.
bool mailbox::start_put(mail& message) noexcept {
  const rank_id peer = message.name.peer;
  transport::transport& via = core_access::via(owner_, peer);
  if (message.put == nullptr) message.put = layer_access::operations(owner_).take();
  ATOLL_ASSERT(message.put != nullptr, "out of memory for an operation record");
  piece* const begun = core_access::pieces(owner_).begin(*message.put, peer, piece_way::network);
  if (begun == nullptr) {  // the peer is lost
    message.sent = message.bytes;
    return true;
  }
  const std::size_t bytes = std::min(transport::loan::put_bytes, message.bytes - message.sent);
  const transport::post posted =
      via.put({.target = peer,
               .memory = {.base = message.place, .key = message.lent.key},
               .local = message.data + message.sent,
               .remote = message.place + message.sent,
               .bytes = bytes,
               .context = begun,
               .keeps_source = true,
               .loan = message.lent.number});
  if (posted != transport::post::posted) core_access::pieces(owner_).end(*begun);
  if (posted == transport::post::retry) return false;
  message.sent += bytes;
  return true;
}

// Ends the puts that are complete here. The network tells the receiver when all have come. Of an
// abandoned team none is started any more, since its memory may have another use.
bool mailbox::end_puts() noexcept {
  const auto is_over = [this](mail* message) {
    if (!message->put->complete()) return false;
    static_cast<void>(message->put->take_status());
    layer_access::operations(owner_).give_back(std::exchange(message->put, nullptr));
    if (message->sent < message->bytes && !is_abandoned(message->name.team)) {
      outbox_.push_back(message);
    } else {
      retire(*message);
    }
    return true;
  };
  return std::erase_if(puts_, is_over) != 0;
}

mailbox::step mailbox::stream(mail& message) noexcept {
  check_size(message.name, message.expected, message.bytes);
  if (can_put(message)) {
    if (!start_put(message)) return step::refused;
    puts_.push_back(&message);
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

void mailbox::take_granted() noexcept {
  // Acquire: pairs with the release in on_ready().
  mail* message = granted_.exchange(nullptr, std::memory_order_acquire);
  while (message != nullptr) {
    mail* const next = message->next;
    outbox_.push_back(message);
    message = next;
  }
}

bool mailbox::flush() noexcept {
  take_granted();
  const bool has_ended = end_puts();
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

// Messages in the table stay there: nothing names them any more.
void mailbox::abandon(std::uint64_t team) noexcept {
  {
    const std::lock_guard hold(guard_);
    if (!is_abandoned(team)) abandoned_.push_back(team);
  }
  take_granted();
  std::erase_if(outbox_, [this, team](mail* each) {
    if (each->name.team != team) return false;
    if (each->put == nullptr) return true;
    static_cast<void>(each->put->take_status());  // a refused one: nothing of it is under way
    layer_access::operations(owner_).give_back(std::exchange(each->put, nullptr));
    return true;
  });
  note_outbox();
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

void mailbox::receive(active& op, transfers& group, const message_name& name, void* to,
                      std::size_t bytes) noexcept {
  group.add(op);
  const bool is_eager = bytes <= op.call.eager_bytes;
  mail* receiver;
  {
    const std::lock_guard hold(guard_);
    mail* const early = is_eager ? take_match(name) : nullptr;
    if (early != nullptr) {
      check_size(name, bytes, early->bytes);
      copy_bytes(to, early->data, bytes);
      block_pool::give_back(early->data);
      free_mail(early);
      receiver = nullptr;
    } else {
      receiver = new_mail(name);
      receiver->group = &group;
      receiver->data = static_cast<std::byte*>(to);
      receiver->bytes = bytes;
      receiver->left.store(bytes, std::memory_order_relaxed);
      if (is_eager) {
        insert(*receiver);
        return;
      }
      receiver->attempt = &mailbox::ready_again;
    }
  }
  if (receiver == nullptr) {
    group.finish();
  } else {
    receiver->takes_kernel_writes = takes_by_kernel(name.peer);
    if (receiver->takes_kernel_writes) core_access::memory(owner_).offer();
    lend(*receiver);
    try_or_keep(*receiver);
  }
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

void mailbox::on_ready(void* self, am_token& token, const std::uint32_t* args, unsigned, void*,
                       std::size_t) {
  mailbox& box = *static_cast<mailbox*>(self);
  const message_name name = name_from(token, args, side_ready);
  const std::lock_guard hold(box.guard_);
  if (box.is_abandoned(name.team)) return;
  mail* const sender = box.take_match(name);
  mail* const message = sender != nullptr ? sender : box.new_mail(name);
  message->receiver = join_halves(args + 4);
  message->place = join_halves(args + 6);
  const std::uint64_t size = join_halves(args + 8);
  message->expected = size & ~by_kernel_flag;
  message->takes_kernel_writes = (size & by_kernel_flag) != 0;
  message->lent = {.key = join_halves(args + 10), .number = args[12]};
  if (sender == nullptr) {
    box.insert(*message);
    return;
  }
  message->attempt = &mailbox::stream;
  message->next = box.granted_.load(std::memory_order_relaxed);
  // Release: pairs with the acquire in take_granted(). Pushed under the lock, taken without.
  while (!box.granted_.compare_exchange_weak(message->next, message, std::memory_order_release,
                                             std::memory_order_relaxed)) {
  }
}

// Called while the network may hold its lock.
void mailbox::on_filled(void* context) noexcept {
  mail& receiver = *static_cast<mail*>(context);
  mailbox& box = *receiver.box;
  receiver.lent.number = transport::loan::no_number;  // it is over
  if (layer_access::losses(box.owner_).count() != 0) [[unlikely]] {
    const std::lock_guard hold(box.guard_);
    if (box.is_abandoned(receiver.name.team)) return;
  }
  box.retire(receiver);
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
