"""Answers that do not do the work of a task: (lesson, what, ending, text, part of a reason). check-fakes.py hands them in."""

import copy
import json

FILL = "fill"
HEAD = {"format": "cm200-workload/1", "machine": "cube8", "nodes": 8}
LAST = "      END\n"


def workload(arrays, steps, **more):
    return json.dumps(dict(HEAD, arrays=arrays, steps=steps, **more))


def shift(dst, dim, distance, src="u", **more):
    return {"cshift": dict({"dst": dst, "src": src, "dim": dim, "distance": distance}, **more)}


A = {"shape": [64], "type": "real32", "axes": ["news"], "init": {"index": True}}
B = {"like": "a"}
ONE = {"a": A, "b": B}
SHIFT = shift("b", 1, -1, "a")


def one_shift():
    """Lesson 1: a shift of 64 elements by one place, with one exchange."""
    yield "computed from the index that the file shows", workload(ONE, [
        {"compute": {"dst": "b", "value": "mod(index(1) + 62, 64)"}}]), "\"b\" after the run"
    yield "a constant", workload(ONE, [{FILL: {"array": "b", "value": 7}}]), "\"b\" after the run"
    yield "nothing done", workload(ONE, []), "\"b\" after the run"
    yield "a result that begins as it ends", workload(dict(ONE, b=dict(A, init={"random": 1})), []), "initial values"
    yield "another array with values", workload(dict(ONE, c=dict(A, init={"index": True})), [
        shift("b", 1, -1, "c")]), "\"c\" has initial values"
    yield "a result from a file", workload(dict(ONE, b=dict(A, init={"npy": "b.npy"})), []), "b.npy"
    yield "through the router", workload(ONE, [shift("b", 1, -1, "a", path="router")]), "exchanges: 0"
    yield "all on one node", workload(dict(ONE, a=dict(A, axes=["serial"])), [SHIFT]), "on 1 nodes"
    yield "a shorter array", workload(dict(ONE, a=dict(A, shape=[8])), [SHIFT]), "another shape"
    yield "another type", workload(dict(ONE, a=dict(A, type="int32")), [SHIFT]), "another shape or type"
    yield "another direction", workload(ONE, [shift("b", 1, 1, "a")]), "\"b\" after the run"
    yield "an exchange of other data", workload(dict(ONE, c=B), [
        shift("c", 1, 1, "c"), {"compute": {"dst": "b", "value": "mod(index(1) + 62, 64)"}}]), "\"b\" after the run"
    yield "another array's name", workload({"a": A, "c": B}, [shift("c", 1, -1, "a")]), "no array \"b\""
    yield "a machine without costs, and three exchanges", workload(dict(ONE, a=dict(A, axes=["send"])), [SHIFT],
                                                                   machine="free.json"), "exchanges: 3"
    yield "steps without end", workload(ONE, [{"repeat": {"times": 10**12, "steps": [SHIFT]}}]), "stopped after"
    yield "a program that prints", workload(ONE, [{"program": {"file": "print.fcm"}}]), "\"b\" after the run"
    yield "a program that prints without end", workload(ONE, [{"program": {"file": "endless.fcm"}}]), "prints more"


U = {"shape": ["$L", "$L", "$L"], "type": "real32", "init": {"random": 1}}
SIX = ("east", 1, 1), ("west", 1, -1), ("north", 2, 1), ("south", 2, -1), ("up", 3, 1), ("down", 3, -1)
SPACE = dict({"u": U}, **{name: {"like": "u"} for name, _, _ in SIX})
CALLS = [shift(*each) for each in SIX]
ALL = [{"pshift": [dict(type="cshift", dst=dst, src="u", dim=dim, distance=by) for dst, dim, by in SIX]}]


def six_shifts():
    """Lesson 3: six shifts, with 16 exchanges for L = 8."""
    def work(arrays, steps, **more):
        return workload(arrays, steps, parameters={"L": 8}, **more)
    yield "six calls", work(SPACE, CALLS), "exchanges: 96"
    yield "six calls through the router", work(SPACE, [shift(*each, path="router") for each in SIX]), "cycles_by_cause/router"
    yield "a whole array in a node", work(dict(SPACE, u=dict(U, axes=["serial"] * 3)), CALLS), "on 1 nodes"
    yield "on two nodes", work(dict(SPACE, u=dict(U, axes=["serial", "serial", "news"], shape=["$L", "$L", 2])), ALL), "another shape"
    yield "five of the six", work(SPACE, [{"pshift": ALL[0]["pshift"][:5]}]), "\"down\" after the run"
    yield "the same one six times", work(SPACE, [{"pshift": [dict(type="cshift", dst=dst, src="u", dim=1, distance=1)
                                                             for dst, _, _ in SIX[:1]]}]
                                         + [{"copy": {"dst": dst, "src": "east"}} for dst, _, _ in SIX[1:]]), "\"west\" after the run"
    yield "copies of the input", work(SPACE, [{"copy": {"dst": dst, "src": "u"}} for dst, _, _ in SIX]), "after the run"
    yield "for one size only", workload(dict(SPACE, u=dict(U, shape=[8, 8, 8])), ALL), "L"
    yield "a size of its own besides L", work(dict(SPACE, u=dict(U, shape=[8, 8, 8])), ALL), "another shape"
    yield "ends instead of a circle", work(SPACE, [{"pshift": [dict(each, type="eoshift_0", boundary=0) if i == 0 else each for i, each
                                                               in enumerate(ALL[0]["pshift"])]}]), ""
    yield "one element wrong", work(SPACE, ALL + [{"compute": {"dst": "up", "value": "up + 1", "where": "index(1) + index(2) + index(3) == 3"}}]
                                    ), "\"up\" after the run: element 1 "
    yield "an input that is changed", work(SPACE, [{FILL: {"array": "u", "value": 0}}] + ALL), "after the run"
    yield "half a file", work(SPACE, ALL)[:200], "half a file.json:1:"
    yield "not a workload", "[1, 2, 3]", "not a workload.json:1:"
    yield "an empty file", "", "an empty file.json"
    yield "deep nesting", "[" * 100000, "deep nesting.json:1:"
    yield "an array of 2^62 elements", work(dict(SPACE, x={"shape": [2**62], "type": "real32"}), ALL), "x"


LINES = {"src": {"shape": ["$L", "$L"], "type": "real32", "init": {"random": 4}}, "left": {"like": "src"}, "right": {"like": "src"}}


def no_exchange():
    """Lesson 4: two shifts of lines without an exchange."""
    def work(arrays, steps):
        return workload(arrays, steps, parameters={"L": 16})
    both = [shift("left", 1, -1, "src"), shift("right", 1, 1, "src")]
    yield "through the router", work(LINES, [shift("left", 1, -1, "src", path="router"),
                                             shift("right", 1, 1, "src", path="router")]), "the work needs"
    yield "through the router, and loads", work(LINES, [shift("left", 1, -1, "src", path="router"),
                                                        shift("right", 1, 1, "src", path="router"),
                                                        {"compute": {"dst": "left", "value": "left + 0 * right"}}] * 2
                                                ), "cycles_by_cause/router"
    yield "all on one node", work(dict(LINES, src=dict(LINES["src"], axes=["serial", "serial"])), both), "on 1 nodes"
    yield "with exchanges", work(LINES, both), "exchanges"
    yield "lines along the other dimension", work(dict(LINES, src=dict(LINES["src"], axes=["news", "serial"])), both), "exchanges"
    yield "copies", work(LINES, [{"copy": {"dst": "left", "src": "src"}}, {"copy": {"dst": "right", "src": "src"}}]), "after the run"


COPY = {"a": {"shape": [192], "type": "real32", "init": {"index": True}}, "b": {"like": "a"},
        "large": {"shape": [1024], "type": "real32"}}


def a_copy():
    """Lesson 5: a copy with two page faults."""
    yield "computed from the index", workload(COPY, [{"compute": {"dst": "b", "value": "index(1) - 1"}}]), "\"b\" after the run"
    yield "without the large array", workload({"a": COPY["a"], "b": B}, [{"copy": {"dst": "b", "src": "a"}}]), "no array \"large\""
    yield "a small large array", workload(dict(COPY, large={"shape": [8], "type": "real32"}), [{"copy": {"dst": "b", "src": "a"}}]), "another shape"
    yield "nothing is copied", workload(COPY, []), "\"b\" after the run"


GRID = {"a": {"shape": ["$L", "$L"], "type": "real32", "init": {"random": 11}}, "b": {"like": "a"}}
TERMS = [["c1", "a", [-1, 0]], ["c1", "a", [1, 0]], ["c1", "a", [0, -1]], ["c1", "a", [0, 1]], ["c0", "a", [0, 0]]]


def five_points():
    """Lesson 11: a stencil in 4,000 cycles."""
    def work(arrays, steps, c0=-4):
        return workload(arrays, steps, parameters={"L": 16}, scalars={"c0": c0, "c1": 1})
    yield "four points", work(GRID, [{"stencil": {"dst": "b", "terms": TERMS[1:]}}]), "\"b\" after the run"
    yield "another coefficient", work(GRID, [{"stencil": {"dst": "b", "terms": TERMS}}], -3.999), "\"b\" after the run"
    yield "all on one node", work(dict(GRID, a=dict(GRID["a"], axes=["serial", "serial"])), [
        {"stencil": {"dst": "b", "terms": TERMS}}]), "on 1 nodes"
    yield "zeros", work(GRID, [{FILL: {"array": "b", "value": 0}}]), "\"b\" after the run"


WORKLOADS = ((1, one_shift), (3, six_shifts), (4, no_exchange), (5, a_copy), (11, five_points))



def altered(solution, task):
    """What a worked answer, a workload, can be made to, so that it no longer does the work."""
    inputs, outputs = task.value("inputs").split(), task.value("outputs").split()
    last = next((name for name in reversed(outputs) if name not in inputs), outputs[-1])
    whole = dict(solution["arrays"][inputs[0]], init={"random": 3})
    number = {"value": "1"} if whole["type"] != "int32" else {"value": "index(1)"}

    def change(change_arrays=None, steps=None):
        made = copy.deepcopy(solution)
        made["arrays"].update(change_arrays or {})
        made["steps"] = steps(made["steps"]) if steps else made["steps"]
        return json.dumps(made)

    canonical = "mesh" not in whole and "encoding" not in whole
    after = "after the run" if canonical else "canonical layout"
    yield "nothing done", change(steps=lambda steps: []), ""
    yield "all but the last step", change(steps=lambda steps: steps[:-1]), ""
    yield "a constant in the end", change(steps=lambda steps: steps + [{"compute": dict(dst=last, **number)}]), after
    yield "a constant alone", change(steps=lambda steps: [{"compute": dict(dst=last, **number)}]), ""
    yield "one element more than right", change(steps=lambda steps: steps + [
        {"compute": {"dst": last, "value": last + " + 1", "where": "index(1) == 2"}}]), after
    yield "inputs that are overwritten", change(steps=lambda steps: [
        {"compute": dict(dst=name, **number)} for name in inputs] + steps), after
    yield "another array with values", change({"more": whole}), "\"more\" has initial values"
    yield "steps without end", change(steps=lambda steps: [{"repeat": {"times": 10**12, "steps": steps}}]), ""
    yield "an unknown step", change(steps=lambda steps: steps + [{"solve": {}}]), "solve"
    yield "an array less", json.dumps(dict(solution, arrays={name: array for name, array in solution["arrays"].items()
                                                             if name != last and array.get("like") != last})), ""
    yield "the other half of the file", json.dumps(solution)[len(json.dumps(solution)) // 2:], ".json:1:"
    if canonical:
        one = dict(solution["arrays"][inputs[0]], axes=["serial"] * len(whole["shape"]))
        yield "everything on one node", change({inputs[0]: one}), ""
        yield "another type", change({inputs[0]: dict(solution["arrays"][inputs[0]], type="complex128")}), ""


# ---- programs ----

# Of each task: its subroutine, what declares its arguments, the array with the result, a statement that changes it, what the main
# program of the start prints, and loops in the front end that give the right result.
PROGRAMS = {
    12: dict(head="SMOOTH(U, N)", name="SMOOTH", declare="      INTEGER N\n      REAL, ARRAY(N, N) :: U\nCMF$  LAYOUT U(:NEWS, :NEWS)\n",
             result="U", prints="2.25, 1.5", public=32, dummies=96, host="""      DO K = 1, 4
      DO I = 1, N
      DO J = 1, N
      F(I, J) = 0.25 * (U(MOD(I+1,N)+1, J) + U(MOD(I+N-3,N)+1, J)
     & + U(I, MOD(J+1,N)+1) + U(I, MOD(J+N-3,N)+1))
      END DO
      END DO
      DO I = 1, N
      DO J = 1, N
      U(I, J) = F(I, J)
      END DO
      END DO
      END DO
""", local="      INTEGER I, J, K\n      REAL F(64, 64)\n"),
    13: dict(head="SOLVE(X, B, N, STEPS)", name="SOLVE",
             declare="      INTEGER N, STEPS\n      REAL*8, ARRAY(N, N) :: X, B\nCMF$  LAYOUT X(:NEWS, :NEWS), B(:NEWS, :NEWS)\n",
             result="X", prints="0.50182382572317674D0", public=16, dummies=110, host="""      V = 0
      W = 0
      DO I = 1, N
      DO J = 1, N
      V(I, J, 1) = B(I, J)
      V(I, J, 2) = V(I, J, 1)
      W = W + V(I, J, 1)**2
      END DO
      END DO
      DO K = 1, STEPS
      S = 0
      DO I = 1, N
      DO J = 1, N
      V(I, J, 3) = 4*V(I, J, 2) - V(I-1, J, 2) - V(I+1, J, 2)
     & - V(I, J-1, 2) - V(I, J+1, 2)
      S = S + V(I, J, 2) * V(I, J, 3)
      END DO
      END DO
      S = W / S
      T = 0
      DO I = 1, N
      DO J = 1, N
      V(I, J, 4) = V(I, J, 4) + S * V(I, J, 2)
      V(I, J, 1) = V(I, J, 1) - S * V(I, J, 3)
      T = T + V(I, J, 1)**2
      END DO
      END DO
      DO I = 1, N
      DO J = 1, N
      V(I, J, 2) = V(I, J, 1) + T / W * V(I, J, 2)
      END DO
      END DO
      W = T
      END DO
      DO I = 1, N
      DO J = 1, N
      X(I, J) = V(I, J, 4)
      END DO
      END DO
""", local="      INTEGER I, J, K\n      REAL*8 S, T, W, V(0:33, 0:33, 4)\n"),
    14: dict(head="ADDUP(A, TOTAL, N)", name="ADDUP",
             declare="      INTEGER N\n      REAL, ARRAY(N) :: A, TOTAL\nCMF$  LAYOUT A(:NEWS), TOTAL(:NEWS)\n",
             result="TOTAL", prints="36.0, 36.0", public=8, dummies=3, host="""      S = 0.0
      DO I = 1, N
      S = S + A(I)
      END DO
      TOTAL = S
""", local="      INTEGER I\n      REAL S\n"),
    15: dict(head="ORDER(A, N)", name="ORDER", declare="      INTEGER N\n      INTEGER, ARRAY(N) :: A\nCMF$  LAYOUT A(:NEWS)\n",
             result="A", prints=".TRUE., 0, 1, 15, 31", public=32, dummies=9, host="""      DO I = 1, N
      F(I) = A(I)
      END DO
      DO I = 2, N
      DO J = I, 2, -1
      IF (F(J) .LT. F(J-1)) THEN
      K = F(J)
      F(J) = F(J-1)
      F(J-1) = K
      END IF
      END DO
      END DO
      DO I = 1, N
      A(I) = F(I)
      END DO
""", local="      INTEGER I, J, K\n      INTEGER F(1000)\n"),
}
MAIN = "      PROGRAM P\n      PRINT *, %s\n      END\n"


def programs(number):
    """What is handed in instead of the subroutine of a task."""
    of = PROGRAMS[number]
    head = "      SUBROUTINE %s\n%s" % (of["head"], of["declare"])
    after = "\"%s\" after the run" % of["result"].lower()
    shifts = "      DO KK = 1, %(n)d\n      %(a)s = CSHIFT(%(a)s, 1, 1)\n      %(a)s = CSHIFT(%(a)s, 1, -1)\n      END DO\n" % {
        "a": of["result"], "n": of["dummies"]}
    kk = "      INTEGER KK\n"
    yield "what it prints", MAIN % of["prints"], "no subroutine \"%s\"" % of["name"]
    yield "what it prints, and a subroutine that does nothing", MAIN % of["prints"] + head + LAST, after
    yield "a subroutine that prints", head + "      PRINT *, %s\n" % of["prints"] + LAST, after
    yield "a constant", head + "      %s = 1\n" % of["result"] + LAST, after
    yield "loops in the front end", head + of["local"] + of["host"] + LAST, ""
    yield "loops in the front end, and exchanges of other data", head + of["local"] + kk + of["host"] + shifts + LAST, ""
    yield "exchanges and no result", head + kk + shifts + LAST, after
    yield "right for another N only", head + "      IF (N .NE. %d) THEN\n      %s = 0\n      END IF\n" % (of["public"], of["result"]) + LAST, after
    yield "a stop", head + "      STOP\n" + LAST, ""
    yield "a stop with the code of success", head + "      STOP 0\n" + LAST, ""
    yield "a loop without end", head + "10    GOTO 10\n" + LAST, "cycles"
    yield "cycles without end", head + "10    %(a)s = %(a)s + 1\n      GOTO 10\n" % {"a": of["result"]} + LAST, "cycles"
    yield "output without end", head + "10    PRINT *, 1\n      GOTO 10\n" + LAST, "prints more"
    yield "recursion without end", head + "      CALL DEEPER(N)\n" + LAST + "      RECURSIVE SUBROUTINE DEEPER(N)\n      CALL DEEPER(N)\n" + LAST, ""
    yield "an index out of bounds", head + "      %s = 0\n      PRINT *, %s(%s)\n" % (
        of["result"], of["result"], "1000000, 1" if number < 14 else "1000000") + LAST, ""
    yield "fewer arguments", "      SUBROUTINE %s(N)\n      INTEGER N\n" % of["name"] + LAST, "argument"
    yield "another type", head.replace("REAL*8,", "COMPLEX,").replace("REAL,", "INTEGER,").replace("INTEGER, ARRAY(N) :: A\n", "REAL, ARRAY(N) :: A\n") + LAST, ""
    yield "half a file", (head + LAST)[:40], "half a file.fcm:"
    yield "not Fortran", "\x00\x01\x02 not a program\n", "not Fortran.fcm:"
    yield "an empty file", "", "an empty file.fcm"


def special():
    """What fits one task."""
    of = PROGRAMS[14]
    head = "      SUBROUTINE %s\n%s" % (of["head"], of["declare"])
    yield 14, "SUM", head + "      TOTAL = SUM(A)\n" + LAST, "exchanges: 3"
    yield 14, "the sum of 1 to N", head + "      TOTAL = N * (N + 1) / 2\n" + LAST, "\"total\" after the run"
    yield 14, "SUM, and shifts of other data", head + "      TOTAL = CSHIFT(A, 1, 4)\n      TOTAL = SUM(A)\n" + LAST, "exchanges"
    of = PROGRAMS[15]
    head = "      SUBROUTINE %s\n%s" % (of["head"], of["declare"])
    yield 15, "the numbers from 0 to N - 1", head + "      FORALL (I = 1:N) A(I) = I - 1\n" + LAST, "\"a\" after the run"
    yield 15, "the least and the largest in their places", head + "      A(1) = MINVAL(A)\n      A(N) = MAXVAL(A)\n" + LAST, "\"a\" after the run"
    of = PROGRAMS[13]
    head = "      SUBROUTINE %s\n%s" % (of["head"], of["declare"])
    yield 13, "as many sums as the task allows, and no method", head + "      X = B\n      DO K = 1, STEPS\n      X = X / SUM(X * X)\n      END DO\n" + LAST, "\"x\" after the run"


def fakes():
    for number, made in WORKLOADS:
        for what, text, reason in made():
            yield number, what, ".json", text, reason
    for number in PROGRAMS:
        for what, text, reason in programs(number):
            yield number, what, ".fcm", text, reason
    for number, what, text, reason in special():
        yield number, what, ".fcm", text, reason
