#!/usr/bin/env python3
"""Runs a command in a terminal and writes its screen as an SVG picture.

The picture of the README, from the top of the repository:

    python3 xtask/picture.py --until "merge_review_.*_v1" --rows 27 docs/demo.svg target/release/gemicro demo
"""

import argparse
import fcntl
import html
import os
import pty
import re
import struct
import sys
import termios

COLOURS = {31: "#f47067", 32: "#57ab5a", 33: "#c69026", 34: "#539bf5", 35: "#b083f0", 36: "#39c5cf"}
BACKGROUND, FOREGROUND, DIM = "#1c2128", "#cdd9e5", "#768390"
CELL, LINE, MARGIN = 7.9, 18, 16
TOKEN = re.compile(r"\x1b\[([0-9;?]*)([A-Za-z])|\r|\n|[^\x1b\r\n]+")


def capture(command, columns):
    """What the command writes to a terminal of this width."""
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(TERM="xterm-256color", COLUMNS=str(columns))
        os.environ.pop("NO_COLOR", None)
        os.execvp(command[0], command)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    written = b""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # Linux reports the end of a terminal as an error.
            break
        if not piece:
            break
        written += piece
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status:
        sys.exit(f"{' '.join(command)} failed with exit code {status}:\n{written.decode(errors='replace')}")
    return written.decode()


def screen(written, columns, until):
    """Rows of (character, style) cells, as they are when `until` first matches the text above the cursor."""
    rows, row, column, style = [[]], 0, 0, ()
    matched = False
    for token in TOKEN.finditer(written):
        text = token[0]
        if text == "\r":
            column = 0
        elif text == "\n":
            row += 1
            rows += [[]] * (row + 1 - len(rows))
            if until and any(until.search(plain(line)) for line in rows[:row]):
                matched = True
        elif token[2] == "m":
            codes = [int(code or 0) for code in token[1].split(";")]
            style = () if codes == [0] else style + tuple(codes)
        elif token[2] == "A":
            if matched:  # The live lines at the bottom are complete: they are about to be redrawn.
                return rows
            row -= int(token[1] or 1)
        elif token[2] == "J":
            rows = rows[:row] + [rows[row][:column]]
        elif not token[2]:
            for character in text:
                if column == columns:
                    row, column = row + 1, 0
                    rows += [[]] * (row + 1 - len(rows))
                line = rows[row] + [(" ", ())] * (column - len(rows[row]))
                rows[row] = line[:column] + [(character, style)] + line[column + 1 :]
                column += 1
    if until:
        sys.exit(f"the screen never showed {until.pattern}")
    return rows


def plain(line):
    return "".join(character for character, _ in line)


def picture(rows, columns, title):
    """The rows as SVG. Spans of one style are one element, placed by their column."""
    width, height = columns * CELL + 2 * MARGIN, (len(rows) + 2) * LINE + 2 * MARGIN
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" role="img">',
        f"<title>{html.escape(title)}</title>",
        f'<rect width="100%" height="100%" rx="8" fill="{BACKGROUND}"/>',
        f'<g font-family="ui-monospace,Menlo,Consolas,monospace" font-size="13" fill="{FOREGROUND}">',
    ]
    prompt = [("$", (32,)), *((character, (1,)) for character in f" {title}")]
    for number, row in enumerate([prompt, [], *rows]):
        start = 0
        while start < len(row):
            end = start
            while end < len(row) and row[end][1] == row[start][1]:
                end += 1
            text, style = plain(row[start:end]), row[start][1]
            first = start + len(text) - len(text.lstrip())
            text = text.strip()
            if text:
                colour = next((COLOURS[code] for code in style if code in COLOURS), DIM if 2 in style else None)
                fill = f' fill="{colour}"' if colour else ""
                weight = ' font-weight="bold"' if 1 in style else ""
                place = f'x="{MARGIN + first * CELL:.1f}" y="{MARGIN + (number + 1) * LINE - 4}"'
                length = f'textLength="{len(text) * CELL:.1f}"'
                lines.append(f"<text {place} {length}{fill}{weight}>{html.escape(text)}</text>")
            start = end
    return "\n".join([*lines, "</g>", "</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--until", type=re.compile, help="stop at the first screen that matches")
    parser.add_argument("--rows", type=int, default=30, help="how many of the last rows are shown")
    parser.add_argument("--columns", type=int, default=100)
    parser.add_argument("svg")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    rows = screen(capture(arguments.command, arguments.columns), arguments.columns, arguments.until)
    while rows and not plain(rows[-1]).strip():
        rows.pop()
    title = " ".join([os.path.basename(arguments.command[0]), *arguments.command[1:]])
    with open(arguments.svg, "w", encoding="utf-8") as file:
        file.write(picture(rows[-arguments.rows :], arguments.columns, title))


main()
