#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# Random UPC programs against C. Each program works on arrays of many layouts and types by statements of all kinds. It
# is compiled as UPC, where its arrays are shared and the statements are run by threads in turn, and as C, where the
# same text works on private arrays. Both must print the same sums of all elements, for each number of threads, with
# THREADS constant and not. A seed gives the same program again, so that a failure can be repeated.
#
#   random_test.py BIN CC SEEDS [FIRST]

import pathlib
import random
import subprocess
import sys
import tempfile

HEAD = r"""
#include <stdio.h>
#include <string.h>
#ifdef __UPC__
#include <upc.h>
#define SHARED(block) shared block
#define TURN(t) if (MYTHREAD == (t) % THREADS)
#define JOIN upc_barrier
#define FORALL(i, first, last, affinity) upc_forall (int i = first; i < (int)(last); ++i; affinity)
#define FORALL_DOWN(i, first, last, affinity) upc_forall (int i = (int)(last) - 1; i >= (int)first; --i; affinity)
#else
#define MYTHREAD 0
#define SHARED(block)
#define TURN(t)
#define JOIN
#define FORALL(i, first, last, affinity) for (int i = first; i < (int)(last); ++i)
#define FORALL_DOWN(i, first, last, affinity) for (int i = (int)(last) - 1; i >= (int)first; --i)
#endif
typedef unsigned long U;
#define AT(e, n) ((int)((U)(e) % (U)(n)))
typedef struct {
  int a;
  short b[3];
  struct { long x; unsigned f : 5; int g : 9; unsigned long w : 33; } in;
  union { int whole; unsigned char part[4]; } u;
} record;
static record made(U seed) {
  record r = {.a = (int)seed, .b = {1, (short)seed, 3}};
  r.in.x = (long)(seed * 77);
  r.in.f = seed & 31;
  r.in.w = seed;
  r.u.whole = (int)(seed >> 3);
  return r;
}
static U sum = 17;
static void add(U value) { sum = (sum ^ value) * 1099511628211UL; }
"""

SCALARS = {"int": "int", "long": "long", "short": "short", "unsigned char": "byte", "unsigned": "uint"}


class Array:
    """A shared array: its element type, its dimensions, the first of which may be a multiple of THREADS."""

    def __init__(self, choose, number):
        self.name = f"a{number}"
        self.type = "record" if number % 4 == 3 else choose.choice(list(SCALARS))
        self.dims = [choose.randint(1, 6) for _ in range(choose.choice([1, 1, 2, 3]))]
        if number % 4 == 0:  # two long arrays, one element after the other on the next thread
            self.dims = [choose.randint(4, 40)]
        per_thread = 1
        for dim in self.dims:
            per_thread *= dim
        kind = choose.choice(["one", "some", "some", "none", "even"]) if number % 4 else "one"
        self.by_threads = kind != "none"
        self.block = {"one": 1, "some": choose.choice([2, 3, 5, 9, 16, 24]), "none": 0, "even": per_thread}[kind]
        self.layout = {"one": "", "some": f"[{self.block}]", "none": "[]", "even": "[*]"}[kind]
        self.count = f"({per_thread} * THREADS)" if self.by_threads else str(per_thread)

    def bound(self, which):
        text = str(self.dims[which])
        return f"({text} * THREADS)" if which == 0 and self.by_threads else text

    def declared(self):
        first = f"{self.dims[0]} * THREADS" if self.by_threads else str(self.dims[0])
        return f"SHARED({self.layout}) {self.type} {self.name}[{first}]" + "".join(f"[{d}]" for d in self.dims[1:]) + ";"

    def pointer(self):
        return f"SHARED([{self.block}]) {self.type}*"

    def start(self):
        return "&" + self.name + "[0]" * len(self.dims)


class Program:
    """The text of one program; expressions have the type U, and depth limits how they nest."""

    def __init__(self, seed):
        self.choose = random.Random(seed)
        self.arrays = [Array(self.choose, i) for i in range(6)]
        self.names = ["t"]
        self.pointers = []  # (name, array): pointers of the current block; NAME_at is the element's number
        self.fixed = None   # the only array that may be read, in loops that threads run at once

    def pick(self, *ways):
        return self.choose.choice(ways)()

    def element(self, array, depth):
        if self.pointers and self.choose.random() < 0.4:
            name, array = self.choose.choice(self.pointers)
            if self.choose.random() < 0.4:
                return f"(*{name})", array
            return f"{name}[AT({self.value(depth)}, {array.count}) - {name}_at]", array
        if self.choose.random() < 0.25:
            return f"(*({array.start()} + AT({self.value(depth)}, {array.count})))", array
        places = "".join(f"[AT({self.value(depth)}, {array.bound(i)})]" for i in range(len(array.dims)))
        return array.name + places, array

    def lvalue(self, depth, array=None):
        """An assignable place that holds a number."""
        text, array = self.element(array or self.any_array(), depth)
        if array.type != "record":
            return text
        if text.startswith("(*") and self.choose.random() < 0.5:
            text = text[2:-1] + "->"
        else:
            text += "."
        return text + self.choose.choice(["a", f"b[AT({self.value(depth)}, 3)]", "in.x", "in.f", "in.g", "in.w",
                                          "u.whole", f"u.part[AT({self.value(depth)}, 4)]"])

    def any_array(self):
        return self.fixed or self.choose.choice(self.arrays)

    def read(self, depth):
        return f"(U){self.lvalue(depth)}"

    def value(self, depth):
        if depth <= 0:
            return self.choose.choice([str(self.choose.randint(0, 99)) + "UL", f"(U){self.choose.choice(self.names)}"])
        low = depth - 1
        return self.pick(
            lambda: self.read(low), lambda: self.read(low),
            lambda: f"({self.value(low)} {self.choose.choice('+-*&|^')} {self.value(low)})",
            lambda: f"({self.value(low)} {self.choose.choice(['/', '%'])} (1 + (7 & {self.value(low)})))",
            lambda: f"({self.value(low)} >> (7 & {self.value(low)}))",
            lambda: f"(({self.value(low)} & 1) ? {self.read(low)} : {self.value(low)})",
            lambda: f"(U)({self.read(low)} && !{self.value(low)} || {self.value(low)})",
            lambda: f"(U)({self.read(low)} {self.choose.choice(['<', '==', '>=', '!='])} {self.value(low)})",
            lambda: f"(U)({self.value(low)}, {self.read(low)})",
            lambda: f"~{self.read(low)}", lambda: f"(U)-(int){self.read(low)}", self.size, self.difference)

    def size(self):
        array = self.choose.choice(self.arrays)
        return f"(U)sizeof({array.name}{'[0]' * self.choose.randint(0, len(array.dims))})"

    def difference(self):
        if not self.pointers:
            return "5UL"
        name, array = self.choose.choice(self.pointers)
        what = self.choose.choice(["- ({0})", "< ({0} + {1} / 2)", "!= ({0} + {1} / 2)", "> ({0})"])
        return f"(U)({name} {what.format(array.start(), array.count)})"

    def statement(self, depth):
        return self.pick(self.assign, self.assign, self.assign, self.step, self.chain, self.whole, self.loop, self.sweep,
                         lambda: self.branch(depth), self.walk)

    def assign(self):
        return f"{self.lvalue(1)} {self.choose.choice(['=', '+=', '-=', '*=', '^=', '|=', '&=', '<<= 3 &'])} {self.value(2)};"

    def step(self):
        before, after = self.choose.choice([("++", ""), ("", "++"), ("--", ""), ("", "--")])
        return f"t = (U)({before}{self.lvalue(1)}{after}); add(t);"

    def chain(self):
        """The first place reads no element, since C does not define whether it would see the second assignment."""
        return f"{self.lvalue(0)} = {self.lvalue(1)} = {self.value(1)};"

    def whole(self):
        """Whole records, from one of the two arrays that have them."""
        def one():
            array = self.arrays[3]
            return array.name + "".join(f"[AT({self.value(1)}, {array.bound(i)})]" for i in range(len(array.dims)))
        return self.pick(lambda: f"{one()} = {one()};", lambda: f"{one()} = made({self.value(1)});",
                         lambda: f"{{ record copy = {one()}; copy.a += 3; {one()} = copy; add((U)copy.in.g); }}")

    def loop(self):
        self.names.append("i")
        body = self.choose.choice([self.assign, self.step])()
        self.names.remove("i")
        return f"for (int i = 0; i < {self.choose.randint(1, 5)}; ++i) {{ {body} }}"

    def sweep(self):
        """A loop over consecutive elements, of one array or of two."""
        first, second = self.any_array(), self.any_array()
        by_name = self.choose.random() < 0.5
        if by_name:
            first, second = self.choose.sample([self.arrays[0], self.arrays[4]], 2)
        x, y = [".in.x" if array.type == "record" else "" for array in (first, second)]
        shift = self.choose.choice(["", " - 1", " + 1"])
        body = self.choose.choice([
            f"s[i]{x} = (U)r[i{shift}]{y} + i;", f"s[i{shift}]{x} += (U)r[i]{y};", f"t += (U)r[i]{y} * (U)s[i{shift}]{x};",
            f"if (i & 1) s[i]{x} ^= (U)s[i{shift}]{x}; else t += (U)r[i + 1]{y};",
            f"{{ if ((U)r[i]{y} & 1) continue; s[i]{x} = t; }}", f"t += (*r++){y} + (U)s[i]{x};", f"(*s++){x} = (U)r[i]{y};",
            f"(*s++){x} += (U)(*r++){y};"])
        if by_name:
            place, other = f"{first.name}[i]{x}", f"(U){second.name}[i{shift}]{y}"
            body = self.choose.choice([f"{place} = {other} * i;", f"{{ {place} ^= {other}; t -= {other} + i; }}",
                                       f"u += (int){other} * 77;", f"{{ t ^= {other}; u -= (int){other}; }}"])
        last = f"({first.count} < {second.count} ? {first.count} : {second.count}) - {self.choose.choice([1, 2])}"
        return (f"{{ {first.pointer()} s = {first.start()}; {second.pointer()} r = {second.start()}; int u = 5; "
                f"const int last = (int)({last}); for (int i = 1; i < last; ++i) {body} add(t + (U)u); }}")

    def branch(self, depth):
        if depth <= 0:
            return self.assign()
        return f"if ({self.value(1)} & 2) {{ {self.statement(depth - 1)} }} else {{ {self.statement(depth - 1)} }}"

    def walk(self):
        if not self.pointers:
            return self.assign()
        name, array = self.choose.choice(self.pointers)
        where = f"AT({self.value(1)}, {array.count})"
        return self.choose.choice([
            f"{{ int to = {where}; {name} += to - {name}_at; {name}_at = to; }}",
            f"{{ int to = {where}; {name} = {name} - ({name}_at - to); {name}_at = to; }}",
            f"if ({name}_at + 1 < (int){array.count}) {{ {name}++; ++{name}_at; }}",
            f"if ({name}_at > 0) {{ --{name}; --{name}_at; }}"])

    def block(self, turn):
        """Statements that one thread runs, with two pointers of its own."""
        lines = [f"TURN({turn}) {{", "  U t = 3;"]
        for name in ("p", "q"):
            array = self.choose.choice(self.arrays)
            lines.append(f"  int {name}_at = AT({self.value(0)}, {array.count});")
            lines.append(f"  {array.pointer()} {name} = {array.start()} + {name}_at;")
            self.pointers.append((name, array))
        lines += ["  " + self.statement(2) for _ in range(self.choose.randint(3, 8))]
        self.pointers = []
        return lines + ["  add(t);", "}", "JOIN;"]

    def forall(self):
        """A loop that threads share: it changes one array and reads another."""
        changed, read = self.choose.sample([a for a in self.arrays if a.type != "record"], 2)
        self.fixed, self.names = read, ["i"]
        place = f"({changed.start()})[i]"
        affinity = self.choose.choice([f"&{place}", "i", f"{changed.start()} + i", f"{read.start()} + AT(i, {read.count})"])
        loop = self.choose.choice(["FORALL", "FORALL_DOWN"])
        head = f"{loop}(i, {self.choose.choice([0, 0, 1])}, {changed.count}, {affinity})"
        lines = [f"{head} {place} {self.choose.choice(['=', '+=', '^='])} {self.value(2)};", "JOIN;"]
        self.fixed, self.names = None, ["t"]
        return lines

    def text(self):
        lines = [HEAD] + [a.declared() for a in self.arrays] + ["static void work(void) {"]
        for array in self.arrays:
            value = "made((U)i)" if array.type == "record" else "(U)i * 31 + 7"
            lines += [f"FORALL(i, 0, {array.count}, {array.start()} + i) ({array.start()})[i] = {value};", "JOIN;"]
        for part in range(10):
            lines += self.forall() if part % 3 == 2 else self.block(part)
        lines += ["}", "int main(void) {", "work();", "sum = 17;", "if (MYTHREAD == 0) {"]
        for array in self.arrays:
            lines.append(f"for (int i = 0; i < (int){array.count}; ++i) {{")
            if array.type == "record":
                lines.append(f"  record r = ({array.start()})[i]; add((U)r.a); add((U)r.in.x); add(r.in.f);"
                             " add((U)r.in.g); add(r.in.w); add((U)r.u.whole); add((U)(r.b[0] + r.b[1] * 3 + r.b[2]));")
            else:
                lines.append(f"  add((U)({array.start()})[i]);")
            lines.append("}")
            lines.append(f'printf("{array.name} %lx\\n", sum);')
        return "\n".join(lines + ["}", "return 0;", "}"]) + "\n"


def call(command, folder):
    answer = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
    return answer.returncode, answer.stdout, answer.stderr


def compare(seed, tools, cc, folder):
    """Runs the program of a seed; returns what is wrong with it, or an empty string."""
    source = pathlib.Path(folder) / f"random_{seed}.upc"
    source.write_text(Program(seed).text(), encoding="utf-8")
    fixed = (2, 3, 4, 5, 7)[seed % 5]
    programs = [([], [1, 2, 3, 4, 5, 7]), (["-T", str(fixed)], [fixed])]
    for options, counts in programs:
        code, _, output = call([f"{tools}/upcc", "-norc", "-O1", *options, source.name, "-o", "by_upc"], folder)
        if code != 0:
            return f"upcc {' '.join(options)}: {output[:2000]}"
        for count in counts:
            call([cc, "-x", "c", "-w", "-O1", "-fwrapv", "-fno-strict-aliasing", f"-DTHREADS={count}", source.name,
                  "-o", "by_c"], folder)
            expected = call(["./by_c"], folder)
            # Also with threads that reach each other by messages only.
            for apart in [[], ["env", "ATOLL_NEIGHBOURHOOD=1"]][:2 if count in (2, 3) else 1]:
                is_so = call([*apart, f"{tools}/atoll", "run", "-n", str(count), "--timeout", "30", "./by_upc"], folder)
                if is_so[:2] != expected[:2]:
                    return f"{options}, {count} threads {apart}:\n{is_so[1]}{is_so[2]}instead of\n{expected[1]}"
    return ""


def main(tools, cc, count, first="1"):
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(int(first), int(first) + int(count)):
            if problem := compare(seed, tools, cc, folder):
                wrong += 1
                print(f"seed {seed}: {problem}")
    print(f"{count} programs, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
