// SPDX-License-Identifier: BSD-3-Clause
//
// Distributed objects: one value per member of a team under a common name. Making one is collective
// but does not wait, so a call that names one waits at its target until the object is made there.
// The name is the team's and the number of the object among those of the team. An object may also
// be made inactive, by one process alone and even before init(), and be activated later. By the
// holder of the master persona. Spec: chapter 14.
#pragma once

#include <atoll/base/ordered.hpp>
#include <upcxx/rpc.hpp>
#include <upcxx/team.hpp>

#include <cstdint>
#include <functional>
#include <initializer_list>
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
  upcxx::team_id team = {};
  std::uint64_t number = 0;

  friend constexpr bool operator==(const object_name& a, const object_name& b) noexcept {
    return a.team == b.team && a.number == b.number;
  }
  friend constexpr bool operator!=(const object_name& a, const object_name& b) noexcept {
    return !(a == b);
  }
  friend constexpr bool operator<(const object_name& a, const object_name& b) noexcept {
    return a.team == b.team ? a.number < b.number : a.team < b.team;
  }
};

object_name next_object_name(const upcxx::team& team) noexcept;
/// Begins an object at this address. Its waiters are told at the next user-level progress.
void begin_object(const object_name& name, void* address);
/// Notes the new address of an object that has moved.
void set_object(const object_name& name, void* address) noexcept;
void end_object(const object_name& name) noexcept;
/// The object's address; null: not yet made, or gone.
void* look_up_object(const object_name& name) noexcept;
/// The same when it has been made.
upcxx::future<void*> find_object(const object_name& name);
[[noreturn, gnu::cold]] void refuse_object(const char* call, const char* cause) noexcept;

}  // namespace atl::upcxx_front

namespace upcxx {

/// Asks for a distributed object that no other process knows of yet.
struct inactive_t {
  explicit inactive_t() = default;
};
inline constexpr inactive_t inactive{};

/// The name of a distributed object, the same on all members of its team.
template <class T>
struct dist_id : private atl::ordered<dist_id<T>> {
  constexpr dist_id() noexcept = default;

  /// This process's part, which must exist; when_here(): as soon as it exists.
  dist_object<T>& here() const {
    void* const found = atl::upcxx_front::look_up_object(name);
    if (found == nullptr) [[unlikely]] {
      atl::upcxx_front::refuse_object("dist_id::here", "this process has no object of that name");
    }
    return *static_cast<dist_object<T>*>(found);
  }
  future<dist_object<T>&> when_here() const {
    return atl::upcxx_front::find_object(name).then(
        [](void* found) -> dist_object<T>& { return *static_cast<dist_object<T>*>(found); });
  }

  friend constexpr bool operator==(const dist_id& a, const dist_id& b) noexcept {
    return a.name == b.name;
  }
  friend constexpr bool operator<(const dist_id& a, const dist_id& b) noexcept {
    return a.name < b.name;
  }
  friend std::ostream& operator<<(std::ostream& to, const dist_id& id) {
    return to << id.name.team << " object " << id.name.number;
  }

  atl::upcxx_front::object_name name;
};

/// One value per member of a team, under one name. Active from its collective making until it is
/// destroyed, which every member does when no call for it can arrive any more: after a barrier,
/// mostly. A call that names it waits at its target until it is active there.
template <class T>
class dist_object {
  // No program can make one, not even from {}, so a list of it is empty.
  struct nothing {
    struct key;
    nothing(const key&, const key&) = delete;
  };

 public:
  /// Inactive, without a value or with one made from the arguments. May come before init() too.
  dist_object() noexcept = default;
  template <class... Arg>
  explicit dist_object(inactive_t, Arg&&... arg)
      : value_(std::in_place, std::forward<Arg>(arg)...) {}

  /// Active. Collective; does not wait.
  dist_object(T value, const upcxx::team& members = world()) : value_(std::move(value)) {
    activate(members);
  }
  template <class... Arg>
  dist_object(const upcxx::team& members, Arg&&... arg)
      : value_(std::in_place, std::forward<Arg>(arg)...) {
    activate(members);
  }
  /// `dist_object<T>({})`, which could mean an empty value or an inactive object, means the first.
  dist_object(std::initializer_list<nothing>) : dist_object(T{}, world()) {}

  dist_object(dist_object&& other) : value_(std::move(other.value_)) { take_name(other); }
  dist_object& operator=(dist_object&& other) {
    if (this == &other) return *this;
    if (is_active()) {
      atl::upcxx_front::refuse_object("dist_object::operator=", "its target is active");
    }
    value_ = std::move(other.value_);
    take_name(other);
    return *this;
  }
  dist_object(const dist_object&) = delete;
  dist_object& operator=(const dist_object&) = delete;
  ~dist_object() {
    if (is_active() && initialized()) atl::upcxx_front::end_object(id_.name);
  }

  bool is_active() const noexcept { return team_ != nullptr; }
  bool has_value() const noexcept { return value_.has_value(); }

  /// Makes a new value, in place of the one before.
  template <class... Arg>
  T& emplace(Arg&&... arg) {
    return value_.emplace(std::forward<Arg>(arg)...);
  }
  /// Makes an inactive object, which has a value, known to the team. Collective; does not wait.
  void activate(const upcxx::team& members) {
    if (is_active() || !has_value()) [[unlikely]] {
      atl::upcxx_front::refuse_object("dist_object::activate",
                                      "the object is active already, or has no value");
    }
    id_.name = atl::upcxx_front::next_object_name(members);
    team_ = &members.id().here();
    atl::upcxx_front::begin_object(id_.name, this);
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
    if (!is_active()) [[unlikely]]
      atl::upcxx_front::refuse_object("dist_object::fetch", "the object is inactive");
    return rpc(*team_, member, [](dist_object& remote) -> const T& { return *remote; }, *this);
  }

 private:
  void take_name(dist_object& other) noexcept {
    team_ = std::exchange(other.team_, nullptr);
    id_ = std::exchange(other.id_, {});
    if (is_active()) atl::upcxx_front::set_object(id_.name, this);
  }

  upcxx::team* team_ = nullptr;  // null: inactive
  dist_id<T> id_;
  mutable std::optional<T> value_;
};

}  // namespace upcxx

template <class T>
struct std::hash<upcxx::dist_id<T>> {
  std::size_t operator()(const upcxx::dist_id<T>& id) const noexcept {
    return std::hash<upcxx::team_id>()(id.name.team) ^
           static_cast<std::size_t>(id.name.number * 0xc2b2ae3d27d4eb4fULL);
  }
};

namespace atl::upcxx_front {

/// Distributed objects travel by name, and wait at the target until its part is made.
template <class T>
struct call_argument<upcxx::dist_object<T>> {
  static constexpr bool allowed = true;
  static constexpr bool by_name = true;
  using id = upcxx::dist_id<T>;

  /// Looked up when the call asks whether it is here, just before it is passed.
  struct held {
    id name;
    mutable upcxx::dist_object<T>* found = nullptr;
  };

  static void write(writer& to, const upcxx::dist_object<T>& object) {
    if (!object.is_active()) [[unlikely]]
      refuse_object("upcxx::rpc", "a distributed object among the arguments is inactive");
    to.write(object.id());
  }
  static std::size_t end_bound(const upcxx::dist_object<T>&, std::size_t from) noexcept {
    return static_end<id>(from);
  }
  static void read(reader& from, slot<held>& place) {
    place.holds(::new (place.memory()) held{from.read<id>()});
  }
  static bool is_present(const held& named) {
    named.found = static_cast<upcxx::dist_object<T>*>(look_up_object(named.name.name));
    return named.found != nullptr;
  }
  static upcxx::dist_object<T>& pass(held& named) noexcept { return *named.found; }
};

}  // namespace atl::upcxx_front
