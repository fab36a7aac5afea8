// SPDX-License-Identifier: BSD-3-Clause
//
// upcxx::optional and its companions. UPC++ asks for the interface of C++17's std::optional under
// names of its own; here they are the standard's types themselves, so the two mix freely.
#pragma once

#include <optional>
#include <utility>

namespace upcxx {

using std::bad_optional_access;
using std::in_place;
using std::in_place_t;
using std::make_optional;
using std::nullopt;
using std::nullopt_t;
using std::optional;

}  // namespace upcxx
