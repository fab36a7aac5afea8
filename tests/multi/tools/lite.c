/* SPDX-License-Identifier: BSD-3-Clause

   GASNETT_LITE_MODE has timers, fences and annotations, and nothing that depends on threads. */
#define GASNETT_LITE_MODE 1
#include "checking.h"

#if defined(gasnett_mutex_lock) || defined(gasnett_atomic_read)
#error "the lite mode has neither locks nor atomics"
#endif

GASNETT_IDENT(tests_tools_lite, "$AtollTest: lite " _STRINGIFY(GASNET_RELEASE_VERSION_MAJOR) " $");

int main(void) {
  const gasnett_tick_t start = gasnett_ticks_now();
  gasnett_local_mb();
  CHECK(strstr(GASNETT_CONFIG_STRING, "LITE") != NULL);
  CHECK(gasnett_ticks_to_ns(gasnett_ticks_now() - start) < UINT64_C(1) << 62);
  return 0;
}
