// SPDX-License-Identifier: BSD-3-Clause
//
// The end of a program that failed, and backtraces. All of it may run in a signal handler or with a
// broken heap, so the environment is asked when it is needed, texts are built in arrays, and
// nothing is allocated.
#include <gasnettools_environment.h>
#include <gasnettools_failure.h>
#include <gasnettools_system.h>
#include <atoll/base/log.hpp>
#include <atoll/base/settings.hpp>
#include <front/gex/tools/tools.hpp>

#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

/// The program may define it; null address when it does not.
extern "C" [[gnu::weak]] gasnett_backtrace_type_t gasnett_backtrace_user;

using namespace atl::gex;

// --- the end ---------------------------------------------------------------------------------

namespace {

constexpr std::size_t longest_message = 4096;

[[gnu::format(printf, 3, 0)]] void append_format(char (&to)[longest_message], std::size_t position,
                                                 const char* format, va_list arguments) {
  if (position < sizeof to) std::vsnprintf(to + position, sizeof to - position, format, arguments);
}

/// Takes the number at the beginning of a text off it, and returns it.
std::uint32_t take_number(std::string_view& from) noexcept {
  std::uint32_t number = 0;
  const char* const stop = std::from_chars(from.data(), from.data() + from.size(), number).ptr;
  from.remove_prefix(static_cast<std::size_t>(stop - from.data()));
  return number;
}

/// Whether a list such as "0,2-4" or "*" has this rank; an empty one has all.
bool lists_rank(std::string_view list, std::uint32_t rank) noexcept {
  if (list.empty() || list == "*") return true;
  while (list.find_first_of("0123456789") == 0) {
    const std::uint32_t first = take_number(list);
    std::uint32_t last = first;
    if (list.starts_with('-')) {
      list.remove_prefix(1);
      last = take_number(list);
    }
    if (rank >= first && rank <= last) return true;
    list.remove_prefix(std::min(list.size(), list.find(',') + 1));  // else takes nothing
  }
  return false;
}

}  // namespace

namespace atl::gex {

void fail_program(const char* message) noexcept {
  std::fflush(stdout);
  log_line(log_level::error, message);
  gasnett_freezeForDebuggerErr();
  gasnett_print_backtrace_ifenabled(STDERR_FILENO);
  std::abort();
}

}  // namespace atl::gex

void gasnett_fatalerror_nopos(const char* format, ...) {
  char message[longest_message] = "*** FATAL ERROR: ";
  va_list arguments;
  va_start(arguments, format);
  append_format(message, std::strlen(message), format, arguments);
  va_end(arguments);
  fail_program(message);
}

void atoll_tools_fatal_at(const char* function, const char* file, int line, const char* format,
                          ...) {
  char message[longest_message];
  std::snprintf(message, sizeof message, "*** FATAL ERROR: in %s() at %s:%d: ", function, file,
                line);
  va_list arguments;
  va_start(arguments, format);
  append_format(message, std::strlen(message), format, arguments);
  va_end(arguments);
  fail_program(message);
}

void gasnett_killmyprocess(int exitcode) { ::_exit(exitcode); }

char* atoll_tools_place_text(const char* function, const char* file, int line) {
  constexpr std::size_t decoration = 32;  // parentheses, " at ", ":", the line's digits
  const std::size_t size = std::strlen(function) + std::strlen(file) + decoration;
  char* const place = static_cast<char*>(std::malloc(size));
  if (place != nullptr) std::snprintf(place, size, "%s() at %s:%d", function, file, line);
  return place;
}

// --- backtraces ------------------------------------------------------------------------------

namespace {

int backtrace_by_library(int fd) {
  std::array<void*, 64> frames;
  const int count = ::backtrace(frames.data(), static_cast<int>(frames.size()));
  if (count <= 0) return 1;
  ::backtrace_symbols_fd(frames.data(), count, fd);
  return 0;
}

[[noreturn]] void become_debugger(int fd, const char* own_pid) {
  const std::string_view value = atl::foreign_variable("GASNET_BACKTRACE_MT");
  const char* const command =
      value.empty() || switched_on("GASNET_BACKTRACE_MT") ? "thread apply all bt" : "bt";
  ::dup2(fd, STDOUT_FILENO);
  ::dup2(fd, STDERR_FILENO);
  ::execlp("gdb", "gdb", "-nx", "-batch", "-p", own_pid, "-ex", command,
           static_cast<char*>(nullptr));
  ::_exit(127);
}

int backtrace_by_debugger(int fd) {
  char own_pid[16];
  std::snprintf(own_pid, sizeof own_pid, "%d", static_cast<int>(::getpid()));
  int start_pipe[2];  // the debugger starts after we have allowed it to look at us
  if (::pipe2(start_pipe, O_CLOEXEC) != 0) return 1;
  const pid_t child = ::fork();
  if (child == 0) {
    char go = 0;
    ::close(start_pipe[1]);
    if (::read(start_pipe[0], &go, 1) < 0) ::_exit(127);
    become_debugger(fd, own_pid);
  }
  ::close(start_pipe[0]);
  if (child > 0) ::prctl(PR_SET_PTRACER, child, 0, 0, 0);
  ::close(start_pipe[1]);
  int status = 1;
  if (child < 0 || ::waitpid(child, &status, 0) != child) return 1;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 1;
}

constexpr std::array<gasnett_backtrace_type_t, 2> built_in = {{
    {"EXECINFO", backtrace_by_library, 1},
    {"GDB", backtrace_by_debugger, 1},
}};
constexpr std::string_view built_in_names = "EXECINFO,GDB";

const gasnett_backtrace_type_t* client_type() noexcept {
  const gasnett_backtrace_type_t* const type = &gasnett_backtrace_user;
  return type != nullptr && type->name != nullptr && type->fnp != nullptr ? type : nullptr;
}

const gasnett_backtrace_type_t* type_of(std::string_view name) noexcept {
  const gasnett_backtrace_type_t* const user = client_type();
  if (user != nullptr && name == user->name) return user;
  const auto found = std::ranges::find(built_in, name, &gasnett_backtrace_type_t::name);
  return found == built_in.end() ? nullptr : &*found;
}

bool printed_by(const gasnett_backtrace_type_t* type, int fd) {
  if (type == nullptr || type->fnp(fd) != 0) return false;
  char line[80];
  std::snprintf(line, sizeof line, "[%u] (backtrace by %s)\n", tools_rank(), type->name);
  return ::write(fd, line, std::strlen(line)) >= 0;
}

/// The types named in a list, in order, until one succeeds.
bool printed_by_list(std::string_view list, int fd) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (printed_by(type_of(list.substr(0, comma)), fd)) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

int print_if_enabled(int fd) {
  if (!switched_on("GASNET_BACKTRACE")) return 1;
  if (!lists_rank(atl::foreign_variable("GASNET_BACKTRACE_NODES"), tools_rank())) return 1;
  return gasnett_print_backtrace(fd);
}

}  // namespace

int (*gasnett_print_backtrace_ifenabled)(int fd) = &print_if_enabled;

int gasnett_print_backtrace(int fd) {
  const std::string_view asked = atl::foreign_variable("GASNET_BACKTRACE_TYPE");
  if (!asked.empty()) return printed_by_list(asked, fd) ? 0 : 1;
  return printed_by(client_type(), fd) || printed_by_list(built_in_names, fd) ? 0 : 1;
}

// --- pausing for a debugger ------------------------------------------------------------------

void gasnett_freezeForDebuggerNow(volatile int* flag, const char* flag_name) {
  char message[longest_message];
  std::snprintf(message, sizeof message,
                "waits for a debugger on %s: gdb %s %d, then: set var %s = 1, continue",
                gasnett_gethostname(), gasnett_exe_name(), static_cast<int>(::getpid()), flag_name);
  atl::log_line(atl::log_level::error, message);
  while (*flag == 0) ::usleep(100'000);
}

void gasnett_freezeForDebuggerErr() {
  static volatile int gasnet_frozen = 0;
  if (!switched_on("GASNET_FREEZE_ON_ERROR")) return;
  gasnett_freezeForDebuggerNow(&gasnet_frozen, "gasnet_frozen");
}

// --- signals ---------------------------------------------------------------------------------

gasnett_sighandlerfn_t gasnett_reghandler(int signal_number, gasnett_sighandlerfn_t handler) {
  struct sigaction now = {}, old_action = {};
  now.sa_handler = handler;
  now.sa_flags = SA_RESTART;
  ::sigemptyset(&now.sa_mask);
  if (::sigaction(signal_number, &now, &old_action) != 0) {
    gasnett_fatalerror_nopos("gasnett_reghandler: signal %d cannot be caught: %s", signal_number,
                             std::strerror(errno));
  }
  return old_action.sa_handler;
}

namespace {

struct named_signal {
  std::string_view name;
  int number;
};
constexpr auto signals = std::to_array<named_signal>({{"SIGHUP", SIGHUP},
                                                      {"SIGINT", SIGINT},
                                                      {"SIGQUIT", SIGQUIT},
                                                      {"SIGUSR1", SIGUSR1},
                                                      {"SIGUSR2", SIGUSR2},
                                                      {"SIGALRM", SIGALRM},
                                                      {"SIGTERM", SIGTERM},
                                                      {"SIGCONT", SIGCONT},
                                                      {"SIGTSTP", SIGTSTP},
                                                      {"SIGVTALRM", SIGVTALRM},
                                                      {"SIGPROF", SIGPROF},
                                                      {"SIGWINCH", SIGWINCH}});
constexpr std::array fatal_signals = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};

void print_and_go_on(int) { gasnett_print_backtrace(STDERR_FILENO); }

void pause_on_signal(int) {
  static volatile int gasnet_frozen_by_signal = 0;
  gasnet_frozen_by_signal = 0;
  gasnett_freezeForDebuggerNow(&gasnet_frozen_by_signal, "gasnet_frozen_by_signal");
}

/// Prints, and lets the signal end the process as if it had not been caught.
void print_and_end(int number) {
  ::signal(number, SIG_DFL);
  gasnett_freezeForDebuggerErr();
  gasnett_print_backtrace_ifenabled(STDERR_FILENO);
  ::raise(number);
}

/// Installs the handler for the signal that a variable names, if it is set.
void on_signal_of(const char* variable, gasnett_sighandlerfn_t handler) {
  const char* const name = gasnett_getenv_withdefault(variable, "");
  if (*name == '\0') return;
  const auto found = std::ranges::find(signals, std::string_view(name), &named_signal::name);
  if (found != signals.end()) {
    gasnett_reghandler(found->number, handler);
  } else {
    atl::log_warning(variable, ": \"", name,
                     "\" is no signal that can be used; give SIGUSR1 or so");
  }
}

}  // namespace

void gasnett_backtrace_init(const char*) {  // the program's name is found without the argument
  const bool prints = gasnett_getenv_yesno_withdefault("GASNET_BACKTRACE", 0) != 0;
  const bool pauses = gasnett_getenv_yesno_withdefault("GASNET_FREEZE_ON_ERROR", 0) != 0;
  const gasnett_backtrace_type_t* const user = client_type();
  const std::string types = (user == nullptr ? std::string() : std::string(user->name) + ",") +
                            std::string(built_in_names);
  gasnett_getenv_withdefault("GASNET_BACKTRACE_TYPE", types.c_str());
  std::array<void*, 1> unused;
  ::backtrace(unused.data(), 1);  // loads what it needs now, rather than in a signal handler
  on_signal_of("GASNET_BACKTRACE_SIGNAL", print_and_go_on);
  on_signal_of("GASNET_FREEZE_SIGNAL", pause_on_signal);
  if (!prints && !pauses) return;
  for (int number : fatal_signals) gasnett_reghandler(number, print_and_end);
}
