"""Your own machine: how the cycles of a stencil depend on the wires and on the pages of DRAM.

usage: own_machine.py [--quick]

Prints a table; with matplotlib also draws own_machine.png.
"""

import sys

import cm200


def stencil():
    work = cm200.Builder("five points", nodes=64, check=False)
    work.parameter("L", 128).array("src", ["$L", "$L"], "real64").array("dst", like="src").scalar("c", 0.25)
    near = [[0, 0], [1, 0], [-1, 0], [0, 1], [0, -1]]
    return work.stencil(dst="dst", terms=[["c", "src", offset] for offset in near])


def main():
    quick = "--quick" in sys.argv
    grid = {"L": [128], "memory.page_words": [64, 512] if quick else [2**k for k in range(5, 13)],
            "exchange.cycles": [60, 120] if quick else [30, 60, 90, 120, 150, 180]}
    table = cm200.sweep(stencil(), grid)
    for row in table:
        print("page %4d words, exchange %3d cycles: %7d cycles, %5.1f %% of them exchanges" % (
            row["memory.page_words"], row["exchange.cycles"], row["cycles"], 100 * row["cycles.exchange"] / row["cycles"]))
    try:
        import matplotlib
    except ImportError:
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(figsize=(5, 3.5), layout="constrained")
    for page in grid["memory.page_words"]:
        rows = table[table["memory.page_words"] == page]
        axes.plot(rows["exchange.cycles"], rows["cycles"], "o-", label="%d words" % page)
    axes.set(xlabel="cycles of an exchange", ylabel="cycles of the stencil")
    axes.legend(title="page of DRAM")
    figure.savefig("own_machine.png", dpi=150)


if __name__ == "__main__":
    main()
