// SPDX-License-Identifier: BSD-3-Clause
//
// Uses of views, and of classes with their own serialization, that the specification forbids.
// expect: a type cannot specialize both upcxx::serialization and upcxx::is_trivially_serializable
// expect: UPCXX_SERIALIZED_FIELDS: the class needs a constructor without arguments
// expect: UPCXX_SERIALIZED_VALUES: no constructor of the class takes these values as rvalues
// expect: the object that lives there would not be destroyed
// expect: make_view: to count the elements would use them up
// expect: view<T>: T must be Serializable
// expect: UPCXX_SERIALIZED_BASE(B): B must be a base class of this class
#include <upcxx/serialization.hpp>

#include <iterator>
#include <sstream>
#include <string>

struct in_two_ways {};
template <>
struct upcxx::is_trivially_serializable<in_two_ways> : std::true_type {};
template <>
struct upcxx::serialization<in_two_ways> {
  template <class Writer>
  static void serialize(Writer&, const in_two_ways&) {}
  template <class Reader, class Storage>
  static in_two_ways* deserialize(Reader&, Storage storage) {
    return storage.construct();
  }
};

struct fields_only {
  explicit fields_only(int from) : number(from) {}
  int number;
  UPCXX_SERIALIZED_FIELDS(number)
};
struct values_only {
  values_only(int&, int&) {}
  int number = 0;
  UPCXX_SERIALIZED_VALUES(number, number)
};
struct stranger {
  int number = 0;
};
struct no_heir {
  int number = 0;
  UPCXX_SERIALIZED_FIELDS(number, UPCXX_SERIALIZED_BASE(stranger))
};
struct resource {
  ~resource() {}
};

template <class T>
void travel(const T& object) {
  static_cast<void>(upcxx::serialization_traits<T>::deserialized_value(object));
}

void use(atl::upcxx_front::reader& from, std::string& target, std::istringstream& numbers) {
  travel(in_two_ways());
  travel(fields_only(1));
  travel(values_only(target.size() == 0 ? *new int : *new int, *new int));
  travel(no_heir());
  from.read_into<std::string>(&target);
  using input = std::istream_iterator<int>;
  static_cast<void>(upcxx::make_view(input(numbers), input()));
  static_cast<void>(sizeof(upcxx::view<resource>));
}
