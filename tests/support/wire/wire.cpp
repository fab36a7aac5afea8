// SPDX-License-Identifier: BSD-3-Clause
//
// A network between test hosts, in a program: each network namespace named gets a device eth0 that
// ends here (a TAP device), and frames go from one to the others as through a switch, by way of a
// bad cable of each sender (cable.hpp). So delay, loss, reordering and the rest are the same on
// every kernel. hosts.py starts it; by hand, as root:
//
//     network_wire SEED NAMESPACE...
//
// It says "ready", and then answers each line of its input by one line:
//
//     set 0 delay_ms=20 loss=0.05   changes the cable of the first host (`set all ...`: of every
//                                   host); the answer is "ok"
//     counts                        the answer is a JSON list of counts, one object per host
//
// It ends with its input, and so with the program that started it; its devices end with it. One
// thread sleeps until a frame, a line or the time for a frame comes.
#include <tests/support/wire/cable.hpp>

#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <memory>
#include <queue>
#include <sstream>
#include <string>
#include <vector>

namespace atl::wire {
namespace {

constexpr std::size_t frame_max = 65536;
constexpr std::size_t in_flight_max = std::size_t{64}
                                      << 20;  // in bytes; frames beyond it are dropped
constexpr int frames_per_look = 64;           // of one host before the next host's

using frame = std::vector<unsigned char>;
using address = std::array<unsigned char, 6>;

[[noreturn]] void refuse(const std::string& object) {
  std::fprintf(stderr, "network_wire: %s: %s\n", object.c_str(), std::strerror(errno));
  std::exit(1);
}

std::int64_t now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

/// Makes a device eth0 in a namespace; it exists as long as its descriptor is open.
int open_device(const std::string& name) {
  const int home = ::open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
  const int destination = ::open(("/run/netns/" + name).c_str(), O_RDONLY | O_CLOEXEC);
  if (destination < 0 || ::setns(destination, CLONE_NEWNET) != 0) refuse("namespace " + name);
  const int device = ::open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (device < 0) refuse("/dev/net/tun");
  ifreq wanted{};
  wanted.ifr_flags = IFF_TAP | IFF_NO_PI;
  std::strcpy(wanted.ifr_name, "eth0");
  if (::ioctl(device, TUNSETIFF, &wanted) != 0) refuse("eth0 of " + name);
  if (::setns(home, CLONE_NEWNET) != 0) refuse("going back from " + name);
  ::close(destination);
  ::close(home);
  return device;
}

struct port {
  int device;
  cable out;
};

/// A frame on its way to one host.
struct flight {
  std::int64_t at_ns;
  std::uint64_t turn;  // order of arrival, among frames of the same time
  std::size_t from, to;
  std::uint64_t number;  // among those of its sender
  std::int64_t entered_ns;
  std::shared_ptr<const frame> content;
  bool operator<(const flight& other) const {  // the next is the greatest
    return at_ns != other.at_ns ? at_ns > other.at_ns : turn > other.turn;
  }
};

class network {
 public:
  network(std::uint64_t seed, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      ports_.push_back({open_device(name), cable(seed * 1000 + ports_.size())});
    }
  }

  void run() {
    std::puts("ready");
    std::fflush(stdout);
    while (sleep()) {
      for (std::size_t from = 0; from < ports_.size(); ++from) take_from(from);
      deliver();
    }
  }

 private:
  /// Sleeps until there is something to do; false at the end of the input.
  bool sleep() {
    std::vector<pollfd> looked{{STDIN_FILENO, POLLIN, 0}};
    for (const port& each : ports_) looked.push_back({each.device, POLLIN, 0});
    timespec left{};
    if (!flying_.empty()) {
      const std::int64_t ns = std::max<std::int64_t>(0, flying_.top().at_ns - now_ns());
      left = {ns / 1'000'000'000, ns % 1'000'000'000};
    }
    if (::ppoll(looked.data(), looked.size(), flying_.empty() ? nullptr : &left, nullptr) < 0 &&
        errno != EINTR) {
      refuse("poll");
    }
    return looked[0].revents == 0 || take_lines();
  }

  void take_from(std::size_t from) {
    for (int i = 0; i < frames_per_look; ++i) {
      frame in(frame_max);
      const ssize_t bytes = ::read(ports_[from].device, in.data(), in.size());
      if (bytes < static_cast<ssize_t>(2 * sizeof(address) + 2)) return;
      in.resize(static_cast<std::size_t>(bytes));
      in.shrink_to_fit();
      take(from, std::make_shared<const frame>(std::move(in)));
    }
  }

  void take(std::size_t from, std::shared_ptr<const frame> in) {
    address to, source;
    std::memcpy(to.data(), in->data(), to.size());
    std::memcpy(source.data(), in->data() + to.size(), source.size());
    known_[source] = from;
    const auto found = known_.find(to);
    for (std::size_t each = 0; each < ports_.size(); ++each) {
      if (each != from && (found == known_.end() || found->second == each)) send(from, each, in);
    }
  }

  // The kernel asks for a neighbour's address (ARP) only three times, and then reports it
  // unreachable. Such frames are never lost, since tests are about lost messages of programs.
  static bool is_address_question(const frame& in) { return in[12] == 0x08 && in[13] == 0x06; }

  void send(std::size_t from, std::size_t to, const std::shared_ptr<const frame>& in) {
    cable& path = ports_[from].out;
    const std::int64_t now = now_ns();
    const departures out = path.enter(in->size(), now, is_address_question(*in));
    for (std::size_t i = 0; i < out.count; ++i) {
      if (in_flight_ > in_flight_max) {
        path.count_overflow();
        continue;
      }
      in_flight_ += in->size();
      flying_.push({out.at_ns[i], turn_++, from, to, path.entered(), now, in});
    }
  }

  void deliver() {
    const std::int64_t now = now_ns();
    while (!flying_.empty() && flying_.top().at_ns <= now) {
      const flight next = flying_.top();
      flying_.pop();
      in_flight_ -= next.content->size();
      cable& path = ports_[next.from].out;
      if (path.is_cut() || ports_[next.to].out.is_cut()) {
        path.count_cut();
      } else if (::write(ports_[next.to].device, next.content->data(), next.content->size()) > 0) {
        path.leave(next.number, next.content->size(), now - next.entered_ns);
      } else {
        path.count_refused();
      }
    }
  }

  bool take_lines() {
    std::array<char, 4096> some;
    const ssize_t bytes = ::read(STDIN_FILENO, some.data(), some.size());
    if (bytes <= 0) return false;
    unread_.append(some.data(), static_cast<std::size_t>(bytes));
    for (std::size_t end; (end = unread_.find('\n')) != std::string::npos;) {
      std::puts(answer(unread_.substr(0, end)).c_str());
      std::fflush(stdout);
      unread_.erase(0, end + 1);
    }
    return true;
  }

  std::string answer(const std::string& line) {
    std::istringstream words(line);
    std::string verb, which, word;
    words >> verb;
    if (verb == "counts") return counts();
    if (verb != "set" || !(words >> which)) return "no such words: " + line;
    while (words >> word) {
      for (std::size_t i = 0; i < ports_.size(); ++i) {
        const bool is_selected = which == "all" || which == std::to_string(i);
        if (is_selected && !ports_[i].out.set(word)) return "no such condition: " + word;
      }
    }
    return "ok";
  }

  std::string counts() const {
    std::string text;
    for (const port& each : ports_) text += (text.empty() ? "[" : ", ") + each.out.statistics();
    return text + "]";
  }

  std::vector<port> ports_;
  std::map<address, std::size_t> known_;  // the port of each address
  std::priority_queue<flight> flying_;
  std::size_t in_flight_ = 0;  // bytes
  std::uint64_t turn_ = 0;
  std::string unread_;
};

}  // namespace
}  // namespace atl::wire

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: network_wire SEED NAMESPACE...\n");
    return 2;
  }
  ::prctl(PR_SET_TIMERSLACK, 1000UL);
  atl::wire::network(std::strtoull(argv[1], nullptr, 10), {argv + 2, argv + argc}).run();
  return 0;
}
