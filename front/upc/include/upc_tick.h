/* SPDX-License-Identifier: BSD-3-Clause

   Timers (UPC required library specification 1.3, 7.5): the steady clock of the machine, in
   nanoseconds. */
#ifndef ATOLL_UPC_TICK_H
#define ATOLL_UPC_TICK_H

#include <atoll_upc/shared.h>
#include <stdint.h>

ATOLL_UPC_BEGIN

typedef uint64_t upc_tick_t;
#define UPC_TICK_MAX UINT64_MAX
#define UPC_TICK_MIN ((upc_tick_t)0)

upc_tick_t upc_ticks_now(void);
uint64_t upc_ticks_to_ns(upc_tick_t ticks);

ATOLL_UPC_END

#endif
