// SPDX-License-Identifier: BSD-3-Clause
//
// Broadcasts and reductions of values that are Serializable but not bytes alone: strings, vectors,
// maps. They go over calls along a binomial tree. Each call has a name, the team's and a number, by
// which parts that come before this member's own call wait for it. The functions are not in the
// specification. They are in namespace upcxx::experimental as in other implementations; older
// programs find them in upcxx.
//
// The functions are collective. The holder of the master persona calls them, and its user-level
// progress hands the parts on. The result comes to the persona that called.
#pragma once

#include <atoll/base/language.hpp>
#include <upcxx/dist_object.hpp>
#include <upcxx/reduce.hpp>
#include <upcxx/rpc.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

namespace atl::upcxx_front {

/// A member's part of a collective along a tree, from its call until its result is there.
class tree_collective {
 public:
  tree_collective(const upcxx::team& team, upcxx::intrank_t root);
  tree_collective(const tree_collective&) = delete;
  tree_collective& operator=(const tree_collective&) = delete;

  /// Takes a part that has come; at user level of the master persona. May destroy this object.
  virtual void arrived(bool from_parent, reader& from) = 0;

 protected:
  ~tree_collective() = default;

  /// Makes this known, and hands over the parts that came before. May destroy this object.
  void begin();
  /// To be called after the last part has come.
  void leave() noexcept;
  void send_to_parent(const writer& part) const;
  void send_to_children(const writer& part) const;
  bool is_root() const noexcept { return place_ == 0; }
  int children() const noexcept;

 private:
  const upcxx::team* team_;
  upcxx::intrank_t root_;
  upcxx::intrank_t place_;  // counted from the root
  object_name name_;
};

/// Ends the job for a root that is no member.
void need_member(const upcxx::team& team, upcxx::intrank_t root, const char* call) noexcept;

/// The ways that values go: up to the root, down from it, or both.
enum class tree_ways { to_root, from_root, to_and_from_root };

/// The operation of a collective that combines nothing.
struct no_operation {
  template <class T>
  T operator()(T a, T) const {
    return a;
  }
};

template <class T, class Op, class List>
class tree_of_values final : public tree_collective {
 public:
  tree_of_values(const upcxx::team& team, upcxx::intrank_t root, tree_ways ways, T value, Op op,
                 List& completions)
      : tree_collective(team, root),
        ways_(ways),
        awaited_(ways == tree_ways::from_root ? 0 : children()),
        value_(std::move(value)),
        op_(std::move(op)),
        back_(upcxx::current_persona()),
        notices_(completions, job.rank) {}

  /// Once, before start(): the futures of the call.
  auto promised(List& completions) { return notices_.promised(completions); }

  void start() {
    if (ways_ == tree_ways::from_root && !is_root()) return begin();
    if (awaited_ == 0) return pass_result();
    begin();
  }

  void arrived(bool from_parent, reader& from) override {
    if (from_parent) {
      value_ = from.read_value<T>();
      return pass_down();
    }
    value_ = op_(std::move(*value_), from.read_value<T>());
    if (--awaited_ != 0) return;
    if (is_root() || ways_ == tree_ways::to_root) leave();
    pass_result();
  }

 private:
  // The parts of all children are here.
  void pass_result() {
    if (is_root() && ways_ != tree_ways::to_root) return pass_down();
    if (!is_root()) {
      writer part;
      part.write(*value_);
      send_to_parent(part);
      if (ways_ == tree_ways::to_and_from_root) {
        if (children() == 0) begin();
        return;
      }
    }
    finish();
  }
  void pass_down() {
    if (!is_root()) leave();
    if (children() != 0) {
      writer part;
      part.write(*value_);
      send_to_children(part);
    }
    finish();
  }
  void finish() {
    if (&back_ == &upcxx::current_persona()) return tell();
    back_.lpc_ff([this] { tell(); });
  }
  void tell() {
    T value = std::move(*value_);
    notices_.tell_personas(value);
    notices_.tell(value);
    end_in_block(this);
  }

  tree_ways ways_;
  int awaited_;
  std::optional<T> value_;
  [[no_unique_address]] Op op_;
  upcxx::persona& back_;
  notices<List, T> notices_;
};

template <class T, class Op, class Cx>
auto collect_values(const upcxx::team& team, upcxx::intrank_t root, tree_ways ways, T value, Op op,
                    Cx&& completions) {
  static_assert(serializable<T> && std::is_same_v<std::remove_const_t<arrival_of<T>>, T>,
                "collectives of values: the type must be Serializable, and arrive as itself");
  check_completions<Cx, false, false>();
  using list = without_cvref<Cx>;
  using tree = tree_of_values<T, Op, list>;
  list owned(std::forward<Cx>(completions));
  auto* const made = make_in_block<tree>(team, root, ways, std::move(value), std::move(op), owned);
  if constexpr (std::is_void_v<decltype(made->promised(owned))>) {
    made->promised(owned);
    made->start();
  } else {
    auto futures = made->promised(owned);
    made->start();
    return futures;
  }
}

}  // namespace atl::upcxx_front

namespace upcxx::experimental {

/// Brings the root's value to all members; the values that the others pass are ignored.
template <class T, class Cx = atl::upcxx_front::default_cx>
[[nodiscard]] auto broadcast_nontrivial(T&& value, intrank_t root, const team& team = world(),
                                        Cx&& completions = Cx()) {
  namespace front = atl::upcxx_front;
  using value_type = std::decay_t<T>;
  if constexpr (is_trivially_serializable<value_type>::value) {
    return broadcast<value_type>(std::forward<T>(value), root, team, std::forward<Cx>(completions));
  } else {
    front::need_member(team, root, "upcxx::broadcast_nontrivial");
    return front::collect_values<value_type>(team, root, front::tree_ways::from_root,
                                             std::forward<T>(value), front::no_operation(),
                                             std::forward<Cx>(completions));
  }
}

/// Combines all members' values in any order. The root gets the result, the others some value.
template <class T, class Op, class Cx = atl::upcxx_front::default_cx>
[[nodiscard]] auto reduce_one_nontrivial(T&& value, Op&& op, intrank_t root,
                                         const team& team = world(), Cx&& completions = Cx()) {
  namespace front = atl::upcxx_front;
  using value_type = std::decay_t<T>;
  if constexpr (is_trivially_serializable<value_type>::value) {
    return reduce_one<value_type>(std::forward<T>(value), std::forward<Op>(op), root, team,
                                  std::forward<Cx>(completions));
  } else {
    front::need_member(team, root, "upcxx::reduce_one_nontrivial");
    return front::collect_values<value_type, std::decay_t<Op>>(
        team, root, front::tree_ways::to_root, std::forward<T>(value), std::forward<Op>(op),
        std::forward<Cx>(completions));
  }
}

/// The same; all members get the result.
template <class T, class Op, class Cx = atl::upcxx_front::default_cx>
[[nodiscard]] auto reduce_all_nontrivial(T&& value, Op&& op, const team& team = world(),
                                         Cx&& completions = Cx()) {
  namespace front = atl::upcxx_front;
  using value_type = std::decay_t<T>;
  if constexpr (is_trivially_serializable<value_type>::value) {
    return reduce_all<value_type>(std::forward<T>(value), std::forward<Op>(op), team,
                                  std::forward<Cx>(completions));
  } else {
    front::need_member(team, 0, "upcxx::reduce_all_nontrivial");
    return front::collect_values<value_type, std::decay_t<Op>>(
        team, 0, front::tree_ways::to_and_from_root, std::forward<T>(value), std::forward<Op>(op),
        std::forward<Cx>(completions));
  }
}

}  // namespace upcxx::experimental

namespace upcxx {

using experimental::broadcast_nontrivial;
using experimental::reduce_all_nontrivial;
using experimental::reduce_one_nontrivial;

}  // namespace upcxx
