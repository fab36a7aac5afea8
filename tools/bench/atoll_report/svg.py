# SPDX-License-Identifier: BSD-3-Clause
#
# Charts as inline SVG. Colours, fonts and what is visible are the style sheet's (classes c0, c1 ... are the
# implementations, in the order of the recording), so that one drawing serves light, dark, paper and a
# phone. Each scale is a drawing of its own inside the picture and the page shows one of them: switching needs
# no arithmetic in the browser, and without scripts the page is whole.

import html
import json
import math
from dataclasses import dataclass

from atoll_report import charts

WIDTH, HEIGHT = 560, 340
LEFT, RIGHT, TOP, BOTTOM = 82, 16, 14, 52
SIDE_LEAST = 22  # a lower strip has no room for its label
MARKERS = ("circle", "square", "triangle", "diamond", "cross", "star")


@dataclass(frozen=True)
class Plane:
    """Where numbers lie in the picture."""

    x_low: float
    x_high: float
    y_low: float
    y_high: float
    y_is_log: bool

    def x(self, value):
        part = math.log(value / self.x_low) / math.log(self.x_high / self.x_low)
        return LEFT + part * (WIDTH - LEFT - RIGHT)

    def y(self, value):
        if self.y_is_log:
            part = math.log(max(value, self.y_low) / self.y_low) / math.log(self.y_high / self.y_low)
        else:
            part = (value - self.y_low) / (self.y_high - self.y_low)
        return HEIGHT - BOTTOM - min(max(part, 0), 1) * (HEIGHT - TOP - BOTTOM)


def plane_of(chart, scale):
    return Plane(*charts.x_range(chart), *charts.y_range(chart, scale), scale == "log")


def point(*numbers):
    return " ".join(f"{number:.1f}" for number in numbers)


def text(x, y, words, css, anchor="middle"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{css}">{html.escape(words)}</text>'


def marker(shape, x, y, size=3.6):
    """A point as a path; shapes differ so that colour is not needed to tell curves apart."""
    s = size
    paths = {
        "circle": f"M{point(x - s, y)}a{s} {s} 0 1 0 {2 * s} 0a{s} {s} 0 1 0 {-2 * s} 0z",
        "square": f"M{point(x - s, y - s)}h{2 * s}v{2 * s}h{-2 * s}z",
        "triangle": f"M{point(x, y - 1.3 * s)}L{point(x + 1.2 * s, y + s)}H{x - 1.2 * s:.1f}z",
        "diamond": f"M{point(x, y - 1.4 * s)}L{point(x + 1.4 * s, y)}L{point(x, y + 1.4 * s)}L{point(x - 1.4 * s, y)}z",
        "cross": f"M{point(x - s, y - s)}L{point(x + s, y + s)}M{point(x - s, y + s)}L{point(x + s, y - s)}",
        "star": f"M{point(x, y - s)}V{y + s:.1f}M{point(x - s, y)}H{x + s:.1f}M{point(x - s, y - s)}L{point(x + s, y + s)}",
    }
    return f'<path class="marker" d="{paths[shape]}"/>'


def shape_of(index):
    return MARKERS[index % len(MARKERS)]


def visible(curve):
    return [point for point in curve.points if point.x > 0 and point.y > 0]


def band(points, plane):
    """The area of one MAD to each side."""
    if len(points) < 2:
        return ""
    upper = [point(plane.x(p.x), plane.y(p.y + p.mad)) for p in points]
    lower = [point(plane.x(p.x), plane.y(p.y - p.mad)) for p in reversed(points)]
    return f'<path class="band" d="M{"L".join(upper + lower)}z"/>'


def mark_lines(curve, plane):
    """From where a share of the peak is reached down to the axis."""
    drawn = []
    for mark in curve.marks:
        x, y, percent = plane.x(mark.x), plane.y(mark.y), round(100 * mark.share)
        drawn.append(f'<g class="mark share{percent}"><path d="M{point(x, y)}V{HEIGHT - BOTTOM}"/>'
                     f'<path class="ring" d="M{point(x - 5, y)}a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z"/></g>')
    return "".join(drawn)


def draw_curve(curve, index, plane):
    points = visible(curve)
    if not points:
        return ""
    line = "L".join(point(plane.x(p.x), plane.y(p.y)) for p in points)
    markers = "".join(marker(shape_of(index), plane.x(p.x), plane.y(p.y)) for p in points)
    return (f'<g class="curve c{index}" data-by="{html.escape(curve.name)}">{band(points, plane)}'
            f'{mark_lines(curve, plane)}<path class="line" d="M{line}"/>{markers}</g>')


def draw_axes(chart, scale, plane):
    right, floor = WIDTH - RIGHT, HEIGHT - BOTTOM
    parts = []
    for tick in charts.y_ticks(chart, scale):
        y = plane.y(tick)
        css = "grid even" if chart.is_ratio and tick == 1 else "grid"
        parts.append(f'<path class="{css}" d="M{point(LEFT, y)}H{right}"/>')
        parts.append(text(LEFT - 8, y + 4, chart.y_text(tick), "tick", "end"))
    for number, tick in enumerate(charts.size_ticks(plane.x_low, plane.x_high)):
        x = plane.x(tick)
        parts.append(f'<path class="grid faint" d="M{point(x, TOP)}V{floor}"/>')
        parts.append(text(x, floor + 18, chart.x_text(tick), "tick" if number % 2 == 0 else "tick odd"))
    parts.append(text((LEFT + right) / 2, HEIGHT - 8, chart.x_title, "axis"))
    return "".join(parts)


def sides(plane):
    """A ratio's picture is shaded where Atoll is slower."""
    y, floor = plane.y(1), HEIGHT - BOTTOM
    label = text(LEFT + 6, floor - 7, "Atoll slower", "side", "start") if floor - y > SIDE_LEAST else ""
    return (f'<path class="slower-side" d="M{point(LEFT, y)}H{WIDTH - RIGHT}V{floor}H{LEFT}z"/>{label}'
            + text(WIDTH - RIGHT - 6, TOP + 14, "Atoll faster", "side", "end"))


def draw_scale(chart, scale, order):
    plane = plane_of(chart, scale)
    inside = sides(plane) if chart.is_ratio else ""
    curves = "".join(draw_curve(each, order.index(each.name), plane) for each in reversed(chart.curves))
    smoke = text(WIDTH / 2, HEIGHT / 2, "smoke run", "smoke") if chart.smoke else ""
    return (f'<g class="scale {scale}">{inside}{draw_axes(chart, scale, plane)}{smoke}{curves}'
            f'<path class="frame" d="M{point(LEFT, TOP)}V{HEIGHT - BOTTOM}H{WIDTH - RIGHT}"/></g>')


def draw(chart, order):
    """The picture; `order` has the names of all implementations, which give colours and shapes."""
    drawings = "".join(draw_scale(chart, scale, order) for scale in chart.scales)
    title, words = html.escape(chart.title), html.escape(chart.words)
    # The empty title on top keeps browsers from showing the picture's title over its tooltip.
    return (f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-labelledby="{chart.key}-t {chart.key}-d">'
            f'<title id="{chart.key}-t">{title}</title><desc id="{chart.key}-d">{words}</desc>{drawings}'
            f'<g class="hover"></g><rect class="catch" x="{LEFT}" y="{TOP}" width="{WIDTH - LEFT - RIGHT}" '
            f'height="{HEIGHT - TOP - BOTTOM}"><title></title></rect></svg>')


def points_of(chart, order):
    """For the tooltip: each curve's points as [words of x, words of y, x, y of each scale]."""
    planes = {scale: plane_of(chart, scale) for scale in chart.scales}
    found = []
    for curve in chart.curves:
        points = [{"at": chart.x_text(p.x), "text": words, "x": round(planes["log"].x(p.x), 1),
                   "y": {scale: round(plane.y(p.y), 1) for scale, plane in planes.items()}}
                  for p, words in zip(curve.points, curve.texts) if p.x > 0 and p.y > 0]
        found.append({"by": curve.name, "title": curve.title, "colour": order.index(curve.name),
                      "points": points})
    return json.dumps(found, ensure_ascii=False).replace("<", "\\u003c")


def swatch(index):
    """The line and the point of an implementation, for legends."""
    return (f'<svg class="swatch c{index}" viewBox="0 0 34 12" aria-hidden="true">'
            f'<path class="line" d="M1 6H33"/>{marker(shape_of(index), 17, 6)}</svg>')
