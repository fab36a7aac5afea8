# SPDX-License-Identifier: BSD-3-Clause
#
# Charts as PNG files, by matplotlib: for papers, slides and READMEs, where a page does not go. The same
# charts as on the page, with the same colours and shapes.

import pathlib

import matplotlib

matplotlib.use("Agg")  # no screen is needed

from matplotlib import pyplot, ticker  # noqa: E402

from atoll_report import charts  # noqa: E402

COLOURS = ("#00796b", "#d1571c", "#6b4fbb", "#b8860b", "#1f6fb5", "#b0307a")
MARKERS = ("o", "s", "^", "D", "x", "P")
DASHES = ("-", (0, (6, 2)), (0, (2, 2)), "-.", (0, (8, 2, 2, 2)), ":")
INCHES, DPI = (7.2, 4.4), 150
OVERVIEW = ("latency", "bandwidth")  # sets


def draw_curve(axes, curve, index, low):
    points = [point for point in curve.points if point.x > 0 and point.y > 0]
    style = index % len(COLOURS)
    xs, ys = [p.x for p in points], [p.y for p in points]
    axes.plot(xs, ys, color=COLOURS[style], marker=MARKERS[style], linestyle=DASHES[style], markersize=4.5,
              linewidth=1.8, label=curve.title, zorder=10 - index)
    axes.fill_between(xs, [max(p.y - p.mad, low) for p in points], [p.y + p.mad for p in points],
                      color=COLOURS[style], alpha=0.16, linewidth=0)
    for mark in curve.marks:
        axes.plot([mark.x, mark.x], [low, mark.y], color=COLOURS[style], linewidth=0.9,
                  linestyle=":" if mark.share < 0.9 else "--")
        axes.plot([mark.x], [mark.y], marker="o", markersize=9, fillstyle="none", color=COLOURS[style])


def lay_out_axes(axes, chart, scale):
    low, high = charts.y_range(chart, scale)
    x_low, x_high = charts.x_range(chart)
    axes.set_xscale("log", base=2)
    if scale == "log":
        axes.set_yscale("log")
    axes.set_ylim(low, high)
    axes.set_xticks(charts.size_ticks(x_low, x_high))
    axes.set_yticks(charts.y_ticks(chart, scale))
    for axis, words in ((axes.xaxis, ticker.FuncFormatter(lambda x, _: chart.x_text(x))),
                        (axes.yaxis, ticker.FuncFormatter(lambda y, _: chart.y_text(y)))):
        axis.set_major_formatter(words)
        axis.set_minor_locator(ticker.NullLocator())
    axes.set_xlabel(chart.x_title)
    axes.set_ylabel(chart.y_title)
    axes.grid(color="#d9dee2", linewidth=0.7)
    axes.spines[["top", "right"]].set_visible(False)


def draw_on(axes, chart, order):
    """All of one chart."""
    lay_out_axes(axes, chart, chart.scales[0])
    low, _ = axes.get_ylim()
    for curve in chart.curves:
        draw_curve(axes, curve, order.index(curve.name), low)
    if chart.is_ratio:
        axes.axhline(1, color="#39424a", linewidth=1.2)
        axes.axhspan(low, 1, color="#c62828", alpha=0.05)
    if chart.smoke:
        axes.text(0.5, 0.5, "smoke run: figures mean nothing", transform=axes.transAxes, ha="center",
                  va="center", fontsize=17, color="#b71c1c", alpha=0.45, rotation=15)
    axes.set_title(chart.title, loc="left", fontsize=11, fontweight="bold")
    axes.legend(frameon=False, fontsize=9)


def save(shown, order, note, path):
    """Charts side by side in one file."""
    width, height = INCHES
    figure, all_axes = pyplot.subplots(1, len(shown), figsize=(width * len(shown), height), dpi=DPI,
                                       layout="constrained", squeeze=False)
    for axes, chart in zip(all_axes[0], shown):
        draw_on(axes, chart, order)
    figure.supxlabel(note, fontsize=7.5, color="#5b6670")
    figure.savefig(path)
    pyplot.close(figure)
    return path


def overview_of(all_charts):
    """The first curve of latency and the first of bandwidth: what is looked for first."""
    firsts = (next((each for each in all_charts if each.key.startswith(f"{name}-")), None)
              for name in OVERVIEW)
    return [each for each in firsts if each]


def write(all_charts, order, note, folder):
    """One file per chart in `folder`, which is made when it is not there, and an overview; their paths."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    written = [save([chart], order, note, folder / f"{chart.key}.png") for chart in all_charts]
    if len(overview := overview_of(all_charts)) == len(OVERVIEW):
        written.append(save(overview, order, note, folder / "overview.png"))
    return written
