# SPDX-License-Identifier: BSD-3-Clause
#
# `python3 -m atoll_report FILE.json`: the same as `atoll bench report FILE.json`.

import sys

from atoll_report import command

sys.exit(command.main(sys.argv[1:]))
