// SPDX-License-Identifier: BSD-3-Clause
//
// Functions cannot return arrays.
// expect: read<T>() cannot return an array
#include <upcxx/serialization.hpp>

void use(atl::upcxx_front::reader& from) { from.read<int[3]>(); }
