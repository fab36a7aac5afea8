# SPDX-License-Identifier: BSD-3-Clause
#
# Numbers as people read them: three digits and a unit that fits. Pages and pictures say every quantity by
# these functions, so the same figure never looks different in two places.

GAP = "\u00a0"  # a number and its unit stay on one line
TIMES = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns"))
DECIMAL = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))
BINARY = ((2.0**40, "TiB"), (2.0**30, "GiB"), (2.0**20, "MiB"), (2.0**10, "KiB"), (1.0, "B"))
RATES = {"op/s": 1.0, "ops/s": 1.0, "1/s": 1.0, "msg/s": 1.0, "updates/s": 1.0}
FLOWS = {"B/s": 1.0, "KB/s": 1e3, "MB/s": 1e6, "GB/s": 1e9}
TO_NS = {"ns": 1.0, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9}


def digits(value):
    """Three digits: 6.91, 12.3, 456; more before the point stay."""
    if value == 0:
        return "0"
    size = abs(value)
    if size >= 99.95:
        return f"{value:,.0f}".replace(",", "\u202f")
    return f"{value:.1f}" if size >= 9.995 else f"{value:.2f}" if size >= 0.0995 else f"{value:.2g}"


def step_of(number, steps):
    # 0.9995: a figure that would be rounded to 1000 of one unit is 1 of the next.
    return next(((f, u) for f, u in steps if abs(number) >= 0.9995 * f), steps[-1])


def size(count):
    """A number of bytes, exact where it is a round one: 8 B, 64 KiB, 5.3 KiB."""
    factor, unit = next(((f, u) for f, u in BINARY if count >= f), BINARY[-1])
    shown = count / factor
    return (f"{shown:.0f}" if shown == round(shown) else digits(shown)) + GAP + unit


def in_steps(number, unit, say):
    """A figure in the unit of its case, with the prefix that fits; `say` writes the number."""
    factor, steps, ending = 1.0, (), unit
    if unit in TO_NS:
        factor, steps, ending = TO_NS[unit], TIMES, ""
    elif unit in FLOWS:
        factor, steps, ending = FLOWS[unit], DECIMAL, "B/s"
    elif unit in RATES:
        factor, steps, ending = RATES[unit], DECIMAL, "/s"
    if not steps:
        return f"{say(number)}{GAP}{ending}".rstrip(GAP)
    by, prefix = step_of(number * factor, steps)
    gap = "" if not prefix and ending == "/s" else GAP
    return f"{say(number * factor / by)}{gap}{prefix}{ending}"


def value(number, unit):
    return in_steps(number, unit, digits)


def tick(number, unit):
    """The same for the round numbers of an axis: 10 GB/s, not 10.0 GB/s."""
    return in_steps(number, unit, lambda each: f"{each:.4g}") if number else "0"


def times(advantage):
    """How far apart two are: 1.40x, 3.2x, 12x; never below 1, and no more digits than mean something."""
    apart = max(advantage, 1 / advantage) if advantage > 0 else 0
    if apart >= 9.95:
        return f"{apart:,.0f}×".replace(",", "\u202f")
    return f"{apart:.2f}×" if apart < 1.995 else f"{apart:.1f}×"


def verdict(advantage):
    """An advantage in words, without looking at noise."""
    return f"{times(advantage)} {'faster' if advantage >= 1 else 'slower'}"


def ranks(count):
    return "1 rank" if count == 1 else f"{count} ranks"


def duration(seconds):
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
