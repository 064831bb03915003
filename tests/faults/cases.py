"""The commands that tests/faults breaks: small, one thread, and between them every kind of input and output."""

import struct


class Case:
    """A command line in a folder of its own.

    name      of the case
    words     the command line; the first word is a program of the build
    inputs    files the command reads: name in the folder -> path in the source tree, bytes, or a case whose output of that
              name is taken
    outputs   files it writes: name -> what the folder holds there before, as bytes; None: nothing
    stdin     what it reads from the standard input
    code      its exit code when nothing fails
    by_file   it goes on to the next file after one that fails
    session   it goes on after SIGINT
    workers   it has processes of its own; a signal that ends one of them gives exit code 5
    """

    def __init__(self, name, words, inputs=None, outputs=None, stdin=b"", code=0, by_file=False,
                 session=False, workers=False):
        self.name, self.words, self.stdin, self.code, self.by_file, self.session = name, words.split(), stdin, code, by_file, session
        self.workers = workers
        self.inputs, self.outputs = inputs or {}, outputs or {}


def npy(count):
    """A NumPy file of `count` zeros."""
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (%d,), }" % count
    header += b" " * (63 - (10 + len(header)) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + bytes(8 * count)


RUN = b"""{"format": "cm200-workload/1", "nodes": 4, "check": true, "arrays": {
"a": {"shape": [8, 8], "type": "real64", "init": {"npy": "a.npy"}}, "b": {"like": "a"}},
"steps": [{"cshift": {"dst": "b", "src": "a", "dim": 1, "distance": 1}}],
"save": {"b": "b.npy"}}"""

DEBUG = b"""break exchange
break channel any 0
break cause load_page_fault
break write 180 3
break hand-written.imp:30
continue
where
print A
print r
print f
print context
info node 2
info channels
memory a 4
continue
back break
delete 2
continue
"""

FILL = b"""{"format": "cm200-workload/1", "nodes": 4, "check": true, "arrays": {
"a": {"shape": [8, 8], "type": "real64", "init": {"random": 3}}, "b": {"like": "a"},
"c": {"shape": [8, 4], "type": "int32", "init": {"index": true}}},
"steps": [{"copy": {"dst": "b", "src": "a"}}, {"fill": {"array": "c", "value": 7, "section": [[1, 4], [2, 3]]}},
{"repeat": {"times": 3, "steps": [{"cshift": {"dst": "b", "src": "b", "dim": 2, "distance": -1}}]}}]}"""

COMPUTE = b"""{"format": "cm200-workload/1", "nodes": 64, "check": true, "arrays": {
"a": {"shape": [16, 16], "type": "real64", "init": {"random": 3}}, "b": {"like": "a"}, "c": {"like": "a"}},
"steps": [{"repeat": {"times": 3, "steps": [{"compute": {"dst": "b", "value": "a * 0.5 + 1"}},
{"compute": {"dst": "c", "value": "sqrt(b) - a"}}, {"compute": {"dst": "a", "value": "b * c + a / 3"}}]}}]}"""

STENCIL = b"""{"format": "cm200-workload/1", "nodes": 4, "check": true, "arrays": {
"a": {"shape": [4, 4], "type": "real32", "init": {"random": 3}}, "b": {"like": "a"}},
"steps": [{"stencil": {"dst": "b", "terms": [[1, "a", [0, 0]], [2, "a", [1, -1]]],
"boundaries": [{"type": "cshift"}, {"type": "eoshift_1"}]}},
{"stencil": {"dst": "a", "terms": [[1, "b", [0, 0]], ["b", "a", [1, 0]]]}}]}"""

COLLECTIVE = b"""{"format": "cm200-workload/1", "nodes": 4, "check": true, "scalars": {"s": 1}, "arrays": {
"a": {"shape": [5, 4], "type": "real32", "init": {"random": 3}}, "b": {"like": "a"},
"m": {"shape": [5, 4], "type": "logical", "init": {"random": 4}}},
"steps": [{"reduce": {"op": "max", "src": "a", "mask": "m", "scalar": "s"}},
{"scan": {"op": "sum", "dst": "b", "src": "a", "dim": 2, "segments": "m"}},
{"spread": {"dst": "a", "src": "b", "dim": 1, "from": 2}}]}"""

MATMUL = b"""{"format": "cm200-workload/1", "nodes": 4, "check": true, "arrays": {
"a": {"shape": [4, 4], "type": "real32", "init": {"random": 3}}, "b": {"like": "a"},
"s": {"shape": [4, 4], "type": "real32", "axes": ["send", "news"], "init": {"random": 4}}},
"steps": [{"matmul": {"dst": "b", "a": "a", "b": "a", "algorithm": "cannon"}},
{"matmul": {"dst": "b", "a": "s", "b": "a", "algorithm": "broadcast"}},
{"matmul": {"dst": "b", "a": "a", "b": "a", "algorithm": "alltoall"}}]}"""

QCD = b"""{"format": "cm200-workload/1", "nodes": 4, "check": true, "arrays": {
"a": {"shape": [3, 2, 2, 2, 1, 1], "type": "real32", "axes": ["serial", "serial", "news", "news", "news", "news"],
"init": {"random": 3}}, "b": {"like": "a"}, "u": {"shape": [3, 3, 2, 2, 2, 1, 1], "type": "real32",
"axes": ["serial", "serial", "serial", "news", "news", "news", "news"], "init": {"random": 4}}},
"steps": [{"qcd": {"kernel": "staggered", "dst": "b", "src": "a", "ux": "u", "uy": "u", "uz": "u", "ut": "u"}},
{"qcd": {"kernel": "staggered", "by": "pshift", "dst": "a", "src": "b", "ux": "u", "uy": "u", "uz": "u", "ut": "u"}}]}"""

ALLTOALL = b"""{"format": "cm200-workload/1", "nodes": 4, "check": true, "arrays": {
"a": {"shape": [5, 4], "type": "real64", "axes": ["serial", "news"], "init": {"random": 3}},
"b": {"shape": [5, 4, 4], "type": "real64", "axes": ["serial", "serial", "news"]},
"c": {"like": "b"}, "d": {"like": "a"}},
"steps": [{"alltoall": {"dst": "b", "src": "a", "algorithm": "gray"}},
{"alltoall": {"dst": "c", "src": "b", "kind": "personalised"}},
{"alltoall": {"dst": "b", "src": "a", "algorithm": "hamiltonian", "order": "arrival"}},
{"alltoall": {"dst": "b", "src": "a", "algorithm": "router"}},
{"alltoall": {"dst": "d", "src": "a", "kind": "one-to-all", "root": 1}},
{"alltoall": {"dst": "d", "src": "b", "kind": "one-to-each"}}]}"""

TRANSPOSE = b"""{"format": "cm200-workload/1", "nodes": 4, "check": true, "arrays": {
"a": {"shape": [4, 8], "type": "real32", "init": {"random": 3}}, "b": {"shape": [8, 4], "type": "real32"},
"c": {"shape": [3, 5], "type": "int32", "init": {"random": 4}}, "d": {"shape": [5, 3], "type": "int32"}},
"steps": [{"transpose": {"dst": "b", "src": "a"}}, {"transpose": {"dst": "d", "src": "c"}}]}"""

SORT = b"""{"format": "cm200-workload/1", "nodes": 4, "check": true, "arrays": {
"a": {"shape": [9, 3], "type": "real32", "init": {"random": 3}}, "p": {"shape": [9, 3], "type": "int32"},
"z": {"shape": [9, 3], "type": "complex64", "init": {"random": 4}}},
"steps": [{"sort": {"src": "a", "dst": "a", "dim": 2}},
{"sort": {"src": "a", "rank": "p", "carry": [["z", "z"]], "order": "descending"}}]}"""

GATHER = b"""{"format": "cm200-workload/1", "nodes": 4, "check": true, "arrays": {
"a": {"shape": [5, 4], "type": "real32", "init": {"random": 3}}, "b": {"shape": [20], "type": "real32"},
"i": {"shape": [5, 4], "type": "int32", "init": {"index": true}}, "m": {"shape": [5, 4], "type": "logical", "init": {"random": 4}}},
"steps": [{"scatter": {"dst": "b", "src": "a", "index": "i", "first": 0, "op": "add", "mask": "m"}},
{"gather": {"dst": "a", "src": "b", "index": "i", "first": 0}}]}"""

OTHER = b"""{"format": "cm200-workload/1", "nodes": 4, "check": true, "arrays": {
"a": {"shape": [8, 4], "type": "real64", "init": {"random": 3}}, "b": {"like": "a"}, "t": {"shape": [5, 16], "type": "real32",
"axes": ["serial", "news"], "init": {"random": 4}}, "x": {"shape": [16], "type": "real32"},
"k": {"shape": [16], "type": "int32", "init": {"index": true}}},
"steps": [{"eoshift": {"dst": "b", "src": "a", "dim": 1, "distance": 2, "boundary": 1.5}},
{"compute": {"dst": "a", "value": "sqrt(a**2 + abs(b)) * 2", "where": "a > 0.1 .and. b /= 0"}},
{"compute": {"dst": "k", "value": "mod(k, 5) + 1"}}, {"lookup": {"dst": "x", "src": "t", "index": "k"}},
{"broadcast": {"array": "a", "from": [2, 3]}}, {"shift": {"by": 1, "topology": "ring", "words": 2}}]}"""

PROGRAM = b"""program p
  real, dimension(8, 4) :: u, v
  integer i
  v = 1.0
  do i = 1, 3
    u = cshift(u, 1, dim=1) + v * u
    where (u > 4.0) u = u / 2
    call add(u, v)
  end do
  print *, sum(u), maxval(v)
  print '(a, 3f8.3)', 'u', u(1, 1:3)
end
subroutine add(x, y)
  real, dimension(8, 4) :: x, y
  y = y + spread(x(1, :), 1, 8)
end
"""

CALL = b"""{"format": "cm200-workload/1", "nodes": 4, "check": true, "arrays": {
"u": {"shape": [8, 8], "type": "real32", "init": {"constant": 0}}, "f": {"shape": [8, 8], "type": "real32", "init": {"random": 7}}},
"scalars": {"sum": 0},
"steps": [{"call": {"file": "relax.fcm", "subroutine": "RELAX", "arguments": ["u", "f", 8, 0.25, 1]}},
{"program": {"file": "p.f90", "level": 2}}, {"reduce": {"op": "sum", "src": "u", "scalar": "sum"}}]}"""

SWEEP = b"""{"format": "cm200-workload/1", "nodes": 4, "parameters": {"L": 8}, "arrays": {
"a": {"shape": ["$L", 4], "type": "real64", "init": {"random": 3}}, "b": {"like": "a"}},
"steps": [{"cshift": {"dst": "b", "src": "a", "dim": 1, "distance": 1}}]}"""

TABLE = b"param.L,option.nodes,cycles,cycles_low,cycles_high\n8,2,120,110,130\n16,2,240,230,250\n8,4,70,70,70\n16,4,130,120,140\n"

RESULT = b"""{"format": "cm200-result/1", "workload": "w", "machine": "CM-200", "nodes": 4, "cycles": 120, "mismatches": 0,
"cycles_by_cause": {"load": 20, "exchange": 100}, "channels": {"total_words": 8},
"steps": [{"op": "cshift", "where": "/steps/0", "cycles": 120}]}
"""

LESSON = b"""# 1. A small lesson

Text of the *first* page, <!-- hidden --> and `code`.

```question
ask: How many cycles does it take?
answer: fill:/cycles / 2 + 1
unit: cycles
```

```command fill
$ cm200 run w.json --quiet
```

## The task

```task
ask: Write a workload that gives the same.
machine: m.json
nodes: 4
reference: w.json
inputs: a
outputs: b
limit: /exchanges <= 100
```
"""
LESSON_FILES = {"docs/lessons/README.md": b"lessons\n", "docs/lessons/01-small/lesson.md": LESSON, "w.json": SWEEP,
                "m.json": "configs/cm200.json"}

LIST = b"source,destination\n0,3\n1,2\n2,1\n3,0\n"

MACHINE = {"m.json": "configs/cm200.json"}
OLD = b"old text\n"


def example(name, more=None):
    return dict(MACHINE, **{"w.json": "programs/examples/%s.json" % name}, **(more or {}))


def cases(viewer):
    """All of them; without the viewer's where it is not built."""
    trace = Case("run-trace", "cm200 run -m m.json -t 1 -n 4 --trace t.trace --trace-window 100:400 w.json",
                 example("five-point-cshift"), {"t.trace": None})
    other = Case("run-other-trace", "cm200 run -m m.json -t 1 -n 4 --set memory.page_words=64 --trace u.trace --quiet w.json",
                 example("five-point-cshift"), {"u.trace": None})
    asm = Case("asm", "cm200 asm k.imp -o k.img", {"k.imp": "programs/examples/hand-written.imp"}, {"k.img": OLD})
    made = [
        Case("run-pshift", "cm200 run -m m.json -t 1 -n 4 w.json", example("five-point-pshift")),
        Case("run-loop", "cm200 run -m m.json -t 1 -n 4 --explain w.json", example("relaxation")),
        Case("run-two-threads", "cm200 run -m m.json -t 2 -n 8 --json w.json", example("end-off")),
        Case("run-save", "cm200 run -m m.json -t 1 --save a=c.npy w.json",
             dict(MACHINE, **{"w.json": RUN, "a.npy": npy(64).replace(b"(64,)", b"(8,8)")}),
             {"b.npy": npy(3), "c.npy": None}),
        Case("run-fill", "cm200 run -m m.json -t 1 w.json", dict(MACHINE, **{"w.json": FILL})),
        Case("run-combine", "cm200 run -m m.json -t 1 -n 4 --json w.json", example("stencil-27")),
        Case("run-code", "cm200 run -m m.json -t 1 --executor code --json w.json", dict(MACHINE, **{"w.json": COMPUTE})),
        Case("run-stencil", "cm200 run -m m.json -t 1 --json w.json", dict(MACHINE, **{"w.json": STENCIL})),
        Case("run-collective", "cm200 run -m m.json -t 1 --json w.json", dict(MACHINE, **{"w.json": COLLECTIVE})),
        Case("run-matmul", "cm200 run -m m.json -t 1 --json w.json", dict(MACHINE, **{"w.json": MATMUL})),
        Case("run-qcd", "cm200 run -m m.json -t 1 --json w.json", dict(MACHINE, **{"w.json": QCD})),
        Case("run-alltoall", "cm200 run -m m.json -t 1 --json w.json", dict(MACHINE, **{"w.json": ALLTOALL})),
        Case("run-transpose", "cm200 run -m m.json -t 1 --json w.json", dict(MACHINE, **{"w.json": TRANSPOSE})),
        Case("run-sort", "cm200 run -m m.json -t 1 --json w.json", dict(MACHINE, **{"w.json": SORT})),
        Case("run-gather", "cm200 run -m m.json -t 1 --json w.json", dict(MACHINE, **{"w.json": GATHER})),
        Case("run-other-steps", "cm200 run -m m.json -t 1 --json w.json", dict(MACHINE, **{"w.json": OTHER})),
        Case("run-program", "cm200 run -m m.json -t 1 -n 4 -O1 --check --profile --load u=u.npy --save v=v.npy -o r.json p.f90",
             dict(MACHINE, **{"p.f90": PROGRAM, "u.npy": npy(32).replace(b"<f8", b"<f4").replace(b"(32,)", b"(8,4)")[:-128]}),
             {"v.npy": OLD, "r.json": None}),
        Case("run-call", "cm200 run -m m.json -t 1 --json w.json",
             dict(MACHINE, **{"w.json": CALL, "p.f90": PROGRAM, "relax.fcm": "programs/examples/relax.fcm"})),
        Case("run-intervals", "cm200 run -m m.json -t 1 --intervals=machines.json w.json", dict(MACHINE, **{
            "w.json": SWEEP, "machines.json": "tests/golden/cli/cases/run-intervals/machines.json"})),
        Case("run-imp", "cm200 run -m m.json -t 1 -n 4 w.json",
             example("hand-written", {"hand-written.imp": "programs/examples/hand-written.imp"})),
        Case("run-router", "cm200 run -m m.json -t 1 -n 4 w.json", example("send-router")),
        Case("run-reshape", "cm200 run -m m.json -t 1 -n 4 w.json", example("reshape-canonical")),
        Case("run-fft", "cm200 run -m m.json -t 1 w.json", example("fft")),
        trace,
        Case("run-trace-router", "cm200 run -m m.json -t 1 -n 8 --trace t.trace --quiet w.json",
             example("route-blocks"), {"t.trace": trace}),
        other,
        Case("check", "cm200 check -m m.json m.json w.json k.imp",
             example("five-point-pshift", {"k.imp": "programs/examples/hand-written.imp"}), by_file=True),
        Case("check-stdin", "cm200 check -m m.json -", MACHINE, stdin=FILL),
        Case("layout", "cm200 layout -m m.json -n 8 w.json", example("reshape-canonical")),
        Case("compile", "cm200 compile -m m.json -n 4 -o out.imp w.json", example("five-point-pshift"),
             {"out.imp": OLD}),
        asm,
        Case("check-program", "cm200 check -m m.json p.f90 l.fcm", dict(MACHINE, **{
            "p.f90": PROGRAM, "l.fcm": "programs/examples/fortran/life.fcm"}), by_file=True),
        Case("compile-program", "cm200 compile -m m.json -n 4 -O2 p.f90", dict(MACHINE, **{"p.f90": PROGRAM})),
        Case("compile-fortran", "cm200 compile --to fortran -o out.f90 p.fcm", {"p.fcm": "programs/examples/fortran/life.fcm"},
             {"out.f90": OLD}),
        Case("debug-program", "cm200 debug -m m.json -n 4 -O1 p.f90", dict(MACHINE, **{"p.f90": PROGRAM}),
             stdin=b"break 7\ncontinue\nlist\nprint u\nwhere\ninfo arrays\nback\nfinish\ncontinue\n", session=True),
        Case("sweep", "cm200 sweep -m m.json w.json --over param.L=8,16 --over option.nodes=2,4 --jobs 1 --csv s.csv --figure f.svg "
             "--x param.L --group option.nodes", dict(MACHINE, **{"w.json": SWEEP}),
             {"s.csv": OLD, "s.csv.made_by.json": None, "f.svg": OLD}, workers=True),
        Case("diff", "cm200 diff a.json b.json", {"a.json": RESULT, "b.json": RESULT.replace(b"120", b"130")}, code=1),
        Case("diff-json", "cm200 diff a.json b.json --json", {"a.json": RESULT, "b.json": RESULT.replace(b"120", b"1.5e2")}, code=1),
        Case("diff-traces", "cm200 diff t.trace u.trace", {"t.trace": trace, "u.trace": other}, code=1),
        Case("figure-bars", "cm200 figure a.json t.trace -o f.svg --title T", {"a.json": RESULT, "t.trace": trace}, {"f.svg": OLD}),
        Case("figure-curve", "cm200 figure s.csv --kind curve --x param.L --group option.nodes --log xy -o f.svg", {"s.csv": TABLE},
             {"f.svg": None}),
        Case("lesson", "cm200 lesson 1", LESSON_FILES),
        Case("lesson-list", "cm200 lesson", LESSON_FILES),
        Case("lesson-check", "cm200 lesson 1 --check w.json --seed 1", LESSON_FILES),
        Case("lesson-slides", "cm200 lesson 1 --slides s.html", dict(LESSON_FILES, **{"docs/lessons/slides.html": "docs/lessons/slides.html"}),
             {"s.html": OLD}),
        Case("debug", "cm200 debug -m m.json -n 4 w.json", dict(MACHINE, **{
            "w.json": "programs/examples/hand-written.json", "hand-written.imp": "programs/examples/hand-written.imp"}),
             stdin=DEBUG, session=True),
        Case("debug-imp", "cm200 debug -m m.json -n 4 k.imp --param half=2",
             dict(MACHINE, **{"k.imp": "programs/examples/hand-written.imp"}), stdin=b"continue\nmemory mean 4\n", session=True),
        Case("disasm", "cm200 disasm k.img", {"k.img": asm}),
        Case("reshape", "cm200 reshape -m m.json -t 1 --from 8x4 --to 4x8 -n 4 --json", MACHINE),
        Case("shift", "cm200 shift -m m.json -t 1 -n 8 --by 3 --method e-cube --csv c.csv --packets p.csv --heatmap",
             MACHINE, {"c.csv": OLD, "p.csv": None}),
        Case("shift-table", "cm200 shift -m m.json -n 8 --by 2:3 --csv c.csv --figure f.svg -o r.json", MACHINE,
             {"c.csv": OLD, "f.svg": None, "r.json": OLD}),
        Case("shift-paths", "cm200 shift -m m.json -n 4 --by 1:3:2 --method linear,e-cube --table", MACHINE),
        Case("route", "cm200 route -m m.json -t 1 -n 4 --pattern list --list l.csv --words 4 --csv c.csv",
             dict(MACHINE, **{"l.csv": LIST}), {"c.csv": OLD}),
        Case("route-rates", "cm200 route -m m.json -t 1 -n 4 --pattern random --rate 0.2:0.6:0.2 --warmup 20 "
             "--measure 80 --json", MACHINE),
        Case("fft-diagram", "cm200 fft -m m.json --array 8 --mesh 8 --broadcast 0 --diagram --svg d.svg", MACHINE, {"d.svg": OLD}),
        Case("route-figure", "cm200 route -m m.json -t 1 -n 4 --pattern random --rate 0.2:0.6:0.2 --warmup 20 --measure 80 --csv c.csv "
             "--figure f.svg", MACHINE, {"c.csv": OLD, "c.csv.made_by.json": None, "f.svg": None}),
        Case("fft", "cm200 fft -m m.json -t 1 -n 4 --array 4x4 --transform forward --output natural", MACHINE),
        Case("export-chrome", "cm200 export t.trace --format chrome -o out.json", {"t.trace": trace}, {"out.json": OLD}),
        Case("export-vcd", "cm200 export t.trace --format vcd -o out.vcd --gtkw out.gtkw", {"t.trace": trace},
             {"out.vcd": OLD, "out.gtkw": None}),
        Case("export-csv", "cm200 export t.trace --format csv --what windows --windows 20", {"t.trace": trace}),
        Case("export-html", "cm200 export t.trace --format html --compare u.trace -o out.html",
             {"t.trace": trace, "u.trace": other, "web/trace.html": b"<html>\n<!--@traces@-->\n</html>\n"}, {"out.html": OLD}),
        Case("validate-held-out", "cm200 validate --held-out h.json", {
            "cube.json": "configs/cube8.json",
            **{name: "tests/golden/cli/cases/validate-held-out/" + name for name in ("h.json", "w.json", "p.f90")}}),
        Case("validate", "cm200 validate -m m.json -t 1 --plot d", MACHINE,
             {"d/figure-%02d.svg" % i: None for i in (8, 9, 10, 11)}),
        Case("help", "cm200 help --json"),
    ]
    if viewer:
        made += [
            Case("view-picture", "cm200-view t.trace -o out.png --size 640x400", {"t.trace": trace}, {"out.png": OLD}),
            Case("view-log", "cm200-view t.trace -o out.png --press n --log-state s.json", {"t.trace": trace},
                 {"out.png": None, "s.json": OLD}),
        ]
    return made
