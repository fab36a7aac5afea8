# SPDX-License-Identifier: BSD-3-Clause
#
# main() of a suite of Python tests, in place of that of unittest, which ends with 0 when all cases were
# skipped. Each skipped case is printed on a line `skipped: SUBJECT: REASON`, which `./dev check` shows and
# counts; a suite in which all cases were skipped ends with SKIPPED, which ctest counts as skipped; and one
# that ran no case at all has failed.
import sys
import unittest

SKIPPED = 77  # as an exit status: nothing failed, and nothing was tested


class CountingResult(unittest.TextTestResult):
    """Counts the cases that have done something."""

    passed = 0

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed += 1


def status_of(result):
    if not result.wasSuccessful():
        return 1
    if result.passed:
        return 0
    return SKIPPED if result.skipped else 1


def status_of_all(statuses):
    """The exit status for several suites, each run as a process."""
    ended = set(statuses)
    if not ended <= {0, SKIPPED}:
        return 1
    return 0 if 0 in ended else SKIPPED


def main(arguments=None, verbosity=1):
    """Runs the tests of the main module; the arguments are those of unittest, the program's name first."""
    result = unittest.main(argv=arguments, verbosity=verbosity, exit=False,
                           testRunner=unittest.TextTestRunner(verbosity=verbosity,
                                                              resultclass=CountingResult)).result
    for case, reason in result.skipped:
        print(f"skipped: {case.id().replace('__main__.', '')}: {reason}", flush=True)
    sys.exit(status_of(result))
