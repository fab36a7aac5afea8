// SPDX-License-Identifier: BSD-3-Clause
//
// An operation of the core that is under way, as the persona that started it keeps it: the core's
// event, the notices to give when it is complete, and the values that it brings. Only operations
// that are not complete when their call returns come here. This is not part of the specification.
#pragma once

#include <upcxx/completion.hpp>
#include <upcxx/job.hpp>
#include <upcxx/persona.hpp>

#include <atoll/core/event.hpp>

#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>

namespace atl::upcxx_front {

/// True when complete; the event is empty then.
bool look_at(event& done) noexcept;

/// `Results` keeps what the operation writes to (a value, buffers); take_values() of it returns the
/// tuple of kept values V.
template <class Results, class List, class... V>
class flight final : public in_flight {
 public:
  explicit flight(Results into) : results(std::move(into)) {
    look = [](in_flight& self) noexcept {
      auto& me = static_cast<flight&>(self);
      if (me.told_target_) return true;
      if (!look_at(me.done)) return false;
      me.told_target_ = true;
      me.notices_->tell_target();
      if constexpr (List::has_operation_lpc) {
        std::tuple<kept<V>...> values = me.results.take();
        std::apply([&](kept<V>&... one) { me.notices_->tell_personas(one...); }, values);
      }
      return true;
    };
    finish = [](in_flight& self) noexcept {
      auto& me = static_cast<flight&>(self);
      std::tuple<kept<V>...> values = me.results.take();
      std::apply([&](kept<V>&... one) { me.notices_->tell(one...); }, values);
      end_in_block(&me);
    };
    owed = List::has(cx_event::remote) || List::has_operation_lpc;
  }

  /// After the operation was started into `done` and `results`: registers it with the persona and
  /// returns its futures.
  auto launch(List& how, std::uint32_t target) {
    notices_.emplace(how, target);
    register_flight(*this);
    return notices_->promised(how);
  }

  event done;
  Results results;

 private:
  bool told_target_ = false;
  std::optional<notices<List, V...>> notices_;
};

/// An operation that brings nothing but its completion.
struct no_results {
  std::tuple<> take() noexcept { return {}; }
};

/// Starts an operation by start(results, done), and tells of it at once where that completes it.
template <class... V, class List, class Results, class Start>
auto launch(List how, std::uint32_t target, Results into, Start start) {
  using made_flight = flight<Results, List, V...>;
  auto* const made = make_in_block<made_flight>(std::move(into));
  start(made->results, made->done);
  if (!made->done.empty()) return made->launch(how, target);
  std::tuple<kept<V>...> values = made->results.take();
  end_in_block(made);
  return std::apply(
      [&](kept<V>&... one) {
        return tell_at_once<V...>(std::move(how), target, std::move(one)...);
      },
      values);
}

}  // namespace atl::upcxx_front
