#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# Draws what a command printed as a picture of a terminal, for the README. Text stays text, so the
# picture is small, sharp and can be compared. The first argument is the command that is shown:
#
#   ./dev demo | python3 docs/terminal_svg.py './dev demo' >docs/demo.svg

import html
import sys

LINE_PX, COLUMN_PX, MARGIN_PX = 18, 8.4, 16
BACKGROUND, TEXT, PROMPT = "#16212c", "#d7e0e8", "#7fd1b9"
FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"


def row(number, line, colour):
    y = MARGIN_PX + (number + 1) * LINE_PX
    return (f'<text x="{MARGIN_PX}" y="{y}" fill="{colour}" xml:space="preserve">'
            f"{html.escape(line)}</text>")


def main(command):
    lines = [line.rstrip() for line in sys.stdin]
    columns = max(len(line) for line in [*lines, command + "  "])
    width = round(columns * COLUMN_PX + 2 * MARGIN_PX)
    height = (len(lines) + 1) * LINE_PX + 2 * MARGIN_PX
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
          f'width="{width}" height="{height}" font-family="{FONT}" font-size="14">')
    print(f'<rect width="{width}" height="{height}" rx="8" fill="{BACKGROUND}"/>')
    print(row(0, "$ " + command, PROMPT))
    for number, line in enumerate(lines, 1):
        if line:
            print(row(number, line, TEXT))
    print("</svg>")


if __name__ == "__main__":
    main(sys.argv[1])
