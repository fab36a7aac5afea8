// SPDX-License-Identifier: BSD-3-Clause
//
// `atoll doctor`, one function per subject. On several hosts the doctor is itself a job: `atoll
// run` starts it on each host, which tests the connection too, and tags each host's findings with
// its rank. The asking host passes its clock along as a number of seconds.
#include <CLI/CLI.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/settings.hpp>
#include <atoll/base/system/control_group.hpp>
#include <atoll/base/system/cpu.hpp>
#include <atoll/base/system/memory_limits.hpp>
#include <atoll/base/text.hpp>
#include <atoll/base/version.hpp>
#include <atoll/bootstrap/single.hpp>
#include <atoll/memory/kernel_copy.hpp>
#include <atoll/transport/availability.hpp>
#include <atoll/transport/list.hpp>
#include <tools/command_line.hpp>
#include <tools/doctor/doctor.hpp>
#include <tools/hosts/hosts.hpp>
#include <tools/info/device_windows.hpp>
#include <tools/info/devices.hpp>
#include <tools/run/process_tree.hpp>
#include <tools/run/program.hpp>
#include <tools/run/run.hpp>

#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <utility>

namespace atl::tools {
namespace {

enum class finding : std::uint8_t { ok, note, bad };

class report {
 public:
  void add(finding result, const std::string& subject, const std::string& remedy = "") {
    constexpr const char* names[] = {"ok   ", "note ", "BAD  "};
    std::printf("%s%s%s%s\n", names[static_cast<int>(result)], subject.c_str(),
                remedy.empty() ? "" : "; ", remedy.c_str());
    bad_ = bad_ || result == finding::bad;
  }
  bool bad() const { return bad_; }

 private:
  bool bad_ = false;
};

void look_at_version(report& to) {
  utsname system{};
  uname(&system);
  to.add(finding::ok, text("Atoll ", version_text, " on ", system.nodename, ", ", system.sysname,
                           " ", system.release, ", ", system.machine));
}

void look_at_settings(report& to) {
  try {
    const auto chosen = settings::from_environment();
    for (const auto& warning : chosen.warnings()) to.add(finding::note, "settings: " + warning);
  } catch (const error& refused) {
    to.add(finding::bad, text("settings: ", refused.what()));
  }
}

void look_at_cores(report& to) {
  const unsigned cores = cores_available();
  const unsigned quota = cores_by_quota();
  to.add(finding::ok, text("cores: ", cores, " for ranks"));
  unsigned allowed = 0;
  for (const auto word : cores_allowed()) allowed += static_cast<unsigned>(std::popcount(word));
  if (quota < allowed)
    to.add(
        finding::note,
        text("cores: ", allowed, " may be used, but the control group gives the time of ", quota),
        "start no more ranks than that");
}

void look_at_memory(report& to) {
  const auto limits = read_memory_limits();
  const bool little = limits.available_bytes < (std::uint64_t{256} << 20);
  to.add(little ? finding::note : finding::ok,
         text("memory: ", bytes_text(limits.available_bytes), " of ",
              bytes_text(limits.total_bytes), " available"),
         little ? "free some, or raise the control group's limit" : "");
  try {
    bootstrap::make_host_memory();
    to.add(finding::ok, "memory: shared memory files (memfd) can be made");
  } catch (const error& refused) {
    to.add(finding::bad, text("memory: ", refused.what()));
  }
}

/// Whether ranks reach each other's memory outside of the heap without messages.
void look_at_kernel_copies(report& to) {
  const int refused = memory::try_kernel_copy();
  if (refused == 0)
    to.add(finding::ok, "memory: the kernel copies between ranks (process_vm_readv)");
  else
    to.add(finding::note,
           text("memory: the kernel does not copy between ranks (process_vm_readv: ",
                errno_text(refused), "), so segments outside of the heap are reached by messages"),
           "allow it: kernel.yama.ptrace_scope of 0 or 1, or the container's seccomp profile");
}

/// The control group's limit of processes, which containers often have.
void look_at_group_of_processes(report& to) {
  for (const auto& folder : find_control_group("pids").directories) {
    const auto most = leading_number(read_small_file(folder + "/pids.max").value_or("max"));
    const auto now = leading_number(read_small_file(folder + "/pids.current").value_or("0"));
    if (most && *most < now.value_or(0) + 256)
      to.add(finding::note,
             text("limits: the control group allows ", *most, " processes and threads, of which ",
                  now.value_or(0), " are taken"),
             "raise it (docker run --pids-limit, pids.max)");
  }
}

/// Whether the machine has adapters whose drivers lock memory.
bool has_adapters() {
  std::error_code unused;
  return !std::filesystem::is_empty("/sys/class/infiniband", unused) && !unused;
}

void look_at_limits(report& to) {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  const bool few = files.rlim_max < 1024;
  to.add(few ? finding::note : finding::ok, text("limits: ", files.rlim_max, " open files at most"),
         few ? "raise it for jobs of many ranks (ulimit -Hn)" : "");
  rlimit processes{};
  getrlimit(RLIMIT_NPROC, &processes);
  if (processes.rlim_max != RLIM_INFINITY && processes.rlim_max < 256)
    to.add(finding::note, text("limits: ", processes.rlim_max, " processes and threads at most"),
           "raise it (ulimit -Hu)");
  look_at_group_of_processes(to);
  rlimit locked{};
  getrlimit(RLIMIT_MEMLOCK, &locked);
  if (has_adapters() && locked.rlim_max < (rlim_t{1} << 30))
    to.add(finding::note,
           text("limits: ", bytes_text(locked.rlim_max),
                " of locked memory at most, and this host has ",
                "adapters that want memory locked (/sys/class/infiniband)"),
           "raise it (ulimit -l unlimited, limits.conf)");
}

void look_at_processes(report& to) {
  if (process_table().below(0).empty())
    to.add(finding::note,
           "processes: /proc cannot be read, so what ranks start cannot be found and ended",
           "mount /proc");
  else
    to.add(finding::ok, "processes: /proc can be read");
  const auto scope = read_small_file("/proc/sys/kernel/yama/ptrace_scope");
  if (scope && leading_number(*scope).value_or(0) > 0)
    to.add(finding::note, "debuggers cannot attach to ranks that run (yama/ptrace_scope)",
           "start them with the job: atoll run --debugger 'gdb --args'");
}

void look_at_clocks(report& to, double asked_at_s) {
  auto source = read_small_file("/sys/devices/system/clocksource/clocksource0/current_clocksource")
                    .value_or("unknown");
  while (!source.empty() && source.back() == '\n') source.pop_back();
  const bool quick = source == "tsc" || source == "kvm-clock" || source == "arch_sys_counter";
  to.add(quick ? finding::ok : finding::note, "clock: source " + source,
         quick ? "" : "reading it is slow, so short measurements are too long");
  const double difference_s = static_cast<double>(std::time(nullptr)) - asked_at_s;
  if (asked_at_s > 0 && (difference_s < -2 || difference_s > 10))
    to.add(finding::note,
           text("clock: ", static_cast<long>(difference_s), " s from that of the asking host"),
           "let both follow a time server");
}

void look_at_launching(report& to) {
  to.add(can_run_on_hosts() ? finding::ok : finding::note,
         can_run_on_hosts() ? "several hosts: atoll run --hosts is built in"
                            : "several hosts: built without libsodium",
         can_run_on_hosts() ? "" : "install libsodium-dev and build again for atoll run --hosts");
}

/// Whether an interface is up that leads to other machines.
bool leads_elsewhere() {
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return true;  // not known
  bool found = false;
  for (const auto* each = list; each; each = each->ifa_next)
    found =
        found || (each->ifa_addr &&
                  (each->ifa_addr->sa_family == AF_INET || each->ifa_addr->sa_family == AF_INET6) &&
                  (each->ifa_flags & (IFF_UP | IFF_LOOPBACK)) == IFF_UP);
  freeifaddrs(list);
  return found;
}

/// Reports the network that jobs over several hosts would use, and the networks to choose from.
void look_at_network(report& to) {
  if (!leads_elsewhere())
    to.add(finding::note, "network: no interface but the loopback one is up and has an address",
           "other hosts cannot be reached from here");
  try {
    const auto chosen = settings::from_environment();
    const auto between = transport::network_choice_of(chosen);
    to.add(between.usable ? finding::ok : finding::note,
           (between.usable ? "network: between hosts by " : "network: none between hosts: ") +
               between.reason);
    for (const auto& each : transport::list())
      if (each.name == "ofi") to.add(finding::ok, "network: " + each.reason);
  } catch (const error& refused) {
    to.add(finding::note, text("network: none between hosts: ", refused.what()));
  }
}

/// How a container is given the devices, and how their topology is shown.
struct vendor_advice {
  const char* container;
  const char* topology;
  const char* network_module;
};
vendor_advice advice_for(memory::memory_kind kind) {
  if (kind == memory::memory_kind::cuda)
    return {"--gpus all", "nvidia-smi topo -m", "nvidia_peermem"};
  if (kind == memory::memory_kind::hip)
    return {"--device /dev/kfd --device /dev/dri", "rocm-smi --showtopo", "amdgpu"};
  return {"--device /dev/dri", "xpu-smi topology -m", "xe"};
}

void look_at_device(report& to, const tried_device& device) {
  const std::string name = memory::text_of(device.description);
  if (!device.refusal.empty()) {
    to.add(finding::bad, text("devices: ", name, " cannot be opened: ", device.refusal),
           "see what else uses it, and whether this process may open it");
    return;
  }
  to.add(finding::ok, text("devices: ", name, ", ", bytes_text(device.description.bytes)));
  if (!device.export_refusal.empty() || !device.open_refusal.empty())
    to.add(finding::note,
           text("devices: memory of ", name,
                device.export_refusal.empty() ? " is not opened by another process: "
                                              : " is not exported: ",
                device.export_refusal, device.open_refusal,
                "; ranks of a host stage what they could copy directly"),
           "containers need one IPC and process namespace for all ranks (--ipc=host --pid=host)");
  if (!device.pin_refusal.empty())
    to.add(finding::note,
           text("devices: no pinned memory: ", device.pin_refusal,
                "; transfers are staged through ordinary memory, slowly"),
           "raise the limit of locked memory (ulimit -l), or that of the control group");
}

/// Reports devices whose memory other hardware reaches only in part.
void look_at_windows(report& to, const tried_driver& driver) {
  std::uint64_t memory_bytes = 0;  // of the largest device
  for (const tried_device& each : driver.devices)
    memory_bytes = std::max<std::uint64_t>(memory_bytes, each.description.bytes);
  const std::string small = small_windows(windows_of(driver.state.kind), memory_bytes);
  if (small.empty()) return;
  to.add(finding::note,
         text("devices: the window on the bus (BAR) of ", small, " is smaller than the ",
              bytes_text(memory_bytes), " of a ", name_of(driver.state.kind),
              " device; a network registers no more memory than it shows, and the rest is staged"),
         "enable Above 4G Decoding and Resizable BAR in the firmware");
}

/// Reports devices with memory of their own, and what keeps bytes from going directly.
void look_at_devices(report& to) {
  for (const tried_driver& driver : try_devices()) {
    const memory::driver_state& state = driver.state;
    const vendor_advice advice = advice_for(state.kind);
    if (!state.usable) {
      const bool has_devices = memory::has_hardware(state.kind);
      to.add(has_devices ? finding::note : finding::ok,
             text("devices: none of ", name_of(state.kind), ": ", state.reason),
             has_devices
                 ? text("the machine has such devices: install the driver's library, or give "
                        "them to the container (",
                        advice.container, ")")
                 : "");
      continue;
    }
    for (const tried_device& each : driver.devices) {
      look_at_device(to, each);
      if (each.refusal.empty() && each.peers.size() + 1 < driver.devices.size())
        to.add(finding::note,
               text("devices: ", memory::text_of(each.description), " reaches ", each.peers.size(),
                    " of ", driver.devices.size() - 1, " others directly; the rest is staged"),
               text("see the topology (", advice.topology,
                    "), and whether an IOMMU keeps them apart"));
    }
    look_at_windows(to, driver);
    if (!driver.devices.empty())
      to.add(finding::note,
             text("devices: a network that can registers memory of ", name_of(state.kind),
                  " devices for transfers between hosts, ",
                  std::filesystem::exists(text("/sys/module/", advice.network_module))
                      ? text("and the module for that (", advice.network_module, ") is loaded")
                      : text("but the module for that (", advice.network_module, ") is not loaded"),
                  "; otherwise bytes are staged"));
  }
}

/// A job of one rank per host, each of which is this command.
int ask_hosts(const std::string& hosts, const std::string& rsh) {
  std::vector<std::string> words{"--hosts", hosts, "--tag"};
  if (!rsh.empty()) words.insert(words.end(), {"--rsh", rsh});
  words.insert(words.end(), {own_path(), "doctor", "--clock", std::to_string(std::time(nullptr))});
  std::fflush(stdout);
  return run_command(std::move(words));
}

}  // namespace

int doctor_command(std::vector<std::string> words) {
  CLI::App app("Looks at what jobs need, here and on the hosts named, and says what to do.",
               "atoll doctor");
  std::string hosts;
  std::string rsh;
  double asked_at_s = 0;
  app.add_option("-H,--hosts", hosts, "look at these hosts too: a,b")->type_name("HOST,...");
  app.add_option("--rsh", rsh, "as of atoll run")->type_name("CMD");
  app.add_option("--clock", asked_at_s, "the seconds that the asking host's clock shows");
  if (!parse_words(app, std::move(words))) return 0;
  report findings;
  look_at_version(findings);
  look_at_settings(findings);
  look_at_cores(findings);
  look_at_memory(findings);
  look_at_kernel_copies(findings);
  look_at_limits(findings);
  look_at_processes(findings);
  look_at_clocks(findings, asked_at_s);
  look_at_launching(findings);
  look_at_network(findings);
  look_at_devices(findings);
  const int remote_code = hosts.empty() ? 0 : ask_hosts(hosts, rsh);
  return findings.bad() ? 1 : remote_code;
}

}  // namespace atl::tools
