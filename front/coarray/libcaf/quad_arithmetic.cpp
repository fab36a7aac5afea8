// SPDX-License-Identifier: BSD-3-Clause
//
// The functions of libgcc by which programs compute with real(16), compare it and convert it; those
// of complex(16) call these. In each link, static or not, hidden names are bound to the functions
// of the static library.
#include <front/coarray/libcaf/quad_arithmetic.hpp>

// NOLINTBEGIN(readability-identifier-naming, bugprone-reserved-identifier): names of libgcc

// clang-format off
#define ATOLL_QUAD_FUNCTIONS(name) \
  name(__addtf3) name(__subtf3) name(__multf3) name(__divtf3) name(__negtf2) name(__powitf2) \
  name(__eqtf2) name(__netf2) name(__getf2) name(__gttf2) name(__letf2) name(__lttf2) \
  name(__unordtf2) \
  name(__extendsftf2) name(__extenddftf2) name(__extendxftf2) \
  name(__trunctfsf2) name(__trunctfdf2) name(__trunctfxf2) \
  name(__fixtfsi) name(__fixtfdi) name(__fixtfti) \
  name(__floatsitf) name(__floatditf) name(__floattitf)
// clang-format on

#define ATOLL_DECLARE(name) [[gnu::weak, gnu::visibility("hidden")]] void name();
#define ATOLL_IS_LINKED(name) || &name != nullptr

extern "C" {
ATOLL_QUAD_FUNCTIONS(ATOLL_DECLARE)
}

namespace atl::coarray {

bool program_has_kind_16() noexcept { return false ATOLL_QUAD_FUNCTIONS(ATOLL_IS_LINKED); }

}  // namespace atl::coarray

// NOLINTEND(readability-identifier-naming, bugprone-reserved-identifier)
