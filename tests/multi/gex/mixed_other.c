/* SPDX-License-Identifier: BSD-3-Clause

   The second file of mixed.c, which is for GASNET_PAR whatever the command line says. It calls
   nothing of the library: including the header is enough to be detected. */
#undef GASNET_SEQ
#define GASNET_PAR 1
#include <gasnetex.h>

int compiled_for_another_mode(void);
int compiled_for_another_mode(void) { return GASNET_PAR; }
