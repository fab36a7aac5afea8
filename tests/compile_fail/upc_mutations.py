# SPDX-License-Identifier: BSD-3-Clause
#
# Gives the translator damaged programs: correct ones in which some tokens are removed, swapped, doubled or replaced
# by words of UPC, and between them streams of such words without any grammar. The translator must always exit with 0
# or 1. With 1 it must have printed a reason that does not show the text it gives to Clang; with 0 the C compiler must
# accept its output. Each failure is printed with its seed, which repeats it.
"""usage: upc_mutations.py TRANSLATOR C_COMPILER TREE COUNT FIRST_SEED PROGRAM..."""

import os
import random
import re
import subprocess
import sys
import tempfile

TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|//[^\n]*|/\*.*?\*/|[A-Za-z_]\w*|\d[\w.]*|\s+|'
                   r"<<=|>>=|->|\+\+|--|&&|\|\||[-+*/%&|^<>=!]=|.", re.S)
WORDS = ["shared", "shared [3]", "shared []", "shared [*]", "strict", "relaxed", "THREADS", "MYTHREAD", "upc_forall",
         "upc_barrier", "upc_notify", "upc_wait", "upc_fence", "upc_localsizeof", "upc_blocksizeof", "upc_elemsizeof",
         "[", "]", "(", ")", "{", "}", ";", ",", "*", "&", "0", "int", "void", "struct", "typedef", "continue", "[*]",
         "#pragma upc strict\n", "\n#", "\\\n", "?", ":", "=", "sizeof", "static", "extern", "const", "return"]
NAMES = ["a", "b", "row", "f", "1", "0x", "'", '"text"', "a[", "(a", "int a", "-", "->", ".", "...", "if (a)", "else", "for (",
         "# 1 \"other.h\" 1 3\n", "/*", "//", "\n"]
INTERNAL = ("address_space", "btf_type_tag", "__upc_layout", "__upc_threads", "__upc_mythread")


def stream(dice):
    words = WORDS if dice.random() < 0.3 else WORDS + NAMES
    return "\n\n" + " ".join(dice.choice(words) for _ in range(dice.choice((3, 10, 40, 200, 1000))))


def mutated(text, dice):
    if dice.random() < 0.2:
        return stream(dice)
    head, _, body = text.partition("\n\n")  # the comment stays
    tokens = TOKEN.findall(body)
    for _ in range(dice.choice((1, 1, 1, 2, 3, 6))):
        place, other = dice.randrange(len(tokens)), dice.randrange(len(tokens))
        way = dice.randrange(6)
        if way == 0:
            del tokens[place:place + dice.choice((1, 1, 2, 5, 40))]
        elif way == 1:
            tokens[place], tokens[other] = tokens[other], tokens[place]
        elif way == 2:
            tokens[place:place] = tokens[place:place + dice.choice((1, 2, 8))]
        elif way == 3:
            tokens.insert(place, " " + dice.choice(WORDS) + " ")
        elif way == 4:
            tokens[place] = " " + dice.choice(WORDS) + " "
        else:
            tokens = tokens[:place] if dice.random() < 0.1 else tokens[:place] + tokens[other:other + 4] + tokens[place:]
        tokens = tokens or [" "]
    return head + "\n\n" + "".join(tokens)


def fault_of(translator, compiler, tree, source, output, threads):
    command = [translator, *threads, source, "-o", output]
    try:
        run = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=60, check=False)
    except subprocess.TimeoutExpired:
        return "does not end"
    if run.returncode not in (0, 1):
        return f"ends with {run.returncode}: {run.stderr[-300:]}"
    messages = [line for line in run.stderr.splitlines() if re.search(r"(error|warning|note): ", line)]
    shown = next((line for line in messages for word in INTERNAL if word in line), None)
    if shown:
        return f"shows what Clang was given: {shown}"
    if run.returncode == 1:
        return None if any("error: " in line for line in messages) else "fails without an error"
    folders = ["-I", tree, "-I", os.path.join(tree, "front/upc/include")]
    compiled = subprocess.run([compiler, "-x", "c", "-fsyntax-only", "-w", "-std=gnu17", *folders, output], capture_output=True,
                              text=True, errors="replace", timeout=60, check=False)
    if compiled.returncode != 0:
        line = next((line for line in compiled.stderr.splitlines() if "error" in line), "")
        return f"writes C that is refused: {line}"
    return None


def main():
    if len(sys.argv) < 7:
        sys.exit(__doc__)
    translator, compiler, tree = sys.argv[1:4]
    count, first = int(sys.argv[4]), int(sys.argv[5])
    texts = []
    for name in sys.argv[6:]:
        with open(name, encoding="utf-8") as stream:
            texts.append((name, stream.read()))
    faults = 0
    with tempfile.TemporaryDirectory() as folder:
        source, output = os.path.join(folder, "mutated.upc"), os.path.join(folder, "mutated.c")
        for seed in range(first, first + count):
            dice = random.Random(seed)
            name, text = dice.choice(texts)
            with open(source, "w", encoding="utf-8") as stream:
                stream.write(mutated(text, dice))
            threads = dice.choice(([], ["-T", "3"]))
            fault = fault_of(translator, compiler, tree, source, output, threads)
            if fault:
                faults += 1
                print(f"seed {seed} of {os.path.basename(name)} {' '.join(threads)}: {fault}")
                if keep := os.environ.get("KEEP"):
                    os.replace(source, os.path.join(keep, f"{seed}.upc"))
    print(f"{count} programs, {faults} faults")
    sys.exit(1 if faults else 0)


main()
