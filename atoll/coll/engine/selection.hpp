// SPDX-License-Identifier: BSD-3-Clause
//
// How the algorithm of a call is chosen: the one that the caller asks for, else the one that a
// setting forces (ATOLL_COLL_BROADCAST=tree:4 and so on), else the recommendation. A forced one
// that cannot be used for a call gives way to the recommendation, with one note per collective and
// reason. ATOLL_COLL_EXPLAIN prints, once per kind of call, which one was taken and why.
//
// The selection is not thread-safe: the engine's lock guards it. open() makes sure that the
// settings are the same on all ranks, so that all members choose alike.
#pragma once

#include <atoll/base/settings.hpp>
#include <atoll/coll/engine/recommended.hpp>

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

namespace atl::coll {

class selection {
 public:
  /// Throws `atl::error` for an algorithm that does not exist, with the list of those that do.
  explicit selection(const settings& from);

  /// The algorithm of a call, and its radix.
  choice decide(const call& call, const choice& asked) noexcept;

  /// The forced choices in one line, to be compared between ranks.
  const std::string& text() const noexcept { return text_; }

 private:
  void note(const call& call, std::string_view objection);
  void explain(const call& call, const choice& taken, std::string_view reason);

  std::array<choice, static_cast<std::size_t>(collective::count)> forced_{};
  bool explains_;
  std::string text_;
  std::set<std::pair<collective, std::string_view>> noted_;
  // Size of the team, hosts, collective, power of two of the size.
  std::set<std::tuple<rank_id, rank_id, collective, int>> explained_;
};

/// "tree:4" as a choice; throws `atl::error` that names `object`.
choice parse_choice(collective kind, std::string_view text, std::string_view object);

}  // namespace atl::coll
