# SPDX-License-Identifier: BSD-3-Clause
#
# Limits on sizes: functions of at most 70 lines and 5 parameters, files of at most 1,000 lines,
# fewer than 3 #if per 1,000 lines. Functions are found by their braces, without a parser: a brace
# at the level of a namespace or a class opens a function when the text before it has a parameter list.
# This is exact enough for code that clang-format lays out.

import re

FUNCTION_LINES_MAX = 70
FILE_LINES_MAX = 1000
PARAMETERS_MAX = 5
# A transfer has a segment, a rank, a target, a source and a size, as in every PGAS standard, and then the
# event and the options.
PARAMETERS_MAX_TRANSFER = 7
TRANSFERS = ("atoll/core/rma/", "atoll/core/atomic/atomic.", "atoll/core/segment/segment.",
             "atoll/core/segment/segment_access.", "atoll/core/abi.", "atoll/coll/collectives.")
CONDITIONALS_PER_1000 = 3.0

SCOPE = re.compile(r"\b(namespace|class|struct|union|enum|extern|concept)\b")
CONDITIONAL = re.compile(r"^\s*#\s*(if|ifdef|ifndef)\b")


def matching_brace(code, start):
    depth = 0
    for i in range(start, len(code)):
        if code[i] == "{":
            depth += 1
        elif code[i] == "}":
            depth -= 1
            if depth == 0:
                return i
    return len(code) - 1


def outside_brackets(header):
    """`header` without what stands in parentheses, and the texts of its outer parentheses."""
    plain, groups, depth, start = [], [], 0, 0
    for i, c in enumerate(header):
        if c == "(":
            depth += 1
            if depth == 1:
                start = i + 1
        elif c == ")":
            depth -= 1
            if depth == 0:
                groups.append(header[start:i])
                plain.append("()")
        elif depth == 0:
            plain.append(c)
    return "".join(plain), groups


def without_template_head(header):
    """`header` without the `template <...>` before it, if there is one."""
    match = re.match(r"\s*template\s*<", header)
    if not match:
        return header
    depth = 1
    for i in range(match.end(), len(header)):
        depth += (header[i] == "<") - (header[i] == ">" and header[i - 1] != "-")
        if depth == 0:
            return without_template_head(header[i + 1 :])
    return header


def opens_function(header):
    header = re.sub(r"^\s*requires\s*\([^{};]*?\)\s(?=\s*\w)", "", without_template_head(header))
    plain, groups = outside_brackets(header)
    if not groups:
        return False
    before_parameters = plain.split("()")[0]
    if SCOPE.search(before_parameters) and "operator" not in plain:
        return bool(re.match(r'\s*extern\s+"\s*"\s+\w', header))
    assignment = re.sub(r"operator\s*[=!<>]=?", "", plain)
    return not re.search(r"(?<![=!<>])=(?!=)", assignment)


def functions(code):
    """Yields (first line, line of the opening brace, last line, header) of each function."""
    i, header_start = 0, 0
    while i < len(code):
        c = code[i]
        if c == "{":
            header = code[header_start:i]
            if not opens_function(header):
                if "(" in header or "=" in header:  # an initialiser: nothing of interest inside
                    i = matching_brace(code, i)
                else:
                    header_start = i + 1
            else:
                end = matching_brace(code, i)
                following = code[end + 1 :].lstrip()[:1]
                if following not in (",", "{"):  # else the brace belongs to a constructor's a_{1}
                    lead = len(header) - len(header.lstrip())
                    yield (code.count("\n", 0, header_start + lead) + 1,
                           code.count("\n", 0, i) + 1, code.count("\n", 0, end) + 1, header.strip())
                    header_start = end + 1
                i = end
        elif c in ";}":
            header_start = i + 1
        i += 1


def parameter_count(header):
    """Commas of the first outer parentheses that are a parameter list."""
    header = without_template_head(header)
    groups = outside_brackets(header)[1]
    name = re.match(r"(?s)(.*?)\(", header)
    if name and re.search(r"\b(requires|alignas|decltype|noexcept|__attribute__)\s*$", name.group(1)):
        groups = groups[1:]
    parameters = groups[0] if groups else ""
    depth, count = 0, 1 if parameters.strip() not in ("", "void") else 0
    for c in parameters:
        depth += (c in "(<{[") - (c in ")>}]")
        count += c == "," and depth == 0
    return count


def rule_function_size(tree):
    """function-size: at most 70 lines"""
    for file in tree.code():
        if file.is_dictated:
            continue
        for first, _, last, _ in functions(file.code_without_directives):
            length = last - first + 1
            if length > FUNCTION_LINES_MAX:
                yield file.path, first, f"a function of {length} lines; the limit is {FUNCTION_LINES_MAX}"


def rule_parameters(tree):
    """parameters: at most 5, then an options struct"""
    for file in tree.code():
        if file.parts[0] == "front" or file.is_test:
            continue  # a standard fixes the shape of a front's functions
        for first, _, _, header in functions(file.code_without_directives):
            wide = file.path.startswith(TRANSFERS) or "am_token&" in header  # or a handler of messages
            limit = PARAMETERS_MAX_TRANSFER if wide else PARAMETERS_MAX
            count = parameter_count(header)
            if count > limit:
                yield file.path, first, f"a function of {count} parameters; the limit is {limit}"


def rule_file_size(tree):
    """file-size: at most 1,000 lines"""
    for file in tree.files:
        if file.is_code or file.suffix in (".py", ".cmake") or file.name == "dev":
            if len(file.lines) > FILE_LINES_MAX and not file.is_dictated:
                yield file.path, len(file.lines), f"the limit is {FILE_LINES_MAX} lines"


def rule_conditionals(tree):
    """conditionals: fewer than 3 #if per 1,000 lines"""
    lines, found = 0, []
    for file in tree.code():
        if file.is_dictated or file.is_test:
            continue
        lines += len(file.lines)
        found += [(file.path, n) for n, line in enumerate(file.lines, 1) if CONDITIONAL.match(line)]
    if lines and 1000.0 * len(found) / lines >= CONDITIONALS_PER_1000:
        for path, number in found:
            yield path, number, f"one of {len(found)} #if in {lines} lines: too many"


RULES = [rule_function_size, rule_parameters, rule_file_size, rule_conditionals]
