// SPDX-License-Identifier: BSD-3-Clause
//
// Requests and answers are medium messages of the front's own endpoint. A larger one lies in a
// room that the owner takes from its heap. For a request the sender asks for the room first; for an
// answer the sender gives it back. So the owner never waits inside a handler.
#include <front/coarray/access/owner_calls.hpp>

#include <atoll/base/assert.hpp>
#include <atoll/base/text.hpp>
#include <atoll/core/am/endpoint.hpp>
#include <atoll/core/job/runtime.hpp>
#include <front/coarray/access/access.hpp>
#include <front/coarray/access/packing.hpp>
#include <front/coarray/process_state.hpp>

#include <algorithm>
#include <cstring>

namespace atl::coarray {
namespace {

enum : handler_id { request_handler = 1, answer_handler };

/// Memory of the owner for a request or answer that does not fit into a message.
struct room {
  std::byte* address;
  std::size_t bytes;
};

/// Says whether a request or an answer follows, or the room in which it lies.
enum class place : std::uint64_t { message, room };

std::size_t put_answer(std::span<std::byte> answer, const packer& packed) noexcept {
  std::copy(packed.bytes().begin(), packed.bytes().end(), answer.begin());
  return packed.bytes().size();
}

room take_room(process_state& us, std::size_t bytes) noexcept {
  return {static_cast<std::byte*>(us.runtime.heap().allocate(bytes)), bytes};
}

std::size_t answer_room(process_state& us, std::span<const std::byte> request,
                        std::span<std::byte> answer) {
  packer packed;
  packed.put(take_room(us, unpacker(request).get<std::size_t>()));
  return put_answer(answer, packed);
}

std::size_t answer_free(process_state& us, std::span<const std::byte> request,
                        std::span<std::byte> answer) {
  us.runtime.heap().free(unpacker(request).get<room>().address);
  packer packed;
  packed.put(place::message);
  return put_answer(answer, packed);
}

[[noreturn]] void refuse_room(std::size_t bytes) noexcept {
  refuse("a coindexed object",
         text("the image that has it has no memory for ", bytes, " bytes on their way"),
         "raise ATOLL_SEGMENT_LIMIT, or access less in one statement");
}

}  // namespace

owner_calls::owner_calls(process_state& owner, endpoint& own) : us_(owner), own_(own) {
  serve(owner_task::make_room, answer_room);
  serve(owner_task::free_room, answer_free);
  handler_table& table = own_.handlers();
  const bool are_added =
      table.set(request_handler,
                {.run = on_request, .context = this, .nargs = 1, .name = "coarray call"}) &&
      table.set(answer_handler,
                {.run = on_answer, .context = this, .nargs = 0, .name = "coarray answer"});
  ATOLL_ASSERT(are_added, "a handler of coarrays is taken", unsigned{request_handler});
}

std::size_t owner_calls::most() const noexcept { return us_.runtime.medium_max(); }

std::span<const std::byte> owner_calls::call(rank_id owner, owner_task task,
                                             std::span<const std::byte> request) noexcept {
  const auto number = static_cast<std::uint32_t>(task);
  is_answered_ = false;
  own_.request({.target = owner,
                .kind = am_category::medium,
                .handler = request_handler,
                .nargs = 1,
                .args = &number,
                .payload = request.data(),
                .bytes = request.size()});
  us_.runtime.wait_until([&] { return is_answered_ || us_.runtime.failed(owner); });
  if (!is_answered_) return {};
  return answer_;
}

std::vector<std::byte> owner_calls::call_any(rank_id owner, owner_task task,
                                             std::span<const std::byte> request) {
  packer packed;
  const bool fits = sizeof(place) + request.size() <= most();
  packed.put(fits ? place::message : place::room);
  if (fits) {
    packed.append(request);
  } else {
    packer wanted;
    wanted.put(request.size());
    const std::span<const std::byte> made = call(owner, owner_task::make_room, wanted.bytes());
    if (made.empty()) return {};
    const room owner_room = unpacker(made).get<room>();
    if (owner_room.address == nullptr) refuse_room(request.size());
    write_bytes(us_, owner, owner_room.address, request.data(), request.size());
    packed.put(owner_room);
  }
  us_.writes.wait();
  const std::span<const std::byte> answer = call(owner, task, packed.bytes());
  if (answer.empty()) return {};
  unpacker from(answer);
  if (from.get<place>() == place::message) return {answer.begin() + sizeof(place), answer.end()};
  const room owner_room = from.get<room>();
  if (owner_room.address == nullptr) refuse_room(owner_room.bytes);
  std::vector<std::byte> result(owner_room.bytes);
  read_bytes(us_, owner, result.data(), owner_room.address, owner_room.bytes);
  packer read;
  read.put(owner_room);
  call(owner, owner_task::free_room, read.bytes());
  return result;
}

std::size_t owner_calls::answer_any(owner_any_function function, std::span<const std::byte> request,
                                    std::span<std::byte> answer) {
  unpacker from(request);
  std::vector<std::byte> result;
  if (from.get<place>() == place::message) {
    result = function(us_, request.subspan(sizeof(place)));
  } else {
    const room own_room = from.get<room>();
    result = function(us_, {own_room.address, own_room.bytes});
    us_.runtime.heap().free(own_room.address);
  }
  packer packed;
  if (sizeof(place) + result.size() <= answer.size()) {
    packed.put(place::message);
    packed.append(result);
  } else {
    packed.put(place::room);
    const room own_room = take_room(us_, result.size());
    if (own_room.address != nullptr) std::copy(result.begin(), result.end(), own_room.address);
    packed.put(own_room);
  }
  return put_answer(answer, packed);
}

void owner_calls::on_request(void* context, am_token& token, const std::uint32_t* args, unsigned,
                             void* payload, std::size_t bytes) {
  auto& self = *static_cast<owner_calls*>(context);
  const owner_function run = self.functions_[args[0]];
  const transport::staging buffer = token.prepare_reply(self.most());
  const std::span request{static_cast<const std::byte*>(payload), bytes};
  const std::span answer{static_cast<std::byte*>(buffer.data), self.most()};
  const owner_any_function run_any = self.any_functions_[args[0]];
  const std::size_t answered = run_any != nullptr ? self.answer_any(run_any, request, answer)
                                                  : run(self.us_, request, answer);
  token.commit_reply(buffer,
                     {.kind = am_category::medium, .handler = answer_handler, .bytes = answered});
}

void owner_calls::on_answer(void* context, am_token&, const std::uint32_t*, unsigned, void* payload,
                            std::size_t bytes) {
  auto& self = *static_cast<owner_calls*>(context);
  const auto* const data = static_cast<const std::byte*>(payload);
  self.answer_.assign(data, data + bytes);
  self.is_answered_ = true;
}

}  // namespace atl::coarray
