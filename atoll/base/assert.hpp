// SPDX-License-Identifier: BSD-3-Clause
//
// Bugs end the program with one message that shows what was wrong, not only where: the condition, a
// sentence, and the names and values of the operands given, e.g.
//
//     ATOLL_ASSERT(index < size, "the handler index is not in the table", index, size);
//     atoll[2]: handler.cpp:41: the handler index is not in the table [index < size] index=7 size=4
//
// ATOLL_ASSERT is always on and for cheap conditions. ATOLL_CHECK(normal, ...) and
// ATOLL_CHECK(heavy, ...) are decided at run time by ATOLL_CHECKS, cached in one byte: a load and
// a branch when off. Conditions and operands must have no effects. The failure path is cold, out
// of line, and may allocate; it ends in abort(), which the launcher reports with the rank.
#pragma once

#include <atoll/base/text.hpp>

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace atl {

/// The values of ATOLL_CHECKS, in the order of its choices after `auto`, which means `normal`.
enum class check_level : std::uint8_t { light, normal, heavy };

/// The level in force. Written when a runtime starts, before its threads; relaxed, since it orders
/// nothing else.
extern std::atomic<std::uint8_t> checks_level;

inline bool checks_enabled(check_level level) noexcept {
  return checks_level.load(std::memory_order_relaxed) >= static_cast<std::uint8_t>(level);
}

inline void set_checks(check_level level) noexcept {
  checks_level.store(static_cast<std::uint8_t>(level), std::memory_order_relaxed);
}

/// Where an assertion stands and what it says: all literals except the sentence.
struct assertion_site {
  const char* file;
  int line;
  const char* condition;
  const char* operand_names;  // "index, size"
};

/// Writes the message and aborts. `values` are in the order of the names.
[[noreturn, gnu::cold]] void fail_assertion(const assertion_site& site, std::string_view sentence,
                                            std::span<const std::string> values) noexcept;

/// The failing branch of the macros: turns the operands into text.
template <class... Operands>
[[noreturn, gnu::cold, gnu::noinline]] void assertion_failed(const assertion_site& site,
                                                             std::string_view sentence,
                                                             const Operands&... operands) noexcept {
  if constexpr (sizeof...(Operands) == 0) {
    fail_assertion(site, sentence, {});
  } else {
    const std::string values[] = {text(operands)...};
    fail_assertion(site, sentence, values);
  }
}

}  // namespace atl

#define ATOLL_ASSERT(condition, sentence, ...)                                \
  do {                                                                        \
    if (!(condition)) [[unlikely]]                                            \
      ::atl::assertion_failed({__FILE__, __LINE__, #condition, #__VA_ARGS__}, \
                              sentence __VA_OPT__(, ) __VA_ARGS__);           \
  } while (false)

#define ATOLL_CHECK(level, condition, sentence, ...)                                   \
  do {                                                                                 \
    if (::atl::checks_enabled(::atl::check_level::level) && !(condition)) [[unlikely]] \
      ::atl::assertion_failed({__FILE__, __LINE__, #condition, #__VA_ARGS__},          \
                              sentence __VA_OPT__(, ) __VA_ARGS__);                    \
  } while (false)
