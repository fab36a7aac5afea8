# SPDX-License-Identifier: BSD-3-Clause
#
# The programs of apps/ as series. To add one: a row in TABLE. A program of a row is in bin/ of the build (in
# libexec/atoll/ when installed), its MPI variants in <program>_<library>; both take --json FILE and write
#     {"app": ..., "variants": [{"name", "seconds", ...}, ...]}
# where all variants have done the same work. The results of an MPI program count for its library.
# A variant that both programs have is one case; `best` compares the fastest variant of each. Both get the same
# arguments, and each the names of its variants where a row has them. A variant that is the local library alone stands
# beside the others, and `best` has its speed in percent of the library's. Rows with `apart` are measured again in the
# set `network`.

from dataclasses import dataclass, replace

from atoll_bench import sets


@dataclass(frozen=True)
class App:
    name: str                 # of the series
    program: str
    words: tuple = ()         # arguments of a full run
    brief: tuple = ()         # arguments of a short run
    mpi: str = ""             # the MPI program without the name of its library; empty: none
    ranks: tuple = ()         # the rank counts that it can run with; empty: any
    variants: str = ""        # those of our program that run; empty: all that it runs by itself
    mpi_variants: str = ""    # the same of the MPI program
    library: str = ""         # the variant that is the local library on all cores
    crowded: bool = True      # whether it is measured with more ranks than cores
    rated: bool = False       # whether the rates that it says are cases beside its seconds
    apart: bool = False       # whether it is measured between ranks that share no memory

    def own_words(self):
        return (self.program, *self.words, *self.choice(self.variants))

    def mpi_words(self, library):
        return (f"{self.mpi}_{library}", *self.words, *self.choice(self.mpi_variants)) if self.mpi else None

    @staticmethod
    def choice(variants):
        return ("--variants", variants) if variants else ()

    def can_run(self, ranks, cores):
        return (not self.ranks or ranks in self.ranks) and (self.crowded or ranks <= cores)


TABLE = (
    App("spin", "spin", ("--variant", "all", "--steps", "10", "--sites", "22", "--rounds", "2"),
        ("--variant", "all", "--steps", "10", "--sites", "18"), "spin", (1, 2, 4, 8, 16, 32, 64)),
    App("stencil2d_64", "stencil2d", ("--size", "64", "--rounds", "10"), ("--size", "64", "--rounds", "5"),
        "stencil2d_mpi"),
    App("stencil2d_512", "stencil2d", ("--size", "512", "--rounds", "5"), ("--size", "512", "--rounds", "2"),
        "stencil2d_mpi"),
    App("fft3d_128", "fft3d", ("--size", "128", "--rounds", "5"), ("--size", "32", "--rounds", "1"), "fft3d_mpi",
        apart=True),
    App("matmul_1024", "matmul", ("--size", "1024", "--rounds", "5"), ("--size", "256", "--rounds", "1"), "matmul_mpi",
        apart=True),
    App("matmul_4096", "matmul", ("--size", "4096", "--rounds", "2"), ("--size", "512", "--rounds", "2"), "matmul_mpi",
        variants="in_place,gets_ahead,library", mpi_variants="pdgemm_64,pdgemm_256,mpi_broadcasts_ahead",
        library="library", crowded=False),
    App("cholesky_2048", "cholesky", ("--size", "2048", "--rounds", "5"), ("--size", "256", "--rounds", "1"),
        "cholesky_mpi", apart=True),
    App("gups", "gups", ("--log2-size", "18", "--rounds", "3"), ("--log2-size", "14", "--rounds", "1")),
    App("kv", "kv", ("--rounds", "3"), ("--keys", "20000")),
    App("hpcc_stream", "hpcc", ("--variants", "stream"), ("--variants", "stream", "--stream-numbers", "100000"),
        rated=True),
    App("hpcc_random_access", "hpcc", ("--variants", "random_access"),
        ("--variants", "random_access", "--log2-words", "12"), rated=True),
    App("hpcc_fft", "hpcc", ("--variants", "fft"), ("--variants", "fft", "--log2-points", "14"), rated=True),
    App("hpcc_lu", "hpcc", ("--variants", "lu"), ("--variants", "lu", "--unknowns", "256"), rated=True),
    App("spin_shmem", "spin_shmem", ("--variant", "all", "--steps", "10", "--sites", "22", "--rounds", "2"),
        ("--variant", "all", "--steps", "10", "--sites", "18"), "spin", (1, 2, 4, 8, 16, 32, 64)),
    App("spin_upc", "spin_upc", ("--variant", "all", "--steps", "10", "--sites", "22", "--rounds", "2"),
        ("--variant", "all", "--steps", "10", "--sites", "18"), "spin", (1, 2, 4, 8, 16, 32, 64)),
    App("stencil2d_shmem_64", "stencil2d_shmem", ("--size", "64", "--rounds", "10"),
        ("--size", "64", "--rounds", "5"), "stencil2d_mpi"),
    App("stencil2d_shmem_512", "stencil2d_shmem", ("--size", "512", "--rounds", "5"),
        ("--size", "512", "--rounds", "2"), "stencil2d_mpi"),
    App("stencil2d_upc_64", "stencil2d_upc", ("--size", "64", "--rounds", "10"),
        ("--size", "64", "--rounds", "5"), "stencil2d_mpi"),
    App("stencil2d_upc_512", "stencil2d_upc", ("--size", "512", "--rounds", "5"),
        ("--size", "512", "--rounds", "2"), "stencil2d_mpi"),
    App("stencil2d_coarray_64", "stencil2d_coarray", ("--size", "64", "--rounds", "10"),
        ("--size", "64", "--rounds", "5"), "stencil2d_mpi"),
    App("halo_coarray", "halo_coarray", ("--rounds", "10"), ("--rounds", "3"), "halo_mpi"),
    App("upc_random_access", "upc_random_access", ("18", "--rounds", "3"), ("18",)),
    App("upc_cg", "upc_cg", ("W", "--rounds", "3"), ("S",)),
    App("upc_is", "upc_is", ("A", "--rounds", "3"), ("S", "--rounds", "3")),
    App("upc_ft", "upc_ft", ("W", "--rounds", "3"), ("S",), ranks=(1, 2, 4, 8, 16, 32)),
    App("stencil2d_coarray_512", "stencil2d_coarray", ("--size", "512", "--rounds", "5"),
        ("--size", "512", "--rounds", "2"), "stencil2d_mpi"),
)


def built(programs, brief):
    """The apps that were built, with the arguments of this kind of run."""
    for app in TABLE:
        if (programs / app.program).exists():
            yield replace(app, words=app.brief if brief else app.words)


def series(programs, ranks, brief, cores):
    """A series for each app that was built and each number of ranks."""
    for app in built(programs, brief):
        for count in ranks:
            if app.can_run(count, cores):
                yield sets.Series("apps", app.name, count, app.own_words(), app=app, weight=0)


def network_series(programs, places, ranks, brief):
    """At each place a series for each app that is measured apart, with the fewest ranks of these that it can have; a
    short run does that at the last place only."""
    for place in places[-1:] if brief else places:
        fitting = [count for count in ranks if count > 1 and not (place.hosts and count % len(place.hosts))]
        for app in built(programs, brief):
            if app.apart and fitting:
                yield sets.Series("network", f"{place.name}_{app.name}", fitting[0], app.own_words(), place=place,
                                  app=app, weight=0)


def variants(file, app):
    """The variants in a file that an app wrote; an app that lists none is its only variant."""
    return file.get("variants") or [{"name": app.name, "seconds": file["time_s"]}]
