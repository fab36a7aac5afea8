// SPDX-License-Identifier: BSD-3-Clause
//
// Non-contiguous put and get, by the name that the specification gives the header. gasnetex.h does
// not include it.
#ifndef GASNET_VIS_H
#define GASNET_VIS_H

#include "gasnetex.h"
#include "gasnetex_vis.h"

#endif
