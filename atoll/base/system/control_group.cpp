// SPDX-License-Identifier: BSD-3-Clause
//
// Reads /proc/self/cgroup ("ID:CONTROLLERS:PATH" per line; version 2 is "0::PATH") and lists the
// directories from our own group up to the mount's root. Mounts are looked for where every
// distribution puts them, /sys/fs/cgroup and below.
#include <atoll/base/system/control_group.hpp>
#include <atoll/base/system/descriptor.hpp>

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace atl {
namespace {

constexpr std::size_t most_bytes = 64 * 1024;

bool is_directory(const std::string& path) noexcept {
  struct stat about;
  return ::stat(path.c_str(), &about) == 0 && S_ISDIR(about.st_mode);
}

/// Takes the text up to `end` off the front of `remaining`.
std::string_view take_until(std::string_view& remaining, char end) noexcept {
  const auto length = std::min(remaining.find(end), remaining.size());
  const auto taken = remaining.substr(0, length);
  remaining.remove_prefix(std::min(length + 1, remaining.size()));
  return taken;
}

bool lists(std::string_view controllers, std::string_view controller) noexcept {
  while (!controllers.empty())
    if (take_until(controllers, ',') == controller) return true;
  return false;
}

struct membership {
  int version = 0;  // 0: none
  std::string path;
};

/// A line of version 1 that names the controller wins over the line of version 2: on a machine with
/// both, a controller belongs to one of them.
membership find_membership(std::string_view lines, std::string_view controller) {
  membership found;
  while (!lines.empty()) {
    std::string_view line = take_until(lines, '\n');
    const auto id = take_until(line, ':');
    const auto controllers = take_until(line, ':');
    if (lists(controllers, controller)) return {1, std::string(line)};
    if (id == "0" && controllers.empty()) found = {2, std::string(line)};
  }
  return found;
}

std::string find_mount(int version, std::string_view controller, const std::string& root) {
  const std::string base = root + "/sys/fs/cgroup";
  if (version == 1) return base + "/" + std::string(controller);
  return is_directory(base + "/unified") ? base + "/unified" : base;
}

}  // namespace

control_group find_control_group(std::string_view controller, const std::string& root) {
  const auto lines = read_small_file(root + "/proc/self/cgroup");
  auto member = find_membership(lines.value_or(""), controller);
  if (member.version == 0) return {};
  control_group group{.version = member.version, .directories = {}};
  const std::string mount = find_mount(member.version, controller, root);
  while (!member.path.empty() && member.path != "/") {
    if (is_directory(mount + member.path)) group.directories.push_back(mount + member.path);
    member.path.resize(std::min(member.path.rfind('/'), member.path.size()));
    if (member.path.find('/') == std::string::npos) break;
  }
  if (is_directory(mount)) group.directories.push_back(mount);
  return group;
}

std::optional<std::string> read_small_file(const std::string& path) {
  const descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return std::nullopt;
  std::string content;
  std::array<char, 4096> chunk;
  while (content.size() < most_bytes) {
    const auto got = ::read(file.get(), chunk.data(), chunk.size());
    if (got < 0) return std::nullopt;
    if (got == 0) break;
    content.append(chunk.data(), static_cast<std::size_t>(got));
  }
  while (!content.empty() && content.back() == '\n') content.pop_back();
  return content;
}

std::optional<std::uint64_t> leading_number(std::string_view text) noexcept {
  std::uint64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{}) return std::nullopt;
  return number;
}

std::optional<std::uint64_t> number_after(std::string_view key, std::string_view lines) noexcept {
  while (!lines.empty()) {
    std::string_view line = take_until(lines, '\n');
    if (!line.starts_with(key)) continue;
    line.remove_prefix(key.size());
    const auto value = std::min(line.find_first_not_of(": \t"), line.size());
    if (value > 0) return leading_number(line.substr(value));
  }
  return std::nullopt;
}

}  // namespace atl
