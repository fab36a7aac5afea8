// SPDX-License-Identifier: BSD-3-Clause
//
// Starting, and sending messages. A buffer that a packet leaves from goes back to its list at once
// when the provider has taken the bytes along, else when the completion comes (progress.cpp).
#include <atoll/transport/ofi/context.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/log.hpp>
#include <atoll/base/system/machine_id.hpp>
#include <atoll/base/text.hpp>
#include <atoll/transport/ofi/settings.hpp>
#include <atoll/transport/settings.hpp>

#include <rdma/fi_errno.h>
#include <sys/random.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace atl::transport::ofi {

namespace {

// Where a prepared payload begins in its packet, so that the longest front fits before it.
constexpr std::size_t payload_at = sizeof(packet_head) + part_front_max;
static_assert(payload_at % 8 == 0);

// The size of a packet of small messages for a provider over plain streams, to which a packet of
// any length is one call: eight messages of 4 KiB. Other providers send longer packets by
// rendezvous.
constexpr std::size_t stream_packet_bytes = 8 * (4096 + 64);

// Shorter puts and gets over plain streams go as messages.
constexpr std::size_t stream_transfer_min = 24576;

// Prepared payloads of up to a quarter of a small buffer are copied to where messages gather.
constexpr std::size_t gathered_part = 4;

constexpr std::size_t transfers_max = 512;  // under way

// An address that libfabric refuses is of another kind, or of an interface that leads nowhere.
constexpr const char* address_settings = "ATOLL_OFI_PROVIDER and ATOLL_OFI_INTERFACE";

std::uint64_t random_number() {
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof number, 0) != sizeof number) {
    throw error("network", "getrandom gives no random numbers", "");
  }
  return number;
}

buffer_plan plan_for(rank_id ranks, const traits& can) {
  buffer_plan plan;
  if (can.is_stream) plan.small_bytes = stream_packet_bytes;
  const auto small_max = static_cast<std::uint32_t>(1024 * 8192 / plan.small_bytes);
  plan.small = std::clamp<std::uint32_t>(4 * ranks, 64, small_max) + plan.small_kept;
  plan.credits = std::clamp<std::uint32_t>(ranks, 64, 1024);
  if (!can.many_per_receive) {
    plan.receives = 64;
    plan.receive_bytes = buffer_plan::large_bytes;
  }
  return plan;
}

// Transfers may fill half of the provider's queue, since messages need it, too. Over plain streams
// the queue has no end; a depth of 0 says nothing.
std::uint32_t transfers_of(const traits& can) {
  const std::size_t half = can.is_stream ? 0 : can.queue_depth / 2;
  return static_cast<std::uint32_t>(half == 0 ? transfers_max : std::min(half, transfers_max));
}

// Over sockets each transfer of the provider takes system calls on both sides, and needs the
// target's polls as a message does; small messages share system calls and polls.
std::size_t least_transfer(const settings& configuration, const traits& can) {
  const bool chosen = configuration.text(setting::ofi_transfers) != "auto";
  return chosen || !can.is_stream ? 0 : stream_transfer_min;
}

// An interface that was not named is each rank's own choice, and no part of the name.
std::string name_of(const fabric& net, const network_name& named) {
  std::string name(net.provider());
  if (!named.interface.empty()) name += text("@", named.interface);
  return name;
}

}  // namespace

/// The card that a rank sends to all others.
struct context::card {
  char provider[64];
  std::uint64_t tag_part;
  std::uint64_t machine;
  std::array<std::uint32_t, atomic_types> atomics;
  std::uint32_t window;
  std::uint32_t address_format;
};

context::context(const network_request& wanted, const network_name& named)
    : self_(wanted.self),
      ranks_(wanted.ranks),
      threaded_(wanted.threaded),
      native_(wanted.configuration.text(setting::ofi_transfers) != "am"),
      direct_(wanted.configuration.text(setting::rma_path) != "am"),
      window_(static_cast<std::uint32_t>(wanted.configuration.number(setting::ofi_window))),
      to_(wanted.to),
      net_(wanted, named),
      name_(name_of(net_, named)),
      transfer_min_(least_transfer(wanted.configuration, net_.can())),
      transfers_(transfers_of(net_.can())),
      buffers_(plan_for(wanted.ranks, net_.can())),
      words_(net_.can().atomics ? transfers_ : 0),
      local_(net_, {.bytes = wanted.configuration.number(setting::ofi_cache_bytes),
                    .entries = wanted.configuration.number(setting::ofi_cache_entries)}),
      exposed_(net_, random_number(), wanted.configuration.text(setting::ofi_memory) != "refused"),
      atomics_of_(wanted.ranks),
      peers_(wanted.ranks),
      receives_(buffers_.plan().receives),
      works_(buffers_.plan(), transfers_),
      // Packets with credits alone are never queued, so a window of packets is all that can wait.
      arrived_{arrivals(std::size_t{ranks_} * window_, std::size_t{ranks_} * window_),
               arrivals(std::size_t{ranks_} * window_, 0)} {
  waiting_.reserve(ranks_);
  visiting_.reserve(ranks_);
  local_.add(buffers_.registered());
  if (net_.can().atomics) local_.add(words_.memory());
  const std::size_t least = packet_max;
  ::fi_setopt(&net_.endpoint()->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &least, sizeof least);
  for (std::uint32_t i = 0; i < receives_.size(); ++i) {
    receives_[i].note.purpose = work_record::kind::receive;
    receives_[i].note.buffer = i;
    receives_[i].finished = true;
  }
  post_receives();
}

context::~context() {
  net_.close_endpoint();
  if (refused_ != 0)
    log_warning("network: ", refused_, " packets were not of this job, and ignored");
}

capabilities context::describe() const noexcept {
  return {.medium_max = payload_max,
          .transfer_max = native_ ? net_.can().transfer_max : 0,
          .transfer_min = transfer_min_,
          .lends = lends(),
          .wait_descriptor = net_.descriptor(),
          .network = name_,
          .counts = &counts_};
}

// --- starting ------------------------------------------------------------------------------------

std::vector<std::byte> context::publish() {
  tag_ = random_number();
  card own_card{.provider = {},
                .tag_part = tag_,
                .machine = machine_id(),
                .atomics = {},
                .window = window_,
                .address_format = net_.address_format()};
  net_.provider().copy(own_card.provider, sizeof own_card.provider - 1);
  const bool atomics = direct_ && !exposed_.empty();
  const atomic_sets sets = atomics ? atomics_of(net_) : atomic_sets{};
  for (std::size_t i = 0; i < sets.size(); ++i) own_card.atomics[i] = sets[i].bits();
  std::vector<std::byte> published(sizeof own_card);
  std::memcpy(published.data(), &own_card, sizeof own_card);
  const std::vector<std::byte> address = net_.address();
  published.insert(published.end(), address.begin(), address.end());
  return published;
}

void context::connect(std::span<const std::span<const std::byte>> cards) {
  const auto refuse_rank = [&](rank_id rank, const char* subject, const char* name) {
    throw error(text("network of rank ", self_), text(subject, " differs from that of rank ", rank),
                text("give all ranks the same ", name));
  };
  tag_ = 0;
  const std::uint64_t own_machine = machine_id();
  if (net_.can().is_stream && own_machine != 0) is_on_this_machine_.assign(ranks_, false);
  for (rank_id rank = 0; rank < ranks_; ++rank) {
    card peer_card{};
    if (cards[rank].empty()) {  // it does not have this network
      note_atomics(rank, peer_card);
      continue;
    }
    if (cards[rank].size() <= sizeof peer_card ||
        cards[rank].size() - sizeof peer_card > network_address::bytes_max)
      refuse_rank(rank, "the address", "libatoll_ofi.so");
    std::memcpy(&peer_card, cards[rank].data(), sizeof peer_card);
    peer_card.provider[sizeof peer_card.provider - 1] = 0;
    if (net_.provider() != peer_card.provider ||
        net_.address_format() != peer_card.address_format) {
      refuse_rank(rank, "the provider", "ATOLL_OFI_PROVIDER and ATOLL_OFI_INTERFACE");
    }
    if (peer_card.window != window_) refuse_rank(rank, "the window", "ATOLL_OFI_WINDOW");
    tag_ += peer_card.tag_part;  // only the ranks of the network know this sum
    note_atomics(rank, peer_card);
    if (!is_on_this_machine_.empty()) is_on_this_machine_[rank] = peer_card.machine == own_machine;
  }
  addresses_ = address_book(ranks_, [&](rank_id rank) {
    return cards[rank].empty() ? cards[rank] : cards[rank].subspan(sizeof(card));
  });
  insert_at_start();
}

/// Tells libfabric all addresses if the provider only hears ranks that it knows. Otherwise tells it
/// one, so that an interface that leads nowhere is refused before the program begins: that of the
/// rank half of the job away, which is probably on another host.
void context::insert_at_start() {
  if (!net_.can().hears_strangers) {
    names_.assign(ranks_, FI_ADDR_UNSPEC);
    for (rank_id rank = 0; rank < ranks_; ++rank) insert_at_start(rank, names_[rank]);
    return;
  }
  for (rank_id i = 0; i < ranks_; ++i) {
    const rank_id rank = (self_ + ranks_ / 2 + i) % ranks_;
    if (rank == self_ || addresses_.address(rank).bytes == 0) continue;
    return insert_at_start(rank, peer_of(rank).address);
  }
}

void context::insert_at_start(rank_id rank, fi_addr_t& name) {
  const network_address address = addresses_.address(rank);
  const int code = address.bytes == 0 ? 0 : net_.insert(address, name);
  if (code != 0 && (code != -FI_EAGAIN || !net_.can().hears_strangers))
    throw error("network",
                text("fi_av_insert refuses the address of rank ", rank, ": ", ::fi_strerror(-code)),
                text("give all ranks the same ", address_settings));
}

/// Whether libfabric has the address of a peer; it is told at the first contact. False: not yet, or
/// it refuses it, and the peer is lost.
bool context::knows(peer_state& peer) noexcept {
  return peer.address != FI_ADDR_UNSPEC || insert_address_of(peer);
}

bool context::insert_address_of(peer_state& peer) noexcept {
  const network_address address = addresses_.address(peer.rank);
  if (address.bytes == 0) {
    lose(peer.rank, "it does not have this network");
    return false;
  }
  if (!names_.empty()) peer.address = names_[peer.rank];
  const int code = peer.address != FI_ADDR_UNSPEC ? 0 : net_.insert(address, peer.address);
  if (code != 0 && code != -FI_EAGAIN) {
    lose(peer.rank, text("fi_av_insert refuses its address: ", ::fi_strerror(-code),
                         "; give all ranks the same ", address_settings));
  }
  return code == 0;
}

// Ranks with the same network have the same atomics, so there are few different sets.
void context::note_atomics(rank_id rank, const card& peer_card) {
  atomic_sets sets;
  for (std::size_t i = 0; i < atomic_types; ++i)
    sets[i] = atomic_ops::of_bits(peer_card.atomics[i]);
  const auto known = std::ranges::find(atomics_, sets);
  atomics_of_[rank] = static_cast<std::uint8_t>(known - atomics_.begin());
  if (known != atomics_.end()) return;
  if (atomics_.size() == std::numeric_limits<std::uint8_t>::max()) {
    throw error(text("network of rank ", self_),
                "the ranks have too many different sets of atomics",
                "use the same libfabric on all hosts");
  }
  atomics_.push_back(sets);
}

// --- memory --------------------------------------------------------------------------------------

std::uint64_t context::register_memory(std::span<std::byte> memory) noexcept {
  const hold held(*this);
  const std::uint64_t key = native_ ? exposed_.add(memory) : no_memory_key;
  // Where this fails, this rank's own transfers register the pieces that they move.
  if (key != no_memory_key) static_cast<void>(local_.try_add(memory));
  return key;
}

// Registers for both ends or for none: a part that others reach can also be the local end of
// transfers.
std::uint64_t context::register_device_memory(std::span<std::byte> memory,
                                              const memory::device_description& device) noexcept {
  const hold held(*this);
  if (!native_ || !net_.can().devices) return no_memory_key;
  const std::uint64_t key = exposed_.add(memory, &device);
  if (key == no_memory_key || local_.try_add(memory, device)) return key;
  exposed_.remove(key);
  return no_memory_key;
}

void context::unregister_memory(std::uint64_t key) noexcept {
  const hold held(*this);
  local_.remove(exposed_.remove(key));
}

// --- sending -------------------------------------------------------------------------------------

bool context::has_room(rank_id target, channel via) noexcept {
  const hold held(*this);
  const peer_state* const known = peers_.find(target);
  if (known == nullptr || known->is_lost) return true;
  const channel_state& to = known->lanes[index_of(via)];
  const std::size_t front = part_front_max + sizeof(long_place);
  return to.under_way < window_ || (to.buffer != buffers::no_buffer &&
                                    to.filled_bytes + front <= buffers_.plan().small_bytes);
}

post context::send(const message& out) noexcept {
  const hold held(*this);
  if (peer_of(out.target).is_lost) [[unlikely]]
    return post::done;
  const std::size_t bytes = part_bytes(out);
  const bool is_long = sizeof(packet_head) + bytes > buffers_.plan().small_bytes;
  const post sent = is_long ? send_alone(out) : send_gathered(out, bytes);
  if (sent == post::done) ++counts_.messages;
  return sent;
}

post context::send_gathered(const message& out, std::size_t bytes) noexcept {
  channel_state& to = peer_of(out.target).lanes[index_of(out.via)];
  if (to.buffer != buffers::no_buffer && to.filled_bytes + bytes > buffers_.plan().small_bytes) {
    if (!flush(out.target, out.via)) return post::retry;
  }
  if (to.buffer == buffers::no_buffer) {
    to.buffer = buffers_.take(out.via, buffers_.plan().small_bytes);
    if (to.buffer == buffers::no_buffer) return post::retry;
    to.filled_bytes = sizeof(packet_head);
  }
  write_part(buffers_.address_of(out.via, to.buffer) + to.filled_bytes, out);
  to.filled_bytes += static_cast<std::uint32_t>(bytes);
  leave(out.target, out.via);
  return post::done;
}

/// Sends the gathered packet now or later: the first since the last poll goes now, and inside a
/// poll all wait for its end, which is near.
void context::leave(rank_id to, channel via) noexcept {
  const channel_state& target_lane = peer_of(to).lanes[index_of(via)];
  if (!leaves_alone(target_lane) || !flush(to, via)) remember(to);
}

post context::send_alone(const message& out) noexcept {
  channel_state& to = peer_of(out.target).lanes[index_of(out.via)];
  if (to.buffer != buffers::no_buffer && !flush(out.target, out.via)) return post::retry;
  if (to.under_way >= window_) return post::retry;
  const std::size_t bytes = sizeof(packet_head) + part_bytes(out);
  const std::uint32_t buffer = buffers_.take(out.via, bytes);
  if (buffer == buffers::no_buffer) return post::retry;
  std::byte* const data = buffers_.address_of(out.via, buffer);
  write_part(data + sizeof(packet_head), out);
  if (post_packet(out.target, out.via, {data, bytes, buffer})) return post::done;
  buffers_.give_back(out.via, buffer);
  return post::retry;
}

/// Sends what has gathered; false when there is no credit or no room, and then all stays.
bool context::flush(rank_id to, channel via) noexcept {
  channel_state& target_lane = peer_of(to).lanes[index_of(via)];
  if (target_lane.under_way >= window_) return false;
  if (!post_packet(to, via,
                   {buffers_.address_of(via, target_lane.buffer), target_lane.filled_bytes,
                    target_lane.buffer}))
    return false;
  target_lane.buffer = buffers::no_buffer;
  return true;
}

/// Posts a packet and takes over its buffer; false, and nothing happened, when the provider has no
/// room.
bool context::post_packet(rank_id to, channel via, const outgoing& packet) noexcept {
  channel_state& target_lane = peer_of(to).lanes[index_of(via)];
  write_head(to, via, packet.data);
  if (!hand_over(to, reserve_of(via), packet)) return false;
  ++target_lane.under_way;
  target_lane.round = round_;
  return true;
}

/// Gives the provider a packet with its head, in a buffer of this reserve.
bool context::hand_over(rank_id to, reserve origin, const outgoing& packet) noexcept {
  peer_state& target = peer_of(to);
  if (!knows(target)) return false;
  ssize_t code;
  if (packet.bytes <= net_.can().inject_max) {
    code = ::fi_inject(net_.endpoint(), packet.data, packet.bytes, target.address);
    if (code == 0) buffers_.give_back(origin, packet.buffer);
  } else {
    work_record* const note = works_.take(origin);
    if (note == nullptr) return false;
    note->purpose = work_record::kind::packet;
    note->to = to;
    note->buffer = packet.buffer;
    void* const descriptor = local_.describe_own(packet.data, packet.bytes);
    code = ::fi_send(net_.endpoint(), packet.data, packet.bytes, descriptor, target.address, note);
    if (code != 0) works_.give_back(*note);
  }
  if (code == -FI_EAGAIN) return false;
  if (code != 0) {
    lose(to, text("sending failed: ", ::fi_strerror(static_cast<int>(-code))));
    return false;
  }
  ++target.sent;
  for (channel_state& each : target.lanes) each.owed = 0;  // told by the head
  return true;
}

void context::write_head(rank_id to, channel via, std::byte* data) noexcept {
  const peer_state& target = peer_of(to);
  const packet_head head{.tag = tag_,
                         .from = self_ | (via == channel::reply ? packet_head::reply_bit : 0),
                         .credits = {static_cast<std::uint16_t>(target.lanes[0].owed),
                                     static_cast<std::uint16_t>(target.lanes[1].owed)},
                         .number = target.sent};
  std::memcpy(data, &head, sizeof head);
}

void context::remember(rank_id to) noexcept {
  if (peer_of(to).is_listed || peer_of(to).is_lost) return;
  peer_of(to).is_listed = true;
  waiting_.push_back(to);  // within its capacity: each rank once
}

// --- prepared messages ---------------------------------------------------------------------------

staging context::prepare(channel via, std::size_t bytes) noexcept {
  const hold held(*this);
  const std::uint32_t buffer = buffers_.take_to_prepare(via, payload_at + bytes);
  if (buffer == buffers::no_buffer) return {};
  const std::size_t room =
      buffers_.is_small(buffer) ? buffers_.plan().small_bytes - payload_at : payload_max;
  return {.data = buffers_.address_of(via, buffer) + payload_at,
          .bytes = room,
          .block = buffer,
          .via = via};
}

// Needs no second buffer, since all others may be prepared, too. A short message joins the packet
// that gathers, or its buffer becomes that packet; the buffer of a long one becomes a packet.
post context::commit(const staging& buffer, const message& out) noexcept {
  const hold held(*this);
  if (peer_of(out.target).is_lost) [[unlikely]] {
    buffers_.give_back(buffer.via, buffer.block);
    return post::done;
  }
  const post sent = send_prepared(buffer, out);
  if (sent == post::done) ++counts_.messages;
  return sent;
}

post context::send_prepared(const staging& buffer, const message& out) noexcept {
  channel_state& to = peer_of(out.target).lanes[index_of(buffer.via)];
  const std::size_t bytes = front_bytes(out.nargs) + padded(out.bytes);
  const bool is_short = out.bytes <= buffers_.plan().small_bytes / gathered_part;
  if (to.buffer != buffers::no_buffer) {
    if (is_short && to.filled_bytes + bytes <= buffers_.plan().small_bytes) {
      gather(buffer, out, to);
      return post::done;
    }
    if (!flush(out.target, buffer.via)) return post::retry;
  }
  const bool can_gather = is_short && buffers_.is_small(buffer.block);
  if (to.under_way < window_ && (leaves_alone(to) || !can_gather)) {
    std::byte* const data =
        static_cast<std::byte*>(buffer.data) - front_bytes(out.nargs) - sizeof(packet_head);
    write_front(data + sizeof(packet_head), out);
    const outgoing packet{data, sizeof(packet_head) + bytes, buffer.block};
    if (post_packet(out.target, buffer.via, packet)) return post::done;
  }
  if (!can_gather || peer_of(out.target).is_lost) return post::retry;
  gather(buffer, out, to);
  return post::done;
}

/// Adds a prepared message to the packet that gathers, where it has room, or makes a packet of its
/// buffer where there is none.
void context::gather(const staging& buffer, const message& out, channel_state& to) noexcept {
  const std::size_t front = front_bytes(out.nargs);
  const bool joins = to.buffer != buffers::no_buffer;
  if (!joins) {
    to.buffer = buffer.block;
    to.filled_bytes = sizeof(packet_head);
  }
  std::byte* const data = buffers_.address_of(buffer.via, to.buffer) + to.filled_bytes;
  std::memmove(data + front, buffer.data, out.bytes);  // in its own buffer: towards the front
  write_front(data, out);
  to.filled_bytes += static_cast<std::uint32_t>(front + padded(out.bytes));
  if (joins) buffers_.give_back(buffer.via, buffer.block);
  leave(out.target, buffer.via);
}

void context::cancel(const staging& buffer) noexcept {
  const hold held(*this);
  buffers_.give_back(buffer.via, buffer.block);
}

}  // namespace atl::transport::ofi
