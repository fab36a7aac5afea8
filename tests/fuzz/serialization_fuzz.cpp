// SPDX-License-Identifier: BSD-3-Clause
//
// Fuzzes the reader of UPC++: the first byte chooses a type, the rest is the message. Reading any
// message ends in an object that can be written and read again, equal to itself, or in bad_read;
// and it never takes much more memory than the message has bytes.
#include <upcxx/serialization.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace {

using atl::upcxx_front::bad_read;
using atl::upcxx_front::reader;
using atl::upcxx_front::writer;

class named {
 public:
  named() = default;
  auto operator<=>(const named&) const = default;
  UPCXX_SERIALIZED_FIELDS(number_, name_, marks_)

 private:
  int number_ = 0;
  std::string name_;
  short marks_[3] = {};
};

class wrapped {
 public:
  wrapped(named inner, std::vector<int>&& numbers)
      : inner_(std::move(inner)), numbers_(std::move(numbers)) {}
  auto operator<=>(const wrapped&) const = default;
  UPCXX_SERIALIZED_VALUES(inner_, numbers_)

 private:
  named inner_;
  std::vector<int> numbers_;
};

void require(bool condition) {
  if (!condition) std::abort();
}

template <class T>
void read_and_return(std::span<const std::byte> bytes) {
  const T object = reader(bytes).read<T>();
  writer to;
  to.write(object);
  reader from(to.bytes());
  require(from.read<T>() == object);
  require(from.left() == 0);
  std::optional<T> inside;
  reader(to.bytes()).read_into<T>(inside);
  require(*inside == object);
}

void walk_views(std::span<const std::byte> bytes) {
  reader from(bytes);
  const auto numbers = from.read<upcxx::view<int>>();
  std::uint64_t sum = 0;
  for (int each : numbers) sum += static_cast<std::uint64_t>(each);
  std::size_t count = 0;
  const auto words = from.read<upcxx::view<std::string>>();
  for (const std::string& each : words) count += 1 + each.size() * (sum & 1);
  require(count >= words.size());
}

void read_one(unsigned which, std::span<const std::byte> bytes) {
  switch (which % 8) {
    case 0:
      return read_and_return<std::string>(bytes);
    case 1:
      return read_and_return<std::vector<std::u16string>>(bytes);
    case 2:
      return read_and_return<std::map<int, std::list<named>>>(bytes);
    case 3:
      return read_and_return<std::deque<wrapped>>(bytes);
    case 4:
      return read_and_return<std::unordered_multimap<int, std::optional<std::string>>>(bytes);
    case 5:
      return read_and_return<std::tuple<char, std::set<std::string>, std::int64_t>>(bytes);
    case 6:
      return read_and_return<std::array<std::vector<std::uint64_t>, 2>>(bytes);
    default:
      return walk_views(bytes);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size_bytes) {
  if (size_bytes == 0) return 0;
  // Where a transport's buffer would lie: views need its alignment.
  std::vector<std::uint64_t> buffer(size_bytes / 8 + 1);
  std::memcpy(buffer.data(), data + 1, size_bytes - 1);
  try {
    read_one(data[0], std::as_bytes(std::span(buffer)).first(size_bytes - 1));
  } catch (const bad_read& refused) {
    require(!refused.object().empty() && !refused.remedy().empty());
  }
  return 0;
}
