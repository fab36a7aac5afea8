/* SPDX-License-Identifier: BSD-3-Clause

   Ways for a program to fail, one by argument; each must end it with a message that the test looks
   for. Also the report of the environment, and backtraces that do not end anything. */
#define GASNETT_USE_TRUE_MUTEXES 1
#include "checking.h"

#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t caught;
static int own_backtraces;

static void catch_it(int number) { caught = number; }

GASNETT_EXTERNC int own_backtrace(int fd) {
  static const char text[] = "the program's own backtrace\n";
  if (write(fd, text, sizeof text - 1) < 0) return 1;
  ++own_backtraces;
  return 0;
}
gasnett_backtrace_type_t gasnett_backtrace_user = {"OWN", &own_backtrace, 1};

static void backtraces(const char* program) {
  gasnett_setenv("GASNET_BACKTRACE_TYPE", "OWN");
  gasnett_backtrace_init(program);
  CHECK(gasnett_print_backtrace(STDERR_FILENO) == 0 && own_backtraces == 1);
  gasnett_setenv("GASNET_BACKTRACE_TYPE", "NOSUCH,EXECINFO");
  CHECK(gasnett_print_backtrace(STDERR_FILENO) == 0 && own_backtraces == 1);
  gasnett_unsetenv("GASNET_BACKTRACE");
  CHECK((*gasnett_print_backtrace_ifenabled)(STDERR_FILENO) != 0);
  gasnett_setenv("GASNET_BACKTRACE", "1");
  gasnett_setenv("GASNET_BACKTRACE_NODES", "1-7,9,12");
  CHECK((*gasnett_print_backtrace_ifenabled)(STDERR_FILENO) != 0);
  gasnett_setenv("GASNET_BACKTRACE_NODES", "nobody");
  CHECK((*gasnett_print_backtrace_ifenabled)(STDERR_FILENO) != 0);
  gasnett_setenv("GASNET_BACKTRACE_NODES", "3,0-1");
  CHECK((*gasnett_print_backtrace_ifenabled)(STDERR_FILENO) == 0);
}

static void signals(void) {
  gasnett_sighandlerfn_t previous = gasnett_reghandler(SIGUSR1, catch_it);
  CHECK(previous == SIG_DFL);
  raise(SIGUSR1);
  CHECK(caught == SIGUSR1);
  CHECK(gasnett_reghandler(SIGUSR1, SIG_IGN) == catch_it);
  gasnett_setenv("GASNET_BACKTRACE_SIGNAL", "SIGUSR2");
  gasnett_setenv("GASNET_BACKTRACE_TYPE", "OWN");
  gasnett_backtrace_init("");
  raise(SIGUSR2);
  CHECK(own_backtraces == 1);
}

static void misuse_locks(const char* scenario) {
  static gasnett_mutex_t mutex = GASNETT_MUTEX_INITIALIZER;
  static gasnett_rwlock_t lock = GASNETT_RWLOCK_INITIALIZER;
  if (strcmp(scenario, "unlock-free") == 0) gasnett_mutex_unlock(&mutex);
  if (strcmp(scenario, "assert-locked") == 0) gasnett_mutex_assertlocked(&mutex);
  if (strcmp(scenario, "rwlock-unlock-free") == 0) gasnett_rwlock_unlock(&lock);
  gasnett_rwlock_wrlock(&lock);
  if (strcmp(scenario, "read-while-writing") == 0) gasnett_rwlock_rdlock(&lock);
  gasnett_mutex_lock(&mutex);
  if (strcmp(scenario, "lock-twice") == 0) gasnett_mutex_lock(&mutex);
}

static void read_environment(const char* scenario) {
  if (strcmp(scenario, "verbose") == 0) {
    gasnett_setenv("GASNET_VERBOSEENV", "1");
    gasnett_getenv_int_withdefault("ATOLLTEST_SIZE", 3 << 20, 1);
    gasnett_getenv_int_withdefault("ATOLLTEST_SIZE", 5, 1);
    gasnett_envstr_display("ATOLLTEST_TEXT", "as given", 0);
    exit(0);
  }
  if (strcmp(scenario, "rate") == 0) gasnett_ticks_to_ns(gasnett_ticks_now());
  gasnett_setenv("ATOLLTEST_A", scenario);
  if (strcmp(scenario, "maybe") == 0) gasnett_getenv_yesno_withdefault("ATOLLTEST_A", 1);
  if (strcmp(scenario, "12x") == 0) gasnett_getenv_int_withdefault("ATOLLTEST_A", 1, 0);
  if (strcmp(scenario, "1.5PB") == 0) gasnett_getenv_int_withdefault("ATOLLTEST_A", 1, 1);
  if (strcmp(scenario, "1.2.3") == 0) gasnett_getenv_dbl_withdefault("ATOLLTEST_A", 1);
}

int main(int argc, char** argv) {
  const char* const scenario = argc > 1 ? argv[1] : "";
  if (strcmp(scenario, "backtraces") == 0) return backtraces(argv[0]), 0;
  if (strcmp(scenario, "signals") == 0) return signals(), 0;
  if (strcmp(scenario, "fatal") == 0) gasnett_fatalerror("the answer is %d", 42);
  if (strcmp(scenario, "fatal-nopos") == 0) gasnett_fatalerror_nopos("two\nlines of %s", "text");
  if (strcmp(scenario, "killed") == 0) gasnett_killmyprocess(0);
  if (strcmp(scenario, "fault") == 0) {
    gasnett_setenv("GASNET_BACKTRACE", "1");
    gasnett_backtrace_init(argv[0]);
    raise(SIGSEGV);
  }
  misuse_locks(scenario);
  read_environment(scenario);
  printf("not refused\n");
  return 1;
}
