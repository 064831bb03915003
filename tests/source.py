"""Reading C sources for the checks: comments, declarations, functions. Relies on the tree's clang-format style."""

import re

COMMENT_OR_STRING = re.compile(
    r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
API = re.compile(r"^CM_API\b[^;{]*;", re.M)
NAME = re.compile(r"\b(cm_\w+)\s*(?:\(|;|\[|$)")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def without_comments(text):
    """The text with comments blanked out, line for line, and strings left alone."""
    def blank(match):
        found = match.group(0)
        return re.sub(r"[^\n]", " ", found) if found[0] == "/" else found
    return COMMENT_OR_STRING.sub(blank, text)


def api_declarations(text):
    """(name, first line, last line) of each CM_API declaration; lines count from 0."""
    code = without_comments(text)
    for match in API.finditer(code):
        declaration = re.sub(r"__attribute__\s*\(\(.*?\)\)|CM_PRINTF\s*\([^)]*\)", "", match.group(0))
        first = code.count("\n", 0, match.start())
        last = code.count("\n", 0, match.end())
        yield NAME.search(declaration).group(1), first, last


def functions(text):
    """(name, first line, lines) of each function defined: `{` and `}` stand alone in column 0 (Linux braces)."""
    lines = without_comments(text).split("\n")
    for number, line in enumerate(lines):
        if line.rstrip() != "{":
            continue
        start = number - 1
        while start > 0 and lines[start - 1].strip() and lines[start - 1].rstrip()[-1] not in ";}" \
                and not lines[start - 1].startswith("#"):
            start -= 1
        end = number
        while end < len(lines) and lines[end].rstrip() != "}":
            end += 1
        name = re.search(r"(\w+)\s*\(", " ".join(lines[start:number]))
        yield (name.group(1) if name else "?"), start, end - start + 1


def external_functions(text):
    """Names of the functions that are defined and not static."""
    lines = without_comments(text).split("\n")
    for name, first, length in functions(text):
        if not lines[first].startswith("static "):
            yield name


def used_names(text):
    """Identifiers of a text, without tags of structs and enums, comments and strings."""
    code = COMMENT_OR_STRING.sub(" ", text)
    return set(re.findall(r"(?<!struct )(?<!enum )(?<!union )\b[A-Za-z_]\w*\b", code))


def circles(arrows):
    """Sets of two or more vertices that reach each other, from {vertex: set of vertices} (Tarjan 1972)."""
    index, low, stack, found = {}, {}, [], []

    def visit(vertex):
        index[vertex] = low[vertex] = len(index)
        stack.append(vertex)
        for other in sorted(arrows.get(vertex, ())):
            if other not in index:
                visit(other)
                low[vertex] = min(low[vertex], low[other])
            elif other in stack:
                low[vertex] = min(low[vertex], index[other])
        if low[vertex] == index[vertex]:
            at = stack.index(vertex)
            if len(stack) - at > 1:
                found.append(set(stack[at:]))
            del stack[at:]

    for vertex in sorted(arrows):
        if vertex not in index:
            visit(vertex)
    return found


def parameters(text):
    """(name, line, parameters) of each function defined, without the `...` of a variable list."""
    lines = without_comments(text).split("\n")
    for name, first, length in functions(text):
        head = " ".join(lines[first:first + length]).split("{", 1)[0]
        head = re.sub(r"CM_PRINTF\s*\([^)]*\)|__attribute__\s*\(\(.*?\)\)", "", head)
        start = re.search(r"\w+\s*\(", head)
        if not start:
            continue
        depth, count, at = 1, 1, start.end()
        while depth > 0 and at < len(head):
            depth += (head[at] == "(") - (head[at] == ")")
            count += head[at] == "," and depth == 1
            at += 1
        arguments = head[start.end():at - 1].strip()
        yield name, first, 0 if arguments in ("", "void") else count - arguments.endswith("...")


def includes(text):
    """(line, form, path) of each #include; form is '"' or '<'."""
    for number, line in enumerate(without_comments(text).split("\n")):
        match = re.match(r'\s*#\s*include\s*(["<])([^">]+)[">]', line)
        if match:
            yield number, match.group(1), match.group(2)
