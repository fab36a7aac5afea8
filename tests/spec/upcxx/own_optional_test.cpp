// SPDX-License-Identifier: BSD-3-Clause
//
// Tests chapter 6 for a program that defines the serialization of std::optional itself, because the
// specification does not: its specialization is used wherever it applies, instead of the library's.
#include <tests/multi/upcxx/job_main.hpp>
#include <upcxx/upcxx.hpp>

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace {

// How often the program's own serialization has run in this process.
int serialized = 0;
int deserialized = 0;

}  // namespace

template <class T>
struct upcxx::serialization<std::optional<T>> {
  template <class Writer>
  static void serialize(Writer& to, const std::optional<T>& object) {
    ++serialized;
    to.write(object.has_value());
    if (object.has_value()) to.write(*object);
  }
  template <class Reader>
  static std::optional<T>* deserialize(Reader& from, void* storage) {
    ++deserialized;
    if (!from.template read<bool>()) return ::new (storage) std::optional<T>();
    return ::new (storage) std::optional<T>(from.template read<T>());
  }
};

namespace {

static_assert(upcxx::is_serializable<std::optional<std::string>>::value);
static_assert(!upcxx::is_trivially_serializable<std::optional<double>>::value);
static_assert(
    std::is_same_v<upcxx::deserialized_type_t<std::optional<double>>, std::optional<double>>);

template <class T>
T there_and_back(const T& object) {
  const upcxx::intrank_t next = (upcxx::rank_me() + 1) % upcxx::rank_n();
  return upcxx::rpc(next, [](const T& arrived) { return arrived; }, object).wait();
}

TEST(own_optional, is_that_of_the_program_for_what_travels_as_bytes_and_what_does_not) {
  EXPECT_EQ(there_and_back(std::optional<double>(1.5)), 1.5);
  EXPECT_EQ(there_and_back(std::optional<double>()), std::nullopt);
  const std::vector<std::optional<std::string>> words{std::string(1000, 'a'), std::nullopt, "b"};
  EXPECT_EQ(there_and_back(words), words);
  EXPECT_GE(serialized, 5);
  EXPECT_GE(deserialized, 5);
  upcxx::barrier();
}

}  // namespace
