// SPDX-License-Identifier: BSD-3-Clause
//
// An atomic domain of a const type.
// expect: atomic_domain: the type must be float, double, or an integral type of 32 or 64 bits
#include <upcxx/atomic.hpp>

upcxx::atomic_domain<const int> of_const;
