// SPDX-License-Identifier: BSD-3-Clause
//
// The options of the simulation, read from the environment, and the calls that are to fail.
#include <tests/support/device/simulated.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <sstream>

namespace simulated {

namespace {

std::uint64_t number(const char* name, std::uint64_t otherwise) {
  const char* const value = std::getenv(name);
  return value != nullptr ? std::strtoull(value, nullptr, 10) : otherwise;
}

std::vector<std::string> split(const std::string& words, char between) {
  std::vector<std::string> found;
  std::istringstream list(words);
  for (std::string part; std::getline(list, part, between);) found.push_back(part);
  return found;
}

std::vector<std::string> parts(const char* name) {
  const char* const value = std::getenv(name);
  return split(value != nullptr ? value : "", ',');
}

options read() {
  options from;
  from.kinds = parts("TESTDEV_KINDS");
  if (from.kinds.empty()) from.kinds.emplace_back("cuda");
  from.hip_version = static_cast<int>(number("TESTDEV_HIP_VERSION", 60'200'000));
  const char* const handles = std::getenv("TESTDEV_HANDLES");
  from.opaque_handles = handles != nullptr && std::strcmp(handles, "opaque") == 0;
  from.devices = static_cast<int>(number("TESTDEV_DEVICES", 2));
  from.version = static_cast<int>(number("TESTDEV_VERSION", 12040));
  from.bytes = number("TESTDEV_BYTES", from.bytes);
  from.pinned = number("TESTDEV_PINNED", from.pinned);
  from.bandwidth = number("TESTDEV_BANDWIDTH", 0);
  from.latency_ns = number("TESTDEV_LATENCY_NS", 0);
  from.peers = parts("TESTDEV_PEERS");
  from.exports = number("TESTDEV_IPC", 1) != 0;
  from.opens = number("TESTDEV_IPC", 1) == 1;
  from.moves = number("TESTDEV_MOVES", 1) != 0;
  for (const std::string& each : parts("TESTDEV_FAIL")) {
    const auto fail = split(each, ':');
    if (fail.size() < 3) continue;
    from.failures.push_back({.call = fail[0],
                             .time = std::atoi(fail[1].c_str()),
                             .code = std::atoi(fail[2].c_str()),
                             .stays_lost = fail.size() > 3 && fail[3] == "lost"});
  }
  return from;
}

constexpr std::size_t failures_max = 4;
std::array<std::atomic<int>, failures_max> times_called{};
std::atomic<int> loss = success;  // the error code when the device is lost

}  // namespace

const options& chosen() {
  static const options read_once = read();
  return read_once;
}

int devices_of(const char* kind) {
  const options& setting = chosen();
  return std::ranges::find(setting.kinds, kind) != setting.kinds.end() ? setting.devices : 0;
}

int refusal_of(const char* call, touches what) {
  const auto& failures = chosen().failures;
  const int lost = loss.load(std::memory_order_relaxed);
  if (what == touches::the_device && lost != success) return lost;
  for (std::size_t i = 0; i < std::min(failures.size(), failures_max); ++i) {
    if (failures[i].call != call) continue;
    if (times_called[i].fetch_add(1, std::memory_order_relaxed) + 1 != failures[i].time) continue;
    if (failures[i].stays_lost) loss.store(failures[i].code, std::memory_order_relaxed);
    return failures[i].code;
  }
  return success;
}

bool are_peers(int device, int other) {
  const auto& rows = chosen().peers;
  const auto row = static_cast<std::size_t>(device);
  const auto column = static_cast<std::size_t>(other);
  if (device == other || rows.empty()) return true;
  return row < rows.size() && column < rows[row].size() && rows[row][column] == '1';
}

}  // namespace simulated
