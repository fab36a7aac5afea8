// SPDX-License-Identifier: BSD-3-Clause
//
// An operation of the core that is under way, as the persona that started it keeps it: the core's
// event, the notices to give when it is complete, and the values that it brings. Only operations
// that are not complete when their call returns come here. This is not part of the specification.
#pragma once

#include <upcxx/completion.hpp>
#include <upcxx/job.hpp>
#include <upcxx/persona.hpp>

#include <atoll/core/progress/event.hpp>

#include <cstdint>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace atl::upcxx_front {

/// True when complete; the event is empty then.
bool test_event(event& done) noexcept;

/// `Results` keeps what the operation writes to (a value, buffers); take() of it returns the
/// tuple of kept values V.
template <class Results, class List, class... V>
class flight final : public in_flight {
 public:
  explicit flight(Results into) : results(std::move(into)) {
    arrive = [](in_flight& self) noexcept {
      auto& me = static_cast<flight&>(self);
      me.notices_->tell_target();
      if constexpr (List::has_operation_lpc) {
        std::tuple<kept_value<V>...> values = me.results.take();
        std::apply([&](kept_value<V>&... value) { me.notices_->tell_personas(value...); }, values);
      }
    };
    run = [](work& self) noexcept {
      auto& me = static_cast<flight&>(self);
      if constexpr (List::tells_initiator) unregister_flight(me);
      std::tuple<kept_value<V>...> values = me.results.take();
      std::apply([&](kept_value<V>&... value) { me.notices_->tell(value...); }, values);
      end_in_block(&me);
    };
    is_awaited = List::includes(cx_event::remote) || List::has_operation_lpc;
    silent = !List::tells_initiator;
  }

  /// After the operation was started into `done` and `results`: registers it with the persona and
  /// returns its futures.
  auto launch(List& completions, std::uint32_t target) {
    notices_.emplace(completions, target);
    // Another thread may find the operation complete from its registration on.
    if constexpr (std::is_void_v<decltype(notices_->promised(completions))>) {
      notices_->promised(completions);
      register_flight(*this, done);
    } else {
      auto futures = notices_->promised(completions);
      register_flight(*this, done);
      return futures;
    }
  }

  event done;
  Results results;

 private:
  std::optional<notices<List, V...>> notices_;
};

/// An operation that brings nothing but its completion.
struct no_results {
  std::tuple<> take() noexcept { return {}; }
};

/// Starts an operation by start(results, done), and notifies at once where that completes it.
template <class... V, class List, class Results, class Start>
auto launch(List completions, std::uint32_t target, Results into, Start start) {
  using made_flight = flight<Results, List, V...>;
  auto* const made = make_in_block<made_flight>(std::move(into));
  start(made->results, made->done);
  if (!made->done.empty()) return made->launch(completions, target);
  std::tuple<kept_value<V>...> values = made->results.take();
  end_in_block(made);
  return std::apply(
      [&](kept_value<V>&... value) {
        return tell_at_once<V...>(std::move(completions), target, std::move(value)...);
      },
      values);
}

}  // namespace atl::upcxx_front
