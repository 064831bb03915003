"""Writes the C source of the extension module cm200._library: python3 write_interface.py INTERFACE.cdef OUTPUT.c"""

import sys

import cffi

INCLUDES = """
#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/version.h"
#include "fortran/run/step.h"
#include "fortran/source/parse.h"
#include "isa/imp.h"
#include "programs/validation/published.h"
#include "programs/workload/result.h"
#include "python/arrays.h"
#include "python/tables.h"
#include "trace/record.h"
#include "trace/trace.h"
#include "viz/web/page.h"
"""

ffi = cffi.FFI()
with open(sys.argv[1], encoding="utf-8") as file:
    ffi.cdef(file.read())
ffi.set_source("cm200._library", INCLUDES)
ffi.emit_c_code(sys.argv[2])
