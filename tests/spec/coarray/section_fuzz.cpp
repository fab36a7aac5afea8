// SPDX-License-Identifier: BSD-3-Clause
//
// Random sections and conversions against a serial model. Each image has a block that only its left
// neighbour reads and writes, which keeps a copy of the expected bytes. A turn chooses types,
// kinds, a shape, strides and vector subscripts, assigns by the library and by the model, and
// compares whole blocks, so that stray bytes are found too. The model reads an element as one wide
// value, and writes it as the other type.
//
//   section_fuzz [TURNS [SEED]]
#include <front/coarray/access/transfer.hpp>
#include <front/coarray/data/number_types.hpp>
#include <front/coarray/data/section.hpp>
#include <front/coarray/memory/coarray.hpp>
#include <front/coarray/statements/synchronization.hpp>
#include <front/coarray/statements/teams.hpp>
#include <front/coarray/statements/termination.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace atl::coarray;
using gfortran::type_code;

constexpr std::size_t block_bytes = 262144;
using block = std::vector<std::byte>;

std::mt19937_64 generator;

int choose(int least, int most) {
  return std::uniform_int_distribution<int>(least, most)(generator);
}

// --- the model: one value, wide enough for all types

struct value {
  long double re = 0;
  long double im = 0;
  std::u32string text;
};

std::size_t letters_of(const element& item) {
  return item.bytes / static_cast<std::size_t>(item.kind);
}

value read_value(const std::byte* from, const element& item) {
  value seen;
  with_number(item.type, item.kind, [&]<class T>(T number) {
    std::memcpy(&number, from, sizeof number);
    if constexpr (requires { number.re; }) {
      seen.re = static_cast<long double>(number.re);
      seen.im = static_cast<long double>(number.im);
    } else {
      seen.re = static_cast<long double>(number);
    }
  });
  if (item.type == type_code::logical) seen.re = std::to_integer<int>(*from);
  if (item.type != type_code::character) return seen;
  for (std::size_t i = 0; i < letters_of(item); ++i) {
    std::uint32_t letter = std::to_integer<std::uint32_t>(from[i]);
    if (item.kind == 4) std::memcpy(&letter, from + 4 * i, sizeof letter);
    seen.text += static_cast<char32_t>(letter);
  }
  return seen;
}

void write_value(std::byte* to, const element& item, const value& given) {
  with_number(item.type, item.kind, [&]<class T>(T number) {
    std::memcpy(&number, to, sizeof number);  // keeps the padding of a real(10)
    if constexpr (requires { number.re; }) {
      number.re = static_cast<decltype(number.re)>(given.re);
      number.im = static_cast<decltype(number.im)>(given.im);
    } else {
      number = static_cast<T>(given.re);
    }
    std::memcpy(to, &number, sizeof number);
  });
  if (item.type == type_code::logical) {
    std::memset(to, 0, item.bytes);
    *to = static_cast<std::byte>(given.re != 0);
  }
  if (item.type != type_code::character) return;
  for (std::size_t i = 0; i < letters_of(item); ++i) {
    const std::uint32_t letter = i < given.text.size() ? given.text[i] : U' ';
    if (item.kind == 4) std::memcpy(to + 4 * i, &letter, sizeof letter);
    if (item.kind == 1) to[i] = static_cast<std::byte>(letter);
  }
}

value random_value(const element& item) {
  value made;
  made.re = item.type == type_code::logical ? choose(0, 1) : choose(-100, 100);
  if (item.type == type_code::complex) made.im = choose(-100, 100);
  for (std::size_t i = 0; item.type == type_code::character && i < letters_of(item); ++i)
    made.text += static_cast<char32_t>(choose('a', 'z'));
  return made;
}

// --- types

element random_number() {
  static constexpr std::array integers{1, 2, 4, 8, 16};
  static constexpr std::array reals{4, 8, 10, 16};
  element made;
  const int which = choose(0, 2);
  made.type = which == 0 ? type_code::integer : which == 1 ? type_code::real : type_code::complex;
  made.kind = which == 0 ? integers[static_cast<std::size_t>(choose(0, 4))]
                         : reals[static_cast<std::size_t>(choose(0, 3))];
  made.bytes = static_cast<std::size_t>(made.kind == 10 ? 16 : made.kind);
  if (which == 2) made.bytes *= 2;
  return made;
}

element random_logical() {
  const int kind = 1 << choose(0, 3);
  return {type_code::logical, kind, static_cast<std::size_t>(kind)};
}

element random_text() {
  const int kind = choose(0, 1) == 0 ? 1 : 4;
  return {type_code::character, kind, static_cast<std::size_t>(kind * choose(1, 9))};
}

// --- sides of an assignment

/// A section in a block: the place of its first element, and a descriptor with subscripts.
struct side {
  element item;
  std::ptrdiff_t first = 0;
  gfortran::array_descriptor described{};
  std::array<gfortran::subscripts, gfortran::max_rank> subscripts{};
  std::array<std::vector<std::int32_t>, gfortran::max_rank> vectors;
  std::array<std::vector<std::byte>, gfortran::max_rank> indices;  // as the program has them
  bool has_vectors = false;
  int single = -1;  // a dimension with one index, which the shape does not have

  int rank() const { return described.dtype.rank; }

  /// With vector subscripts the other dimensions have triplets, and the descriptor is of the whole
  /// array.
  std::ptrdiff_t index(int dimension, int position) const {
    const auto d = static_cast<std::size_t>(dimension);
    const std::ptrdiff_t lower = described.dim[dimension].lower;
    if (!has_vectors) return position;
    if (!vectors[d].empty()) return vectors[d][static_cast<std::size_t>(position)] - lower;
    return subscripts[d].range.lower + position * subscripts[d].range.stride - lower;
  }

  std::ptrdiff_t place(const std::array<int, gfortran::max_rank>& position) const {
    std::ptrdiff_t elements = 0;
    std::size_t next = 0;
    for (int d = 0; d < rank(); ++d)
      elements += index(d, d == single ? 0 : position[next++]) * described.dim[d].stride;
    return first + elements * described.span;
  }
};

/// Indices of a vector subscript: some of the dimension's indices, none twice.
std::vector<std::int32_t> random_indices(int count, std::ptrdiff_t lower, int extent) {
  std::vector<std::int32_t> indices(static_cast<std::size_t>(extent));
  std::iota(indices.begin(), indices.end(), static_cast<std::int32_t>(lower));
  std::shuffle(indices.begin(), indices.end(), generator);
  indices.resize(static_cast<std::size_t>(count));
  return indices;
}

/// The same as integers of a kind.
std::vector<std::byte> integers_of(const std::vector<std::int32_t>& indices, int kind) {
  const auto bytes = static_cast<std::size_t>(kind);
  std::vector<std::byte> made(indices.size() * bytes);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const std::int64_t index = indices[i];
    std::memcpy(made.data() + i * bytes, &index, bytes);  // the low bytes come first
  }
  return made;
}

/// A triplet for `count` indices of a dimension that has two more, in either direction.
gfortran::subscripts random_triplet(int count, std::ptrdiff_t lower, int extent) {
  const int step = extent >= 2 * count ? choose(1, 2) : 1;
  const int reach = count == 0 ? 0 : (count - 1) * step;
  const std::ptrdiff_t start = lower + choose(0, std::max(extent - 1 - reach, 0));
  gfortran::subscripts made{};
  made.range = {start, start + reach, step};
  if (count == 0) made.range.upper = start - 1;
  if (count != 0 && choose(0, 2) == 0) made.range = {start + reach, start, -step};
  return made;
}

void choose_subscripts(side& part, std::size_t d, int count) {
  const gfortran::dimension& bounds = part.described.dim[d];
  const auto extent = static_cast<int>(bounds.extent());
  const bool is_single = static_cast<int>(d) == part.single;
  if (count > 0 && !is_single && choose(0, 1) == 0) {
    part.vectors[d] = random_indices(count, bounds.lower, extent);
    const int index_kind = 1 << choose(bounds.upper > 127 ? 1 : 0, 3);
    part.indices[d] = integers_of(part.vectors[d], index_kind);
    part.subscripts[d].count = part.vectors[d].size();
    part.subscripts[d].vector = {part.indices[d].data(), index_kind};
  } else {
    part.subscripts[d] = random_triplet(count, bounds.lower, extent);
  }
}

side random_side(const element& item, std::vector<int> shape, bool may_have_vectors) {
  side made;
  made.item = item;
  made.has_vectors = may_have_vectors && !shape.empty() && choose(0, 1) == 0;
  if (made.has_vectors && choose(0, 2) == 0) {
    made.single = choose(0, static_cast<int>(shape.size()));
    shape.insert(shape.begin() + made.single, 1);
  }
  made.described.dtype = {item.bytes, 0, static_cast<std::int8_t>(shape.size()), item.type, 0};
  made.described.span = static_cast<std::ptrdiff_t>(item.bytes);
  std::ptrdiff_t stride = choose(1, 2);
  std::ptrdiff_t low = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const int extent = made.has_vectors ? shape[d] + choose(0, 2) : shape[d];
    const std::ptrdiff_t signed_stride = choose(0, 3) == 0 ? -stride : stride;
    const std::ptrdiff_t lower = choose(-2, 3);
    made.described.dim[d] = {signed_stride, lower, lower + extent - 1};
    if (signed_stride < 0) low += signed_stride * std::max(extent - 1, 0);
    if (made.has_vectors) choose_subscripts(made, d, shape[d]);
    stride *= std::max(extent, 1) + choose(0, 1);
  }
  made.first = -low * made.described.span + choose(0, 3) * made.described.span;
  return made;
}

/// Calls use(position) for each element, the first dimension fastest.
template <class Use>
void for_each_position(const std::vector<int>& shape, Use use) {
  std::array<int, gfortran::max_rank> position{};
  for (const int extent : shape) {
    if (extent == 0) return;
  }
  for (;;) {
    use(position);
    std::size_t d = 0;
    while (d < shape.size() && ++position[d] == shape[d]) position[d++] = 0;
    if (d == shape.size()) return;
  }
}

void assign_by_model(block& to, const side& left, const block& from, const side& right,
                     const std::vector<int>& shape) {
  for_each_position(shape, [&](const auto& position) {
    write_value(to.data() + left.place(position), left.item,
                read_value(from.data() + right.place(position), right.item));
  });
}

void fill(block& memory, const side& part, const std::vector<int>& shape) {
  for_each_position(shape, [&](const auto& position) {
    write_value(memory.data() + part.place(position), part.item, random_value(part.item));
  });
}

/// Six of the 16 bytes of a real(10) are padding: they may have any value.
void forget_padding(const block& actual, block& expected, const side& part,
                    const std::vector<int>& shape) {
  if (part.item.kind != 10) return;
  for_each_position(shape, [&](const auto& position) {
    const auto place = static_cast<std::size_t>(part.place(position));
    for (std::size_t i = 0; i < part.item.bytes; ++i) {
      if (i % 16 >= 10) expected[place + i] = actual[place + i];
    }
  });
}

// --- the library

class neighbour {
 public:
  neighbour() {
    gfortran::array_descriptor described{};
    register_coarray(block_bytes, registration::allocatable, &token_, &described, {});
    const process_state& us = running();
    image_ = us.this_image() % static_cast<int>(us.image_count()) + 1;
  }

  coindexed at(const side& part) const {
    return {token_,
            static_cast<std::size_t>(part.first),
            image_,
            &part.described,
            part.has_vectors ? part.subscripts.data() : nullptr,
            part.item.kind};
  }

  void store(block& memory) const {
    gfortran::array_descriptor bytes = whole(memory);
    send({token_, 0, image_, &bytes, nullptr, 1}, {&bytes, 1});
  }
  block load() const {
    block memory(block_bytes);
    gfortran::array_descriptor bytes = whole(memory);
    get({&bytes, 1}, {token_, 0, image_, &bytes, nullptr, 1});
    return memory;
  }

 private:
  static gfortran::array_descriptor whole(block& memory) {
    gfortran::array_descriptor made{};
    made.data = memory.data();
    made.dtype = {1, 0, 1, type_code::integer, 0};
    made.span = 1;
    made.dim[0] = {1, 0, static_cast<std::ptrdiff_t>(block_bytes) - 1};
    return made;
  }

  coarray* token_ = nullptr;
  int image_ = 0;
};

void compare(const block& actual, const block& expected, const char* way, int turn) {
  if (actual == expected) return;
  std::size_t i = 0;
  while (actual[i] == expected[i]) ++i;
  std::fprintf(stderr, "turn %d, %s: byte %zu is %d, not %d\n", turn, way, i,
               std::to_integer<int>(actual[i]), std::to_integer<int>(expected[i]));
  error_stop(9, true);
}

void run_turn(const neighbour& remote_image, block& shadow, int turn) {
  const int family = choose(0, 4);
  const auto random_element = [&] {
    return family < 3 ? random_number() : family == 3 ? random_logical() : random_text();
  };
  std::vector<int> shape(static_cast<std::size_t>(choose(0, 4)));
  for (int& extent : shape) extent = choose(0, 12) == 0 ? 0 : choose(1, 3);
  if (choose(0, 19) == 0) shape.assign(1, choose(50, 500));
  const side remote = random_side(random_element(), shape, true);
  side local = random_side(random_element(), choose(0, 5) == 0 ? std::vector<int>{} : shape, false);
  block memory(block_bytes, std::byte{0});
  if (choose(0, 1) == 0) {
    fill(memory, local, local.rank() == 0 ? std::vector<int>{} : shape);
    assign_by_model(shadow, remote, memory, local, shape);
    local.described.data = memory.data() + local.first;
    send(remote_image.at(remote), {&local.described, local.item.kind});
    const block actual = remote_image.load();
    forget_padding(actual, shadow, remote, shape);
    compare(actual, shadow, "a write", turn);
    return;
  }
  if (local.rank() == 0 && !shape.empty()) return;  // an array cannot be assigned to a scalar
  fill(shadow, remote, shape);
  remote_image.store(shadow);
  block expected = memory;
  assign_by_model(expected, local, shadow, remote, shape);
  local.described.data = memory.data() + local.first;
  get({&local.described, local.item.kind}, remote_image.at(remote));
  forget_padding(memory, expected, local, shape);
  compare(memory, expected, "a read", turn);
}

}  // namespace

int main(int argc, char** argv) {
  const int turns = argc > 1 ? std::atoi(argv[1]) : 10000;
  const auto seed = static_cast<std::uint64_t>(argc > 2 ? std::atoll(argv[2]) : 1);
  const neighbour remote_image;
  generator.seed(seed * 1000 + static_cast<std::uint64_t>(this_image(0)));
  block shadow(block_bytes, std::byte{0});
  remote_image.store(shadow);
  for (int turn = 0; turn < turns; ++turn) run_turn(remote_image, shadow, turn);
  sync_all({});
  finalize();
  return 0;
}
