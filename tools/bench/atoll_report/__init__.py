# SPDX-License-Identifier: BSD-3-Clause
#
# The report of `atoll bench`: a recording in, one web page and pictures out. Its statements are
# worked out first (recording, analysis, summary), then drawn (charts, then svg for the page and
# pictures for PNG), then laid out (page, with page.html, page.css and page.js). Nothing here
# measures.
