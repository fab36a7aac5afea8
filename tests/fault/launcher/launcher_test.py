#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# The behaviour of `atoll run`, from outside: exit codes, messages, signals, streams, and that
# nothing is left behind. Usage: launcher_test.py ATOLL MEMBER [unittest arguments].
#
# Every process of a test inherits a mark in its environment; after each test no living process
# with that mark may be left. Every wait has a time-out, well above what the launcher promises
# because the machine may be crowded; promises in seconds are checked by clocks inside the tests.
import json
import os
import pty
import re
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import uuid
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))
import suite  # noqa: E402

ATOLL = MEMBER = None
SLOWNESS = int(os.environ.get("LAUNCHER_TEST_SLOWNESS", 1))  # of sanitized programs
PATIENCE_S = 20 * SLOWNESS  # longest wait for anything
PROMPT_S = 3 * SLOWNESS     # "within a second", on a crowded machine
# A program that refuses to begin, in a folder of the test's: all ranks exit, and the first, which is
# about to, tells why a little later.
REFUSING = ("if [ $ATOLL_RANK = 0 ]; then : >about-to; sleep 0.05; echo because >&2; "
            "else until [ -e about-to ]; do sleep 0.01; done; fi; exit 2")


def processes_with(mark):
    """The living processes that have the mark in their environment."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as environ:
                marked = mark.encode() in environ.read()
            with open(f"/proc/{pid}/stat") as stat:
                dead = stat.read().rsplit(")", 1)[1].split()[0] in "ZX"
        except OSError:
            continue
        if marked and not dead:
            found.append(int(pid))
    return found


def wait_for(condition, what, limit_s=PATIENCE_S):
    """Polls until the condition gives something true, and returns that."""
    until = time.monotonic() + limit_s
    while time.monotonic() < until:
        got = condition()
        if got:
            return got
        time.sleep(0.01)
    raise AssertionError(f"waited in vain for: {what}")


def children_of(pid):
    found = []
    for other in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{other}/stat") as stat:
                if int(stat.read().rsplit(")", 1)[1].split()[1]) == pid:
                    found.append(int(other))
        except OSError:
            continue
    return found


def state_of(pid):
    with open(f"/proc/{pid}/stat") as stat:
        return stat.read().rsplit(")", 1)[1].split()[0]


class LauncherTest(unittest.TestCase):
    def setUp(self):
        self.mark = "LAUNCHER_TEST=" + uuid.uuid4().hex
        self.folder = tempfile.mkdtemp(prefix="atoll-launcher-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("ATOLL_")}
        name, value = self.mark.split("=")
        self.environment[name] = value

    def tearDown(self):
        wait_for(lambda: not processes_with(self.mark), "no process left behind", PROMPT_S)

    def start(self, *words, **options):
        """Starts `atoll run WORDS` in a process group of its own."""
        options.setdefault("stdin", subprocess.DEVNULL)
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        process = subprocess.Popen([ATOLL, "run", *map(str, words)], text=True, cwd=self.folder,
                                   env={**self.environment, **options.pop("env", {})},
                                   start_new_session=True, **options)
        self.addCleanup(self.stop, process)
        return process

    def stop(self, process):
        if process.poll() is None:
            process.kill()
            process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream:
                stream.close()

    def finish(self, process, input=None):
        """Waits for the end; returns exit code, output, errors."""
        output, errors = process.communicate(input, timeout=PATIENCE_S)
        return process.returncode, output, errors

    def run_job(self, *words, **options):
        return self.finish(self.start(*words, **options))

    def expect(self, code, *words, says="", **options):
        """Runs a job that must end with `code` and say `says` on standard error."""
        got, output, errors = self.run_job(*words, **options)
        self.assertEqual(got, code, errors)
        self.assertTrue(re.search(says, errors), f"{says!r} is not in {errors!r}")
        return output, errors

    def member(self, ranks, *steps, options=()):
        return ["-n", ranks, *options, MEMBER, *steps]

    def ready(self, process, count=1):
        """Reads `count` lines of the output: the ranks say that they are where the test wants."""
        return [process.stdout.readline() for _ in range(count)]


class Starting(LauncherTest):
    def test_every_rank_sees_its_rank_and_the_size(self):
        output, _ = self.expect(0, "-n", 3, "sh", "-c", "echo $ATOLL_RANK of $ATOLL_SIZE")
        self.assertEqual(sorted(output.split("\n")), ["", "0 of 3", "1 of 3", "2 of 3"])

    def test_python_can_be_a_rank(self):
        output, _ = self.expect(0, "-n", 2, sys.executable, "-c",
                                "import os; os.write(1, os.environb[b'ATOLL_RANK'] + b'\\n')")
        self.assertEqual(sorted(output.split()), ["0", "1"])

    def test_a_script_without_a_first_line_is_run_by_the_shell(self):
        path = os.path.join(self.folder, "script")
        with open(path, "w") as script:
            script.write("echo $0-$1\n")
        os.chmod(path, 0o755)
        output, _ = self.expect(0, "-n", 1, "./script", "x")
        self.assertTrue(output.endswith("script-x\n"), output)

    def test_arguments_after_the_program_are_its_own(self):
        output, _ = self.expect(0, "-n", 1, "echo", "-n", "3", "--tag")
        self.assertEqual(output, "3 --tag")

    def test_environment_options(self):
        output, _ = self.expect(0, "-n", 1, "--env", "A=b c", "--env", "B=", "--unset", "HOME", "sh",
                                "-c", 'echo "$A|$B|${HOME-unset}"')
        self.assertEqual(output, "b c||unset\n")

    def test_working_directory(self):
        os.mkdir(os.path.join(self.folder, "sub"))
        output, _ = self.expect(0, "-n", 1, "--dir", "sub", "pwd")
        self.assertEqual(output.strip(), os.path.realpath(os.path.join(self.folder, "sub")))

    def test_a_relative_program_is_found_before_the_directory_changes(self):
        shutil.copy("/bin/pwd", os.path.join(self.folder, "here"))
        output, _ = self.expect(0, "-n", 1, "--dir", "/", "./here")
        self.assertEqual(output, "/\n")

    def test_binding_gives_each_rank_its_processor_in_turn(self):
        allowed = sorted(os.sched_getaffinity(0))
        script = ("import os; os.write(1, b'%s %d\\n' % (os.environb[b'ATOLL_RANK'], "
                  "*os.sched_getaffinity(0)))")
        listed = ",".join(map(str, allowed))
        output, _ = self.expect(0, "-n", len(allowed) + 1, "--bind", listed, sys.executable, "-c",
                                script)
        got = dict(map(int, line.split()) for line in output.splitlines())
        self.assertEqual(got, {r: allowed[r % len(allowed)] for r in range(len(allowed) + 1)})
        self.expect(0, "-n", 3, "--bind", "core", "true")
        self.expect(0, "-n", 3, "--bind", "numa", "true")

    def test_same_addresses_are_the_same_in_all_ranks(self):
        output, errors = self.expect(0, "-n", 4, "--same-addresses", "head", "-n", "1", "/proc/self/maps")
        if "not possible here" in errors:
            self.skipTest("this sandbox keeps addresses random")
        self.assertEqual(len(output.splitlines()), 4)
        self.assertEqual(len(set(output.splitlines())), 1, output)

    def test_a_wrapper_is_put_before_chosen_ranks_only(self):
        output, _ = self.expect(0, "-n", 3, "--wrap", "env 'W=a b'", "--wrap-ranks", "1", "sh", "-c",
                                'echo "$ATOLL_RANK ${W-none}"')
        self.assertEqual(sorted(output.splitlines()), ["0 none", "1 a b", "2 none"])

    def test_verbose_names_each_rank(self):
        _, errors = self.expect(0, "-v", "-n", 2, "true")
        for text in ("started rank 0", "started rank 1", "rank 1 .* exited with code 0"):
            self.assertRegex(errors, text)

    def test_ranks_keep_the_descriptor_limit_and_the_signal_mask_of_the_shell(self):
        limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        output, _ = self.expect(0, "-n", 1, "sh", "-c",
                                "ulimit -n; grep SigBlk /proc/self/status; ls /proc/self/fd | wc -l")
        lines = output.split("\n")
        self.assertEqual(lines[0], str(limit))
        self.assertRegex(lines[1], r"0{16}$")
        self.assertEqual(int(lines[2]), 4)  # three streams and the folder that ls reads

    def test_256_ranks_start_meet_and_end_within_two_seconds_each(self):
        for words in (["-n", 256, "true"], self.member(256, "join", "exchange", "fence", "goodbye")):
            began = time.monotonic()
            self.expect(0, *words)
            self.assertLess(time.monotonic() - began, 2 * PROMPT_S)


class Refusing(LauncherTest):
    def test_a_program_that_is_not_there(self):
        self.expect(127, "-n", 4, "no-such-program", says="neither on PATH nor")
        self.expect(127, "-n", 4, "./no-such-program", says="cannot be found")

    def test_a_program_that_needs_a_folder_before_its_name(self):
        shutil.copy("/bin/true", os.path.join(self.folder, "app-of-mine"))
        _, errors = self.expect(127, "-n", 4, "app-of-mine", says=r"did you mean \./app-of-mine\?")
        self.assertEqual(errors.count("\n"), 1)

    def test_a_file_that_is_not_executable_and_a_folder(self):
        open(os.path.join(self.folder, "data.py"), "w").close()
        self.expect(126, "-n", 2, "./data.py", says="not executable; chmod")
        self.expect(126, "-n", 2, "data.py", says="not executable; chmod")
        self.expect(126, "-n", 2, "/tmp", says="is a directory")

    def test_a_program_whose_interpreter_is_missing_or_that_is_no_program(self):
        for name, content, code in (("a", "#!/no/such\n", 127), ("b", "\x7fELF\0\0", 126)):
            path = os.path.join(self.folder, name)
            with open(path, "w") as file:
                file.write(content)
            os.chmod(path, 0o755)
            _, errors = self.expect(code, "-n", 3, path)
            self.assertEqual(errors.count("\n"), 1, errors)

    def test_bad_options_are_named(self):
        for words, says in ((["--tagg", "true"], "unknown option --tagg; did you mean --tag"),
                            (["-n", "0", "true"], "--ranks"), (["-n", "x", "true"], "ranks"),
                            (["--env", "novalue", "true"], "--env takes NAME=VALUE"),
                            (["--bind", "moon", "true"], "--bind takes"),
                            (["--bind", "1000", "true"], "--bind: processor 1000"),
                            (["--wrap", "'x", "true"], "quote"),
                            (["--timeout", "-1", "true"], "--timeout"),
                            (["-n", "2"], "no program given"),
                            (["--launcher", "mpirun", "true"], "has no %C"),
                            (["--launcher", "mpirun %X %C", "true"], "%X stands for nothing"),
                            (["--launcher", "%C", "--tag", "true"], "--tag is for ranks that"),
                            (["-n", "2", "--wrap", "env", "--wrap-ranks", "2", "true"],
                             "there is no rank 2")):
            with self.subTest(words=words):
                _, errors = self.expect(2, *words, says=says)
                self.assertEqual(errors.count("\n"), 1, errors)

    def test_a_directory_or_an_output_file_that_cannot_be_opened(self):
        self.expect(125, "-n", 2, "--dir", "/no/such", "true", says="--dir /no/such")
        self.expect(125, "-n", 2, "--output-file", "/no/such/x", "true", says="/no/such/x.0")

    def test_a_setting_out_of_range_is_refused_once(self):
        _, errors = self.expect(125, "-n", 4, "--env", "ATOLL_WAIT=badly", "true", says="ATOLL_WAIT")
        self.assertEqual(errors.count("\n"), 1, errors)

    def test_an_unknown_setting_is_warned_of_once(self):
        _, errors = self.expect(0, "-n", 4, "--env", "ATOLL_WIAT=spin", "true", says="ATOLL_WIAT")
        self.assertEqual(errors.count("\n"), 1, errors)

    def test_too_few_descriptors_for_so_many_ranks(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
        self.expect(125, "-n", 100, "true", preexec_fn=limit,
                    says="limit of open files: 100 ranks need 232.*hard limit is 64.*ulimit")
        self.expect(0, *self.member(8, "join", "fence", "goodbye"), preexec_fn=limit)

    def test_a_soft_limit_of_descriptors_is_raised_and_given_back(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_NOFILE, (40, 4096))
        output, _ = self.expect(0, "-n", 64, "sh", "-c", "ulimit -n", preexec_fn=limit)
        self.assertEqual(set(output.split()), {"40"})

    def test_a_limit_of_processes_ends_what_was_started(self):
        group = f"/sys/fs/cgroup/pids/atoll-test-{os.getpid()}"
        try:
            os.mkdir(group)
            with open(group + "/pids.max", "w") as limit:
                limit.write("20")
        except OSError:
            self.skipTest("no control group of processes can be made here")
        self.addCleanup(os.rmdir, group)

        def enter():
            with open(group + "/tasks", "w") as tasks:
                tasks.write(str(os.getpid()))
        _, errors = self.expect(125, "-n", 64, "sleep", 100, preexec_fn=enter,
                                says=r"rank 18 cannot be started: .*limit of processes")
        self.assertEqual(errors.count("\n"), 1, errors)

    def run_member_alone(self, *steps, **variables):
        done = subprocess.run([MEMBER, *steps], env={**self.environment, **variables}, text=True,
                              capture_output=True, timeout=PATIENCE_S)
        return done.returncode, done.stdout, done.stderr

    def test_without_a_launcher_a_program_is_a_job_of_one(self):
        self.assertEqual(self.run_member_alone("join", "size", "exchange=5", "memory", "goodbye"),
                         (0, "0 of 1\n", ""))
        self.assertEqual(self.run_member_alone("join", "end=3:why")[0:3:2], (3, "atoll: why\n"))

    def test_other_launchers_are_refused_by_name(self):
        for variables in ({"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "2"},
                          {"PMI_RANK": "0", "PMI_SIZE": "4"}, {"PMIX_RANK": "1"},
                          {"SLURM_PROCID": "0", "SLURM_STEP_NUM_TASKS": "8"},
                          {"FLUX_TASK_RANK": "0", "FLUX_JOB_SIZE": "2"},
                          {"PALS_RANKID": "0", "PALS_SIZE": "2"}):
            code, _, errors = self.run_member_alone("join", **variables)
            self.assertEqual(code, 91, variables)
            self.assertRegex(errors, "does not speak.*atoll run -n")

    def test_one_process_under_another_launcher_is_a_job_of_one(self):
        for variables in ({"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "1",
                           "PMIX_RANK": "0"}, {"SLURM_PROCID": "0", "SLURM_NTASKS": "8"}):
            self.assertEqual(self.run_member_alone("join", "size", **variables)[1], "0 of 1\n")

    def test_launcher_variables_without_a_launcher(self):
        code, _, errors = self.run_member_alone("join", ATOLL_RANK="1", ATOLL_SIZE="2")
        self.assertEqual(code, 91)
        self.assertRegex(errors, "ATOLL_RANK: is set, but ATOLL_JOB is not")
        code, _, errors = self.run_member_alone("join", ATOLL_JOB="x", ATOLL_RANK="1",
                                                ATOLL_SIZE="2")
        self.assertRegex(errors, "ATOLL_JOB: does not have the form")
        gone = "local/" + "0" * 16 + "/" + "0" * 64
        code, _, errors = self.run_member_alone("join", ATOLL_JOB=gone, ATOLL_RANK="1",
                                                ATOLL_SIZE="2")
        self.assertRegex(errors, "cannot be reached")

    def test_a_wrong_key_or_rank_is_refused(self):
        output, _ = self.expect(0, "-n", 1, "sh", "-c",
                                f'ATOLL_JOB="${{ATOLL_JOB%????}}0000" {MEMBER} join 2>&1; '
                                f'ATOLL_RANK=5 {MEMBER} join 2>&1; '
                                f'ATOLL_SIZE=7 {MEMBER} join 2>&1; true')
        self.assertRegex(output, "does not know the key")
        self.assertRegex(output, "the job has only 1 ranks")
        self.assertRegex(output, "says that the job has 7 ranks, but it has 1")


class Ending(LauncherTest):
    def test_the_first_failure_decides_the_exit_code(self):
        self.expect(7, "-n", 3, "sh", "-c", "[ $ATOLL_RANK = 1 ] && exit 7; exec sleep 100",
                    says=r"rank 1 \(sh, pid \d+\) exited with code 7")

    def test_a_signal_is_named_and_gives_128_more(self):
        self.expect(139, "-n", 2, MEMBER, "1:die=11", "sleep=60000",
                    says=r"rank 1 .* was killed by SIGSEGV \(Segmentation fault\)")
        self.expect(137, "-n", 2, MEMBER, "0:die=9", "sleep=60000", says="rank 0 .* SIGKILL")

    def test_who_knows_why_is_heard_though_another_exits_first(self):
        self.expect(2, "-n", 3, "sh", "-c", REFUSING, says="(?s)rank [12] .*exited with code 2.*because")

    def test_only_the_first_failure_is_told(self):
        _, errors = self.expect(5, "-n", 8, "sh", "-c", "exit 5")
        self.assertEqual(errors.count("\n"), 1, errors)

    def test_the_others_end_within_a_second_also_if_they_ignore_sigterm(self):
        began = time.monotonic()
        self.expect(3, *self.member(4, "deaf=15", "0:sleep=200", "0:exit=3", "sleep=60000"))
        self.assertLess(time.monotonic() - began, PROMPT_S)

    def test_children_of_ranks_end_too_even_in_a_session_of_their_own(self):
        began = time.monotonic()
        self.expect(4, "-n", 2, "sh", "-c",
                    "trap '' TERM; setsid sleep 100 & (sleep 100; true) & sleep 0.3; "
                    "[ $ATOLL_RANK = 1 ] && exit 4; wait")
        self.assertLess(time.monotonic() - began, PROMPT_S)

    def test_ranks_that_end_at_the_same_moment_are_all_seen(self):
        for _ in range(40):
            self.expect(0, "-n", 16, "true")

    def test_what_ranks_leave_running_ends_with_the_job(self):
        began = time.monotonic()
        self.expect(0, "-n", 2, "sh", "-c", "setsid sleep 100 > /dev/null 2>&1 & exit 0")
        self.assertLess(time.monotonic() - began, PROMPT_S)

    def test_a_rank_that_joined_must_leave(self):
        self.expect(1, *self.member(3, "join", "fence", "1:exit=0", "sleep=60000"),
                    says="rank 1 .* exited with code 0 without leaving the job")

    def test_a_rank_behind_a_shell_that_dies_is_noticed(self):
        self.expect(1, "-n", 2, "sh", "-c",
                    f"{MEMBER} join fence 1:die=11 sleep=60000; sleep 60", says="rank 1")

    def test_a_wait_for_a_rank_that_cannot_come_ends(self):
        self.expect(1, *self.member(3, "!1:join", "!1:fence", "!1:goodbye"),
                    says="waits in a fence for all ranks, but rank 1 has ended without joining")
        self.expect(1, *self.member(3, "join", "0:exchange", "!0:fence", "sleep=60000"),
                    says="rank 0 waits in an exchange for all ranks, but rank 1 waits in a fence")
        self.expect(1, *self.member(2, "join", "0:goodbye", "1:fence", "sleep=60000"),
                    says="rank 1 waits in a fence for all ranks, but rank 0 has left")

    def test_a_rank_ends_the_job(self):
        self.expect(9, *self.member(3, "join", "fence", "2:end=9:no more salt", "sleep=60000"),
                    says=r"rank 2 \(.*\): no more salt")
        _, errors = self.expect(0, *self.member(3, "join", "fence", "2:end=0", "sleep=60000"))
        self.assertEqual(errors, "")
        self.expect(1, *self.member(2, "join", "0:end=256", "sleep=60000"), says="with code 1")
        _, errors = self.expect(6, *self.member(3, "join", "end=6"))
        self.assertEqual(errors.count("\n"), 1, errors)

    def test_a_time_out_tells_what_the_ranks_did(self):
        began = time.monotonic()
        _, errors = self.expect(124, *self.member(3, "join", "!1:fence", "sleep=60000",
                                                  options=["--timeout", "1.5"]))
        self.assertLess(time.monotonic() - began, PROMPT_S)
        self.assertRegex(errors, r"time-out after 1.5 s")
        self.assertRegex(errors, r"rank 0 waits in a fence; launcher_member \(pid \d+\) sleeping")
        self.assertRegex(errors, r"rank 1 has joined; .*processor time")

    def test_lack_of_memory_is_told_when_the_kernel_says_so(self):
        group = f"/sys/fs/cgroup/memory/atoll-test-{os.getpid()}"
        try:
            os.mkdir(group)
            with open(group + "/memory.limit_in_bytes", "w") as limit:
                limit.write(str(64 << 20))
        except OSError:
            self.skipTest("no memory control group can be made here")
        self.addCleanup(os.rmdir, group)

        def enter():
            with open(group + "/tasks", "w") as tasks:
                tasks.write(str(os.getpid()))
        self.expect(137, *self.member(2, "1:hold=500", "sleep=5000"), preexec_fn=enter,
                    says="rank 1 .* SIGKILL.*out of memory")


class Signals(LauncherTest):
    TRAP = ("trap 'echo got TERM; exit 0' TERM; trap 'echo got INT; exit 0' INT; "
            "trap 'echo got USR1' USR1; trap 'echo got HUP; exit 0' HUP; echo ready; "
            "while :; do sleep 0.02; done")

    def forwarded(self, number, expected):
        process = self.start("-n", 2, "sh", "-c", self.TRAP)
        self.ready(process, 2)
        process.send_signal(number)
        _, output, _ = self.finish(process)
        self.assertEqual(output.split("\n").count(expected), 2, output)

    def test_signals_to_the_launcher_reach_the_ranks(self):
        self.forwarded(signal.SIGTERM, "got TERM")
        self.forwarded(signal.SIGINT, "got INT")
        self.forwarded(signal.SIGHUP, "got HUP")

    def test_user_signals_reach_the_ranks_and_nobody_ends(self):
        process = self.start("-n", 2, "sh", "-c", self.TRAP)
        self.ready(process, 2)
        process.send_signal(signal.SIGUSR1)
        self.assertEqual(self.ready(process, 2), ["got USR1\n"] * 2)
        process.terminate()
        self.finish(process)

    def test_an_interrupted_launcher_dies_of_the_interrupt(self):
        process = self.start("-n", 2, "sh", "-c", "echo ready; exec sleep 100")
        self.ready(process, 2)
        process.send_signal(signal.SIGINT)
        code, _, errors = self.finish(process)
        self.assertEqual(code, -signal.SIGINT)
        self.assertRegex(errors, "interrupted by SIGINT")

    def test_sigterm_gives_143(self):
        process = self.start("-n", 2, "sh", "-c", "echo ready; exec sleep 100")
        self.ready(process, 2)
        process.terminate()
        self.assertEqual(self.finish(process)[0], 143)

    def test_a_second_signal_ends_ranks_that_ignore_the_first(self):
        process = self.start(*self.member(2, "deaf=15", "say=ready", "sleep=60000"))
        self.ready(process, 2)
        process.terminate()
        time.sleep(0.2)
        self.assertIsNone(process.poll())
        process.terminate()
        self.assertEqual(self.finish(process)[0], 143)

    def test_ranks_stop_and_continue_with_the_launcher(self):
        process = self.start(*self.member(2, "join", "say=ready", "sleep=1500", "fence", "goodbye"))
        self.ready(process, 2)
        warden = children_of(process.pid)[0]
        ranks = children_of(warden)
        process.send_signal(signal.SIGTSTP)
        wait_for(lambda: all(state_of(pid) == "T" for pid in [*ranks, process.pid]), "all stopped")
        time.sleep(0.5)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGCONT)
        self.assertEqual(self.finish(process)[0], 0)

    def test_a_stopped_rank_is_waited_for(self):
        process = self.start(*self.member(2, "join", "say=ready", "fence", "goodbye"))
        self.ready(process, 2)
        process2 = self.start(*self.member(2, "join", "1:die=19", "fence", "goodbye"))
        self.assertEqual(self.finish(process)[0], 0)
        stopped = wait_for(lambda: [p for p in processes_with(self.mark) if state_of(p) == "T"],
                           "a stopped rank")
        time.sleep(0.3)
        self.assertIsNone(process2.poll())
        os.kill(stopped[0], signal.SIGCONT)
        self.assertEqual(self.finish(process2)[0], 0)

    def kill_part(self, choose):
        words = ["-n", 3, "sh", "-c", "trap '' TERM; setsid sleep 100 & sleep 100 & echo ready; wait"]
        process = self.start(*words, stderr=subprocess.DEVNULL)
        self.ready(process, 3)
        os.kill(choose(process), signal.SIGKILL)
        wait_for(lambda: not processes_with(self.mark), "nothing left", PROMPT_S)
        return process.wait(PATIENCE_S)

    def test_killing_the_foreground_process_leaves_nothing(self):
        self.kill_part(lambda process: process.pid)

    def test_killing_the_warden_leaves_nothing(self):
        self.assertEqual(self.kill_part(lambda process: children_of(process.pid)[0]), 137)

    def test_a_caller_that_ignores_or_blocks_signals_does_no_harm(self):
        def ignore():
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD, signal.SIGUSR1])
        self.expect(3, "-n", 2, "sh", "-c", "[ $ATOLL_RANK = 0 ] || exit 3; exec sleep 100",
                    preexec_fn=ignore)

    def test_an_ignored_hangup_stays_ignored(self):
        process = self.start("-n", 1, "sh", "-c", "echo ready; sleep 0.5; echo done",
                             preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        self.ready(process)
        process.send_signal(signal.SIGHUP)
        self.assertEqual(self.finish(process)[:2], (0, "done\n"))


class Streams(LauncherTest):
    def test_standard_input_goes_to_rank_0_only(self):
        process = self.start("-n", 3, "--tag", "cat", stdin=subprocess.PIPE)
        self.assertEqual(self.finish(process, "a\nb\n")[:2], (0, "[0] a\n[0] b\n"))

    def test_closed_standard_streams_do_no_harm(self):
        done = subprocess.run(["sh", "-c", f'"{ATOLL}" run -n 2 "{MEMBER}" join fence goodbye '
                               "<&- >&- 2>&-"], env=self.environment, timeout=PATIENCE_S)
        self.assertEqual(done.returncode, 0)

    def test_tagged_lines_are_whole_and_complete(self):
        lines = 2000
        script = ("import os, sys\nr = os.environ['ATOLL_RANK']\n"
                  f"for i in range({lines}):\n"
                  "    sys.stdout.write(f'{r}:'); sys.stdout.flush()\n"
                  "    sys.stdout.write(f'{i}:' + r * (i % 300) + '\\n')\n"
                  "sys.stderr.write('no end of line')")
        output, errors = self.expect(0, "-n", 4, "--tag", sys.executable, "-c", script)
        seen = {rank: 0 for rank in range(4)}
        for line in output.splitlines():
            found = re.fullmatch(r"\[(\d)\] \1:(\d+):(\1*)", line)
            self.assertTrue(found, line)
            rank, number = int(found[1]), int(found[2])
            self.assertEqual((seen[rank], len(found[3])), (number, number % 300))
            seen[rank] += 1
        self.assertEqual(set(seen.values()), {lines})
        self.assertEqual(sorted(errors.splitlines()), [f"[{r}] no end of line" for r in range(4)])

    def test_tags_are_as_wide_as_the_largest_rank(self):
        output, _ = self.expect(0, "-n", 11, "-t", "sh", "-c", "echo x")
        self.assertIn("[ 3] x\n", output)
        self.assertIn("[10] x\n", output)

    def test_a_reader_that_stops_reading_ends_tagged_ranks_by_sigpipe(self):
        process = self.start("-n", 2, "--tag", "yes")
        process.stdout.readline()
        process.stdout.close()
        process.stdout = None
        self.assertEqual(process.wait(PATIENCE_S), 128 + signal.SIGPIPE)

    def test_a_reader_that_pauses_holds_back_the_ranks_not_the_launcher(self):
        process = self.start("-n", 2, "--tag", "yes")
        time.sleep(0.5)
        with open(f"/proc/{children_of(process.pid)[0]}/status") as status:
            resident_kb = int(re.search(r"VmRSS:\s+(\d+)", status.read())[1])
        self.assertLess(resident_kb, 20000)
        process.terminate()
        process.stdout.read()
        self.assertEqual(process.wait(PATIENCE_S), 143)

    def test_a_reader_that_pauses_does_not_keep_ranks_alive(self):
        reading, writing = os.pipe()
        process = self.start("-n", 2, "sh", "-c", "[ $ATOLL_RANK = 1 ] && exec yes >&2; sleep 0.7; exit 3",
                             stderr=writing)
        os.close(writing)
        wait_for(lambda: len(processes_with(self.mark)) == 2, "only the launcher is left", PROMPT_S + 1)
        with open(reading, errors="replace") as errors:
            self.assertIn("rank 0 (sh, pid", errors.read().replace("y\n", ""))
        self.assertEqual(process.wait(PATIENCE_S), 3)

    def test_a_launcher_whose_reader_never_reads_can_be_ended(self):
        for number in (signal.SIGTERM, signal.SIGKILL):
            process = self.start("-n", 1, "--tag", "sh", "-c", "yes | head -c 100000")
            wait_for(lambda: len(processes_with(self.mark)) == 2, "only the launcher is left")
            process.send_signal(number)
            process.wait(PATIENCE_S)
            wait_for(lambda: not processes_with(self.mark), "nothing left", PROMPT_S)

    def test_one_output_file_per_rank(self):
        os.mkdir(os.path.join(self.folder, "logs"))
        for target, names in (("out", "out.{}"), ("logs", "logs/rank.{}")):
            self.expect(0, "-n", 3, "-o", target, "sh", "-c", "echo out $ATOLL_RANK; echo err >&2")
            for rank in range(3):
                with open(os.path.join(self.folder, names.format(rank))) as file:
                    self.assertEqual(file.read(), f"out {rank}\nerr\n")

    def test_keys_of_the_terminal(self):
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.folder)
            os.execve(ATOLL, [ATOLL, "run", "-n", "2", "sh", "-c",
                              "test -t 0 && echo terminal; echo ready; exec cat"], self.environment)
        seen = b""
        while seen.count(b"ready") < 2:
            seen += os.read(terminal, 1000)
        self.assertIn(b"terminal", seen)
        os.write(terminal, b"hello\n")
        while seen.count(b"hello") < 2:  # the terminal's echo, and cat
            seen += os.read(terminal, 1000)
        os.write(terminal, b"\x03")
        status = wait_for(lambda: os.waitpid(pid, os.WNOHANG)[1], "the end after Ctrl-C")
        said = os.read(terminal, 1000)
        os.close(terminal)
        self.assertEqual(os.WTERMSIG(status), signal.SIGINT, (status, said))


class Meeting(LauncherTest):
    def connect(self, process):
        """A connection to the launcher of a job whose first line of output is its ATOLL_JOB."""
        line = process.stdout.readline().strip()
        connected = socket.socket(socket.AF_UNIX)
        connected.settimeout(PATIENCE_S)
        connected.connect("\0atoll-" + line.split("/")[1])
        self.addCleanup(connected.close)
        return connected, bytes.fromhex(line.split("/")[2])

    def test_strangers_at_the_socket_learn_nothing_and_do_no_harm(self):
        process = self.start("-n", 1, "sh", "-c",
                             f"echo $ATOLL_JOB; read go; {MEMBER} join memory goodbye",
                             stdin=subprocess.PIPE)
        first, key = self.connect(process)
        name = first.getpeername()

        def hello(rank, key, protocol=2, size=1):
            body = struct.pack("<IHII", 0x4C4F5441, protocol, rank, size) + key + b"\5\0other"
            return struct.pack("<IHH", len(body), 1, 0) + body
        sent = [b"", b"GET / HTTP/1.0\r\n\r\n", os.urandom(5000), b"\xff" * 8,
                struct.pack("<IHH", 0, 6, 0), struct.pack("<IHH", 65536, 1, 0) + b"x" * 65536,
                hello(0, os.urandom(32)), hello(7, key), hello(0, key, size=2),
                hello(0, key, protocol=99)]
        for data in sent:
            with socket.socket(socket.AF_UNIX) as stranger:
                stranger.settimeout(PATIENCE_S)
                stranger.connect(name)
                try:
                    stranger.sendall(data)
                    stranger.shutdown(socket.SHUT_WR)
                    got, descriptors, _, _ = socket.recv_fds(stranger, 10000, 4)
                except OSError:
                    continue
                self.assertEqual(descriptors, [])
                if got:
                    self.assertEqual(got[4:6], b"\3\0")  # refused
        crowd = [socket.socket(socket.AF_UNIX) for _ in range(200)]
        for stranger in crowd:
            stranger.connect(name)
        for stranger in crowd:
            stranger.close()
        self.assertEqual(self.finish(process, "go\n")[0], 0)

    def test_two_versions_in_one_job_are_refused(self):
        process = self.start("-n", 2, "sh", "-c",
                             "[ $ATOLL_RANK = 0 ] && echo $ATOLL_JOB && exec sleep 60; "
                             f"until [ -e go ]; do sleep 0.02; done; exec {MEMBER} join")
        connected, key = self.connect(process)
        body = struct.pack("<IHII", 0x4C4F5441, 2, 0, 2) + key + b"\5\0other"
        connected.sendall(struct.pack("<IHH", len(body), 1, 0) + body)
        connected.recv(1000)
        open(os.path.join(self.folder, "go"), "w").close()
        code, _, errors = self.finish(process)
        self.assertNotEqual(code, 0)
        self.assertRegex(errors, r"rank 1: it uses Atoll [\d.]+, but rank 0 uses Atoll other; let all")

    def test_ranks_exchange_share_memory_and_leave(self):
        for ranks in (1, 2, 3, 5, 16):
            output, _ = self.expect(0, *self.member(ranks, "join", "size", "exchange", "memory",
                                                    "exchange=60000", "fence", "goodbye"))
            self.assertEqual(sorted(output.splitlines()),
                             sorted(f"{rank} of {ranks}" for rank in range(ranks)))

    def test_a_rank_may_run_programs_one_after_the_other(self):
        once = f"{MEMBER} join memory exchange=100 goodbye"
        self.expect(0, "-n", 3, "sh", "-c", f"{once} && {once} && {once}")
        self.expect(0, *self.member(3, *["join", "memory", "fence", "goodbye"] * 5))

    def test_two_programs_of_one_rank_at_a_time_are_refused(self):
        self.expect(91, "-n", 1, "sh", "-c",
                    f"{MEMBER} join say=ready sleep=60000 > first & "
                    f"until [ -s first ]; do sleep 0.02; done; {MEMBER} join goodbye",
                    says="already joined the job, as process")

    def test_a_launcher_inside_a_rank_starts_a_job_of_its_own(self):
        output, _ = self.expect(0, "-n", 2, "sh", "-c",
                                f"{ATOLL} run -n 3 {MEMBER} join size memory goodbye")
        self.assertEqual(sorted(output.splitlines()), sorted(["0 of 3", "1 of 3", "2 of 3"] * 2))

    def test_two_jobs_at_once_do_not_meet(self):
        jobs = [self.start(*self.member(n, "join", "memory", "exchange", "sleep=100", "fence",
                                        "goodbye")) for n in (2, 3)]
        self.assertEqual([self.finish(job)[0] for job in jobs], [0, 0])

    def test_a_child_of_a_rank_does_not_speak_for_it(self):
        self.expect(0, "-n", 2, "sh", "-c", f"{MEMBER} join fence sleep=200 fence goodbye & wait $!")


class Nesting(LauncherTest):
    """A process that a joined rank starts is not the rank."""

    def test_a_program_that_a_rank_starts_is_a_job_of_one(self):
        output, _ = self.expect(0, *self.member(
            2, "join", f"system={MEMBER} join size memory exchange=9 goodbye", "fence", "goodbye"))
        self.assertEqual(output.splitlines().count("0 of 1"), 2, output)
        self.assertEqual(output.count("the command ended with 0"), 2, output)

    def test_behind_a_shell_in_the_background_and_after_the_rank_has_left_too(self):
        inner = f"{MEMBER} join size memory goodbye"
        output, _ = self.expect(0, *self.member(
            2, "join", f"system=sh -c '({inner}) & wait'", "fence", "goodbye", f"system={inner}; true"))
        self.assertEqual(output.splitlines().count("0 of 1"), 4, output)

    def test_a_forked_child_is_a_job_of_one(self):
        output, _ = self.expect(0, *self.member(2, "join", "fork", "fence", "goodbye"))
        self.assertEqual(output.splitlines(), ["a fork is 0 of 1"] * 2)

    def test_a_rank_that_executes_a_program_stays_the_rank(self):
        output, _ = self.expect(0, *self.member(
            3, "join", "memory", "goodbye", f"exec=exec {MEMBER} join size memory exchange goodbye"))
        self.assertEqual(sorted(output.splitlines()), ["0 of 3", "1 of 3", "2 of 3"])

    def test_a_launcher_that_a_member_starts(self):
        output, _ = self.expect(0, *self.member(
            2, "join", f"0:system={ATOLL} run -n 3 {MEMBER} join size memory exchange fence goodbye",
            "fence", "goodbye"))
        self.assertEqual(sorted(output.splitlines()), ["0 of 3", "1 of 3", "2 of 3", "the command ended with 0"])

    def test_three_levels(self):
        innermost = f"{MEMBER} join size goodbye"
        inner = f"{ATOLL} run -n 2 {MEMBER} join size \"1:system={innermost}\" fence goodbye"
        output, _ = self.expect(0, *self.member(2, "join", "size", f"1:system={inner}", "fence", "goodbye"))
        self.assertEqual(sorted(line for line in output.splitlines() if " of " in line),
                         ["0 of 1", "0 of 2", "0 of 2", "1 of 2", "1 of 2"])

    def test_an_inner_job_that_fails_is_no_failure_of_the_outer_one(self):
        for steps, code in (("join fence 1:exit=7 sleep=60000", 7), ("join fence 1:die=9 sleep=60000", 137),
                            ("join 0:end=5:enough sleep=60000", 5)):
            output, errors = self.expect(0, *self.member(
                2, "join", f"0:system={ATOLL} run -n 3 {MEMBER} {steps}", "fence", "goodbye"))
            self.assertEqual(output, f"the command ended with {code}\n", errors)

    def nested(self):
        """A job whose rank 0 has started a job of three, all of which are there."""
        process = self.start(*self.member(
            2, "join", f"0:system={ATOLL} run -n 3 {MEMBER} join fence say=inside deaf=15 sleep=600000",
            "fence", "goodbye"))
        self.assertEqual(self.ready(process, 3), ["inside\n"] * 3)
        return process

    def test_an_inner_job_ends_with_the_outer_one_that_is_interrupted(self):
        process = self.nested()
        process.terminate()
        process.terminate()
        self.assertEqual(self.finish(process)[0], 143)

    def test_an_inner_job_ends_with_the_outer_launcher_that_is_killed(self):
        self.nested().kill()

    def test_an_inner_job_ends_with_the_outer_warden_that_is_killed(self):
        process = self.nested()
        os.kill(children_of(process.pid)[0], signal.SIGKILL)
        self.assertEqual(self.finish(process)[0], 137)

    def test_an_inner_job_ends_with_the_outer_rank_that_is_killed(self):
        process = self.nested()
        warden = children_of(process.pid)[0]
        rank = next(pid for pid in children_of(warden) if children_of(pid))
        os.kill(rank, signal.SIGKILL)
        self.assertEqual(self.finish(process)[0], 137)

    def test_an_inner_launcher_that_is_killed_ends_its_job_only(self):
        process = self.nested()
        inner = next(pid for pid in self.launchers() if pid != process.pid and
                     process.pid not in self.parents(pid, 1))
        os.kill(inner, signal.SIGKILL)
        code, output, errors = self.finish(process)
        self.assertEqual((code, output), (0, "the command ended with 137\n"), errors)

    def launchers(self):
        """The processes of launchers that their user has started, not their wardens."""
        found = []
        for pid in processes_with(self.mark):
            with open(f"/proc/{pid}/comm") as name:
                if name.read().strip() == "atoll":
                    found.append(pid)
        return found

    def parents(self, pid, levels):
        with open(f"/proc/{pid}/stat") as stat:
            parent = int(stat.read().rsplit(")", 1)[1].split()[1])
        return [parent] + (self.parents(parent, levels - 1) if levels > 1 else [])


class Command(LauncherTest):
    def atoll(self, *words, **variables):
        done = subprocess.run([ATOLL, *words], env={**self.environment, **variables}, text=True,
                              capture_output=True, timeout=PATIENCE_S)
        return done.returncode, done.stdout, done.stderr

    def test_help_and_version(self):
        self.assertRegex(self.atoll("--version")[1], r"^atoll \d+\.\d+\.\d+\n$")
        for words in (["--help"], ["run", "--help"], ["info", "--help"]):
            code, output, _ = self.atoll(*words)
            self.assertEqual(code, 0)
            self.assertRegex(output, "atoll")
        self.assertRegex(self.atoll("run", "--help")[1], "--timeout")

    def test_an_unknown_subcommand_names_the_nearest(self):
        self.assertEqual(self.atoll("rum")[0::2],
                         (2, "atoll: there is no subcommand rum; did you mean atoll run?\n"))

    def test_info_tells_version_build_transports_machine_and_settings(self):
        code, output, _ = self.atoll("info", ATOLL_WAIT="yield")
        self.assertEqual(code, 0)
        for text in ("^atoll ", "shm +yes", "this process may use", "NUMA node 0", "total",
                     r"ATOLL_WAIT +yield +\(environment\)", r"ATOLL_CHECKS +\w+ +\(default\)"):
            self.assertRegex(output, text)

    def test_info_as_json(self):
        code, output, _ = self.atoll("info", "--json", ATOLL_COUNTERS="1")
        self.assertEqual(code, 0)
        report = json.loads(output)
        self.assertEqual(report["machine"]["cores_available"] > 0, True)
        self.assertGreater(report["memory"]["total_bytes"], 1 << 20)
        values = {row["name"]: (row["value"], row["from"]) for row in report["settings"]}
        self.assertEqual(values["ATOLL_COUNTERS"], ("1", "environment"))

    def test_info_shows_what_a_job_would_refuse(self):
        code, output, _ = self.atoll("info", ATOLL_WAIT="badly", ATOLL_UNKNOWN="1")
        self.assertEqual(code, 1)
        self.assertRegex(output, "error: ATOLL_WAIT")
        self.assertRegex(self.atoll("info", ATOLL_UNKNOWN="1")[1], "warning: .*ATOLL_UNKNOWN")

    def test_info_in_a_rank_keeps_the_key_of_the_job(self):
        output, _ = self.expect(0, "-n", 1, ATOLL, "info", "--json")
        values = {row["name"]: row["value"] for row in json.loads(output)["settings"]}
        self.assertEqual((values["ATOLL_SIZE"], values["ATOLL_JOB"]), ("1", "(set)"))


if __name__ == "__main__":
    ATOLL, MEMBER = map(os.path.abspath, sys.argv[1:3])
    suite.main([sys.argv[0], *sys.argv[3:]])
