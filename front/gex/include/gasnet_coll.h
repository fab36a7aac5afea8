// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives. The barrier is part of gasnetex.h by the specification; clients that only need it
// often include this header all the same. Spec: "Collectives Part I. Barrier".
#ifndef GASNET_COLL_H
#define GASNET_COLL_H

#include "gasnetex.h"

#endif
