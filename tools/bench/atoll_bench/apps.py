# SPDX-License-Identifier: BSD-3-Clause
#
# The programs of apps/ as series. To add one: a row in TABLE. A program of a row is in bin/ of the build (in
# libexec/atoll/ when installed), its MPI variants in <program>_<library>; both take --json FILE and write
#     {"app": ..., "variants": [{"name", "implementation", "seconds", ["rate", "unit"]}, ...]}
# What an MPI program writes is of that library, whatever it says; an app without MPI variants has none.

from dataclasses import dataclass

from atoll_bench import sets


@dataclass(frozen=True)
class App:
    name: str
    words: tuple = ()         # of a full run
    brief: tuple = ()         # of a short one
    mpi: str = ""             # name of the MPI program without its library; empty: none
    ranks: tuple = ()         # the numbers of ranks that it can have; empty: any

    def mpi_words(self, library):
        return (f"{self.mpi}_{library}", *self.words) if self.mpi else None


TABLE = ()


def series(programs, ranks, brief):
    """One per app that was built and number of ranks."""
    for app in TABLE:
        if not (programs / app.name).exists():
            continue
        chosen = App(app.name, app.brief if brief else app.words, app.brief, app.mpi, app.ranks)
        for count in ranks:
            if not app.ranks or count in app.ranks:
                yield sets.Series("apps", app.name, count, (app.name, *chosen.words), app=chosen, weight=2)


def samples(file, implementation):
    """Name, figure and unit of each variant of a file that an app wrote."""
    for variant in file.get("variants", ()):
        by = variant.get("implementation", implementation)
        yield variant["name"], implementation if implementation != "atoll" else by, variant
