// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives, by the name that the specification gives the header; the barrier is part of
// gasnetex.h already.
#ifndef GASNET_COLL_H
#define GASNET_COLL_H

#include "gasnetex.h"
#include "gasnetex_coll.h"
#include "gasnetex_coll_legacy.h"

#endif
