// SPDX-License-Identifier: BSD-3-Clause
//
// Setting a place aside for an object whose size is not known.
// expect: reserve<T>(): T must be TriviallySerializable
#include <upcxx/serialization.hpp>

void use(atl::upcxx_front::writer& to) { to.reserve<std::string>(); }
