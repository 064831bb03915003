"""Why is PSHIFT faster? Cycles of four CSHIFTs and of one PSHIFT of a five-point stencil, by the size of the subgrid.

usage: speedup.py [--quick]

Prints a table; with matplotlib also draws speedup.png (compare figure 8 of the PSHIFT paper).
"""

import sys

import cm200

SHIFTS = [("n", 1, -1), ("s", 1, 1), ("e", 2, 1), ("w", 2, -1)]


def stencil(side, merged):
    """Four shifts of a (side x side)-point subgrid a node, on 64 nodes."""
    work = cm200.Builder("four shifts", nodes=64, check=False)
    work.array("src", [8 * side, 8 * side], "real64")
    for name, _, _ in SHIFTS:
        work.array(name, like="src")
    if merged:
        work.pshift([{"type": "cshift", "dst": name, "src": "src", "dim": dim, "distance": far} for name, dim, far in SHIFTS])
    else:
        for name, dim, far in SHIFTS:
            work.cshift(dst=name, src="src", dim=dim, distance=far)
    return work


def main():
    sides = [4, 8, 16] if "--quick" in sys.argv else [4, 8, 16, 32, 64, 128]
    rows = []
    for side in sides:
        apart, together = (cm200.run(stencil(side, merged), timing_only=True) for merged in (False, True))
        rows.append((side, apart.cycles, together.cycles, apart.cycles / together.cycles))
        print("%4d x %-4d  4 CSHIFTs %9d cycles   PSHIFT %8d cycles   %.2f times faster" % (side, *rows[-1]))
    try:
        import matplotlib
    except ImportError:
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(figsize=(5, 3.5), layout="constrained")
    axes.semilogx([row[0] for row in rows], [row[3] for row in rows], "o-", base=2)
    axes.set(xlabel="side of the subgrid, elements", ylabel="cycles of 4 CSHIFTs / cycles of PSHIFT")
    figure.savefig("speedup.png", dpi=150)


if __name__ == "__main__":
    main()
