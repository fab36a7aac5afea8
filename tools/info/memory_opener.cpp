// SPDX-License-Identifier: BSD-3-Clause
//
// Both processes of the test: the one that asks and the one that opens. The option of the second
// one has the kind, the device's number and the bytes of the handle; its answer comes through a
// pipe. It ends itself when its driver does not answer.
#include <tools/info/memory_opener.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>
#include <atoll/memory/device/device_list.hpp>
#include <tools/info/devices.hpp>

#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>

extern char** environ;

namespace atl::tools {
namespace {

constexpr unsigned answer_s = 20;
constexpr std::string_view digits = "0123456789abcdef";

bool read_hexadecimal(std::string_view words, memory::exported_memory& exported) {
  const auto bytes = std::as_writable_bytes(std::span(&exported, 1));
  if (words.size() != 2 * bytes.size()) return false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t digit = digits.find(words[i]);
    if (digit == std::string_view::npos) return false;
    bytes[i / 2] = (bytes[i / 2] << 4) | static_cast<std::byte>(digit);
  }
  return true;
}

/// Reads a descriptor to its end and closes it.
std::string read_all(int descriptor) {
  std::string content;
  std::array<char, 512> some{};
  for (;;) {
    const ssize_t got = ::read(descriptor, some.data(), some.size());
    if (got <= 0) break;
    content.append(some.data(), static_cast<std::size_t>(got));
  }
  ::close(descriptor);
  return content;
}

/// Starts this command once more, with its output into a pipe; -1 when that fails.
pid_t start_opener(std::string words, const std::array<int, 2>& pipe) {
  std::string command = "atoll", info = "info", option = "--open-memory";
  std::array arguments{command.data(), info.data(), option.data(), words.data(),
                       static_cast<char*>(nullptr)};
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, pipe[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_addclose(&actions, pipe[0]);
  ::posix_spawn_file_actions_addclose(&actions, pipe[1]);
  pid_t child = -1;
  const int code =
      ::posix_spawn(&child, "/proc/self/exe", &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  return code == 0 ? child : -1;
}

}  // namespace

std::string refusal_of_opening(const memory::device_description& device,
                               const memory::exported_memory& exported) {
  ::prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);  // Level Zero fetches a descriptor
  std::array<int, 2> pipe{};
  if (::pipe(pipe.data()) != 0) return {};
  const pid_t child = start_opener(text(name_of(device.kind), ":", device.index, ":",
                                        hexadecimal(std::as_bytes(std::span(&exported, 1)))),
                                   pipe);
  ::close(pipe[1]);
  std::string answer = read_all(pipe[0]);
  if (child < 0) return {};  // not known
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  return answer.empty() ? "a process that tried to open it did not answer" : answer;
}

int open_memory(const std::string& words) {
  ::alarm(answer_s);
  const std::size_t first = words.find(':'), second = words.rfind(':');
  memory::exported_memory exported;
  const auto kind =
      std::ranges::find(memory::device_kinds, words.substr(0, first),
                        [](memory::memory_kind each) { return std::string(name_of(each)); });
  if (second <= first || kind == memory::device_kinds.end() ||
      !read_hexadecimal(std::string_view(words).substr(second + 1), exported)) {
    std::fputs("these words describe no memory", stdout);
    return 1;
  }
  try {
    const auto device = memory::open_device(*kind, std::atoi(words.c_str() + first + 1));
    std::byte* const opened = device->open(exported);
    if (opened == nullptr) {
      std::fputs(device->problem().c_str(), stdout);
      return 1;
    }
    device->close(opened, exported);
  } catch (const error& refused) {
    std::fputs(refused.cause().c_str(), stdout);
    return 1;
  }
  return 0;
}

}  // namespace atl::tools
