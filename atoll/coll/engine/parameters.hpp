// SPDX-License-Identifier: BSD-3-Clause
//
// The parameters of an algorithm, which a choice gives besides its name: the radix of its trees,
// the size of pieces, how many of them may arrive at a time, up to which size a message is eager,
// how many members of a host talk to other hosts, which side moves large messages. A row per
// parameter tells which algorithms have it and which values it may take; settings and tables are
// checked here. In a choice, 0 stands for the usual value.
#pragma once

#include <atoll/coll/choice.hpp>
#include <atoll/coll/engine/table.hpp>

#include <cstdint>
#include <span>
#include <string_view>

namespace atl::coll {

struct parameter {
  std::string_view name;  // "eager limit"
  std::string_view form;  // as settings write it: "/eager=BYTES"
  std::uint64_t least = 0;
  std::uint64_t most = 0;
  std::string_view words = {};  // of a parameter that settings write as a word: "put or get"
  bool (*exists)(const algorithm& use) noexcept = nullptr;
  std::uint64_t (*value)(const choice& made) noexcept = nullptr;
};

std::span<const parameter> parameters() noexcept;

/// The first parameter of a choice that its algorithm does not have, or whose value is out of
/// bounds; null when all are right.
const parameter* wrong_parameter(const choice& made) noexcept;

}  // namespace atl::coll
