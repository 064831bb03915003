"""Where do packets wait? Bit reversal through the router, by dimension, with e-cube routing and with Valiant's.

usage: congestion.py [--quick]

Prints waits by dimension; with matplotlib also draws congestion.png, busy cycles of every channel.
"""

import sys
import tempfile

import cm200
import numpy as np


def record(nodes, routing, folder):
    """One packet of 8 words a node to the node with its address reversed."""
    work = cm200.Builder("bit reversal, %s" % routing, nodes=nodes, check=False)
    work.route(pattern="bit-reversal", words=8, routing=routing)
    path = "%s/%s.trace" % (folder, routing)
    cm200.run(work, trace=path)
    return cm200.Trace(path)


def main():
    nodes = 64 if "--quick" in sys.argv else 2048
    busy = {}
    with tempfile.TemporaryDirectory() as folder:
        for routing in ("e-cube", "valiant"):
            trace = record(nodes, routing, folder)
            hops, packets = trace.hops(), trace.packets()
            waited = hops["first_cycle"] - hops["asked_cycle"]
            late = int(np.argmax(packets["arrived_cycle"] - packets["created_cycle"]))
            print("%s: %d cycles; packet %d (node %d to %d) takes longest, and waits %d cycles" % (
                routing, trace.cycles, late, packets["source"][late], packets["destination"][late],
                waited[hops["packet"] == late].sum()))
            for dimension in range(trace.dimensions):
                print("    dimension %2d: %8d cycles waited" % (dimension, waited[hops["dimension"] == dimension].sum()))
            busy[routing] = trace.channel_busy().sum(2)
    try:
        import matplotlib
    except ImportError:
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot
    figure, plots = pyplot.subplots(1, 2, figsize=(7, 4), layout="constrained", sharey=True)
    for axes, (routing, cycles) in zip(plots, busy.items()):
        image = axes.imshow(cycles, aspect="auto", cmap="cividis", interpolation="nearest")
        axes.set(title=routing, xlabel="dimension", ylabel="node")
    figure.colorbar(image, ax=plots, label="busy cycles of a link")
    figure.savefig("congestion.png", dpi=150)


if __name__ == "__main__":
    main()
