// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet-1 on Atoll: the interface of "GASNet Specification" 1.8.1, by its own names, over the same
// process-wide client as gasnetex.h. A program starts either by gasnet_init() and gasnet_attach(),
// or by gex_Client_Init() with GEX_FLAG_USES_GASNET1, and may then mix calls of both interfaces.
// Names that GASNet-EX kept (gasnet_exit, gasnet_AMPoll, the split barrier, ...) are in gasnetex.h.
#ifndef GASNET_H
#define GASNET_H

/* Clients and their tests ask which header they have by this name. */
#define _INCLUDED_GASNET_H 1

#include "gasnet1_am.h"
#include "gasnet1_init.h"
#include "gasnet1_lock.h"
#include "gasnet1_rma.h"
#include "gasnet1_start.h"
#include "gasnet1_sync.h"
#include "gasnet1_types.h"
#include "gasnet1_vis.h"
#include "gasnetex.h"

/* Clients of GASNet-1 get the tools with it; they come last, since they test what is defined. */
#include "gasnet_tools.h"

#endif
