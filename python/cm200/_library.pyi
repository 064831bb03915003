"""The extension that cffi makes from interface.cdef. Its objects have no types that Python knows."""

from typing import Any

ffi: Any
lib: Any
