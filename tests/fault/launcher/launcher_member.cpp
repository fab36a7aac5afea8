// SPDX-License-Identifier: BSD-3-Clause
//
// A rank made of words: each argument is one step of its life, done in order. The launcher's tests
// put any story together with it: `join exchange fence goodbye`, or `join die=11` on one rank. A
// step "R:step" is done by rank R only, "!R:step" by all others. Wrong data exits with code 90, a
// refusal with 91 and its text on standard error.
#include <atoll/base/error.hpp>
#include <atoll/bootstrap/bootstrap.hpp>

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

void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "rank %u: wrong: %s\n", job->rank(), what);
  std::exit(wrong_data);
}

/// Blobs of different sizes: rank r sends r + `extra` bytes of value r.
void exchange(std::size_t extra) {
  const std::size_t own_bytes = job->rank() + extra;
  const auto all =
      job->exchange(std::vector<std::byte>(own_bytes, static_cast<std::byte>(job->rank())));
  require(all.size() == job->size(), "number of blobs");
  for (atl::rank_id rank = 0; rank < job->size(); ++rank) {
    require(all[rank].size() == rank + extra, "size of a blob");
    for (const auto part : all[rank])
      require(part == static_cast<std::byte>(rank), "content of a blob");
  }
}

/// All ranks must see one file, empty when the round begins: each adds 1 to its first number.
void share_memory() {
  const auto memory = job->host_memory();
  struct stat status{};
  require(fstat(memory.get(), &status) == 0, "host memory");
  require(ftruncate(memory.get(), 4096) == 0, "size of host memory");
  void* at = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, memory.get(), 0);
  require(at != MAP_FAILED, "mapping of host memory");
  auto* count = static_cast<unsigned*>(at);
  __atomic_add_fetch(count, 1, __ATOMIC_ACQ_REL);
  job->fence();
  require(__atomic_load_n(count, __ATOMIC_ACQUIRE) == job->size(), "count in host memory");
  munmap(at, 4096);
}

int number_after(std::string_view step) {
  const auto equals = step.find('=');
  return equals == std::string_view::npos ? 0 : std::atoi(step.data() + equals + 1);
}

void leave() {
  job->goodbye();
  job.reset();
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
  for (std::size_t at = 0; at < size_bytes; at += page_bytes) held[at] = 1;
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

/// A forked child that asks who it is.
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
  const auto is = [&](std::string_view name) { return step.substr(0, step.find('=')) == name; };
  if (is("join")) job = atl::bootstrap::make(atl::settings::from_environment());
  if (is("exchange")) exchange(static_cast<std::size_t>(number_after(step)));
  if (is("fence")) job->fence();
  if (is("memory")) share_memory();
  if (is("goodbye")) leave();
  if (is("end")) end_job(step);
  if (is("exit")) std::_Exit(number_after(step));
  if (is("quit")) std::exit(number_after(step));
  if (is("die")) die(number_after(step));
  if (is("sleep")) usleep(static_cast<useconds_t>(number_after(step)) * 1000);
  if (is("hold")) use_memory(number_after(step));
  if (is("deaf")) std::signal(number_after(step), SIG_IGN);
  if (is("say")) std::printf("%.*s\n", static_cast<int>(step.size() - 4), step.data() + 4);
  if (is("size")) std::printf("%u of %u\n", job->rank(), job->size());
  if (is("neighbours")) print_neighbours();
  if (is("fork")) fork_and_join();
  if (is("system")) run_command(step.data() + sizeof "system");
  if (is("exec")) execl("/bin/sh", "sh", "-c", step.data() + sizeof "exec", nullptr);
  std::fflush(stdout);
}

/// Does a step that is for this rank.
void act_if_mine(std::string_view step) {
  static const auto settings = atl::settings::from_environment();
  const auto rank = job ? std::to_string(job->rank())  // another launcher tells only then
                        : std::string(settings.text(atl::setting::rank));
  const auto colon = step.find(':');
  const bool others = step.starts_with('!');
  const auto who = step.substr(others ? 1 : 0, colon - (others ? 1 : 0));
  const bool addressed = colon != std::string_view::npos && !who.empty() &&
                         who.find_first_not_of("0123456789") == std::string_view::npos;
  if (!addressed) return act(step);
  if ((who == (rank.empty() ? "0" : rank)) != others) act(step.substr(colon + 1));
}

}  // namespace

int main(int count, char** arguments) {
  try {
    for (int i = 1; i < count; ++i) act_if_mine(arguments[i]);
  } catch (const atl::error& why) {
    std::fprintf(stderr, "%s\n", why.what());
    return refused;
  }
  return 0;
}
