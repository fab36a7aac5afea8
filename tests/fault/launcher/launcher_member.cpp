// SPDX-License-Identifier: BSD-3-Clause
//
// A rank that follows a script: each argument is one step, done in order, as in `join exchange
// fence goodbye`, or `join die=11` on one rank. So the launcher's tests compose any sequence of
// events. A step "R:step" is done by rank R only, "!R:step" by all others. Wrong data exits with
// code 90, a refusal with 91 and its text on standard error.
#include <atoll/base/error.hpp>
#include <atoll/bootstrap/bootstrap.hpp>
#include <atoll/bootstrap/settings.hpp>

#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

namespace {

constexpr int wrong_data = 90;
constexpr int refused = 91;

std::unique_ptr<atl::bootstrap::bootstrap> job;

void require(bool condition, const char* description) {
  if (condition) return;
  std::fprintf(stderr, "rank %u: wrong: %s\n", job->rank(), description);
  std::exit(wrong_data);
}

/// Blobs of different sizes: rank r sends r + `extra` bytes of value r.
void exchange(std::size_t extra) {
  const std::size_t own_bytes = job->rank() + extra;
  const auto blobs =
      job->exchange(std::vector<std::byte>(own_bytes, static_cast<std::byte>(job->rank())));
  require(blobs.size() == job->size(), "number of blobs");
  for (atl::rank_id rank = 0; rank < job->size(); ++rank) {
    require(blobs[rank].size() == rank + extra, "size of a blob");
    for (const auto part : blobs[rank])
      require(part == static_cast<std::byte>(rank), "content of a blob");
  }
}

/// All ranks must see one file, empty when the round begins: each adds 1 to its first number.
void share_memory() {
  const auto memory = job->host_memory();
  struct stat status{};
  require(fstat(memory.get(), &status) == 0, "host memory");
  require(ftruncate(memory.get(), 4096) == 0, "size of host memory");
  void* address = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, memory.get(), 0);
  require(address != MAP_FAILED, "mapping of host memory");
  auto* count = static_cast<unsigned*>(address);
  __atomic_add_fetch(count, 1, __ATOMIC_ACQ_REL);
  job->fence();
  require(__atomic_load_n(count, __ATOMIC_ACQUIRE) == job->size(), "count in host memory");
  munmap(address, 4096);
}

int number_after(std::string_view step) {
  const auto equals = step.find('=');
  return equals == std::string_view::npos ? 0 : std::atoi(step.data() + equals + 1);
}

void leave() {
  job->goodbye();
  job.reset();
}

/// Stops as a runtime does: twice, so that all know that all have stopped.
void stop(int code) {
  job->stop(code);
  job->stop(code);
  leave();
  std::_Exit(code);
}

void await_stop(atl::rank_id rank) {
  while (!job->has_stopped(rank)) usleep(1000);
  require(job->any_has_stopped(), "that any rank has stopped");
}

/// Waits until somebody has made this file.
void await_file(const char* name) {
  while (access(name, F_OK) != 0) usleep(1000);
}

void end_job(std::string_view step) {
  const auto colon = step.find(':');
  job->end_job(number_after(step),
               colon == std::string_view::npos ? std::string_view() : step.substr(colon + 1));
}

void use_memory(int megabytes) {
  constexpr std::size_t page_bytes = 4096;
  const std::size_t size_bytes = static_cast<std::size_t>(megabytes) << 20;
  auto* const held = static_cast<volatile char*>(std::malloc(size_bytes));
  for (std::size_t offset = 0; offset < size_bytes; offset += page_bytes) held[offset] = 1;
}

/// Dies of a signal, also where a sanitizer would catch it.
void die(int signal) {
  if (signal != SIGKILL && signal != SIGSTOP) std::signal(signal, SIG_DFL);
  std::raise(signal);
}

/// The ranks of this rank's host, which are those that share its memory.
void print_neighbours() {
  const auto hosts = job->hosts();
  std::printf("%u has", job->rank());
  for (atl::rank_id rank = 0; rank < job->size(); ++rank)
    if (hosts.empty() || hosts[rank] == hosts[job->rank()]) std::printf(" %u", rank);
  std::printf("\n");
}

/// A forked child that tries to join.
void fork_and_join() {
  const pid_t child = fork();
  if (child == 0) {
    const auto own = atl::bootstrap::make(atl::settings::from_environment());
    std::printf("a fork is %u of %u\n", own->rank(), own->size());
    std::fflush(stdout);
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  require(status == 0, "the end of a forked child");
}

void run_command(const char* command) {
  const int status = std::system(command);
  std::printf("the command ended with %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -status);
}

void act(std::string_view step) {
  const auto is_step = [&](std::string_view name) {
    return step.substr(0, step.find('=')) == name;
  };
  if (is_step("join")) job = atl::bootstrap::make(atl::settings::from_environment());
  if (is_step("exchange")) exchange(static_cast<std::size_t>(number_after(step)));
  if (is_step("fence")) job->fence();
  if (is_step("memory")) share_memory();
  if (is_step("goodbye")) leave();
  if (is_step("end")) end_job(step);
  if (is_step("stop")) stop(number_after(step));
  if (is_step("await-stop")) await_stop(static_cast<atl::rank_id>(number_after(step)));
  if (is_step("await")) await_file(step.data() + sizeof "await");
  if (is_step("exit")) std::_Exit(number_after(step));
  if (is_step("quit")) std::exit(number_after(step));
  if (is_step("die")) die(number_after(step));
  if (is_step("sleep")) usleep(static_cast<useconds_t>(number_after(step)) * 1000);
  if (is_step("hold")) use_memory(number_after(step));
  if (is_step("deaf")) std::signal(number_after(step), SIG_IGN);
  if (is_step("say")) std::printf("%.*s\n", static_cast<int>(step.size() - 4), step.data() + 4);
  if (is_step("size")) std::printf("%u of %u\n", job->rank(), job->size());
  if (is_step("neighbours")) print_neighbours();
  if (is_step("fork")) fork_and_join();
  if (is_step("system")) run_command(step.data() + sizeof "system");
  if (is_step("exec")) execl("/bin/sh", "sh", "-c", step.data() + sizeof "exec", nullptr);
  std::fflush(stdout);
}

/// Does a step if it is for this rank.
void act_if_addressed(std::string_view step) {
  static const auto settings = atl::settings::from_environment();
  const auto rank = job ? std::to_string(job->rank())  // under another launcher known only then
                        : std::string(settings.text(atl::setting::rank));
  const auto colon = step.find(':');
  const bool others = step.starts_with('!');
  const auto target = step.substr(others ? 1 : 0, colon - (others ? 1 : 0));
  const bool addressed = colon != std::string_view::npos && !target.empty() &&
                         target.find_first_not_of("0123456789") == std::string_view::npos;
  if (!addressed) return act(step);
  if ((target == (rank.empty() ? "0" : rank)) != others) act(step.substr(colon + 1));
}

}  // namespace

int main(int count, char** arguments) {
  try {
    for (int i = 1; i < count; ++i) act_if_addressed(arguments[i]);
  } catch (const atl::error& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return refused;
  }
  return 0;
}
