#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# Atoll's programs under Open MPI's mpirun, which speaks PMIx. Usage: pmix_test.py MPIRUN MEMBER.
import os
import subprocess
import sys
import unittest
import uuid

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../launcher"))
from launcher_case import processes_with, wait_for  # noqa: E402
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))
import suite  # noqa: E402

MPIRUN = MEMBER = None
MEMBER_MARK = "PMIX_TEST=" + uuid.uuid4().hex
PATIENCE_S = 60


class UnderMpirun(unittest.TestCase):
    def start(self, ranks, *steps):
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith(("ATOLL_", "OMPI_", "PMIX_", "PRTE_"))}
        environment |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                        **dict([MEMBER_MARK.split("=")])}
        return subprocess.Popen([MPIRUN, "--oversubscribe", "-n", str(ranks), MEMBER, *steps],
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, env=environment)

    def run_job(self, ranks, *steps):
        process = self.start(ranks, *steps)
        try:
            output, errors = process.communicate(timeout=PATIENCE_S)
        finally:
            process.terminate()
        return process.returncode, output, errors

    def test_ranks_exchange_fence_and_share_memory(self):
        for ranks in (1, 2, 3, 5):
            code, output, errors = self.run_job(ranks, "join", "size", "exchange", "memory",
                                                "exchange=60000", "fence", "goodbye")
            self.assertEqual(code, 0, errors)
            self.assertEqual(sorted(output.split("\n")),
                             sorted(["", *[f"{rank} of {ranks}" for rank in range(ranks)]]))

    def test_a_rank_that_ends_the_job_tells_why_and_the_code_arrives(self):
        code, _, errors = self.run_job(3, "join", "fence", "1:end=7:enough", "sleep=600000")
        self.assertEqual(code, 7, errors)
        self.assertIn("atoll: enough", errors)

    def test_a_rank_that_dies_ends_the_job(self):
        code, _, errors = self.run_job(3, "join", "fence", "2:die=11", "sleep=600000")
        self.assertNotEqual(code, 0, errors)

    def test_a_launcher_that_is_killed_leaves_no_rank(self):
        process = self.start(2, "join", "fence", "say=ready", "sleep=600000")
        ready = [process.stdout.readline() for _ in range(2)]
        self.assertEqual(ready, ["ready\n"] * 2)
        self.assertGreaterEqual(len(processes_with(MEMBER_MARK)), 2)
        process.kill()
        process.communicate(timeout=PATIENCE_S)
        wait_for(lambda: not processes_with(MEMBER_MARK), "no rank left behind", PATIENCE_S)


if __name__ == "__main__":
    MPIRUN, MEMBER = sys.argv[1:3]
    suite.main(sys.argv[:1] + sys.argv[3:], verbosity=2)
