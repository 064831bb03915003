"""cm200: a cycle-level simulator of the Thinking Machines CM-200, from Python.

`run` runs a workload or a CM Fortran program, `sweep` runs a grid of workloads. A Builder makes workloads, an ImpText makes microprograms.
docs/python.md has examples.
"""

from ._library import lib as _lib
from .errors import CheckFailed, Error, Fault, FileError, InputError, NoMemory, text_of as _text_of
from .imp import Imp, ImpText
from .machine import Machine
from .picture import Picture
from .result import Result, Values
from .run import Arrays, Run, run
from .sweep import sweep
from .trace import NEVER, NONE, Trace
from .workload import Builder, Program, Workload

__version__ = _text_of(_lib.cm_version())
__all__ = ["Arrays", "Builder", "CheckFailed", "Error", "Fault", "FileError", "Imp", "ImpText", "InputError", "Machine", "NEVER",
           "NONE", "NoMemory", "Picture", "Program", "Result", "Run", "Trace", "Values", "Workload", "run", "sweep"]
