// SPDX-License-Identifier: BSD-3-Clause
//
// The standard library's types (UPC++ 6.3), by the same specializations that users may write.
// array, pair and tuple travel as bytes when their parts do, whatever the library thinks of copying
// them. The others are a count, the objects that the container was given (allocator, comparison,
// hash) and the elements; an empty object of a trivially serializable, default-constructible class
// writes nothing. A container arrives as a container of the type that its elements become on
// arrival. Contiguous elements that travel as bytes are copied as one block.
#pragma once

#include <atoll/base/language.hpp>
#include <upcxx/reader.hpp>
#include <upcxx/serialization_traits.hpp>
#include <upcxx/size_bound.hpp>
#include <upcxx/writer.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <forward_list>
#include <functional>
#include <iterator>
#include <list>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace atl::upcxx_front {

/// A part of a container's type that need not travel, because one is as good as another.
template <class T>
inline constexpr bool stateless =
    std::is_empty_v<T> && byte_serializable<T> && std::is_default_constructible_v<T>;

template <class T>
void write_observer(writer& to, const T& object) {
  if constexpr (!stateless<T>) to.write(object);
}

template <class T>
arrival_of<T> read_observer(reader& from) {
  if constexpr (stateless<T>)
    return T();
  else
    return from.read_value<T>();
}

/// Fills a container that was constructed empty, and destroys it if that fails.
template <class Storage, class Container, class Fill>
Container* filled(Storage storage, Container* container, Fill fill) {
  try {
    fill(*container);
  } catch (...) {
    storage.discard(container);
    throw;
  }
  return container;
}

template <class Container>
using size_of_container = decltype(std::declval<const Container&>().size());
template <class Container>
using reserve_of_container = decltype(std::declval<Container&>().reserve(std::size_t{}));
template <class Container>
using push_back_of_container =
    decltype(std::declval<Container&>().push_back(std::declval<typename Container::value_type>()));
template <class Container>
using hasher_of_container = typename Container::hasher;
template <class Container>
using mapped_type_of_container = typename Container::mapped_type;

/// A count never reserves more memory than the bytes that are left can announce.
inline std::size_t credible(std::size_t count, const reader& from) noexcept {
  return std::min(count, from.left());
}

template <class T>
bool lies_aligned(const std::byte* address) noexcept {
  return reinterpret_cast<std::uintptr_t>(address) % alignof(T) == 0;
}

/// Where a count and then contiguous elements end.
template <class T>
std::size_t end_of_elements(std::size_t count, std::size_t from) noexcept {
  if constexpr (byte_serializable<T>)
    return end_of_bytes(end_of_bytes(from, 1, sizeof(std::size_t), alignof(std::size_t)), count,
                        sizeof(T), alignof(T));
  else
    return unbounded;
}

template <class... T>
inline constexpr bool all_serializable = (serializable<T> && ...);

/// vector, deque, list and forward_list: Arriving is what the container becomes.
template <class Container, class Arriving>
struct sequence_serialization {
  using element = typename Container::value_type;
  using allocator = typename Container::allocator_type;
  static constexpr bool parts_are_serializable = all_serializable<element, allocator>;

  static void serialize(writer& to, const Container& container) {
    write_observer(to, container.get_allocator());
    if constexpr (compiles<size_of_container, Container>) {
      to.write(container.size());
      to.write_sequence(container.begin(), container.end(), container.size());
    } else {
      const auto place = to.reserve<std::size_t>();
      to.commit(place, to.write_sequence(container.begin(), container.end()));
    }
  }

  template <class Storage>
  static Arriving* deserialize(reader& from, Storage storage) {
    auto made_by = read_observer<allocator>(from);
    const auto count = from.read<std::size_t>();
    if constexpr (is_block && std::is_copy_constructible_v<element>) {
      const std::byte* bytes = from.take_elements(count, sizeof(element), alignof(element));
      if (lies_aligned<element>(bytes)) {
        const auto* first = reinterpret_cast<const element*>(bytes);
        return storage.construct(first, first + count, std::move(made_by));
      }
      reader again({bytes, count * sizeof(element)});
      return filled(storage, storage.construct(std::move(made_by)),
                    [&](Arriving& target) { fill(target, again, count); });
    } else {
      return filled(storage, storage.construct(std::move(made_by)),
                    [&](Arriving& target) { fill(target, from, count); });
    }
  }

  static std::size_t end_bound(const Container& container, std::size_t from) noexcept {
    if constexpr (std::is_empty_v<allocator> && compiles<size_of_container, Container>)
      return end_of_elements<element>(container.size(), from);
    else
      return unbounded;
  }

 private:
  static constexpr bool is_block = byte_serializable<element> && !std::is_same_v<element, bool>;

  static void fill(Arriving& target, reader& from, std::size_t count) {
    if constexpr (compiles<reserve_of_container, Arriving>) target.reserve(credible(count, from));
    if constexpr (compiles<push_back_of_container, Arriving>) {
      for (; count > 0; --count) target.push_back(from.read_value<element>());
    } else {
      auto last = target.before_begin();
      for (; count > 0; --count) last = target.insert_after(last, from.read_value<element>());
    }
  }
};

/// set, map and their relatives, with the objects that order or hash them.
template <class Container, class Arriving>
struct association_serialization {
  using key = typename Container::key_type;
  using element = typename Container::value_type;
  using allocator = typename Container::allocator_type;

  static constexpr bool is_hashed = compiles<hasher_of_container, Container>;
  static constexpr bool is_map = compiles<mapped_type_of_container, Container>;

  static constexpr bool parts_are_serializable = [] {
    if constexpr (is_hashed)
      return all_serializable<element, allocator, typename Container::hasher,
                              typename Container::key_equal>;
    else
      return all_serializable<element, allocator, typename Container::key_compare>;
  }();

  static void serialize(writer& to, const Container& container) {
    if constexpr (is_hashed) {
      write_observer(to, container.hash_function());
      write_observer(to, container.key_eq());
    } else {
      write_observer(to, container.key_comp());
    }
    write_observer(to, container.get_allocator());
    to.write(container.size());
    for (const auto& each : container) {
      if constexpr (is_map) {
        to.write(each.first);
        to.write(each.second);
      } else {
        to.write(each);
      }
    }
  }

  template <class Storage>
  static Arriving* deserialize(reader& from, Storage storage) {
    Arriving* target = construct(from, storage);
    return filled(storage, target, [&](Arriving& container) { fill(container, from); });
  }

 private:
  template <class Storage>
  static Arriving* construct(reader& from, Storage storage) {
    if constexpr (is_hashed) {
      auto hash = read_observer<typename Container::hasher>(from);
      auto equal = read_observer<typename Container::key_equal>(from);
      auto made_by = read_observer<allocator>(from);
      return storage.construct(std::size_t{0}, std::move(hash), std::move(equal),
                               std::move(made_by));
    } else {
      auto compare = read_observer<typename Container::key_compare>(from);
      auto made_by = read_observer<allocator>(from);
      return storage.construct(std::move(compare), std::move(made_by));
    }
  }

  static void fill(Arriving& target, reader& from) {
    auto count = from.read<std::size_t>();
    if constexpr (is_hashed) target.reserve(credible(count, from));
    for (; count > 0; --count) {
      if constexpr (is_map) {
        auto name = from.read_value<key>();
        target.emplace_hint(target.end(), std::move(name),
                            from.read_value<typename Container::mapped_type>());
      } else {
        target.emplace_hint(target.end(), from.read_value<key>());
      }
    }
  }
};

/// An optional that is not copied as bytes: whether there is something, and what. A class that says
/// how it travels also travels so in an optional, even if it is trivially copyable. If a program
/// has a serialization of optionals of its own, that one is used.
template <class T>
struct own_serialization<std::optional<T>> {
  static constexpr bool is_bytes =
      std::is_trivially_copyable_v<std::optional<T>> && byte_serializable<T>;
  static constexpr bool parts_are_serializable = serializable<T>;
  using arriving = std::optional<std::remove_const_t<arrival_of<T>>>;

  static void serialize(writer& to, const std::optional<T>& object) {
    to.write(static_cast<unsigned char>(object.has_value()));
    if (object) to.write(*object);
  }
  template <class Storage>
  static arriving* deserialize(reader& from, Storage storage) {
    const bool has_value = from.read<unsigned char>() != 0;
    return filled(storage, storage.construct(), [&](arriving& target) {
      if (has_value) from.template read_into<T>(target);
    });
  }
};

}  // namespace atl::upcxx_front

namespace upcxx {

template <class T, std::size_t N>
struct is_trivially_serializable<std::array<T, N>> : is_trivially_serializable<T> {};

template <class A, class B>
struct is_trivially_serializable<std::pair<A, B>>
    : std::bool_constant<is_trivially_serializable<A>::value &&
                         is_trivially_serializable<B>::value> {};

template <class... T>
struct is_trivially_serializable<std::tuple<T...>>
    : std::bool_constant<(is_trivially_serializable<T>::value && ...)> {};

template <class T, std::size_t N>
struct serialization<std::array<T, N>> {
  static constexpr bool parts_are_serializable = atl::upcxx_front::serializable<T>;
  using arriving = std::array<atl::upcxx_front::arrival_of<T>, N>;

  static void serialize(atl::upcxx_front::writer& to, const std::array<T, N>& object) {
    to.write_sequence(object.begin(), object.end(), N);
  }
  template <class Storage>
  static arriving* deserialize(atl::upcxx_front::reader& from, Storage storage) {
    if constexpr (atl::upcxx_front::is_memory<Storage>) {
      from.read_sequence_into<T>(storage.memory(), N);
      return std::launder(static_cast<arriving*>(storage.memory()));
    } else {
      atl::upcxx_front::slot<arriving> place;
      from.read_sequence_into<T>(place.memory(), N);
      place.holds(std::launder(static_cast<arriving*>(place.memory())));
      return storage.construct(std::move(place.object()));
    }
  }
};

template <class A, class B>
struct serialization<std::pair<A, B>> {
  static constexpr bool parts_are_serializable = atl::upcxx_front::all_serializable<A, B>;
  using arriving = std::pair<atl::upcxx_front::arrival_of<A>, atl::upcxx_front::arrival_of<B>>;

  static void serialize(atl::upcxx_front::writer& to, const std::pair<A, B>& object) {
    to.write(object.first);
    to.write(object.second);
  }
  template <class Storage>
  static arriving* deserialize(atl::upcxx_front::reader& from, Storage storage) {
    auto first = from.read_value<atl::without_cvref<A>>();
    auto second = from.read_value<atl::without_cvref<B>>();
    return storage.construct(std::move(first), std::move(second));
  }
  static std::size_t end_bound(const std::pair<A, B>& object, std::size_t from) noexcept {
    using atl::upcxx_front::end_of;
    return end_of(object.second, end_of(object.first, from));
  }
};

template <class... T>
struct serialization<std::tuple<T...>> {
  static constexpr bool parts_are_serializable = atl::upcxx_front::all_serializable<T...>;
  using arriving = std::tuple<atl::upcxx_front::arrival_of<T>...>;

  static void serialize(atl::upcxx_front::writer& to, const std::tuple<T...>& object) {
    std::apply([&](const auto&... each) { (to.write(each), ...); }, object);
  }
  template <class Storage>
  static arriving* deserialize(atl::upcxx_front::reader& from, Storage storage) {
    // Braces, because the elements of a braced list are evaluated from left to right.
    using plain = std::tuple<atl::upcxx_front::arrival_of<atl::without_cvref<T>>...>;
    plain parts{from.read_value<atl::without_cvref<T>>()...};
    return std::apply([&](auto&... each) { return storage.construct(std::move(each)...); }, parts);
  }
  static std::size_t end_bound(const std::tuple<T...>& object, std::size_t from) noexcept {
    std::apply([&](const auto&... each) { ((from = atl::upcxx_front::end_of(each, from)), ...); },
               object);
    return from;
  }
};

/// A reference: the object that it refers to travels.
template <class T>
struct serialization<std::reference_wrapper<T>> {
  static constexpr bool parts_are_serializable = atl::upcxx_front::serializable<T>;
  using arriving = atl::upcxx_front::arrival_of<std::remove_const_t<T>>;

  static void serialize(atl::upcxx_front::writer& to, const std::reference_wrapper<T>& object) {
    to.write(object.get());
  }
  template <class Storage>
  static arriving* deserialize(atl::upcxx_front::reader& from, Storage storage) {
    if constexpr (atl::upcxx_front::is_memory<Storage>)
      return from.read_into<std::remove_const_t<T>>(storage.memory());
    else
      return storage.construct(from.read_value<std::remove_const_t<T>>());
  }
};

/// One standard allocator is as good as another: nothing is written.
template <class T>
struct serialization<std::allocator<T>> {
  using arriving = std::allocator<atl::upcxx_front::arrival_of<T>>;
  static void serialize(atl::upcxx_front::writer&, const std::allocator<T>&) {}
  template <class Storage>
  static arriving* deserialize(atl::upcxx_front::reader&, Storage storage) {
    return storage.construct();
  }
};

template <class Char, class Traits, class Allocator>
struct serialization<std::basic_string<Char, Traits, Allocator>> {
  using string = std::basic_string<Char, Traits, Allocator>;
  using arriving = std::basic_string<Char, Traits, atl::upcxx_front::arrival_of<Allocator>>;
  static constexpr bool parts_are_serializable = atl::upcxx_front::serializable<Allocator>;

  static void serialize(atl::upcxx_front::writer& to, const string& object) {
    atl::upcxx_front::write_observer(to, object.get_allocator());
    to.write(object.size());
    to.write_sequence(object.data(), object.data() + object.size(), object.size());
  }
  template <class Storage>
  static arriving* deserialize(atl::upcxx_front::reader& from, Storage storage) {
    auto made_by = atl::upcxx_front::read_observer<Allocator>(from);
    const auto count = from.read<std::size_t>();
    const std::byte* bytes = from.take_elements(count, sizeof(Char), alignof(Char));
    arriving* target = storage.construct(std::move(made_by));
    return atl::upcxx_front::filled(storage, target, [&](arriving& text) {
      text.resize(count);
      if (count > 0) std::memcpy(text.data(), bytes, count * sizeof(Char));
    });
  }
  static std::size_t end_bound(const string& object, std::size_t from) noexcept {
    using namespace atl::upcxx_front;
    if constexpr (std::is_empty_v<Allocator>)
      return end_of_elements<Char>(object.size(), from);
    else
      return unbounded;
  }
};

template <class T, class Allocator>
struct serialization<std::vector<T, Allocator>>
    : atl::upcxx_front::sequence_serialization<
          std::vector<T, Allocator>,
          std::vector<atl::upcxx_front::arrival_of<T>, atl::upcxx_front::arrival_of<Allocator>>> {};

template <class T, class Allocator>
struct serialization<std::deque<T, Allocator>>
    : atl::upcxx_front::sequence_serialization<
          std::deque<T, Allocator>,
          std::deque<atl::upcxx_front::arrival_of<T>, atl::upcxx_front::arrival_of<Allocator>>> {};

template <class T, class Allocator>
struct serialization<std::list<T, Allocator>>
    : atl::upcxx_front::sequence_serialization<
          std::list<T, Allocator>,
          std::list<atl::upcxx_front::arrival_of<T>, atl::upcxx_front::arrival_of<Allocator>>> {};

template <class T, class Allocator>
struct serialization<std::forward_list<T, Allocator>>
    : atl::upcxx_front::sequence_serialization<
          std::forward_list<T, Allocator>,
          std::forward_list<atl::upcxx_front::arrival_of<T>,
                            atl::upcxx_front::arrival_of<Allocator>>> {};

template <class Key, class Compare, class Allocator>
struct serialization<std::set<Key, Compare, Allocator>>
    : atl::upcxx_front::association_serialization<
          std::set<Key, Compare, Allocator>,
          std::set<atl::upcxx_front::arrival_of<Key>, atl::upcxx_front::arrival_of<Compare>,
                   atl::upcxx_front::arrival_of<Allocator>>> {};

template <class Key, class Compare, class Allocator>
struct serialization<std::multiset<Key, Compare, Allocator>>
    : atl::upcxx_front::association_serialization<
          std::multiset<Key, Compare, Allocator>,
          std::multiset<atl::upcxx_front::arrival_of<Key>, atl::upcxx_front::arrival_of<Compare>,
                        atl::upcxx_front::arrival_of<Allocator>>> {};

template <class Key, class T, class Compare, class Allocator>
struct serialization<std::map<Key, T, Compare, Allocator>>
    : atl::upcxx_front::association_serialization<
          std::map<Key, T, Compare, Allocator>,
          std::map<atl::upcxx_front::arrival_of<Key>, atl::upcxx_front::arrival_of<T>,
                   atl::upcxx_front::arrival_of<Compare>,
                   atl::upcxx_front::arrival_of<Allocator>>> {};

template <class Key, class T, class Compare, class Allocator>
struct serialization<std::multimap<Key, T, Compare, Allocator>>
    : atl::upcxx_front::association_serialization<
          std::multimap<Key, T, Compare, Allocator>,
          std::multimap<atl::upcxx_front::arrival_of<Key>, atl::upcxx_front::arrival_of<T>,
                        atl::upcxx_front::arrival_of<Compare>,
                        atl::upcxx_front::arrival_of<Allocator>>> {};

template <class Key, class Hash, class KeyEqual, class Allocator>
struct serialization<std::unordered_set<Key, Hash, KeyEqual, Allocator>>
    : atl::upcxx_front::association_serialization<
          std::unordered_set<Key, Hash, KeyEqual, Allocator>,
          std::unordered_set<atl::upcxx_front::arrival_of<Key>, atl::upcxx_front::arrival_of<Hash>,
                             atl::upcxx_front::arrival_of<KeyEqual>,
                             atl::upcxx_front::arrival_of<Allocator>>> {};

template <class Key, class Hash, class KeyEqual, class Allocator>
struct serialization<std::unordered_multiset<Key, Hash, KeyEqual, Allocator>>
    : atl::upcxx_front::association_serialization<
          std::unordered_multiset<Key, Hash, KeyEqual, Allocator>,
          std::unordered_multiset<
              atl::upcxx_front::arrival_of<Key>, atl::upcxx_front::arrival_of<Hash>,
              atl::upcxx_front::arrival_of<KeyEqual>, atl::upcxx_front::arrival_of<Allocator>>> {};

template <class Key, class T, class Hash, class KeyEqual, class Allocator>
struct serialization<std::unordered_map<Key, T, Hash, KeyEqual, Allocator>>
    : atl::upcxx_front::association_serialization<
          std::unordered_map<Key, T, Hash, KeyEqual, Allocator>,
          std::unordered_map<atl::upcxx_front::arrival_of<Key>, atl::upcxx_front::arrival_of<T>,
                             atl::upcxx_front::arrival_of<Hash>,
                             atl::upcxx_front::arrival_of<KeyEqual>,
                             atl::upcxx_front::arrival_of<Allocator>>> {};

template <class Key, class T, class Hash, class KeyEqual, class Allocator>
struct serialization<std::unordered_multimap<Key, T, Hash, KeyEqual, Allocator>>
    : atl::upcxx_front::association_serialization<
          std::unordered_multimap<Key, T, Hash, KeyEqual, Allocator>,
          std::unordered_multimap<
              atl::upcxx_front::arrival_of<Key>, atl::upcxx_front::arrival_of<T>,
              atl::upcxx_front::arrival_of<Hash>, atl::upcxx_front::arrival_of<KeyEqual>,
              atl::upcxx_front::arrival_of<Allocator>>> {};

}  // namespace upcxx
