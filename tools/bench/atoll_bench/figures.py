# SPDX-License-Identifier: BSD-3-Clause
#
# The figures of the samples of one case, one sample per turn. Noise on a shared machine only ever
# adds, so medians and median absolute deviations, no means. A turn that failed is None: samples of
# several implementations stay side by side, and ratios are formed within a turn.

import statistics


def present(samples):
    return [each for each in samples if each is not None]


def summary(samples):
    """Median, MAD, minimum and maximum of the samples that are present; None when there are none."""
    values = present(samples)
    if not values:
        return None
    median = statistics.median(values)
    return {"median": median, "mad": statistics.median(abs(each - median) for each in values),
            "min": min(values), "max": max(values)}


def ratios(own, peer):
    """Our samples over the peer's, turn by turn."""
    return [None if a is None or not b else a / b for a, b in zip(own, peer)]
