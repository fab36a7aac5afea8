// SPDX-License-Identifier: BSD-3-Clause
//
// Remote atomics, by the name that the specification gives the header. gasnetex.h does not include
// it.
#ifndef GASNET_RATOMIC_H
#define GASNET_RATOMIC_H

#include "gasnetex.h"
#include "gasnetex_ratomic.h"

#endif
