// SPDX-License-Identifier: BSD-3-Clause
//
// Sharing parts, and the transfers that are not direct: a transfer goes by the kernel's copy, by
// a network's own transfers, or by messages. The way depends on the owner of the part and on
// where the part lies.
#include <atoll/core/segment/segment.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/log.hpp>
#include <atoll/base/sparse_table.hpp>
#include <atoll/base/text.hpp>
#include <atoll/core/device/device_transfers.hpp>
#include <atoll/core/job/core_access.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/rma/reference_transfers.hpp>
#include <atoll/memory/given_file.hpp>
#include <atoll/trace/settings.hpp>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace atl {

namespace {
/// Published instead of the size of a part that was refused.
constexpr std::uint64_t bytes_of_refused_part = ~std::uint64_t{0};
}  // namespace

/// The files of parts: the own one, and the mappings here of those of neighbours.
struct file_parts {
  memory::given_file own;
  std::map<rank_id, memory::foreign_mapping> mapped;
};

segment::segment(runtime& owner)
    : atoll_segment{},
      owner_(owner),
      table_(std::make_unique<sparse_table<route>>(owner.size())),
      rows_(&(*table_)[0]) {
  if (!core_access::networks(owner).empty()) {
    registered_ = std::make_unique<sparse_table<std::uint64_t>>(owner.size());
  }
  atoll_segment::routes = rows_;
  atoll_segment::ranks = owner.size();
  atoll_segment::inline_ranks = owner.configuration().flag(setting::counters) ? 0 : owner.size();
  atoll_segment::number = unshared;
  core_access::segments(owner_).add(*this);
}

segment::~segment() {
  if (owner_.is_forked_copy()) return;
  forget_keys();
  forget_device();
  for (device_part& each : device_parts_) layer_access::devices(owner_).close(each);
  core_access::segments(owner_).forget(*this, number());
}

void segment::forget_keys() noexcept {
  const auto networks = core_access::networks(owner_);
  for (std::size_t i = 0; i < networks.size(); ++i) {
    if (keys_[i] != transport::no_memory_key) networks[i]->unregister_memory(keys_[i]);
    keys_[i] = transport::no_memory_key;
  }
}

bool segment::has_all_keys() const noexcept {
  const std::size_t networks = core_access::networks(owner_).size();
  return std::ranges::find(keys_, transport::no_memory_key) - keys_.begin() >=
         static_cast<std::ptrdiff_t>(networks);
}

void segment::forget_device() noexcept {
  if (own_part_.device != nullptr) layer_access::devices(owner_).remove_part(own_part_);
}

// --- parts ---------------------------------------------------------------------------------------

// A rank whose part is refused takes part without one, so that the others do not wait for it.
void segment::share(segment_part own) {
  std::optional<error> refused;
  try {
    place(own);
  } catch (const error& reason) {
    refused = reason;
    place({});
  }
  const rank_id refusing = share_all(refused.has_value(), false);
  if (refused) throw error(*refused);
  if (refusing != ranks()) {
    throw error(text("segment shared by rank ", owner_.rank()),
                text("the part of rank ", refusing, " is refused"),
                "see the error of that rank, and share again");
  }
}

void segment::share() { share_all(false, false); }

void segment::share_alike(segment_part own) {
  place(own);
  share_all(false, true);
}

void segment::open_alike(rank_id rank) noexcept {
  route& row = rows_[rank];
  if (row.bytes != 0) return;
  row.bytes = own_part_.bytes;
  row.set_mapping(reinterpret_cast<std::uintptr_t>(own_part_.base), nullptr, 0);
}

// Each rank proposes a number that it has not used; no rank has used the highest of them. Returns
// the first rank whose part was refused, or the number of ranks.
rank_id segment::share_all(bool is_refused, bool is_alike) {
  published_part own = publish();
  if (is_refused) own.bytes = bytes_of_refused_part;
  rank_id refusing = ranks();
  own.number = number() != unshared ? number() : core_access::segments(owner_).next_number();
  const auto blobs = owner_.exchange(std::as_bytes(std::span(&own, 1)).first(own.sent_bytes()));
  std::uint32_t agreed = 0;
  for (rank_id rank = 0; rank < ranks(); ++rank) {
    published_part published;
    const auto& blob = blobs.at(rank);
    if (blob.size() < published.sent_bytes()) continue;  // of a rank that has failed
    std::memcpy(&published, blob.data(), std::min(blob.size(), sizeof published));
    agreed = std::max(agreed, published.number);
    if (published.bytes == bytes_of_refused_part) {
      published.bytes = 0;
      refusing = std::min(refusing, rank);
    }
    if (!is_alike) learn(rank, published);
    if (is_alike && registered_) note_key(rank, published);
  }
  atoll_segment::number = agreed;
  core_access::segments(owner_).note(*this, number());
  return refusing;
}

bool segment::is_in_heaps(segment_part part) const noexcept {
  const memory::host_memory& host = layer_access::host_memory(owner_);
  const std::byte* const shared = host.shared(owner_.rank());
  const std::size_t limit = host.layout().shared_bytes();
  const auto offset = static_cast<std::size_t>(part.base - shared);
  return part.base >= shared && offset <= limit && part.bytes <= limit - offset;
}

void segment::place(segment_part own) {
  memory::given_file file;
  if (own.file >= 0 && own.bytes != 0)
    file = memory::given_file({own.base, own.bytes}, own.file, own.file_offset);
  if (file && !files_) files_ = std::make_unique<file_parts>();
  if (files_) files_->own = std::move(file);
  forget_keys();
  forget_device();
  own_part_ = own;
  const auto networks = core_access::networks(owner_);
  if (own.device != nullptr && own.bytes != 0) {
    for (std::size_t i = 0; i < networks.size(); ++i)
      keys_[i] =
          networks[i]->register_device_memory({own.base, own.bytes}, own.device->description());
    own_part_.is_registered = !networks.empty() && has_all_keys();
    layer_access::devices(owner_).add_part(own_part_);
    // Its handle contains a descriptor, which neighbours fetch as they would copy memory.
    if (own.device->description().kind == memory::memory_kind::ze)
      core_access::memory(owner_).offer_descriptors();
    learn(owner_.rank(), publish());
    return;
  }
  if (files_ && files_->own) core_access::memory(owner_).offer_descriptors();
  const bool in_heaps = is_in_heaps(own);
  const bool is_heaps = in_heaps && own.bytes == owner_.memory_layout().shared_bytes();
  if (own.bytes != 0 && !in_heaps) core_access::memory(owner_).offer();
  if (own.bytes != 0 && (!in_heaps || is_heaps)) {
    for (std::size_t i = 0; i < networks.size(); ++i)
      keys_[i] = networks[i]->register_memory({own.base, own.bytes});
  }
  learn(owner_.rank(), publish());
}

published_part segment::publish() const noexcept {
  published_part own{.address = reinterpret_cast<std::uintptr_t>(own_part_.base),
                     .bytes = own_part_.bytes,
                     .keys = keys_,
                     .exported = {}};
  if (memory::device* const device = own_part_.device; device != nullptr && own.bytes != 0) {
    own.kind = device->description().kind;
    own.is_exported = layer_access::devices(owner_).export_part(own_part_, own.exported);
    return own;
  }
  const std::byte* const shared = own_part_.in_heaps != nullptr ? own_part_.in_heaps
                                  : is_in_heaps(own_part_)      ? own_part_.base
                                                                : nullptr;
  if (shared != nullptr)
    own.heap_offset = static_cast<std::uint64_t>(
        shared - layer_access::host_memory(owner_).shared(owner_.rank()));
  if (files_ && files_->own) {
    own.is_exported = true;
    own.exported = files_->own.exported();
  }
  return own;
}

void segment::learn(rank_id rank, const published_part& published) noexcept {
  route to;
  to.bytes = published.bytes;
  const bool is_shared = published.heap_offset != published_part::outside_of_heaps;
  const bool is_on_device = published.kind != memory::memory_kind::host;
  if (is_on_device || !device_parts_.empty()) note_device(rank, published);
  if (files_) files_->mapped.erase(rank);
  // The own part has one address, the program's, so that a front sees what overlaps.
  const bool is_own_elsewhere = rank == owner_.rank() && own_part_.in_heaps != nullptr;
  std::byte* mapped = nullptr;
  if (published.bytes == 0 || is_on_device) {
    mapped = nullptr;
  } else if (is_shared && owner_.is_neighbour(rank) && !is_own_elsewhere) {
    mapped = layer_access::host_memory(owner_).shared(rank) + published.heap_offset;
  } else if (rank == owner_.rank()) {
    mapped = own_part_.base;
  } else if (published.is_exported && owner_.is_neighbour(rank)) {
    mapped = map_file(rank, published);
  }
  to.set_mapping(published.address, mapped,
                 mapped != nullptr && layer_access::direct_allowed(owner_) ? published.bytes : 0);
  // A row that stays zero takes no memory.
  if (std::memcmp(&rows_[rank], &to, sizeof to) != 0) rows_[rank] = to;
  if (registered_) note_key(rank, published);
}

// The mapping here of the file that a neighbour has given with its part; null where there can be
// none, and then transfers go as to any other memory. It stays when the neighbour is lost, since
// other threads may still read there.
std::byte* segment::map_file(rank_id rank, const published_part& published) noexcept {
  if (!layer_access::direct_allowed(owner_)) return nullptr;
  memory::foreign_mapping made(published.exported, published.bytes, published.address);
  if (made.base() == nullptr) {
    log_info("segment: the file of rank ", rank, "'s part cannot be mapped: ", errno_text(errno));
    return nullptr;
  }
  if (!files_) files_ = std::make_unique<file_parts>();
  return (files_->mapped[rank] = std::move(made)).base();
}

// Writes by atomic_ref: other threads may look at the row, and still reach memory that is there.
void segment::close(rank_id lost) noexcept {
  std::atomic_ref places(rows_[lost].word_places);
  if (places.load(std::memory_order_relaxed) != 0) places.store(0, std::memory_order_relaxed);
}

// Notes the key for the network that reaches the rank. A row of a part that has no key is not
// written, so a segment in the heaps takes no memory for these.
void segment::note_key(rank_id rank, const published_part& published) noexcept {
  const std::uint64_t key = published.keys[core_access::routes(owner_).number_at(rank)];
  std::uint64_t& row = (*registered_)[rank];
  if (row != ~key) row = ~key;
}

// The registered memory of a rank's part; memory in the heaps was registered together with them.
transport::remote_memory segment::memory_of(rank_id target) const noexcept {
  static_assert(transport::no_memory_key == ~std::uint64_t{0});
  if (!registered_) return {};
  const route& row = rows_[target];
  if (const std::uint64_t complement = (*registered_)[target]; complement != 0)
    return {.base = row.remote(), .key = ~complement};
  const segment& heaps = owner_.heaps();
  const bool is_part_of_heaps =
      &heaps != this && heaps.rows_[target].contains(row.base(), row.bytes);
  return is_part_of_heaps ? heaps.memory_of(target) : transport::remote_memory{};
}

void segment::note_device(rank_id rank, const published_part& published) {
  if (device_parts_.empty()) device_parts_.resize(ranks());
  device_part& part = device_parts_[rank];
  layer_access::devices(owner_).close(part);
  part = {.kind = published.bytes == 0 ? memory::memory_kind::host : published.kind,
          .is_exported = published.is_exported && published.kind != memory::memory_kind::host,
          .exported = published.exported};
}

void segment::check_host_memory(const char* action, rank_id target) const noexcept {
  if (!is_on_device(target)) [[likely]]
    return;
  owner_.fail(text(action, " from rank ", owner_.rank(), " to rank ", target),
              text("that rank's part of the segment is ", name_of(device_parts_[target].kind),
                   " memory, where only puts and gets are done"),
              "put, get or copy the data to host memory first");
}

void segment::check_rank(const char* action, rank_id target) const noexcept {
  if (target < ranks()) [[likely]]
    return;
  owner_.fail(text(action, " from rank ", owner_.rank(), " to rank ", target),
              text("there are ranks 0 to ", ranks() - 1), "use a rank of the job");
}

void segment::check_range(const char* action, rank_id target, const void* address,
                          std::size_t bytes) const noexcept {
  check_rank(action, target);
  const route& row = rows_[target];
  if (row.contains(address, bytes)) [[likely]]
    return;
  const std::string object = text(action, " of ", bytes, " bytes, rank ", owner_.rank(),
                                  " to rank ", target, " at ", hex(address));
  if (row.bytes == 0) {
    owner_.fail(object, text("rank ", target, " has no memory in this segment"),
                "attach or bind a segment on every rank first");
  }
  owner_.fail(object,
              text("outside the segment of rank ", target, ", [", hex(row.remote()), ", ",
                   hex(row.remote() + row.bytes), ") of ", bytes_text(row.bytes)),
              "addresses are those of the target rank; check the offset and the size");
}

// --- by the kernel -------------------------------------------------------------------------------

// A neighbour's row without a mapping stands for memory outside of its heaps.
bool segment::goes_by_kernel(rank_id peer, std::size_t bytes, std::size_t pieces,
                             bool alone) const noexcept {
  if (!owner_.is_neighbour(peer) || rows_[peer].local != nullptr || owner_.failed(peer))
    return false;
  memory::kernel_copy& kernel = core_access::kernel_copy(owner_);
  if (!kernel.pays(bytes, pieces, alone)) return false;
  const bool reached = kernel.reaches(peer);
  if (!reached) check_kernel_copy(peer);
  return reached;
}

void segment::check_kernel_copy(rank_id peer) const noexcept {
  const memory::kernel_copy& kernel = core_access::kernel_copy(owner_);
  if (!kernel.is_forced()) [[likely]]
    return;
  owner_.fail(text("copy by the kernel between ranks ", owner_.rank(), " and ", peer),
              text("the kernel refuses it: ", errno_text(kernel.last_error())),
              "unset ATOLL_KERNEL_COPY to use messages, or see what `atoll doctor` says of it");
}

bool segment::put_by_kernel(rank_id target, std::uintptr_t address, const void* from,
                            std::size_t bytes) noexcept {
  if (!core_access::kernel_copy(owner_).write(target, address, from, bytes)) {
    check_kernel_copy(target);
    return false;
  }
  trace::count(trace::counter::kernel_copies);
  return true;
}

bool segment::get_by_kernel(void* to, rank_id target, std::uintptr_t address,
                            std::size_t bytes) noexcept {
  if (!core_access::kernel_copy(owner_).read(target, address, to, bytes)) {
    check_kernel_copy(target);
    return false;
  }
  trace::count(trace::counter::kernel_copies);
  return true;
}

// --- by the network ------------------------------------------------------------------------------

// Small transfers that others may follow go as messages, which gather, where that is better.
bool segment::goes_native(rank_id target, std::size_t bytes, bool alone) const noexcept {
  if (!network_reaches(target) || !layer_access::direct_allowed(owner_)) return false;
  return core_access::goes_by_network(owner_, target) &&
         (alone || bytes >= core_access::description_of(owner_, target).transfer_min);
}

// Calls post(context) until it answers anything but `retry`, for a piece of `record`. `retry` only
// when `immediate`, and then nothing happened. A piece at a rank that is lost counts as done.
template <class Post>
transport::post segment::start_piece(rank_id target, operation& record, bool immediate,
                                     Post post) noexcept {
  piece* const begun = core_access::pieces(owner_).begin(record, target, piece_way::network);
  if (begun == nullptr) return transport::post::done;
  transport::post result = post(begun);
  if (result == transport::post::retry && immediate) {
    core_access::pieces(owner_).end(*begun);
    trace::count(trace::counter::refusals);
    return result;
  }
  if (result == transport::post::retry) {
    const bool found =
        layer_access::wait_for_room(owner_, target, transport::channel::request, [&] {
          result = post(begun);
          return result != transport::post::retry;
        });
    if (!found) {
      core_access::pieces(owner_).end(*begun, operation_status::peer_lost);
      return transport::post::done;
    }
  }
  if (result == transport::post::done) core_access::pieces(owner_).end(*begun);
  return result;
}

// Posts a native transfer in pieces, counting those under way in `record`.
template <class Post>
bool segment::start_native(transport::transfer transfer, std::size_t piece_max, operation& record,
                           bool immediate, Post post) noexcept {
  transfer.memory = memory_of(transfer.target);
  for (std::size_t left = transfer.bytes; left != 0; left -= transfer.bytes) {
    transfer.bytes = std::min(left, piece_max);
    const transport::post result =
        start_piece(transfer.target, record, immediate, [&](void* context) {
          transfer.context = context;
          return post(transfer);
        });
    if (result == transport::post::retry) return false;
    immediate = false;
    transfer.local += transfer.bytes;
    transfer.remote += transfer.bytes;
  }
  return true;
}

// A caller that does not keep the source may reuse it as soon as this returns: a transport copies a
// source that fits into a message, and a larger put is waited for.
bool segment::put_native(const transport::transfer& transfer, operation& record,
                         bool immediate) noexcept {
  transport::transport& via = core_access::via(owner_, transfer.target);
  const std::size_t most = core_access::description_of(owner_, transfer.target).transfer_max;
  const auto put = [&](const transport::transfer& piece) { return via.put(piece); };
  if (transfer.keeps_source || transfer.bytes <= owner_.medium_max()) {
    return start_native(transfer, most, record, immediate, put);
  }
  operation own_record;
  transport::transfer kept = transfer;
  kept.keeps_source = true;
  if (!start_native(kept, most, own_record, immediate, put)) return false;
  owner_.wait_until([&] { return own_record.complete(); });
  if (const operation_status ended = own_record.take_status(); ended != operation_status::done) {
    record.add_piece();
    record.end_piece(ended);
  }
  return true;
}

void segment::start_registered(bool is_put, const transport::transfer& request,
                               operation& record) noexcept {
  transport::transport& via = core_access::via(owner_, request.target);
  start_native(
      request, core_access::description_of(owner_, request.target).transfer_max, record, false,
      [&](const transport::transfer& piece) { return is_put ? via.put(piece) : via.get(piece); });
}

bool segment::start_atomic(transport::atomic_transfer transfer, operation& record,
                           bool immediate) noexcept {
  transport::transport& network = *core_access::first_network(owner_);
  transfer.memory = memory_of(transfer.target);
  return start_piece(transfer.target, record, immediate, [&](void* context) {
           transfer.context = context;
           return network.atomic(transfer);
         }) != transport::post::retry;
}

bool segment::puts_payload(rank_id target, std::size_t bytes) const noexcept {
  constexpr std::size_t pieces_min = 3;
  return bytes >= pieces_min * owner_.medium_max() && !is_on_device(target) &&
         goes_native(target, bytes, true);
}

void segment::start_payload(const transport::message& message, operation& record) noexcept {
  const auto* const source = static_cast<const std::byte*>(message.payload);
  put_native({.target = message.target,
              .memory = {},
              .local = const_cast<std::byte*>(source),  // only read
              .remote = message.address,
              .bytes = message.bytes,
              .keeps_source = true},
             record, false);
}

// --- whichever way -------------------------------------------------------------------------------

bool segment::start_put(rank_id target, void* to, const void* from, std::size_t bytes,
                        operation& record, transfer_options options) noexcept {
  check_range("put", target, to, bytes);
  trace::count(trace::counter::puts);
  trace::count(trace::counter::put_bytes, bytes);
  if (options.device != nullptr || is_on_device(target)) {
    auto* const source = const_cast<std::byte*>(static_cast<const std::byte*>(from));  // only read
    layer_access::devices(owner_).start({.is_put = true,
                                         .memory = *this,
                                         .peer = target,
                                         .remote = static_cast<std::byte*>(to),
                                         .local = source,
                                         .bytes = bytes,
                                         .device = options.device},
                                        record, options.keeps_source);
    return true;
  }
  const auto address = reinterpret_cast<std::uintptr_t>(to);
  if (goes_by_kernel(target, bytes, 1, options.alone) &&
      put_by_kernel(target, address, from, bytes))
    return true;
  if (goes_native(target, bytes, options.alone)) {
    auto* const source = const_cast<std::byte*>(static_cast<const std::byte*>(from));  // only read
    return put_native({.target = target,
                       .memory = {},
                       .local = source,
                       .remote = address,
                       .bytes = bytes,
                       .keeps_source = options.keeps_source},
                      record, options.immediate);
  }
  return core_access::reference(owner_).start_put(target, to, from, bytes, record,
                                                  options.immediate);
}

bool segment::start_get(void* to, rank_id target, const void* from, std::size_t bytes,
                        operation& record, transfer_options options) noexcept {
  check_range("get", target, from, bytes);
  trace::count(trace::counter::gets);
  trace::count(trace::counter::get_bytes, bytes);
  if (options.device != nullptr || is_on_device(target)) {
    auto* const source = const_cast<std::byte*>(static_cast<const std::byte*>(from));  // only read
    layer_access::devices(owner_).start({.is_put = false,
                                         .memory = *this,
                                         .peer = target,
                                         .remote = source,
                                         .local = static_cast<std::byte*>(to),
                                         .bytes = bytes,
                                         .device = options.device},
                                        record, true);
    return true;
  }
  transport::transport& via = core_access::via(owner_, target);
  const auto address = reinterpret_cast<std::uintptr_t>(from);
  if (goes_by_kernel(target, bytes, 1, options.alone) && get_by_kernel(to, target, address, bytes))
    return true;
  if (goes_native(target, bytes, options.alone)) {
    return start_native({.target = target,
                         .memory = {},
                         .local = static_cast<std::byte*>(to),
                         .remote = address,
                         .bytes = bytes},
                        core_access::description_of(owner_, target).transfer_max, record,
                        options.immediate,
                        [&](const transport::transfer& piece) { return via.get(piece); });
  }
  return core_access::reference(owner_).start_get(to, target, from, bytes, record,
                                                  options.immediate);
}

}  // namespace atl
