// SPDX-License-Identifier: BSD-3-Clause
//
// Requests and answers are medium messages of the runtime's own endpoint.
#include <front/coarray/owner_calls.hpp>

#include <atoll/base/assert.hpp>
#include <atoll/core/job/system_handlers.hpp>
#include <front/coarray/process.hpp>

namespace atl::coarray {

owner_calls::owner_calls(process& owner) : us_(owner) {
  handler_table& table = owner.runtime.system().handlers();
  const bool are_added =
      table.set(system_handler::coarray_call,
                {.run = on_request, .context = this, .nargs = 1, .name = "coarray call"}) &&
      table.set(system_handler::coarray_answer,
                {.run = on_answer, .context = this, .nargs = 0, .name = "coarray answer"});
  ATOLL_ASSERT(are_added, "a handler of coarrays is taken", unsigned{system_handler::coarray_call});
}

std::size_t owner_calls::most() const noexcept { return us_.runtime.medium_max(); }

std::span<const std::byte> owner_calls::call(rank_id owner, owner_task task,
                                             std::span<const std::byte> request) noexcept {
  const auto number = static_cast<std::uint32_t>(task);
  is_answered_ = false;
  us_.runtime.system().request({.target = owner,
                                .kind = am_category::medium,
                                .handler = system_handler::coarray_call,
                                .nargs = 1,
                                .args = &number,
                                .payload = request.data(),
                                .bytes = request.size()});
  us_.runtime.wait_until([&] { return is_answered_ || us_.runtime.failed(owner); });
  if (!is_answered_) return {};
  return answer_;
}

void owner_calls::on_request(void* context, am_token& token, const std::uint32_t* args, unsigned,
                             void* payload, std::size_t bytes) {
  auto& self = *static_cast<owner_calls*>(context);
  const owner_function run = self.functions_[args[0]];
  const transport::staging buffer = token.prepare_reply(self.most());
  const std::size_t answered = run(self.us_, {static_cast<const std::byte*>(payload), bytes},
                                   {static_cast<std::byte*>(buffer.data), self.most()});
  token.commit_reply(
      buffer,
      {.kind = am_category::medium, .handler = system_handler::coarray_answer, .bytes = answered});
}

void owner_calls::on_answer(void* context, am_token&, const std::uint32_t*, unsigned, void* payload,
                            std::size_t bytes) {
  auto& self = *static_cast<owner_calls*>(context);
  const auto* const data = static_cast<const std::byte*>(payload);
  self.answer_.assign(data, data + bytes);
  self.is_answered_ = true;
}

}  // namespace atl::coarray
