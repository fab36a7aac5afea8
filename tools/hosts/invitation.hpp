// SPDX-License-Identifier: BSD-3-Clause
//
// The data that a daemon reads from its standard input before it can connect: which node it is,
// where to connect, and the key. Lines of text, written by branch.cpp; a value type and its parser.
#pragma once

#include <tools/hosts/network.hpp>
#include <tools/hosts/secret.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace atl::tools {

struct invitation {
  std::uint32_t node = 0;
  secret key{};
  std::vector<inet_address> addresses;

  /// Nothing unless it is whole, with its last line.
  static std::optional<invitation> parse(std::string_view text);
  std::string text() const;
};

inline constexpr std::size_t invitation_bytes_max = 4096;

}  // namespace atl::tools
