// SPDX-License-Identifier: BSD-3-Clause
//
// Reserving room in a message for an object whose size is not known.
// expect: reserve<T>(): T must be TriviallySerializable
#include <upcxx/serialization.hpp>

void use(atl::upcxx_front::writer& to) { to.reserve<std::string>(); }
