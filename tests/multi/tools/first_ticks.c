/* SPDX-License-Identifier: BSD-3-Clause

   The first conversion of ticks in a client that has run for a while must be fast: the rate of the
   clock has been measured since the start. If the conversion slept to measure it, a benchmark would
   add that to the cost of its messages. */
#ifndef _GNU_SOURCE /* for RUSAGE_THREAD; C++ compilers have it */
#define _GNU_SOURCE
#endif
#include <gasnet_tools.h>

#include <gasnetex.h>

#include <sys/resource.h>

static long sleeps_of_this_thread(void) {
  struct rusage used;
  if (getrusage(RUSAGE_THREAD, &used) != 0) gasnett_fatalerror("no getrusage");
  return used.ru_nvcsw;
}

int main(int argc, char** argv) {
  gex_Client_t client;
  gex_EP_t ep;
  gex_TM_t tm;
  long start_count, end_count;
  uint64_t ns;
  if (gex_Client_Init(&client, &ep, &tm, "first_ticks", &argc, &argv, 0) != GASNET_OK) return 1;
  gasnett_nsleep(20000000);
  start_count = sleeps_of_this_thread();
  ns = gasnett_ticks_to_ns(gasnett_ticks_now());
  end_count = sleeps_of_this_thread();
  if (ns == 0) gasnett_fatalerror("no time");
  if (end_count - start_count >= 3) gasnett_fatalerror("slept %li times", end_count - start_count);
  gasnet_exit(0);
  return 0;
}
