// SPDX-License-Identifier: BSD-3-Clause
//
// Transfers cut into medium messages. Addresses and records travel as pairs of 32-bit arguments and
// come back untouched to the rank that made them.
#include <atoll/core/rma/reference_transfers.hpp>

#include <atoll/base/assert.hpp>
#include <atoll/base/halves.hpp>
#include <atoll/core/job/core_access.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/job/system_handlers.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

namespace atl {

namespace {

std::uint64_t bits(const void* at) { return reinterpret_cast<std::uintptr_t>(at); }
template <class Object>
Object* pointer(const std::uint32_t* pair) {
  return reinterpret_cast<Object*>(static_cast<std::uintptr_t>(join_halves(pair)));
}

piece_table& pieces_of(am_token& token) { return core_access::pieces(token.receiver().owner()); }

const std::byte* bytes_at(const void* at) { return static_cast<const std::byte*>(at); }

}  // namespace

// The content of the first piece of a long message, which is sent before the data.
struct reference_transfers::long_head {
  std::uint64_t address;
  std::uint64_t bytes;
  std::uint8_t handler;
  std::uint8_t nargs;
  std::uint8_t endpoint;
  std::uint8_t crossing;
  std::uint32_t args[transport::max_args];
};

reference_transfers::reference_transfers(runtime& owner)
    : owner_(owner), packed_(owner, layer_access::system_endpoint(owner)) {
  handler_table& table = layer_access::system_endpoint(owner).handlers();
  const auto add = [&](std::uint8_t index, am_handler run, unsigned nargs, std::string_view name) {
    const bool added =
        table.set(index, {.run = run, .context = this, .nargs = nargs, .name = name});
    ATOLL_ASSERT(added, "a handler of the runtime is taken", unsigned{index});
  };
  add(system_handler::put_piece, on_put_piece, 4, "put piece");
  add(system_handler::put_done, on_put_done, 2, "put done");
  add(system_handler::get_piece, on_get_piece, 7, "get piece");
  add(system_handler::get_data, on_get_data, 4, "get data");
  add(system_handler::long_piece, on_long_piece, 6, "long piece");
}

// --- put ---------------------------------------------------------------------------------------

bool reference_transfers::start_put(rank_id target, void* to, const void* from, std::size_t bytes,
                                    operation& record, bool immediate) noexcept {
  endpoint& system = layer_access::system_endpoint(owner_);
  const std::size_t most = system.medium_max(target);
  for (std::size_t done = 0; done < bytes; done += most) {
    piece* const begun = core_access::pieces(owner_).begin(record, target);
    if (begun == nullptr) return true;
    const std::uint64_t remote_address = bits(to) + done;
    const std::array<std::uint32_t, 4> args{low_half(remote_address), high_half(remote_address),
                                            low_half(bits(begun)), high_half(bits(begun))};
    const bool sent = system.request({.target = target,
                                      .kind = am_category::medium,
                                      .handler = system_handler::put_piece,
                                      .nargs = args.size(),
                                      .args = args.data(),
                                      .payload = bytes_at(from) + done,
                                      .bytes = std::min(most, bytes - done)},
                                     immediate && done == 0);
    if (!sent) {
      core_access::pieces(owner_).end(*begun);
      return false;
    }
  }
  return true;
}

void reference_transfers::on_put_piece(void*, am_token& token, const std::uint32_t* args, unsigned,
                                       void* payload, std::size_t bytes) {
  std::memcpy(pointer<void>(args), payload, bytes);
  token.reply({.handler = system_handler::put_done, .nargs = 2, .args = args + 2});
}

void reference_transfers::on_put_done(void*, am_token& token, const std::uint32_t* args, unsigned,
                                      void*, std::size_t) {
  pieces_of(token).end(*pointer<piece>(args));
}

// --- get ---------------------------------------------------------------------------------------

bool reference_transfers::start_get(void* to, rank_id target, const void* from, std::size_t bytes,
                                    operation& record, bool immediate) noexcept {
  endpoint& system = layer_access::system_endpoint(owner_);
  const std::size_t most = system.medium_max(target);
  for (std::size_t done = 0; done < bytes; done += most) {
    piece* const begun = core_access::pieces(owner_).begin(record, target);
    if (begun == nullptr) return true;
    const std::uint64_t remote_address = bits(from) + done;
    const std::uint64_t local_address = bits(to) + done;
    const std::array<std::uint32_t, 7> args{
        low_half(local_address),
        high_half(local_address),
        low_half(bits(begun)),
        high_half(bits(begun)),
        low_half(remote_address),
        high_half(remote_address),
        static_cast<std::uint32_t>(std::min(most, bytes - done))};
    const bool sent = system.request({.target = target,
                                      .handler = system_handler::get_piece,
                                      .nargs = args.size(),
                                      .args = args.data()},
                                     immediate && done == 0);
    if (!sent) {
      core_access::pieces(owner_).end(*begun);
      return false;
    }
  }
  return true;
}

void reference_transfers::on_get_piece(void*, am_token& token, const std::uint32_t* args, unsigned,
                                       void*, std::size_t) {
  token.reply({.kind = am_category::medium,
               .handler = system_handler::get_data,
               .nargs = 4,
               .args = args,
               .payload = pointer<void>(args + 4),
               .bytes = args[6]});
}

void reference_transfers::on_get_data(void*, am_token& token, const std::uint32_t* args, unsigned,
                                      void* payload, std::size_t bytes) {
  pieces_of(token).end_after(*pointer<piece>(args + 2),
                             [&] { std::memcpy(pointer<void>(args), payload, bytes); });
}

// --- long messages -----------------------------------------------------------------------------

bool reference_transfers::send_long(const am_message& out, bool immediate) noexcept {
  long_head head{.address = out.address,
                 .bytes = out.bytes,
                 .handler = out.handler,
                 .nargs = out.nargs,
                 .endpoint = out.endpoint,
                 .crossing = out.crossing,
                 .args = {}};
  std::copy_n(out.args, out.nargs, head.args);
  endpoint& system = layer_access::system_endpoint(owner_);
  const std::uint32_t id = next_long_.fetch_add(1, std::memory_order_relaxed);
  const auto send_piece = [&](std::uint64_t address, std::span<const std::byte> piece, bool is_head,
                              bool may_refuse) {
    const std::array<std::uint32_t, 6> args{
        id, is_head ? 1u : 0u, low_half(address), high_half(address), 0, 0};
    am_message message{.target = out.target,
                       .via = out.via,
                       .kind = am_category::medium,
                       .handler = system_handler::long_piece,
                       .nargs = args.size(),
                       .args = args.data(),
                       .payload = piece.data(),
                       .bytes = piece.size()};
    return system.send(message, may_refuse);
  };
  if (!send_piece(0, std::as_bytes(std::span(&head, 1)), true, immediate)) return false;
  const std::size_t most = system.medium_max(out.target);
  for (std::size_t done = 0; done < out.bytes; done += most) {
    send_piece(out.address + done, {bytes_at(out.payload) + done, std::min(most, out.bytes - done)},
               false, false);
  }
  return true;
}

void reference_transfers::on_long_piece(void* context, am_token& token, const std::uint32_t* args,
                                        unsigned, void* payload, std::size_t bytes) {
  static_cast<reference_transfers*>(context)->collect(token, args, payload, bytes);
}

void reference_transfers::collect(am_token& token, const std::uint32_t* args, void* payload,
                                  std::size_t bytes) {
  const auto via = token.is_request() ? transport::channel::request : transport::channel::reply;
  const bool is_head = args[1] != 0;
  if (!is_head) std::memcpy(pointer<void>(args + 2), payload, bytes);
  // Requests and replies of one source are numbered by the same counter, so id and source suffice.
  const std::uint64_t key = join_halves(args[0], token.source());
  assembly assembled;
  {
    const std::lock_guard hold(guard_);
    assembly& part = assemblies_[key];
    if (is_head) {
      long_head head;
      std::memcpy(&head, payload, sizeof head);
      std::copy_n(head.args, head.nargs, part.args);
      part.head = {.source = token.source(),
                   .via = via,
                   .kind = am_category::long_,
                   .handler = head.handler,
                   .nargs = head.nargs,
                   .endpoint = head.endpoint,
                   .crossing = head.crossing,
                   .payload = reinterpret_cast<void*>(head.address),
                   .bytes = head.bytes};
      part.have_head = true;
    } else {
      part.bytes_arrived += bytes;
    }
    if (!part.have_head || part.bytes_arrived < part.head.bytes) return;
    assembled = part;
    assemblies_.erase(key);
  }
  assembled.head.args = assembled.args;
  core_access::deliver(owner_, assembled.head);
}

}  // namespace atl
