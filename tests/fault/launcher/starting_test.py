#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests how jobs begin, what is refused before they do, and the other subcommands of `atoll`. Usage:
# starting_test.py ATOLL MEMBER [unittest arguments].
import json
import os
import resource
import shutil
import subprocess
import sys

import launcher_case as case
from launcher_case import LauncherTest, PATIENCE_S


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

    def processor_s(self, ranks, words):
        """The processor time of all processes of a job; no other load counts."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.expect(0, "-n", ranks, *words)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def test_256_ranks_start_meet_and_end_at_the_cost_of_four_times_64(self):
        for words in (["true"], [case.MEMBER, "join", "exchange", "fence", "goodbye"]):
            each = [self.processor_s(256, words) / self.processor_s(64, words) for _ in range(3)]
            self.assertLess(min(each), 10, "it would be 16 if each rank had work for each other one")


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
        done = subprocess.run([case.MEMBER, *steps], env={**self.environment, **variables}, text=True,
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
                                f'ATOLL_JOB="${{ATOLL_JOB%????}}0000" {case.MEMBER} join 2>&1; '
                                f'ATOLL_RANK=5 {case.MEMBER} join 2>&1; '
                                f'ATOLL_SIZE=7 {case.MEMBER} join 2>&1; true')
        self.assertRegex(output, "does not know the key")
        self.assertRegex(output, "the job has only 1 ranks")
        self.assertRegex(output, "says that the job has 7 ranks, but it has 1")


class Command(LauncherTest):
    def atoll(self, *words, **variables):
        done = subprocess.run([case.ATOLL, *words], env={**self.environment, **variables}, text=True,
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
        output, _ = self.expect(0, "-n", 1, case.ATOLL, "info", "--json")
        values = {row["name"]: row["value"] for row in json.loads(output)["settings"]}
        self.assertEqual((values["ATOLL_SIZE"], values["ATOLL_JOB"]), ("1", "(set)"))


if __name__ == "__main__":
    case.main()
