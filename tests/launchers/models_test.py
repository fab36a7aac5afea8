#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# Programs of OpenSHMEM, UPC++ and MPI under MPICH's and Open MPI's launchers, in every order in which the three
# begin and end. The program itself checks that ranks are equal and that pointers of one model are good in another.
# Usage: models_test.py ATOLL MPIEXEC MODELS_MPICH MPIRUN MODELS_OPENMPI [unittest arguments]; any but the first
# may be "none", and then its tests are skipped.
import os
import sys
from itertools import permutations

import mpi_hosts
from mpi_hosts import hosts, launcher_case
import suite

LAUNCHERS = {}  # the command of the launcher, and the program, by library


class Models:
    """For each library: `library` is its key in LAUNCHERS."""

    def setUp(self):
        self.launcher, self.program = LAUNCHERS[self.library]
        hosts.skip_case_if("none" in (self.launcher[0], self.program) and "it is not installed",
                           f"programs of OpenSHMEM, UPC++ and {self.library}")
        super().setUp()

    def expect_all_done(self, ranks, order):
        with self.subTest(ranks=ranks, order=order):
            output, errors = self.expect(0, *self.launcher, "-n", ranks, self.program, order)
            self.assertEqual(sorted(output.splitlines()), [f"rank {rank} of {ranks}: done" for rank in range(ranks)],
                             errors)

    def test_every_order_of_beginnings_and_ends(self):
        for number, first in enumerate(permutations("SUM")):
            for last in permutations("sum"):
                self.expect_all_done(2 + number % 2, "".join(first + last))

    def test_models_that_begin_while_others_end(self):
        for order in ("SMUmus", "MSsUSusm", "SUMusUSmsu", "MSUusUSsum"):
            self.expect_all_done(3, order)


class ModelsOfMpich(Models, mpi_hosts.Launched):
    library = "MPICH"


class ModelsOfOpenMpi(Models, mpi_hosts.Launched):
    library = "Open MPI"


if __name__ == "__main__":
    launcher_case.ATOLL, mpiexec, mpich, mpirun, openmpi = (word if word == "none" else os.path.abspath(word)
                                                            for word in sys.argv[1:6])
    LAUNCHERS["MPICH"] = [mpiexec], mpich
    LAUNCHERS["Open MPI"] = [mpirun, "--oversubscribe", "--mca", "odls_base_sigkill_timeout", "0"], openmpi
    suite.main(sys.argv[:1] + sys.argv[6:], verbosity=2)
