// SPDX-License-Identifier: BSD-3-Clause
//
// Distributed objects: one value per member of a team under a common name. Making one is collective
// but does not wait, so a call that names one waits at its target until the object is made there.
// The name is the team's and the number of the object among those of the team. By the holder of the
// master persona. Spec: chapter 14.
#pragma once

#include <upcxx/rpc.hpp>
#include <upcxx/team.hpp>

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <type_traits>
#include <utility>

namespace upcxx {

template <class T>
class dist_object;

}  // namespace upcxx

namespace atl::upcxx_front {

/// The name of a distributed object, whatever its type.
struct object_name {
  upcxx::team_id of = {};
  std::uint64_t number = 0;
  friend constexpr bool operator==(const object_name&, const object_name&) = default;
  friend constexpr auto operator<=>(const object_name&, const object_name&) = default;
};

object_name next_object_name(const upcxx::team& of) noexcept;
/// Says where the object of this name is in this process; null: gone.
void set_object(const object_name& name, void* here);
/// Where it is: ready at once when it exists.
upcxx::future<void*> find_object(const object_name& name);

}  // namespace atl::upcxx_front

namespace upcxx {

/// The name of a distributed object, the same on all members of its team.
template <class T>
struct dist_id {
  constexpr dist_id() noexcept = default;

  /// This process's part, which exists; or as soon as it does.
  dist_object<T>& here() const { return when_here().result(); }
  future<dist_object<T>&> when_here() const {
    return atl::upcxx_front::find_object(name).then(
        [](void* found) -> dist_object<T>& { return *static_cast<dist_object<T>*>(found); });
  }

  friend constexpr bool operator==(const dist_id&, const dist_id&) = default;
  friend constexpr auto operator<=>(const dist_id&, const dist_id&) = default;
  friend std::ostream& operator<<(std::ostream& to, const dist_id& id) {
    return to << id.name.of << " object " << id.name.number;
  }

  atl::upcxx_front::object_name name;
};

template <class T>
class dist_object {
 public:
  /// Collective; does not wait.
  explicit dist_object(T value, const upcxx::team& of = world())
      : team_(&of.id().here()), value_(std::move(value)) {
    begin(of);
  }
  template <class... Arg>
  explicit dist_object(const upcxx::team& of, Arg&&... arg)
      : team_(&of.id().here()), value_(std::in_place, std::forward<Arg>(arg)...) {
    begin(of);
  }
  dist_object(dist_object&& other) noexcept
      : team_(other.team_), id_(std::exchange(other.id_, {})), value_(std::move(other.value_)) {
    atl::upcxx_front::set_object(id_.name, this);
  }
  dist_object(const dist_object&) = delete;
  dist_object& operator=(const dist_object&) = delete;
  ~dist_object() {
    if (id_ != dist_id<T>() && initialized()) atl::upcxx_front::set_object(id_.name, nullptr);
  }

  dist_id<T> id() const noexcept { return id_; }
  upcxx::team& team() noexcept { return *team_; }
  const upcxx::team& team() const noexcept { return *team_; }

  T* operator->() const noexcept { return &*value_; }
  T& operator*() const noexcept { return *value_; }

  /// A copy of a member's value.
  auto fetch(intrank_t member) const {
    static_assert(is_serializable<T>::value && !atl::upcxx_front::is_view<T>,
                  "dist_object::fetch: the value must be Serializable, and not a view");
    return rpc(*team_, member, [](dist_object& there) -> const T& { return *there; }, *this);
  }

 private:
  void begin(const upcxx::team& of) {
    id_.name = atl::upcxx_front::next_object_name(of);
    atl::upcxx_front::set_object(id_.name, this);
  }

  upcxx::team* team_;
  dist_id<T> id_;
  mutable std::optional<T> value_;
};

}  // namespace upcxx

template <class T>
struct std::hash<upcxx::dist_id<T>> {
  std::size_t operator()(const upcxx::dist_id<T>& id) const noexcept {
    return std::hash<upcxx::team_id>()(id.name.of) ^
           static_cast<std::size_t>(id.name.number * 0xc2b2ae3d27d4eb4fULL);
  }
};

namespace atl::upcxx_front {

/// Distributed objects travel by name, and wait at the target until its part is made.
template <class T>
struct call_argument<upcxx::dist_object<T>> {
  static constexpr bool allowed = true;
  using held = upcxx::dist_id<T>;

  static void write(writer& to, const upcxx::dist_object<T>& object) { to.write(object.id()); }
  static std::size_t end_bound(const upcxx::dist_object<T>&, std::size_t from) noexcept {
    return static_end<held>(from);
  }
  static void read(reader& from, slot<held>& place) {
    place.holds(from.read_into<held>(place.memory()));
  }
  static bool is_here(const held& id) { return find_object(id.name).ready(); }
  static upcxx::dist_object<T>& pass(held& id) { return id.here(); }
};

}  // namespace atl::upcxx_front
