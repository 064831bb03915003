"""Completion of command lines for bash, zsh and fish, from the programs' help and the tables of keys."""

import re

from . import helptext


def quote(words):
    """In single quotes, as all three shells read them."""
    return "'%s'" % words.replace("\\", "\\\\").replace("'", " ")


class Line:
    """What can follow `words`: options, each with its values."""

    def __init__(self, options, values):
        self.options = [(option, values(option)) for option in options]

    def names(self):
        for option, _ in self.options:
            yield "--" + option.name
            if option.letter:
                yield "-" + option.letter


class Completion:
    """commands: (name, summary, Line); viewer: its Line or None; steps and machine_keys are names."""

    def __init__(self, cm200, viewer, machine_keys):
        tables = helptext.json_of(cm200)
        self.steps = list(tables["steps"])
        self.machine_keys = machine_keys
        self.commands = [(command["name"], command["summary"],
                          Line(helptext.of(cm200, command["name"]).options, self.values_of(tables, command)))
                         for command in tables["commands"]]
        self.viewer = Line(helptext.of(viewer).options, self.values_of(tables, None)) if viewer else None

    def values_of(self, tables, command):
        """What an option takes: a list of words, "file", "folder" or None for anything else or nothing."""
        keys = {}
        for step in command["steps"] if command else ():
            for name, key in tables["steps"][step]["keys"].items():
                keys.setdefault(name, key)
        members = {option["name"]: option["key"] for option in command["options"] if "key" in option} if command else {}

        def values(option):
            key = keys.get(members.get(option.name))
            if key and key.get("names"):
                return key["names"]
            if option.name == "set":
                return [name + "=" for name in self.machine_keys]
            return "file" if option.takes_file else "folder" if option.takes_folder else None
        return values

    def bash(self):
        lines = [BASH_BEGIN % {"commands": " ".join([name for name, _, _ in self.commands] + ["help"]),
                               "steps": " ".join(self.steps), "keys": " ".join(key + "=" for key in self.machine_keys)}]
        lines.append("_cm200_options() {\n    case $1 in")
        for name, line in self.lines():
            lines.append("    %s) echo %s ;;" % (name, quote(" ".join(line.names()))))
        lines.append("    esac\n}\n")
        lines.append("# What an option takes: words, @file, @folder, @key, @text; nothing for a flag.\n"
                     "_cm200_values() {\n    case $1 in")
        for name, line in self.lines():
            for option, values in line.options:
                if option.argument:
                    patterns = "'%s --%s'" % (name, option.name) + ("|'%s -%s'" % (name, option.letter) if option.letter else "")
                    lines.append("    %s) echo %s ;;" % (patterns, quote(bash_values(option, values))))
        lines.append("    esac\n}\n")
        lines.append(BASH_END)
        return "\n".join(lines)

    def lines(self):
        for name, _, line in self.commands:
            yield name, line
        if self.viewer:
            yield "cm200-view", self.viewer

    def zsh(self):
        lines = [ZSH_BEGIN % ("cm200 cm200-view" if self.viewer else "cm200", quote_list(self.steps))]
        lines.append("_cm200_commands=(\n%s\n)" % "\n".join(
            "    %s" % quote("%s:%s" % (name, summary)) for name, summary, _ in self.commands))
        lines.append("_cm200_line() {\n    case $1 in")
        for name, line in self.lines():
            lines.append("    %s) _arguments -s -S \\" % name)
            lines += ["        %s \\" % zsh_option(*pair) for pair in line.options]
            lines.append("        '*:file:_files' ;;")
        lines.append("    esac\n}\n")
        lines.append(ZSH_END)
        return "\n".join(lines)

    def fish(self):
        lines = ["# Completion of cm200 and cm200-view for fish.",
                 "function __cm200_first\n    test (count (commandline -opc)) -eq 1\nend",
                 "complete -c cm200 -n __cm200_first -f -l help -s h -d 'show help'",
                 "complete -c cm200 -n __cm200_first -f -l version -d 'print the version'",
                 "complete -c cm200 -n __cm200_first -f -a help -d 'show help'",
                 "complete -c cm200 -n '__fish_seen_subcommand_from help' -f -a 'steps step'",
                 "complete -c cm200 -n '__fish_seen_subcommand_from step' -f -a '%s'" % " ".join(self.steps)]
        for name, summary, line in self.commands:
            lines.append("complete -c cm200 -n __cm200_first -f -a %s -d %s" % (name, quote(summary)))
            lines += [fish_option("cm200 -n '__fish_seen_subcommand_from %s'" % name, *pair) for pair in line.options]
        if self.viewer:
            lines += [fish_option("cm200-view", *pair) for pair in self.viewer.options]
        return "\n".join(lines) + "\n"


def first_words(option):
    """The help up to the first ";" or ".", without what the shells would read."""
    return re.sub(r"[\[\]:'\"`$\\]", " ", re.split(r"[;:.] |[;:]$", " ".join(option.help))[0]).strip()


def bash_values(option, values):
    if option.optional:
        return ""
    if option.name == "set":
        return "@key"
    if isinstance(values, list):
        return " ".join(values)
    return "@" + (values or "text")


def quote_list(words):
    return "(%s)" % " ".join(words)


def zsh_option(option, values):
    action = {"file": "_files", "folder": "_files -/"}.get(values if isinstance(values, str) else None, " ")
    if isinstance(values, list):
        action = "compadd -S '' -- %s" % " ".join(values) if option.name == "set" else quote_list(values)
    after = "" if not option.argument else "%s:%s:%s" % ("=-" if option.optional else "", zsh_word(option), action)
    what = "[%s]" % first_words(option)
    long = "--%s%s" % (option.name, "=" if option.argument and not option.optional else "")
    text = "*%s%s%s" % (long, what, after)
    if option.optional:
        text = "*--%s=-%s::%s:%s" % (option.name, what, zsh_word(option), action)
    quoted = '"%s"' % text
    return quoted if not option.letter else '%s "*-%s%s%s%s"' % (quoted, option.letter, "+" if option.argument else "", what, after)


def zsh_word(option):
    return re.sub(r"[:\[\]]", " ", option.argument)


def fish_option(command, option, values):
    words = ["complete -c %s -l %s" % (command, option.name)]
    if option.letter:
        words.append("-s %s" % option.letter)
    if option.argument and not option.optional:
        words.append("-r" if values in ("file", "folder") else "-x")
    if isinstance(values, list):
        words.append("-a %s" % quote(" ".join(values)))
    if values == "folder":
        words.append("-a '(__fish_complete_directories)'")
    words.append("-d %s" % quote(first_words(option)))
    return " ".join(words)


BASH_BEGIN = """# Completion of cm200 and cm200-view for bash.

_cm200_commands='%(commands)s'
_cm200_steps='%(steps)s'
_cm200_keys='%(keys)s'
"""

BASH_END = """_cm200_offer() {
    local kind=$1 word=$2
    case $kind in
    @file | @folder)
        compopt -o filenames 2>/dev/null
        [ "$kind" = @folder ] && kind=-d || kind=-f
        mapfile -t COMPREPLY < <(compgen "$kind" -- "$word")
        ;;
    @key)
        compopt -o nospace 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -W "$_cm200_keys" -- "$word")
        ;;
    @text) COMPREPLY=() ;;
    *) mapfile -t COMPREPLY < <(compgen -W "$kind" -- "$word") ;;
    esac
}

# The word under the cursor, the option before it, and what is offered. "=" is a word of its own in COMP_WORDS.
_cm200() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} name=${COMP_WORDS[1]} values
    COMPREPLY=()
    if [ "$word" = = ]; then
        word=
    elif [ "$before" = = ]; then
        before=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    if [ "${COMP_WORDS[0]##*/}" = cm200-view ]; then
        name=cm200-view
    elif [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "$_cm200_commands --help --version" -- "$word")
        return
    elif [ "$name" = help ]; then
        [ "$COMP_CWORD" -eq 2 ] && mapfile -t COMPREPLY < <(compgen -W "steps step --json" -- "$word")
        [ "$COMP_CWORD" -eq 3 ] && [ "$before" = step ] && mapfile -t COMPREPLY < <(compgen -W "$_cm200_steps" -- "$word")
        return
    fi
    values=$(_cm200_values "$name $before")
    if [ -n "$values" ]; then
        _cm200_offer "$values" "$word"
    elif [ "${word:0:1}" = - ]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_cm200_options "$name")" -- "$word")
    else
        _cm200_offer @file "$word"
    fi
}

complete -F _cm200 cm200 cm200-view
"""

ZSH_BEGIN = """#compdef %s
# Completion of cm200 and cm200-view for zsh.

_cm200_steps=%s
"""

ZSH_END = """_cm200() {
    if [[ $service == cm200-view ]]; then
        _cm200_line cm200-view
    elif (( CURRENT == 2 )); then
        _describe command _cm200_commands -- '(help:"show help")' && return
        _arguments '(- *)'{-h,--help}'[show help]' '(- *)--version[print the version]'
    elif [[ $words[2] == help ]]; then
        (( CURRENT == 3 )) && compadd steps step -- --json
        (( CURRENT == 4 )) && [[ $words[3] == step ]] && compadd -- $_cm200_steps
    else
        local command=$words[2]
        shift words
        (( CURRENT-- ))
        _cm200_line $command
    fi
}

_cm200 "$@"
"""
