// SPDX-License-Identifier: BSD-3-Clause
//
// A large object by value, by accident.
// expect: read<T>() would return a large object by value
#include <upcxx/serialization.hpp>

#include <array>

void use(atl::upcxx_front::reader& from) { from.read<std::array<char, 8192>>(); }
