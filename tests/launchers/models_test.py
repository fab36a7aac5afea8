#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# Programs of OpenSHMEM, UPC++ and MPI under MPICH's and Open MPI's launchers, in every order in which the three
# begin and end; and programs of UPC, which begins first, with UPC++, GASNet-EX and MPI in every order. The programs
# check that the models agree on the ranks, and that a pointer of one model can be used in another.
# Usage: models_test.py ATOLL MPIEXEC MODELS_MPICH UPC_MPICH MPIRUN MODELS_OPENMPI UPC_OPENMPI [unittest arguments];
# any but the first may be "none", and then its tests are skipped.
import os
import sys
from itertools import permutations

import mpi_hosts
from mpi_hosts import hosts, launcher_case
import suite

LAUNCHERS = {}  # the command of the launcher, and the two programs, by library


class Models:
    """For each library: `library` is its key in LAUNCHERS."""

    def setUp(self):
        self.launcher, self.program, self.upc_program = LAUNCHERS[self.library]
        hosts.skip_case_if("none" in (self.launcher[0], self.program) and "it is not installed",
                           f"programs of OpenSHMEM, UPC++ and {self.library}")
        super().setUp()

    def expect_all_done(self, ranks, order, program=None):
        with self.subTest(ranks=ranks, order=order):
            output, errors = self.expect(0, *self.launcher, "-n", ranks, program or self.program, order)
            self.assertEqual(sorted(output.splitlines()), [f"rank {rank} of {ranks}: done" for rank in range(ranks)],
                             errors)

    def test_every_order_of_beginnings_and_ends(self):
        for number, first in enumerate(permutations("SUM")):
            for last in permutations("sum"):
                self.expect_all_done(2 + number % 2, "".join(first + last))

    def test_models_that_begin_while_others_end(self):
        for order in ("SMUmus", "MSsUSusm", "SUMusUSmsu", "MSUusUSsum"):
            self.expect_all_done(3, order)

    def test_upc_before_the_others_in_every_order(self):
        if self.upc_program == "none":
            self.skipTest("programs of UPC are not built")
        for number, order in enumerate(permutations("XGM")):
            self.expect_all_done(2 + number % 2, "".join(order), self.upc_program)


class ModelsOfMpich(Models, mpi_hosts.Launched):
    library = "MPICH"


class ModelsOfOpenMpi(Models, mpi_hosts.Launched):
    library = "Open MPI"


if __name__ == "__main__":
    launcher_case.ATOLL, mpiexec, mpich, upc_mpich, mpirun, openmpi, upc_openmpi = (
        word if word == "none" else os.path.abspath(word) for word in sys.argv[1:8])
    LAUNCHERS["MPICH"] = [mpiexec], mpich, upc_mpich
    LAUNCHERS["Open MPI"] = [mpirun, "--oversubscribe", "--mca", "odls_base_sigkill_timeout", "0"], openmpi, upc_openmpi
    suite.main(sys.argv[:1] + sys.argv[8:], verbosity=2)
