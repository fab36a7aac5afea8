# SPDX-License-Identifier: BSD-3-Clause
#
# Compiles shmem.h alone in every standard of C and C++, with all warnings as errors, in C++ also inside of the
# program's own extern "C", and checks its effect on a program: it must not define I or complex, and must only
# declare names of the specification and names with our prefix. Every compiler must inline a put, which shows in
# reads of the library's table by the program itself.
#
# Usage: standards.py SOURCES COMPILER_OF_C COMPILER_OF_CXX [MORE_COMPILERS_OF_C ...]

import re
import subprocess
import sys

WARNINGS = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only"]
HEADERS = ["shmem.h", "shmemx.h", "pshmem.h", "mpp/shmem.h", "mpp/shmemx.h"]
C = ["c99", "c11", "c17", "gnu17", "c2x"]
CXX = ["c++11", "c++14", "c++17", "c++20", "c++23"]
PROGRAM = "".join(f"#include <{header}>\n" for header in HEADERS) + """
#if defined(I) || defined(complex)
#error names of other headers are left behind
#endif
extern int alone;
"""


def compile_with(compiler, language, standard, folders, program=PROGRAM):
    command = [compiler, f"-std={standard}", "-x", language, *WARNINGS, *folders, "-"]
    answer = subprocess.run(command, input=program, capture_output=True, text=True)
    if answer.returncode:
        print(f"{compiler} -std={standard}:\n{answer.stderr[:3000]}")
    return answer.returncode == 0


def inlines_a_put(compiler, folders):
    program = "#include <shmem.h>\nvoid put(long *to, int pe) { shmem_long_p(to, 1, pe); }\n"
    command = [compiler, "-x", "c", "-O2", "-S", "-o", "-", *folders, "-"]
    answer = subprocess.run(command, input=program, capture_output=True, text=True)
    inlined = answer.returncode == 0 and "atoll_shmem_direct" in answer.stdout
    if not inlined:
        print(f"{compiler} does not inline a put:\n{answer.stderr[:3000]}{answer.stdout[:3000]}")
    return inlined


def own_names(compiler, root, folders):
    """Names that the headers declare and that have neither prefix."""
    text = subprocess.run([compiler, "-std=c99", "-E", *folders, "-"], input="#include <shmem.h>\n",
                          capture_output=True, text=True, check=True).stdout
    declarations = ""
    for part in re.split(r"^# \d+ ", text, flags=re.M)[1:]:
        line, _, body = part.partition("\n")
        if line.split('"')[1].startswith(root):
            declarations += body
    names = set(re.findall(r"\b([A-Za-z_]\w*) *\(", declarations))
    known = r"(shmem_|atoll_|ATOLL_|__|start_pes|_my_pe|_num_pes|shmalloc|shfree|shrealloc|shmemalign)"
    words = {"if", "return", "sizeof", "switch", "while", "for", "memcpy", "void"}  # void: of pointers to functions
    return sorted(name for name in names - words if not re.match(known, name))


def main(root, cc, cxx, *more):
    folders = [f"-I{root}", f"-I{root}/front/shmem/include"]
    results = [compile_with(cc, "c", standard, folders) for standard in C]
    results += [compile_with(cxx, "c++", standard, folders) for standard in CXX]
    results += [compile_with(cxx, "c++", "c++17", folders, f'extern "C" {{\n{PROGRAM}}}\n')]
    for compiler in more:
        results += [compile_with(compiler, "c", standard, folders) for standard in C]
        results += [compile_with(compiler, "c++", standard, folders) for standard in CXX]
    results += [inlines_a_put(compiler, folders) for compiler in (cc, *more)]
    foreign = own_names(cc, root, folders)
    for name in foreign:
        print("declared by the headers:", name)
    print(f"{results.count(True)} of {len(results)} compile as they should")
    return 0 if all(results) and not foreign else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
