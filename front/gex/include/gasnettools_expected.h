// SPDX-License-Identifier: BSD-3-Clause
//
// System headers that GASNet's own headers bring along. Programs written for it use what these
// declare without including them, so ours bring them too.
#ifndef GASNETTOOLS_EXPECTED_H
#define GASNETTOOLS_EXPECTED_H

#include <ctype.h>
#include <errno.h>
#ifndef __STDC_FORMAT_MACROS
#define __STDC_FORMAT_MACROS 1
#endif
#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/* Last, because a program counts as one with threads when pthread.h came before gasnet_tools.h. */
#if defined(GASNETT_THREAD_SAFE) || defined(GASNET_PAR)
#include <pthread.h>
#endif

#endif
