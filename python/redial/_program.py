"""The program `redial`, and commands of it."""

import os
import pathlib
import shutil
import subprocess
import sysconfig


class RedialError(RuntimeError):
    """The program could not do what was asked for; the message is what it said."""


def program():
    """The path of the program: `REDIAL_BIN`, else the one installed with this module, else the one
    on PATH."""
    given = os.environ.get("REDIAL_BIN")
    if given:
        return given
    name = "redial.exe" if os.name == "nt" else "redial"
    for scheme in ("", f"{os.name}_user"):
        folder = sysconfig.get_path("scripts", scheme) if scheme else sysconfig.get_path("scripts")
        beside = pathlib.Path(folder, name)
        if beside.is_file():
            return str(beside)
    found = shutil.which("redial")
    if found is None:
        raise RedialError("the program 'redial' is not installed beside this module, nor on PATH")
    return found


def command(*arguments, **options):
    """The command line: options become flags (`skip_after=30` is `--skip-after=30`, `True` a flag
    alone; a list gives the flag several times; `None` and `False` are left out)."""
    line = [program(), *map(str, arguments)]
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        for each in value if isinstance(value, (list, tuple)) else [value]:
            if each is True:
                line.append(flag)
            elif each is not None and each is not False:
                # One word, so that a value that begins with a hyphen is none of its own.
                line.append(f"{flag}={each}")
    return line


def run(*arguments, **options):
    """Runs a command and returns what it prints.

    `run("analyze", "curves", json=True)` is `redial analyze curves --json`. Settings such as
    `database`, `studies` and `models` are options, too; without them the program's own defaults and
    the environment count.

    Raises RedialError when the command fails.
    """
    line = command(*arguments, **options)
    done = subprocess.run(line, stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8")
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip()
        raise RedialError(f"redial {' '.join(map(str, arguments))}: {said}")
    return done.stdout


def simulate(study, participants=None, **options):
    """Lets simulated people take a study; they are marked, and no number of people counts them.

    Without `participants`, until every cell of the study's design is full.
    """
    return run("simulate", study, participants=participants, **options)
