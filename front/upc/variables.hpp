// SPDX-License-Identifier: BSD-3-Clause
//
// The variables that translated units read, as the library writes them: see variables.cpp. Not to
// be included together with a header of atoll_upc/.
#pragma once

#include <cstdint>

extern "C" {
extern int atoll_upc_threads;
extern int atoll_upc_mythread;
extern std::uint64_t atoll_upc_threads_reciprocal;
}
