// SPDX-License-Identifier: BSD-3-Clause
//
// Kinds of memory, by the name that the specification gives the header.
#ifndef GASNET_MK_H
#define GASNET_MK_H

#include "gasnetex.h"
#include "gasnetex_kinds.h"

#endif
