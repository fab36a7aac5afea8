// SPDX-License-Identifier: BSD-3-Clause
//
// The points that `atoll tune` measures: which there are for a number of ranks, what each is called
// and how much memory it needs. The command counts them, refuses those for which the memory is too
// small and estimates the time that is left; the job measures them. Both compile this file, so both
// have the same list. Sizes of reductions are whole numbers of elements.
#pragma once

#include <atoll/coll/engine/call.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace atl::tune {

inline constexpr unsigned calls_in_flight = 4;
inline constexpr unsigned usual_element_bytes = 8;  // doubles

/// Barriers are measured over three hosts and more, where their radix makes a difference.
inline constexpr std::size_t hosts_of_barriers_min = 3;

/// A collective, a size and a form of call: what an algorithm is chosen for.
struct point {
  coll::collective kind = coll::collective::broadcast;
  std::size_t bytes = 0;  // of one block; all of a reduction; 1 for a barrier, which has none
  bool blocking = true;   // the caller waits in the call; else the call overlaps with other work
  unsigned element_bytes = usual_element_bytes;  // of a reduction
  bool commutative = true;                       // its operation
  bool strict = false;                           // members begin and end together
};

/// "allreduce of 4 KiB, waited for"; what is not as usual follows.
std::string name_of(const point& measured);

/// "allreduce:4096:overlapped", which options of jobs are made of; what is not as usual follows.
std::string text_of(const point& measured);
/// None for what is no such text.
std::optional<point> point_from(std::string_view words);

/// The collectives that are measured, in the order of `coll::collective`.
std::vector<std::string> collective_names();
std::optional<coll::collective> collective_named(std::string_view name);

/// Which points there are.
struct point_selection {
  std::vector<coll::collective> collectives;
  std::vector<std::size_t> sizes;
  bool blocking = true;
  bool overlapped = true;
  std::vector<unsigned> elements{usual_element_bytes};  // of reductions: 1, 4 or 8 bytes
  bool in_order = false;  // also reductions whose operation does not commute
  bool strict = false;    // also calls whose members begin and end together
  std::uint64_t memory_limit =
      0;                    // of a host in bytes; points that need more are left out; 0: none
  std::vector<point> also;  // besides all these
};

/// How the ranks of a job are spread over hosts.
struct job_layout {
  std::size_t ranks = 1;
  std::size_t hosts = 1;
  std::size_t host_ranks = 1;  // of the host that has most
};

/// The points by size, then by collective and form. Small and large sizes alternate, so that the
/// time that the first points take tells how long the others will.

/// The points by size, then by collective and form.
std::vector<point> points_of(const point_selection& chosen, const job_layout& job);

/// About the bytes that the ranks of the fullest host need for a point: the data of all calls under
/// way, and as much for what algorithms keep meanwhile.
std::uint64_t need_bytes(const point& measured, const job_layout& job);

bool is_reduction(coll::collective kind);

/// Blocks of the data that a member sends and receives.
std::size_t source_blocks(coll::collective kind, std::size_t ranks);
std::size_t target_blocks(coll::collective kind, std::size_t ranks);

}  // namespace atl::tune
