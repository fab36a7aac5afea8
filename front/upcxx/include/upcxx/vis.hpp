// SPDX-License-Identifier: BSD-3-Clause
//
// Non-contiguous put and get in one operation: irregular (runs of any length on both sides),
// regular (runs of one length), strided (a block of any dimension; strides in bytes). All remote
// parts are of one rank. To a rank whose memory is mapped here they are loops of loads and stores
// without a temporary; the sequences may be reused when the call returns. Spec: chapter 15.
#pragma once

#include <atoll/base/language.hpp>
#include <upcxx/rget.hpp>

#include <atoll/base/slice.hpp>
#include <atoll/core/strided/memory_run.hpp>

#include <array>
#include <cstddef>
#include <iterator>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace atl::upcxx_front {

/// Runs on one side of a transfer, as the rank that owns them addresses them.
class run_collector {
 public:
  template <class T>
  void add(const T* address, std::size_t count) {
    // The core's runs serve both sides; it does not write to those that it reads from.
    runs_.push_back({const_cast<void*>(static_cast<const void*>(address)), count * sizeof(T)});
  }
  template <class T>
  void add(const upcxx::global_ptr<T>& pointer, std::size_t count) {
    add_remote(pointer_access::place_of(pointer), count * sizeof(T));
  }

  std::uint32_t rank() const noexcept { return rank_ == no_rank ? job.rank : rank_; }
  slice<const memory_run> runs() const noexcept { return runs_; }

 private:
  void add_remote(const place& location, std::size_t bytes);

  static constexpr std::uint32_t no_rank = ~std::uint32_t{0};
  std::vector<memory_run> runs_;
  std::uint32_t rank_ = no_rank;
};

template <class Iterator>
run_collector runs_of_pairs(Iterator first, Iterator last) {
  run_collector runs;
  for (; first != last; ++first) {
    const auto& run = *first;
    runs.add(std::get<0>(run), static_cast<std::size_t>(std::get<1>(run)));
  }
  return runs;
}

template <class Iterator>
run_collector runs_of_length(Iterator first, Iterator last, std::size_t count) {
  run_collector runs;
  for (; first != last; ++first) runs.add(*first, count);
  return runs;
}

void start_runs(bool puts, const run_collector& to, const run_collector& from,
                event& done) noexcept;

/// A block: `local` is an address of this process, `remote` a place that its owner addresses.
struct block_transfer {
  bool puts;
  place remote;
  slice<const std::ptrdiff_t> remote_strides;
  void* local;
  slice<const std::ptrdiff_t> local_strides;
  std::size_t element_bytes;
  slice<const std::size_t> counts;
};
void start_block(const block_transfer& transfer, event& done) noexcept;

template <bool Puts, class T, class Cx>
auto transfer_runs(const run_collector& to, const run_collector& from, Cx&& completions) {
  static_assert(can_be_copied_as_bytes<T>,
                "non-contiguous transfers: the type must be TriviallySerializable");
  check_completions<Cx, Puts, true>();
  return launch<>(without_cvref<Cx>(std::forward<Cx>(completions)), Puts ? to.rank() : from.rank(),
                  no_results(),
                  [&](no_results&, event& done) { start_runs(Puts, to, from, done); });
}

template <bool Puts, class T, class Cx>
auto transfer_block(const block_transfer& transfer, Cx&& completions) {
  static_assert(can_be_copied_as_bytes<T>,
                "non-contiguous transfers: the type must be TriviallySerializable");
  check_completions<Cx, Puts, true>();
  return launch<>(without_cvref<Cx>(std::forward<Cx>(completions)), transfer.remote.rank,
                  no_results(), [&](no_results&, event& done) { start_block(transfer, done); });
}

/// The type that a pointer, plain or global, points to.
template <class Pointer>
struct target_of;
template <class T>
struct target_of<T*> {
  using type = std::remove_const_t<T>;
};
template <class T>
struct target_of<upcxx::global_ptr<T>> {
  using type = std::remove_const_t<T>;
};
template <class Iterator>
using element_of_run =
    typename target_of<without_cvref<decltype(std::get<0>(*std::declval<Iterator&>()))>>::type;
template <class Iterator>
using element_of = typename target_of<without_cvref<decltype(*std::declval<Iterator&>())>>::type;

/// The two sides move the same type.
template <class A, class B>
inline constexpr bool same_elements = std::is_same_v<A, B>;

}  // namespace atl::upcxx_front

namespace upcxx {

/// Runs are pairs or tuples of a pointer and a number of elements; here from local, to global.
template <class SrcIter, class DestIter, class Cx = atl::upcxx_front::default_cx>
[[nodiscard]] auto rput_irregular(SrcIter src_begin, SrcIter src_end, DestIter dest_begin,
                                  DestIter dest_end, Cx&& completions = Cx()) {
  namespace front = atl::upcxx_front;
  using element = front::element_of_run<SrcIter>;
  static_assert(front::same_elements<element, front::element_of_run<DestIter>>,
                "rput_irregular: source and destination are of different types");
  return front::transfer_runs<true, element>(front::runs_of_pairs(dest_begin, dest_end),
                                             front::runs_of_pairs(src_begin, src_end),
                                             std::forward<Cx>(completions));
}

/// The same from global to local.
template <class SrcIter, class DestIter, class Cx = atl::upcxx_front::default_cx>
[[nodiscard]] auto rget_irregular(SrcIter src_begin, SrcIter src_end, DestIter dest_begin,
                                  DestIter dest_end, Cx&& completions = Cx()) {
  namespace front = atl::upcxx_front;
  using element = front::element_of_run<SrcIter>;
  static_assert(front::same_elements<element, front::element_of_run<DestIter>>,
                "rget_irregular: source and destination are of different types");
  return front::transfer_runs<false, element>(front::runs_of_pairs(dest_begin, dest_end),
                                              front::runs_of_pairs(src_begin, src_end),
                                              std::forward<Cx>(completions));
}

/// Sequences of pointers, each to as many elements as its side's length says.
template <class SrcIter, class DestIter, class Cx = atl::upcxx_front::default_cx>
[[nodiscard]] auto rput_regular(SrcIter src_begin, SrcIter src_end, std::size_t src_length,
                                DestIter dest_begin, DestIter dest_end, std::size_t dest_length,
                                Cx&& completions = Cx()) {
  namespace front = atl::upcxx_front;
  using element = front::element_of<SrcIter>;
  static_assert(front::same_elements<element, front::element_of<DestIter>>,
                "rput_regular: source and destination are of different types");
  return front::transfer_runs<true, element>(
      front::runs_of_length(dest_begin, dest_end, dest_length),
      front::runs_of_length(src_begin, src_end, src_length), std::forward<Cx>(completions));
}
/// The same from global to local.
template <class SrcIter, class DestIter, class Cx = atl::upcxx_front::default_cx>
[[nodiscard]] auto rget_regular(SrcIter src_begin, SrcIter src_end, std::size_t src_length,
                                DestIter dest_begin, DestIter dest_end, std::size_t dest_length,
                                Cx&& completions = Cx()) {
  namespace front = atl::upcxx_front;
  using element = front::element_of<SrcIter>;
  static_assert(front::same_elements<element, front::element_of<DestIter>>,
                "rget_regular: source and destination are of different types");
  return front::transfer_runs<false, element>(
      front::runs_of_length(dest_begin, dest_end, dest_length),
      front::runs_of_length(src_begin, src_end, src_length), std::forward<Cx>(completions));
}

/// Blocks of `Dim` dimensions: element (i, j, ...) lies i * strides[0] + j * strides[1] + ... bytes
/// after the base.
template <std::size_t Dim, class T, class Cx = atl::upcxx_front::default_cx>
[[nodiscard]] auto rput_strided(const T* src, const std::ptrdiff_t* src_strides, global_ptr<T> dest,
                                const std::ptrdiff_t* dest_strides, const std::size_t* extents,
                                Cx&& completions = Cx()) {
  namespace front = atl::upcxx_front;
  const front::block_transfer transfer = {true,
                                          front::pointer_access::place_of(dest),
                                          {dest_strides, Dim},
                                          const_cast<T*>(src),
                                          {src_strides, Dim},
                                          sizeof(T),
                                          {extents, Dim}};
  return front::transfer_block<true, T>(transfer, std::forward<Cx>(completions));
}
template <std::size_t Dim, class T, class Cx = atl::upcxx_front::default_cx>
[[nodiscard]] auto rput_strided(const T* src, const std::array<std::ptrdiff_t, Dim>& src_strides,
                                global_ptr<T> dest,
                                const std::array<std::ptrdiff_t, Dim>& dest_strides,
                                const std::array<std::size_t, Dim>& extents,
                                Cx&& completions = Cx()) {
  return rput_strided<Dim>(src, src_strides.data(), dest, dest_strides.data(), extents.data(),
                           std::forward<Cx>(completions));
}
/// The same from global to local.
template <std::size_t Dim, class T, class Cx = atl::upcxx_front::default_cx>
[[nodiscard]] auto rget_strided(global_ptr<const T> src, const std::ptrdiff_t* src_strides,
                                atl::not_deduced<T>* dest, const std::ptrdiff_t* dest_strides,
                                const std::size_t* extents, Cx&& completions = Cx()) {
  namespace front = atl::upcxx_front;
  const front::block_transfer transfer = {false,
                                          front::pointer_access::place_of(src),
                                          {src_strides, Dim},
                                          dest,
                                          {dest_strides, Dim},
                                          sizeof(T),
                                          {extents, Dim}};
  return front::transfer_block<false, T>(transfer, std::forward<Cx>(completions));
}
template <std::size_t Dim, class T, class Cx = atl::upcxx_front::default_cx>
[[nodiscard]] auto rget_strided(global_ptr<const T> src,
                                const std::array<std::ptrdiff_t, Dim>& src_strides,
                                atl::not_deduced<T>* dest,
                                const std::array<std::ptrdiff_t, Dim>& dest_strides,
                                const std::array<std::size_t, Dim>& extents,
                                Cx&& completions = Cx()) {
  return rget_strided<Dim>(src, src_strides.data(), dest, dest_strides.data(), extents.data(),
                           std::forward<Cx>(completions));
}

}  // namespace upcxx
