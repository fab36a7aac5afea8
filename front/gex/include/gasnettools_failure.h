// SPDX-License-Identifier: BSD-3-Clause
//
// When a program fails: the message, the list of calls that led there (GASNET_BACKTRACE=1), the
// pause for a debugger (GASNET_FREEZE_ON_ERROR=1), the end. Also signal handlers.
#ifndef GASNETTOOLS_FAILURE_H
#define GASNETTOOLS_FAILURE_H

#include "gasnettools_annotation.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the end -------------------------------------------------------------------------------- */

/* Prints the message, then the backtrace or the pause that were asked for, and aborts. */
void gasnett_fatalerror_nopos(const char* format, ...)
    __attribute__((__noreturn__, __cold__, __format__(__printf__, 1, 2)));
#define gasnett_fatalerror_nopos gasnett_fatalerror_nopos

/* The same, with the place of the call. */
void atoll_tools_fatal_at(const char* function, const char* file, int line, const char* format, ...)
    __attribute__((__noreturn__, __cold__, __format__(__printf__, 4, 5)));
#define gasnett_fatalerror(...) \
  atoll_tools_fatal_at(GASNETT_CURRENT_FUNCTION, __FILE__, __LINE__, __VA_ARGS__)

/* Ends this process at once with all its threads; functions given to atexit() do not run. */
void gasnett_killmyprocess(int exitcode) __attribute__((__noreturn__));

/* Function, file and line of the caller, as text that malloc() made. */
char* atoll_tools_place_text(const char* function, const char* file, int line);
#define gasnett_current_loc atoll_tools_place_text(GASNETT_CURRENT_FUNCTION, __FILE__, __LINE__)

/* ---- backtraces ----------------------------------------------------------------------------- */

/* A way to print a backtrace: its name in GASNET_BACKTRACE_TYPE (upper case), a function that
   returns 0 when it has written to the descriptor, and whether it copes with threads. */
typedef struct {
  const char* name;
  int (*fnp)(int fd);
  int threadsupport;
} gasnett_backtrace_type_t;

/* A program may define this to add a way of its own, which is then tried first. */
extern gasnett_backtrace_type_t gasnett_backtrace_user;

/* At the start of the program, with argv[0]. Reads GASNET_BACKTRACE, which makes fatal errors and
   fatal signals print backtraces, GASNET_BACKTRACE_TYPE (of USER's name, EXECINFO, GDB; the first
   that succeeds), GASNET_BACKTRACE_NODES (ranks), GASNET_BACKTRACE_SIGNAL and GASNET_FREEZE_SIGNAL
   (signals that print and that pause). */
void gasnett_backtrace_init(const char* program);

/* Prints the calls that led here. 0 when it could. */
int gasnett_print_backtrace(int fd);

/* Fatal errors call this. It does nothing unless GASNET_BACKTRACE is set. It may be replaced. */
extern int (*gasnett_print_backtrace_ifenabled)(int fd);

/* ---- pausing for a debugger ----------------------------------------------------------------- */

/* Tells how to attach, and waits until the debugger makes *flag other than 0. */
void gasnett_freezeForDebuggerNow(volatile int* flag, const char* flag_name);
/* The same if GASNET_FREEZE_ON_ERROR is set. */
void gasnett_freezeForDebuggerErr(void);

/* ---- signals -------------------------------------------------------------------------------- */

/* Installs a handler (or SIG_DFL, SIG_IGN) and returns the one before. */
typedef void (*gasnett_sighandlerfn_t)(int);
gasnett_sighandlerfn_t gasnett_reghandler(int signal_number, gasnett_sighandlerfn_t handler);

#define gasnett_killmyprocess gasnett_killmyprocess
#define gasnett_backtrace_init gasnett_backtrace_init
#define gasnett_print_backtrace gasnett_print_backtrace
#define gasnett_print_backtrace_ifenabled gasnett_print_backtrace_ifenabled
#define gasnett_freezeForDebuggerNow gasnett_freezeForDebuggerNow
#define gasnett_freezeForDebuggerErr gasnett_freezeForDebuggerErr
#define gasnett_sighandlerfn_t gasnett_sighandlerfn_t
#define gasnett_reghandler gasnett_reghandler

#ifdef __cplusplus
}
#endif

#endif
