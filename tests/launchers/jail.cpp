// SPDX-License-Identifier: BSD-3-Clause
//
// Runs a command like a container that forbids system calls. `jail usual COMMAND ...` forbids the
// calls that containers usually forbid to unprivileged processes. `jail strict COMMAND ...` also
// forbids calls that Atoll uses where it can and must not need: membarrier, ptrace, reading other
// processes' memory, binding to cores.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <string_view>
#include <vector>

namespace {

constexpr unsigned keep_addresses = 0x0040000;  // of personality: no random addresses

constexpr long usually_forbidden[] = {SYS_userfaultfd,
                                      SYS_perf_event_open,
                                      SYS_bpf,
                                      SYS_mbind,
                                      SYS_set_mempolicy,
                                      SYS_get_mempolicy,
                                      SYS_move_pages,
                                      SYS_io_uring_setup,
                                      SYS_io_uring_enter,
                                      SYS_keyctl,
                                      SYS_add_key,
                                      SYS_kcmp,
                                      SYS_open_by_handle_at,
                                      SYS_name_to_handle_at,
                                      SYS_mount,
                                      SYS_umount2,
                                      SYS_unshare,
                                      SYS_setns,
                                      SYS_syslog,
                                      SYS_chroot,
                                      SYS_pivot_root,
                                      SYS_clock_settime,
                                      SYS_fanotify_init,
                                      SYS_settimeofday};

constexpr long strictly_forbidden[] = {
    SYS_membarrier,        SYS_ptrace,     SYS_process_vm_readv, SYS_process_vm_writev,
    SYS_sched_setaffinity, SYS_pidfd_open, SYS_pidfd_getfd,      SYS_mlock};

class filter {
 public:
  filter() { add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)); }

  void forbid(long call, unsigned fault) {
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call), 0, 1));
    add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | fault);
  }

  /// A personality may be asked for (all bits set), but not one that keeps addresses.
  void forbid_keeping_addresses() {
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_personality, 0, 4));
    add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[0]));
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ~0U, 2, 0));
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, keep_addresses, 0, 1));
    add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
  }

  bool install() {
    add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    const sock_fprog program{.len = static_cast<unsigned short>(code_.size()),
                             .filter = code_.data()};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
  }

 private:
  void add(unsigned operation, unsigned value) {
    code_.push_back(BPF_STMT(static_cast<unsigned short>(operation), value));
  }

  std::vector<sock_filter> code_;
};

}  // namespace

int main(int count, char** words) {
  if (count < 3) return 2;
  filter made;
  for (const long call : usually_forbidden) made.forbid(call, EPERM);
  made.forbid(SYS_clone3, ENOSYS);  // so that the C library takes the older call
  if (std::string_view(words[1]) == "strict")
    for (const long call : strictly_forbidden) made.forbid(call, EPERM);
  made.forbid_keeping_addresses();
  if (!made.install()) {
    std::perror("jail: seccomp");
    return 1;
  }
  execvp(words[2], words + 2);
  std::perror(words[2]);
  return 127;
}
