#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks the translator's C for single loops: whether they go run by run or strip by strip, and whether elements may be
# copied. loops_test.upc tests the results of such loops.
#
#   emitted_loops_test.py TRANSLATOR

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM = """
#include <upc_relaxed.h>
shared [16] int a[16 * THREADS], b[16 * THREADS];
shared [4] int narrow[16 * THREADS];
shared int cyclic[16 * THREADS], dealt[16 * THREADS];
shared double fractions[16 * THREADS];
strict shared [16] int ordered[16 * THREADS];
shared [16] int *pa, *pb;
shared [16] double wide[16 * THREADS];
struct part { int n; char c; union { int u; double d; }; };
int other(void);
int f(int n, shared [16] int *p, struct part *part, double *real, int *whole) { int sum = 0; LOOP return sum; }
"""


def translate(loop, *options):
    """The C of a function with this loop."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "loop.upc")
        source.write_text(PROGRAM.replace("LOOP", loop))
        return subprocess.run([translator, *options, "-nolines", str(source), "-o", "-"], check=True,
                              capture_output=True, text=True, timeout=60).stdout


def runs(text):
    """For each access by runs, whether it reads and whether it writes."""
    begins = re.findall(r"= atoll_upc_run_begin(?:_ahead)?\(.*, ([01]), ([01])\);", text)
    return [(read == "1", written == "1") for read, written in begins]


def goes_by_strips(loop, *options):
    text = translate("int i; upc_forall (i = 0; i < n; ++i; &a[i]) " + loop, *options)
    return "atoll_upc_strip_" in text


def may_copy(text):
    return set(re.findall(r"= atoll_upc_run_length\(.*, ([01]), \w+\);", text))


class EmittedLoops(unittest.TestCase):
    def test_subscripts(self):
        text = translate("for (int i = 0; i < n; ++i) sum += a[i];")
        self.assertEqual(runs(text), [(True, False)])
        self.assertEqual(may_copy(text), {"1"})

    def test_pointers(self):
        self.assertEqual(runs(translate("for (int i = 0; i < n; ++i) sum += *p++;")), [(True, False)])

    def test_two_arrays(self):
        found = runs(translate("for (int i = 0; i < n; ++i) a[i] = b[i];"))
        self.assertEqual(sorted(found), [(False, True), (True, False)])

    def test_members_that_a_private_pointer_leads_to(self):
        loops = ["for (int i = 0; i < part->n; ++i) wide[i + part->n] = real[i];",
                 "for (int i = 0; i < part->n; ++i) sum += a[n * part->n + i];"]
        for loop in loops:
            self.assertEqual(len(runs(translate(loop))), 1, loop)
            self.assertEqual(may_copy(translate(loop)), {"1"}, loop)
        self.assertEqual(runs(translate(loops[0], "-fno-strict-aliasing")), [])
        changed = ["a[i] = i;", "{ wide[i] = i; part->n = n; }", "{ wide[i] = i; *whole = i; }", "{ wide[i] = i; other(); }",
                   "{ sum += a[i]; real[i] = 0; }", "{ wide[i] = i; part = 0; }",
                   "{ wide[i] = i; __atomic_store_n(&part->n, n, 0); }", "{ wide[i] = i; n += ordered[i]; }"]
        for body in changed:
            self.assertEqual(runs(translate("for (int i = 0; i < part->n; ++i) " + body)), [], body)
        for body in ("if (i != 3) sum += a[i + part->n];", "{ if (i == 3) continue; sum += a[i + part->n]; }",
                     "sum += part != 0 ? a[i + part->n] : 0;", "sum += a[i + part->c];"):
            self.assertEqual(runs(translate("for (int i = 0; i < n; ++i) " + body)), [], body)

    def test_bounds_that_a_loop_may_change_by_another_name(self):
        declared = ("struct part parts[2]; struct { union { int n; int a[2]; }; } s; union { int n; double d; } *mixed = (void*)real; "
                    "shared [] struct { union { struct { double d; } in; double d[2]; } u; } *far = 0; void clean(int*); "
                    "typedef double __attribute__((may_alias)) any; shared [] any *anything = 0; double plain[2]; int unused = 0; ")
        for taken, bound, body in (
                ("part = parts;", "part->n", "parts[0].n = 3;"), ("int *q = s.a;", "s.n", "s.n = s.n;"),
                ("", "parts[0].n", "(*parts).n = 3;"), ("", "mixed->n", ""), ("", "part->n", "far->u.d[0] = i;"),
                ("", "part->n", "far->u.in.d = i;"), ("", "part->n", "anything[0] = i;"),
                ("", "part->n", "int x __attribute__((cleanup(clean))) = 0;")):
            loop = "%s %s for (int i = 0; i < %s; ++i) { wide[i] = i; %s }" % (declared, taken, bound, body)
            self.assertEqual(runs(translate(loop)), [], loop)
        for body in ("parts[0].n = 3;", "plain[1] = i;", "parts[1].n += unused++;"):
            loop = declared + "for (int i = 0; i < part->n; ++i) { wide[i] = i; %s }" % body
            self.assertEqual(len(runs(translate(loop))), 1, loop)

    def test_pointers_that_walk_start_where_an_iteration_runs(self):
        text = translate("for (int i = 0; i < n; ++i) sum += narrow[i + part->n];")
        self.assertRegex(text, r"if \((atoll_upc_begin_\w+) < atoll_upc_end_\w+\) { int i = \1; \(void\)i;\n\w+ = atoll_upc_index")

    def test_hints_stand_before_the_loop_that_works(self):
        for loop in ("for (int i = 0; i < n; ++i) sum += a[i];", "for (int i = 0; i < n; ++i) sum += narrow[i];",
                     "for (int i = 0; i < n; ++i) sum += cyclic[i];", "for (int i = 0; i < n; ++i) a[3 * i] = i;",
                     "upc_forall (int i = 0; i < n; ++i; &a[i]) a[i] = i;", "upc_forall (int i = 0; i < n; ++i; i) sum += i;",
                     "upc_forall (int i = 0; i < n; i += 2; i) sum += i;"):
            for hint in ("GCC ivdep", "GCC unroll 4"):
                text = translate("\n#pragma " + hint + "\n\n" + loop)
                self.assertRegex(text, "#pragma " + hint + r"\s+(for|do) ", loop)
                self.assertEqual(text.count('_Pragma("' + hint + '") for ('), 1, text)
        self.assertNotIn("_Pragma", translate("\n#pragma GCC ivdep\nsum++; for (int i = 0; i < n; ++i) sum += a[i];"))

    def test_loops_that_openmp_divides_stay_as_they_are(self):
        loop = "for (int i = 0; i < n; ++i) a[i] = b[i];"
        text = translate("\n#pragma omp parallel for\n" + loop, "-fopenmp")
        self.assertRegex(text, r"#pragma omp parallel for\s+for \(int i = 0; i < n; \+\+i\) ATOLL_UPC_PUT\(")
        nest = "\n#pragma omp for collapse(2)\nfor (int k = 0; k < 3; ++k) " + loop
        self.assertEqual(runs(translate(nest, "-fopenmp")), [])
        self.assertEqual(len(runs(translate(nest))), 2)
        for nest in ("omp for ordered(2)", "omp for ordered (2)", "omp tile sizes(4,4)", "acc parallel loop tile(2, 2)",
                     "omp for collapse(2)\n#pragma omp tile sizes(2)", "omp tile sizes(2, 2)\n#pragma GCC ivdep"):
            text = translate("\n#pragma " + nest + "\nfor (int k = 0; k < 3; ++k) " + loop, "-fopenmp", "-fopenacc")
            self.assertEqual(runs(text), [], nest)
        self.assertEqual(len(runs(translate("\n#pragma omp for schedule(static, 3) private(sum)\nfor (int k = 0; k < 3; ++k) "
                                            + loop, "-fopenmp"))), 2)

    def test_directives_before_upc_forall(self):
        loop = "\nupc_forall (int i = 0; i < n; ++i; &a[i]) a[i] = i;"
        for directive in ("omp parallel for", "omp simd", "omp distribute", "omp taskloop", "omp tile sizes(4)", "omp unroll",
                          "acc loop", "acc kernels loop gang(2)", "omp for nowait\n#pragma GCC ivdep"):
            with self.assertRaises(subprocess.CalledProcessError, msg=directive) as failure:
                translate("\n#pragma " + directive + loop, "-fopenmp", "-fopenacc")
            self.assertIn("a pragma of OpenMP or OpenACC divides 'for' loops", failure.exception.stderr)
        for directive in ("omp taskwait", "omp barrier", "omp flush(sum)", "omp taskyield", "omp master", "omp critical(for)",
                          "omp cancel for", "omp target update from(sum)", "acc wait(1)", "acc update self(sum)",
                          "omp ordered depend(sink: i)", "omp for\n#pragma omp barrier"):
            translate("\n#pragma " + directive + loop, "-fopenmp", "-fopenacc")
        translate("\n#pragma omp parallel for" + loop, "-fopenmp-simd")
        translate("\n#pragma acc loop" + loop, "-fopenmp")

    def test_directives_that_stand_for_themselves_change_no_loop(self):
        for directive in ("omp barrier", "omp flush", "omp taskwait", "omp taskyield", "acc wait", "acc update self(sum)"):
            text = translate("\n#pragma " + directive + "\nfor (int i = 0; i < n; ++i) a[i] = b[i];", "-fopenmp", "-fopenacc")
            self.assertEqual(len(runs(text)), 2, directive)

    def test_options_of_openmp(self):
        for options, macro, flag in ((["-fopenmp"], "1", "ATOLL_UPC_SEVERAL_THREADS"), (["-fopenmp-simd"], "0", "0"), ([], "0", "0")):
            text = translate("\n#ifdef _OPENMP\nsum = 1;\n#else\nsum = 0;\n#endif\n", *options)
            self.assertIn("sum = " + macro + ";", text)
            self.assertRegex(text, "atoll_upc_objects, [0-9]+, 0, " + flag + "}")
        simd = "\n#pragma omp simd\nfor (int i = 0; i < n; ++i) a[i] = b[i];"
        self.assertEqual(len(runs(translate(simd))), 2)
        self.assertEqual(runs(translate(simd, "-fopenmp-simd")), [])

    def test_switched_off(self):
        self.assertEqual(runs(translate("for (int i = 0; i < n; ++i) sum += a[i];", "-opt-disable=runs")), [])

    def test_blocks_that_are_too_small(self):
        self.assertEqual(runs(translate("for (int i = 0; i < n; ++i) sum += narrow[i];")), [])

    def test_a_pointer_walks_through_small_blocks(self):
        text = translate("for (int i = 0; i < n; ++i) sum += narrow[i] + narrow[i + 3];")
        self.assertEqual(len(re.findall(r"\w+ = atoll_upc_next\(\w+, sizeof\(int\), 4\)", text)), 2)
        self.assertEqual(len(re.findall(r"atoll_upc_index\(", text)), 2)

    def goes_by_threads(self, loop):
        return "atoll_upc_first_" in translate(loop)

    def test_cyclic_elements_go_by_threads_where_the_order_cannot_be_seen(self):
        for body in ("sum += cyclic[i];", "{ sum -= cyclic[i] * i; n2 ^= dealt[i + 3]; }", "cyclic[i] = i;",
                     "cyclic[i] += dealt[i];", "{ dealt[i] = cyclic[i]; sum |= cyclic[i]; }",
                     "sum += *q++;", "*q++ = i;", "sum ^= *q++ + cyclic[i];"):
            text = translate("unsigned n2 = 0; shared int *q = cyclic; for (int i = 0; i < n; ++i) " + body)
            self.assertIn("atoll_upc_first_", text, body)
            self.assertEqual(may_copy(text), {"1"})
        text = translate("for (int i = 0; i < n; ++i) sum += cyclic[i];")
        self.assertRegex(text, r"\(sum = \(int\)\(\(unsigned\)sum \+ \(unsigned\)\(")

    def test_cyclic_elements_stay_in_order_where_it_can_be_seen(self):
        for body in ("sum = cyclic[i];", "sum += cyclic[i] * sum;", "d += fractions[i];", "cyclic[i] = cyclic[i + 1];",
                     "sum += cyclic[i] + other();", "if (cyclic[i]) sum += 1;", "sum += cyclic[i] + narrow[i];",
                     "{ sum += cyclic[i]; k = sum; }", "sum += *q++ * sum;", "d += *q++;",
                     "{ cyclic[i] = i; sum += *q++; }", "sum += *q++ + other();",
                     "sum += cyclic[i] + k++;", "cyclic[i] = pa[0];",
                     "cyclic[i] = *own + 1;", "local[0] = cyclic[i];", "global += cyclic[i];", "{ int t = cyclic[i]; sum += t; }"):
            self.assertFalse(self.goes_by_threads("static int global; int local[4], k = 0, *own = local; double d = 0; "
                                                  "shared int *q = cyclic; "
                                                  "for (int i = 0; i < n; ++i) " + body), body)

    def that_hold_writes(self, loops):
        """Checks loops that are blocks of one function."""
        text = translate("static int global; static volatile int arrived; static _Atomic int counted; "
                         "static struct { int first; } *pair; int k = 0, *own = &sum; void clean(int*); "
                         "int scanf(const char*, ...); " + " ".join("{ global = 77; " + loop + " }" for loop in loops))
        parts = text.split("global = 77;")[1:]
        self.assertEqual(len(parts), len(loops))
        return [loop for loop, part in zip(loops, parts) if "ATOLL_UPC_HOLD_WRITES(" in part]

    def holds_writes(self, loop, *options):
        return translate("int k = 0; for (int i = 0; i < n; ++i) " + loop, *options).count("ATOLL_UPC_HOLD_WRITES(")

    def test_writes_of_a_loop_that_waits_for_nothing_go_out_together(self):
        for body in ("a[3 * i] = i;", "a[i] = i;", "for (int j = 0; j < i; j += 2) a[5 * j + i] = b[i] + j;",
                     "{ if (b[i]) a[2 * i]++; }", "a[2 * i] = __builtin_abs(b[i]);", "p[n - i * 2] += 1;"):
            self.assertEqual(self.holds_writes(body), 1, body)
        self.assertEqual(self.holds_writes("a[3 * i] = i;", "-opt-disable=writes"), 0)

    def test_writes_go_out_at_once_where_something_may_wait(self):
        for body in ("sum += a[3 * i];", "a[3 * i] = other();", "{ a[3 * i] = i; upc_fence; }", "ordered[3 * i] = i;",
                     "a[3 * i] = ordered[i];", "{ a[3 * i] = 1; while (b[0] == 0) {} }",
                     "{ a[3 * i] = 1; for (; b[0] == 0;) {} }", "{ a[3 * i] = 1; for (k = 0; k < b[0]; k += 0) --k; }",
                     "{ a[3 * i] = 1; if (b[0] == 0) --i; }", "{ a[3 * i] = 1; if (b[0] == 0) goto again; again: ; }"):
            self.assertEqual(self.holds_writes(body), 0, body)

    def test_writes_go_out_at_once_where_another_thread_may_end_the_loop(self):
        loops = []
        for head in ("int seen = 0; seen == 0; seen = b[0]", "int seen = 0; seen == 0; seen += b[0]",
                     "int seen = 0; seen == 0; seen = arrived", "int seen = 0; seen == 0; seen += arrived",
                     "int i = 0; i != b[0]; ++i", "int i = 0; i < arrived; ++i", "int i = 0; i < counted; ++i",
                     "int i = 0; i < *own; ++i", "int i = 0; i < pair->first; ++i", "int i = 0; i < n; i += k",
                     "int i = 0; i < n; i += 0", "int i = 0; i < k; ++i", "int i = 0; i < n; ++i, b[0]",
                     "int i = 0; i < (b[0], n); ++i", "int i = 0; i < n && b[0] == 0; ++i", "int i = other(); i < n; ++i",
                     "int i = ordered[0]; i < n; ++i", "int i = ({ while (b[0] == 0) {} 0; }); i < n; ++i"):
            loops.append("for (" + head + ") { a[16] = 1; k = n; }")
            loops.append("for (int j = 0; j < n; ++j) { a[16] = 1; for (" + head + ") { k = n; } }")
        for body in ("{ again: a[16] = 1; }", "{ a[16] = 1; scanf(\"%d\", &k); }",
                     "{ a[16] = 1; __atomic_store_n(&global, 1, 0); }",
                     "{ a[16] = 1; int x __attribute__((cleanup(clean))) = 0; }"):
            loops.append("for (int i = 0; i < n; ++i) " + body)
        self.assertEqual(self.that_hold_writes(loops), [])

    def test_loops_that_are_entered_by_a_case_stay_as_they_are(self):
        text = translate("int i; switch (n) { case 0: for (i = 0; i < n; ++i) { case 1: a[i] = 3; } }")
        self.assertNotIn("ATOLL_UPC_HOLD_WRITES(", text)
        self.assertEqual(runs(text), [])
        self.assertEqual(self.holds_writes("switch (n) { case 0: a[3 * i] = i; break; default: a[i] = 1; }"), 1)

    def test_writes_of_a_loop_that_counts_by_a_number_that_stays_go_out_together(self):
        loops = ["for (" + head + ") a[3 * i] = i;"
                 for head in ("int i = 0; i < n * THREADS; ++i", "int i = n; i != 0; i--", "int i = 0; n > i; i += 2",
                              "long i = n; i >= k; i -= n", "int i = 0, end = b[0]; i < end; ++i")]
        loops.append("for (int i = 0; i < part->n; ++i) wide[3 * i] = i;")
        self.assertEqual(self.that_hold_writes(loops), loops)

    def test_strict_elements_are_not_copied(self):
        self.assertNotIn("1", may_copy(translate("for (int i = 0; i < n; ++i) sum += ordered[i];")))

    def test_nothing_is_copied_over_calls(self):
        self.assertNotIn("1", may_copy(translate("for (int i = 0; i < n; ++i) sum += a[i] + other();")))

    def test_a_fence_forbids_copies(self):
        self.assertNotIn("1", may_copy(translate("for (int i = 0; i < n; ++i) { sum += a[i]; upc_fence; }")))

    def test_what_may_be_the_same_element_is_not_copied(self):
        self.assertNotIn("1", may_copy(translate("for (int i = 0; i < n; ++i) a[i] = p[0];")))

    def test_an_inner_loop_over_flips(self):
        self.assertTrue(goes_by_strips("{ int s = 0; for (int k = 0; k < 9; ++k) s += b[i ^ 1 << k]; a[i] = s; }"))
        self.assertTrue(goes_by_strips("for (int k = 0; k < 9; ++k) a[i] += b[i ^ k];"))
        self.assertFalse(goes_by_strips("for (int k = 0; k < 9; ++k) a[i] += b[i ^ k];", "-opt-disable=strips"))

    def test_flips_of_one_low_bit_are_shuffles(self):
        loop = "int i; upc_forall (i = 0; i < n; ++i; &a[i]) for (int k = 0; k < 9; ++k) a[i] += b[i ^ k];"
        text = translate(loop)
        for bit, group in ((1, 8), (2, 8), (4, 8), (8, 16)):
            self.assertRegex(text, r"if \((\w+) == %d && \w+ == 16\) {\n"
                                   r"for \(ptrdiff_t (\w+) = 0; \2 < 16; \2 \+= %d\) {\n"
                                   r"const int \*(\w+) = \w+ \+ \2;\nATOLL_UPC_APART\n"
                                   r"for \(ptrdiff_t (\w+) = 0; \4 < %d; \+\+\4\) .*\n.*\n.*\3\[\4 \^ %d\]\);"
                             % (bit, group, group, bit))
        self.assertEqual(len(re.findall(r"\[\w+ \^ \d+\]", text)), 4)
        self.assertEqual(re.findall(r"\[\w+ \^ \d+\]", translate(loop.replace("b[i ^ k]", "b[i ^ k] + b[i ^ 3 * k]"))), [])

    def test_elements_whose_order_may_be_seen(self):
        for loop in ("for (int k = 0; k < 9; ++k) a[i] += b[i ^ other()];",
                     "for (int k = 0; k < 9; ++k) sum += b[i ^ k];",
                     "for (int k = 0; k < 9; ++k) a[i] += b[i ^ k] + ordered[i];",
                     "for (int k = 0; k < 9; ++k) a[i] += b[i ^ i * k];",
                     "{ const int m = i % 8; for (int k = 0; k < 9; ++k) a[i] += b[i ^ m]; }",
                     "{ int n = i % 8; for (int k = 0; k < n; ++k) a[i] += b[i ^ k]; }",
                     "for (int k = 0; k < 9; ++k) { a[i] += b[i ^ k]; upc_fence; }",
                     "{ for (int k = 0; k < 9; ++k) a[i] += b[i ^ k]; b[i] = a[i] + 1; }",
                     "{ int s = sum; for (int k = 0; k < 9; ++k) s += b[i ^ k]; sum += s; }",
                     "{ int s = 0; for (int k = 0; k < 9; ++k) s += b[i ^ k]; a[i + 1] = s; }",
                     "{ int s = 0; for (int k = 0; k < 9; ++k) s += pa[i ^ k]; a[i] = s; pa = pb; }"):
            self.assertFalse(goes_by_strips(loop), loop)

    def test_strips_are_fetched_ahead_while_their_order_stays(self):
        text = translate("int i; upc_forall (i = 0; i < n; ++i; &a[i]) for (int k = 0; k < 9; ++k) a[i] += b[i ^ k];")
        self.assertRegex(text, r"atoll_upc_run_begin_ahead\(&\w+, \w+, 16 \* sizeof\(int\), sizeof\(int\), 16, "
                               r"\(\(\w+ & -\(ptrdiff_t\)16 & 15\) == 0 && (\w+) > 16 \? \1 : 16\), 1, 0\)")

    def test_blocks_that_are_too_small_for_strips(self):
        self.assertFalse(goes_by_strips("for (int k = 0; k < 9; ++k) a[i] += narrow[i ^ k];"))


if __name__ == "__main__":
    translator = sys.argv.pop(1)
    unittest.main()
