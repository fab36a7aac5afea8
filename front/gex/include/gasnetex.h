// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet-EX on Atoll: the interface of the public specification "GASNet-EX API Description" 0.19,
// for C99 and C++ clients. Compile with one of -DGASNET_SEQ, -DGASNET_PARSYNC, -DGASNET_PAR;
// pkg-config modules gasnetex-seq, gasnetex-parsync and gasnetex-par do. Here: clients, endpoints,
// segments, the team of all ranks, active messages, put and get, events, barriers, the system.
#ifndef GASNETEX_H
#define GASNETEX_H

#include "gasnet_config.h"
#include "gasnet_fwd.h"
#include "gasnetex_am.h"
#include "gasnetex_barrier.h"
#include "gasnetex_event.h"
#include "gasnetex_identity.h"
#include "gasnetex_layout.h"
#include "gasnetex_mode.h"
#include "gasnetex_objects.h"
#include "gasnetex_prepared.h"
#include "gasnetex_rma.h"
#include "gasnetex_system.h"
#include "gasnetex_types.h"
#include "gasnettools_expected.h"
#include "gasnettools_inner_names.h"

#endif
