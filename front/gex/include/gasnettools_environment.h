// SPDX-License-Identifier: BSD-3-Clause
//
// Reading the environment, with defaults, checks and a report of what was read. GASNET_VERBOSEENV=1
// reports on rank 0, each name once. A value that does not fit ends the program with a message that
// names the variable. Any thread may read; as with the C library, none may while another writes.
#ifndef GASNETTOOLS_ENVIRONMENT_H
#define GASNETTOOLS_ENVIRONMENT_H

#include "gasnettools_mode.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- numbers as text ------------------------------------------------------------------------ */

/* Writes a number, or with `is_mem_size` an amount of memory in the largest binary unit that
   divides it ("512 MB"), and returns `buf`. gasnett_parse_int() reads back the same number. */
char* gasnett_format_number(int64_t value, char* buf, size_t bufsz, int is_mem_size);

/* Reads a number, decimal or 0x hexadecimal. With a multiplier it is an amount of memory, which may
   have a fraction and a unit (B, KB, MB, GB, TB, in powers of 1024); the multiplier is the unit of
   an amount that names none. Text after the number is not read. */
int64_t gasnett_parse_int(const char* text, uint64_t mem_size_multiplier);

/* ---- variables ------------------------------------------------------------------------------ */

/* They change the environment of this process alone. */
void gasnett_setenv(const char* name, const char* value);
void gasnett_unsetenv(const char* name);

/* The value or null; not reported. */
char* gasnett_getenv(const char* name);

/* The value, or the default where the variable is unset or empty; reported. */
char* gasnett_getenv_withdefault(const char* name, const char* default_value);
int gasnett_getenv_yesno_withdefault(const char* name, int default_value);
int64_t gasnett_getenv_int_withdefault(const char* name, int64_t default_value,
                                       uint64_t mem_size_multiplier);
/* A number with or without exponent, or a fraction such as 3/8. */
double gasnett_getenv_dbl_withdefault(const char* name, double default_value);

/* ---- reports -------------------------------------------------------------------------------- */

int gasnett_verboseenv(void);
void gasnett_envstr_display(const char* name, const char* value, int is_default);
void gasnett_envint_display(const char* name, int64_t value, int is_default, int is_mem_size);
void gasnett_envdbl_display(const char* name, double value, int is_default);

#define gasnett_format_number gasnett_format_number
#define gasnett_parse_int gasnett_parse_int
#define gasnett_setenv gasnett_setenv
#define gasnett_unsetenv gasnett_unsetenv
#define gasnett_getenv gasnett_getenv
#define gasnett_getenv_withdefault gasnett_getenv_withdefault
#define gasnett_getenv_yesno_withdefault gasnett_getenv_yesno_withdefault
#define gasnett_getenv_int_withdefault gasnett_getenv_int_withdefault
#define gasnett_getenv_dbl_withdefault gasnett_getenv_dbl_withdefault
#define gasnett_verboseenv gasnett_verboseenv
#define gasnett_envstr_display gasnett_envstr_display
#define gasnett_envint_display gasnett_envint_display
#define gasnett_envdbl_display gasnett_envdbl_display

#ifdef __cplusplus
}
#endif

#endif
