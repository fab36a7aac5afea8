// SPDX-License-Identifier: BSD-3-Clause
//
// The cases of bench_atomics, written once for every library: one operation at a time
// ("_blocking"), and many that do not wait for each other ("_nbi_flood"), from rank 0 to a
// neighbour. Each case walks over 64 numbers of its own, so the owner can check afterwards that
// every operation was done exactly once.
//
// The library has acts(), complete(), and for a number of type T at byte `place` of the neighbour's
// area: fetch_add(place, addend), add(place, addend) and compare_swap(place, expected, desired),
// which are complete on return. Their variants with _nbi take arguments by pointers, which must be
// valid until complete(), and store to *old_value.
#pragma once

#include <bench/harness/stopwatch.hpp>
#include <bench/harness/suite.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

namespace bench {

/// The numbers of the cases: rows of places, 8 bytes each whatever the type.
constexpr std::size_t atomic_places = 64;
constexpr std::size_t atomic_rows = 6;
constexpr std::size_t atomic_row_bytes = atomic_places * 8;
constexpr std::size_t atomic_area_bytes = atomic_rows * atomic_row_bytes;

template <class Library>
class atomic_cases {
 public:
  /// `operations` is their number in a round. The library must outlive this object, and this object
  /// the suite.
  atomic_cases(Library& library, std::uint64_t operations)
      : library_(library), operations_(operations) {
    for (std::size_t i = 0; i < steps_.size(); ++i) steps_[i] = i % steps;
  }

  void add_to(suite& to) {
    add_fetch_add<std::uint64_t>(to, "fetch_add_u64", 0);
    add_fetch_add<std::uint32_t>(to, "fetch_add_u32", 1);
    add_fetch_add<double>(to, "fetch_add_f64", 2);
    add_compare_swap(to, "compare_swap_u64", 3);
    add_add<std::uint64_t>(to, "add_u64", 4);
    add_add<double>(to, "add_f64", 5);
  }

  /// At the owner of `area`, after everything: whether all operations were done, exactly once.
  bool all_done(const std::byte* area) const {
    return right<std::uint64_t>(area, 0) && right<std::uint32_t>(area, 1) &&
           right<double>(area, 2) && swapped(area, 3) && right<std::uint64_t>(area, 4) &&
           right<double>(area, 5);
  }

 private:
  static constexpr std::uint64_t in_flight = 1024;  // operations of a flood before a complete()
  static constexpr std::uint64_t steps = 1024;      // values that compare-and-swap goes through

  static std::size_t place_of(std::size_t row, std::uint64_t i) noexcept {
    return row * atomic_row_bytes + i % atomic_places * 8;
  }

  /// Adds a case of `each(place, i)`; i counts through all cases of the row and all rounds.
  template <class Each>
  void add(suite& to, std::string name, std::size_t row, Each each) {
    to.add({.name = std::move(name), .operations = operations_, .run = [=, this](auto count) {
              const std::uint64_t first = done_[row];
              done_[row] += count;
              if (!library_.acts()) return 0.0;
              const stopwatch watch;
              for (std::uint64_t i = first; i < first + count; ++i) each(place_of(row, i), i);
              library_.complete();
              return watch.elapsed_ns();
            }});
  }

  /// The same for an operation that is not complete on return.
  template <class Each>
  void add_flood(suite& to, const std::string& name, std::size_t row, Each each) {
    add(to, name + "_nbi_flood", row, [=, this](std::size_t place, std::uint64_t i) {
      each(place, i);
      if (i % in_flight == in_flight - 1) library_.complete();
    });
  }

  template <class T>
  void add_fetch_add(suite& to, const std::string& name, std::size_t row) {
    static const T addend = 1;
    static std::array<T, in_flight> old_values;
    add(to, name + "_blocking", row, [this](std::size_t place, std::uint64_t) {
      keep(library_.template fetch_add<T>(place, addend));
    });
    add_flood(to, name, row, [this](std::size_t place, std::uint64_t i) {
      library_.template fetch_add_nbi<T>(place, &addend, &old_values[i % in_flight]);
    });
  }

  template <class T>
  void add_add(suite& to, const std::string& name, std::size_t row) {
    static const T addend = 1;
    add(to, name + "_blocking", row,
        [this](std::size_t place, std::uint64_t) { library_.template add<T>(place, addend); });
    add_flood(to, name, row, [this](std::size_t place, std::uint64_t) {
      library_.template add_nbi<T>(place, &addend);
    });
  }

  // Every one succeeds: it compares with the value that the one before has left at its place.
  void add_compare_swap(suite& to, const std::string& name, std::size_t row) {
    static std::array<std::uint64_t, in_flight> old_values;
    add(to, name + "_blocking", row, [this](std::size_t place, std::uint64_t i) {
      const std::uint64_t* const step = &steps_[i / atomic_places % steps];
      keep(library_.compare_swap(place, step[0], step[1]));
    });
    add_flood(to, name, row, [this](std::size_t place, std::uint64_t i) {
      const std::uint64_t* const step = &steps_[i / atomic_places % steps];
      library_.compare_swap_nbi(place, &step[0], &step[1], &old_values[i % in_flight]);
    });
  }

  /// How many operations of a row went to a place.
  std::uint64_t done_at(std::size_t row, std::size_t place) const noexcept {
    return (done_[row] + atomic_places - 1 - place) / atomic_places;
  }

  template <class T>
  static T number_at(const std::byte* area, std::size_t row, std::size_t place) noexcept {
    T value;
    std::memcpy(&value, area + row * atomic_row_bytes + place * 8, sizeof value);
    return value;
  }

  template <class T>
  bool right(const std::byte* area, std::size_t row) const {
    for (std::size_t place = 0; place < atomic_places; ++place) {
      if (number_at<T>(area, row, place) != static_cast<T>(done_at(row, place))) {
        return wrong(row, place);
      }
    }
    return true;
  }

  bool swapped(const std::byte* area, std::size_t row) const {
    for (std::size_t place = 0; place < atomic_places; ++place) {
      if (number_at<std::uint64_t>(area, row, place) != done_at(row, place) % steps) {
        return wrong(row, place);
      }
    }
    return true;
  }

  static bool wrong(std::size_t row, std::size_t place) {
    std::fprintf(stderr, "atomics: number %zu of case %zu is not what was added to it\n", place,
                 row);
    return false;
  }

  Library& library_;
  std::uint64_t operations_;
  std::array<std::uint64_t, atomic_rows> done_ = {};  // operations, the same on every rank
  std::array<std::uint64_t, steps + 1> steps_;        // 0, 1, ... and 0 again
};

}  // namespace bench
