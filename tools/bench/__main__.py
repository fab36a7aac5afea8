# SPDX-License-Identifier: BSD-3-Clause
#
# The program that `atoll bench` starts, with the folder of this installation as --prefix: finds the
# subcommand. Each imports only what it needs.

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))


def main(words):
    prefix = pathlib.Path(sys.executable).parent.parent
    if len(words) > 1 and words[0] == "--prefix":
        prefix, words = pathlib.Path(words[1]), words[2:]
    if words and words[0] == "report":
        from atoll_report import command
        return command.main(words[1:])
    if words and words[0] == "regions":  # by atoll tune page
        from atoll_report import regions
        return regions.main(words[1:])
    if words and words[0] == "compare":
        from atoll_bench import comparing
        return comparing.main(words[1:])
    from atoll_bench import command
    return command.main(words, prefix)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
