/* SPDX-License-Identifier: BSD-3-Clause

   Tests the tools that need no threads: numbers as text, the environment, zero bytes, timers, the
   machine, annotations, versions. */
#include "checking.h"

GASNETT_IDENT(tests_tools_ident, "$AtollTest: values $");

/* ---- annotations ---------------------------------------------------------------------------- */

GASNETT_INLINE(twice) int twice(int x) { return 2 * x; }
GASNETT_NEVER_INLINE(thrice, static int thrice(int x)) { return 3 * x; }
GASNETT_FORMAT_PRINTF(put_text, 2, 3, static int put_text(char* to, const char* format, ...)) {
  (void)format;
  to[0] = 'x';
  return 1;
}
GASNETT_USED GASNETT_HOT GASNETT_PURE static int pure_sum(const int* pair) {
  return pair[0] + pair[1];
}

static int falls(int x) {
  switch (x) {
    case 1:
      x += 10;
      GASNETT_FALLTHROUGH
    default:
      x += 100;
  }
  return x;
}

static void annotations_change_no_meaning(void) {
  char text[4];
  int pair[2] = {3, 4};
  int evaluated = 0;
  char* place = gasnett_current_loc;
  CHECK(twice(2) == 4 && thrice(2) == 6 && pure_sum(pair) == 7);
  CHECK(put_text(text, "%d", 1) == 1 && text[0] == 'x');
  CHECK(falls(1) == 111 && falls(2) == 102);
  GASNETT_UNUSED_ARGS3(++evaluated, ++evaluated, ++evaluated);
  CHECK(evaluated == 3);
  CHECK(GASNETT_PREDICT_TRUE(7) && !GASNETT_PREDICT_FALSE(0));
  if_pf(evaluated == 0) CHECK(0);
  if_pt(evaluated == 3) evaluated = 4;
  gasnett_assume(evaluated == 4);
  CHECK(strstr(place, "values.c") != NULL && strstr(place, GASNETT_CURRENT_FUNCTION) != NULL);
  free(place);
}

/* ---- numbers and the environment ------------------------------------------------------------ */

static void numbers_survive_print_and_parse(void) {
  char text[64];
  int bit;
  for (bit = 0; bit < 63; ++bit) {
    const int64_t value = (int64_t)1 << bit;
    int64_t near;
    for (near = -1; near <= 1; ++near) {
      CHECK(gasnett_format_number(value + near, text, sizeof text, 0) == text);
      CHECK(gasnett_parse_int(text, 0) == value + near);
      gasnett_format_number(value + near, text, sizeof text, 1);
      CHECK(gasnett_parse_int(text, 1) == value + near);
    }
  }
  CHECK(strcmp(gasnett_format_number(3 << 20, text, sizeof text, 1), "3 MB") == 0);
  CHECK(gasnett_parse_int("0x10", 0) == 16 && gasnett_parse_int("-12", 0) == -12);
  CHECK(gasnett_parse_int("2", 1024) == 2048 && gasnett_parse_int("1.5GB", 1) == 1610612736);
  gasnett_format_number(123456789, text, 4, 0);
  CHECK(strcmp(text, "123") == 0);
}

static void the_environment_is_read_with_defaults(void) {
  gasnett_unsetenv("ATOLLTEST_A");
  CHECK(gasnett_getenv("ATOLLTEST_A") == NULL);
  CHECK(strcmp(gasnett_getenv_withdefault("ATOLLTEST_A", "none"), "none") == 0);
  CHECK(gasnett_getenv_int_withdefault("ATOLLTEST_A", 7, 0) == 7);
  CHECK(gasnett_getenv_yesno_withdefault("ATOLLTEST_A", 1) == 1);
  CHECK(gasnett_getenv_yesno_withdefault("ATOLLTEST_A", 0) == 0);
  CHECK(gasnett_getenv_dbl_withdefault("ATOLLTEST_A", 0.25) == 0.25);
  gasnett_setenv("ATOLLTEST_A", "64MB");
  CHECK(strcmp(gasnett_getenv("ATOLLTEST_A"), "64MB") == 0);
  CHECK(gasnett_getenv_int_withdefault("ATOLLTEST_A", 7, 1) == 64 << 20);
  gasnett_setenv("ATOLLTEST_A", "No");
  CHECK(gasnett_getenv_yesno_withdefault("ATOLLTEST_A", 1) == 0);
  gasnett_setenv("ATOLLTEST_A", "3/8");
  CHECK(gasnett_getenv_dbl_withdefault("ATOLLTEST_A", 1) == 0.375);
  gasnett_setenv("ATOLLTEST_A", "-1e4");
  CHECK(gasnett_getenv_dbl_withdefault("ATOLLTEST_A", 1) == -1e4);
}

/* ---- bytes ---------------------------------------------------------------------------------- */

static void zero_bytes_are_counted_at_every_place_and_length(void) {
  unsigned char from[40], to[48];
  size_t start, length, i;
  for (i = 0; i < sizeof from; ++i)
    from[i] = (unsigned char)(i % 3 == 0 ? 0 : i % 7 == 0 ? 0x80 : i);
  for (start = 0; start < 8; ++start) {
    for (length = 0; length + start <= sizeof from; ++length) {
      size_t zeros = 0;
      for (i = 0; i < length; ++i) zeros += from[start + i] == 0;
      memset(to, 0xee, sizeof to);
      CHECK(gasnett_count0s(from + start, length) == zeros);
      CHECK(gasnett_count0s_copy(to + 3, from + start, length) == zeros);
      CHECK(memcmp(to + 3, from + start, length) == 0 && to[2] == 0xee && to[length + 3] == 0xee);
    }
  }
  CHECK(gasnett_count0s_uint64_t(0) == 8 &&
        gasnett_count0s_uint64_t(UINT64_C(0x8000000000000100)) == 6);
  CHECK(gasnett_count0s_uint32_t(0x80000001u) == 2 &&
        gasnett_count0s_uintptr_t(~(uintptr_t)0) == 0);
}

static void checksums_differ_where_bytes_do(void) {
  char text[19] = "checksums of bytes";
  const uint64_t sum = gasnett_checksum(text, 18);
  int i;
  for (i = 0; i < 18; ++i) {
    text[i] ^= 1;
    CHECK(gasnett_checksum(text, 18) != sum);
    text[i] ^= 1;
  }
  CHECK(gasnett_checksum(text, 18) == sum && gasnett_checksum(text, 17) != sum);
}

/* ---- timers --------------------------------------------------------------------------------- */

static void ticks_grow_and_keep_the_time_of_the_clock(void) {
  const uint64_t start_us = gasnett_gettimeofday_us();
  const gasnett_tick_t start = gasnett_ticks_now();
  gasnett_tick_t last = start;
  uint64_t ticks_us, clock_us;
  int i;
  for (i = 0; i < 100000; ++i) {
    const gasnett_tick_t now = gasnett_ticks_now();
    CHECK(now >= last);
    last = now;
  }
  CHECK(last > start && start > GASNETT_TICK_MIN && last < GASNETT_TICK_MAX);
  CHECK(gasnett_nsleep(100000000) == 0 && gasnett_nsleep(0) == 0);
  ticks_us = gasnett_ticks_to_us(gasnett_ticks_now() - start);
  clock_us = gasnett_gettimeofday_us() - start_us;
  CHECK(ticks_us > 99000 && ticks_us < 2 * clock_us && clock_us < 2 * ticks_us + 100000);
  CHECK(gasnett_ticks_to_ns(0) == 0);
  CHECK(gasnett_ticks_to_ns(last - start) / 1000 == gasnett_ticks_to_us(last - start));
  CHECK(gasnett_tick_granularityus() > 0 && gasnett_tick_overheadus() > 0);
}

/* ---- the machine and the library ------------------------------------------------------------ */

static void the_machine_tells_what_it_is(void) {
  CHECK(gasnett_cpu_count() >= 1);
  CHECK(gasnett_getPhysMemSz(1) > 1 << 20);
  CHECK(strlen(gasnett_gethostname()) > 0);
  CHECK(gasnett_exe_name()[0] == '/' && strstr(gasnett_exe_name(), "tools_values") != NULL);
  CHECK(gasnett_isLittleEndian() == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__));
  CHECK(GASNETT_SET_AFFINITY_SUPPORT && gasnett_set_affinity(0) == 0 &&
        gasnett_set_affinity(999) == 0);
  CHECK(gasnett_set_affinity(-1) != 0);
  CHECK(1 << GASNETT_PAGESHIFT == GASNETT_PAGESIZE);
  CHECK((GASNETT_CACHE_LINE_BYTES & (GASNETT_CACHE_LINE_BYTES - 1)) == 0);
  gasnett_sched_yield();
  gasnett_spinloop_hint();
  gasnett_local_wmb();
  gasnett_local_rmb();
  gasnett_local_mb();
  gasnett_weak_mb();
  gasnett_setenv("GASNET_MAXIMIZE_RLIMIT_CPU", "0");
  CHECK(gasnett_maximize_rlimits() == 0 || gasnett_maximize_rlimits() == 1);
}

static void the_library_tells_its_version(void) {
  const uint64_t expected = GASNETT_RELEASE_VERSION_MAJOR * UINT64_C(1000000) +
                            GASNETT_RELEASE_VERSION_MINOR * UINT64_C(10000) +
                            GASNETT_RELEASE_VERSION_PATCH;
  CHECK(gasnett_release_version() == expected);
  CHECK(strstr(GASNETT_CONFIG_STRING, gasnett_release_version_str()) != NULL);
  CHECK(gasnett_performance_warning_str() != NULL);
  CHECK(PLATFORM_COMPILER_VERSION_GE(1, 0, 0) && strlen(PLATFORM_COMPILER_IDSTR) > 10);
  CHECK(strlen(_STRINGIFY(PLATFORM_COMPILER_FAMILYNAME)) > 2 && strlen(GASNETT_SYSTEM_TUPLE) > 3);
}

static void macros_of_system_headers_come_along(void) {
  CHECK(MAX(2, 3) == 3 && MIN(2, 3) == 2 && MAXPATHLEN > 0); /* <sys/param.h> */
}

static void traces_are_accepted(void) {
  const char* file = "";
  unsigned line = 0;
  GASNETT_TRACE_GETSOURCELINE(&file, &line);
  GASNETT_TRACE_SETSOURCELINE(file, line);
  GASNETT_TRACE_PRINTF("from rank %d", 1);
  GASNETT_STATS_PRINTF_FORCE("%s", file);
  GASNETT_TRACE_SETMASK(GASNETT_TRACE_GETMASK());
  GASNETT_STATS_DUMP(1);
  if (GASNETT_TRACE_ENABLED) GASNETT_TRACE_PRINTF("enabled at line %u", line);
}

int main(void) {
  annotations_change_no_meaning();
  numbers_survive_print_and_parse();
  the_environment_is_read_with_defaults();
  zero_bytes_are_counted_at_every_place_and_length();
  checksums_differ_where_bytes_do();
  ticks_grow_and_keep_the_time_of_the_clock();
  the_machine_tells_what_it_is();
  the_library_tells_its_version();
  macros_of_system_headers_come_along();
  traces_are_accepted();
  gasnett_flush_streams();
  gasnett_close_streams();
  gasnett_close_streams();
  return 0;
}
