"""A method for each kind of step of a workload. Written by scripts/reference, from the tables of the workload's reader."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict, TypeVar, Union

from .made import Steps

K = TypeVar("K", bound="Kinds")
Integer = Union[int, str]  # a text is an expression of parameters, as "$L"
Number = Union[float, str]
Value = Union[float, str, Sequence[float]]  # a number, [re, im], or the name of a scalar or an array


class PshiftRequired(TypedDict):
    """An entry of the list of a step pshift: the keys that it must have."""

    type: Literal["cshift", "eoshift_scalar", "eoshift_array", "eoshift_0", "eoshift_1"]
    dst: str
    src: str
    dim: Integer
    distance: Integer


class Pshift(PshiftRequired, total=False):
    """An entry of the list of a step pshift."""

    boundary: Value


class Kinds(Steps):
    """Arrays and every kind of step. docs/steps.md has an example of each."""

    def array(self: K, name: str, shape: Sequence[Any] | None = None,
              type: Literal["real32", "real64", "complex64", "complex128", "int32", "logical"] | None = None, *,
              axes: Sequence[Any] | None = None, weights: Sequence[Any] | None = None, like: str | None = None,
              init: Any | None = None, encoding: Literal["gray", "binary", "mixed"] | None = None,
              processor_dimensions: Any | None = None, mesh: Mapping[str, Any] | None = None) -> K:
        """Adds an array of a shape, whose first index varies fastest, or an array like another one.

        shape: the length of each axis, the first index varying fastest (list of lengths).
        type: of an element. Default: real32.
        axes: the order of each axis on the nodes (list of news, send, serial). Default: all news.
        weights: an axis with a larger weight is kept longer within a node (list of integers). Default: all 1.
        like: another array whose shape, type and layout it takes (name of an array).
        init: the first values (one of {"index": true}, {"constant": x}, {"random": seed}, {"npy": "FILE"}). Default:
            zeros.
        encoding: the code of the axes' addresses. Default: the canonical layout.
        processor_dimensions: which bits of an element's number are bits of the node (high, canonical or a list of
            dimensions). Default: high with an encoding, else the canonical layout.
        mesh: maps the array to a mesh of nodes, for fft and broadcast (object).
        """
        return self._array(name, {"shape": shape, "type": type, "axes": axes, "weights": weights, "like": like,
                                  "init": init, "encoding": encoding, "processor_dimensions": processor_dimensions,
                                  "mesh": mesh})

    def pshift(self: K, entries: Sequence[Pshift], *, setup: Literal["auto", "unrolled", "looped"] | None = None) -> K:
        """Several shifts at once, by a compiled IMP.

        entries: a list of dicts with these keys:
            type: circular, or end-off with the boundary in its name.
            dst: the array that gets the result.
            src: the array to shift; may be dst.
            dim: the dimension to shift along (integer from 1 to the array's rank).
            distance: dst(i) = src(i + distance) (integer of either sign).
            boundary: what comes in at the end (number, scalar or array). Default: an error for eoshift_scalar and
            eoshift_array; others take none.
        setup: the form of the IMP's loops; auto: unrolled if it fits the SRAM, else looped. Default: auto.
        """
        return self.step("pshift", list(entries), setup=setup)

    def cshift(self: K, *, dst: str, src: str, dim: Integer, distance: Integer,
               path: Literal["exchange", "router"] | None = None) -> K:
        """A circular shift by the run-time library.

        dst: the array that gets the result.
        src: the array to shift; may be dst.
        dim: the dimension to shift along (integer from 1 to the array's rank).
        distance: dst(i) = src(i + distance) (integer of either sign).
        path: by exchanges, or through the router. Default: exchange.
        """
        return self.step("cshift", dst=dst, src=src, dim=dim, distance=distance, path=path)

    def eoshift(self: K, *, dst: str, src: str, dim: Integer, distance: Integer,
                path: Literal["exchange", "router"] | None = None, boundary: Value | None = None) -> K:
        """An end-off shift by the run-time library.

        dst: the array that gets the result.
        src: the array to shift; may be dst.
        dim: the dimension to shift along (integer from 1 to the array's rank).
        distance: dst(i) = src(i + distance) (integer of either sign).
        path: by exchanges, or through the router. Default: exchange.
        boundary: what comes in at the end: an array has the shape of src without dim (number, scalar or array).
            Default: 0.
        """
        return self.step("eoshift", dst=dst, src=src, dim=dim, distance=distance, path=path, boundary=boundary)

    def combine(self: K, *, dst: str, terms: Sequence[Any]) -> K:
        """A sum of arrays, each times a coefficient.

        dst: the array that gets the sum.
        terms: added in this order; a coefficient is a number, a scalar or an array (list of [coefficient, array]).
        """
        return self.step("combine", dst=dst, terms=terms)

    def compute(self: K, *, dst: str, value: Any, where: Any | None = None) -> K:
        """An expression of arrays, element by element.

        dst: the array that gets the value.
        value: of arrays of dst's shape, scalars, numbers, `index(1)`, operators and functions as in Fortran
            (expression).
        where: the elements that get it (logical expression). Default: all elements.
        """
        return self.step("compute", dst=dst, value=value, where=where)

    def stencil(self: K, *, dst: str, terms: Sequence[Any], boundaries: Sequence[Any] | None = None,
                by: Literal["code", "pshift", "cshift"] | None = None) -> K:
        """A sum of neighbouring elements, each times a coefficient.

        dst: the array that gets the sum.
        terms: coefficient times array(index + offsets); a coefficient is a number, a scalar or an array, offsets are a
            list of an integer for each dimension; added by ascending offset, the last dimension first (list of
            [coefficient, array, offsets]).
        boundaries: what is beyond the ends; types and boundaries are those of pshift (list of {"type", "boundary"}, one
            for each dimension). Default: circular.
        by: code: compiled, without moves within a node, or else by PSHIFT; pshift, cshift: by shifted copies. Default:
            code.
        """
        return self.step("stencil", dst=dst, terms=terms, boundaries=boundaries, by=by)

    def copy(self: K, *, dst: str, src: str) -> K:
        """An array into another one.

        dst: the array to write.
        src: the array to read.
        """
        return self.step("copy", dst=dst, src=src)

    def fill(self: K, *, array: str, value: Value, section: Sequence[Any] | None = None) -> K:
        """Sets an array, or a section of it, to a value.

        array: the array to write.
        value: what its elements get (number, [re, im] or name of a scalar).
        section: the elements to write, counted from 1, both ends included (list of [first, last] or [first, last,
            stride], one for each dimension). Default: the whole array.
        """
        return self.step("fill", array=array, value=value, section=section)

    def imp(self: K, *, file: str, arguments: Mapping[str, Any] | None = None) -> K:
        """A hand-written IMP.

        file: of the IMP, assembly text or an SRAM image.
        arguments: what each argument of the IMP is; all of them (object: name to array, scalar, number, or {"int32":
            5}).
        """
        return self.step("imp", file=file, arguments=arguments)

    def shift(self: K, *, by: Integer, topology: Literal["ring", "mesh", "hypercube", "linear"] | None = None,
              words: Integer | None = None, nodes: Integer | None = None, shape: Sequence[Any] | None = None,
              method: Literal["phases", "signed", "e-cube", "forward", "shorter"] | None = None,
              labels: Literal["binary", "gray"] | None = None, ts: Number | None = None, tw: Number | None = None,
              th: Number | None = None) -> K:
        """A circular shift of messages over a ring, mesh or hypercube.

        by: label i sends to (i + by) mod nodes (integer from 1 to 65535).
        topology: what the messages travel over. Default: hypercube.
        words: 32-bit words of a message (integer from 1 to 65536). Default: 1.
        nodes: labels; a ring or mesh may have fewer nodes than the cube that it is mapped to (integer from 2 to 65536).
            Default: the whole machine.
        shape: of a mesh ([rows, columns]). Default: square.
        method: on the hypercube: phases forward only, signed phases, or e-cube through the router; on a mesh: forward
            only, or in the shorter direction. Default: phases on the hypercube, shorter on a mesh.
        labels: of e-cube: which node has label i. Default: binary for e-cube, gray for the others.
        ts: time of a message's start-up, in any unit of time (number). Default: 0.
        tw: time of a word, in any unit of time (number). Default: 0.
        th: time of a hop, in any unit of time (number). Default: 0.
        """
        return self.step("shift", by=by, topology=topology, words=words, nodes=nodes, shape=shape, method=method,
                         labels=labels, ts=ts, tw=tw, th=th)

    def route(self: K, *,
              pattern: Literal["shift", "bit-reversal", "transpose", "complement", "shuffle", "tornado", "butterfly", "neighbour", "random", "hot-spot", "all-to-all", "list", "flows"],
              words: Integer | None = None, routing: Literal["e-cube", "valiant", "adaptive"] | None = None,
              order: Literal["ascending", "descending"] | None = None,
              switching: Literal["store-and-forward", "cut-through", "wormhole"] | None = None,
              channels: Integer | None = None, buffer: Integer | None = None, seed: Integer | None = None,
              by: Integer | None = None, hot: Integer | None = None, hot_nodes: Sequence[Any] | None = None,
              hot_share: Number | None = None, list: str | None = None, sizes: Sequence[Any] | None = None,
              burst: Sequence[Any] | None = None, rate: Number | None = None, rates: Sequence[Any] | None = None,
              past_saturation: bool | None = None, find_saturation: Number | None = None, warmup: Integer | None = None,
              measure: Integer | None = None, until: Number | None = None, seeds: Integer | None = None,
              limit: Integer | None = None, without: Sequence[Any] | None = None, fail_random: Integer | None = None,
              array: str | None = None, dst: str | None = None, ts: Number | None = None, tw: Number | None = None,
              th: Number | None = None) -> K:
        """Packets through the router, by a pattern of traffic.

        pattern: who sends to whom.
        words: 32-bit words of a packet (integer from 1 to 65536). Default: 1; with an array, its block.
        routing: how a packet chooses its dimensions. Default: e-cube.
        order: of e-cube: from the lowest dimension up, or from the highest down. Default: ascending.
        switching: when a packet goes on from a node. Default: cut-through.
        channels: of each dimension (integer from 1 to 2). Default: the machine's.
        buffer: words of the buffer at the far end of each channel (integer from 1 to 1048576). Default: the machine's,
            or one packet where it must be larger.
        seed: of random destinations, Valiant's nodes and times (integer from 0). Default: 0.
        by: of the pattern shift: node i sends to (i + by) mod nodes (integer from 1 to 65535). Default: none; the
            pattern shift needs it.
        hot: of the pattern hot-spot: the node that all send to (integer from 0 to 65535). Default: 0.
        hot_nodes: of the pattern hot-spot: several such nodes, with equal shares (list of nodes). Default: the node of
            hot.
        hot_share: of the pattern hot-spot: share of packets that is drawn to go to hot nodes (number above 0, at most
            1). Default: 0.25.
        list: of the pattern list: a CSV file of source,destination[,time[,words]]; of flows: of
            source,destination,rate[,words]. Default: none; the patterns list and flows need it.
        sizes: sizes of messages, which are sent as packets, and their shares of the messages (list of [words, share]).
            Default: a message is a packet.
        burst: mean word times in which a node, or a flow, creates messages, and of pauses ([on, off]). Default: no
            bursts.
        rate: words that a node offers in a word time (number above 0, at most 1). Default: one batch: each node sends
            its packet at once.
        rates: several rates, one after the other (list of rates, ascending).
        past_saturation: also run the rates above the first saturated one. Default: false.
        find_saturation: finds the rate at which the network saturates, up to this share of the rate (number above 0, at
            most 0.5). Default: the rates are given.
        warmup: word times before latencies are measured (integer from 0 to 1000000000). Default: with a rate 1000,
            doubled up to measure while MSER asks for more.
        measure: word times whose packets are measured (integer from 1 to 1000000000). Default: 4000 with a rate.
        until: measures longer until half the 95 % interval is at most this share of the mean latency (number above 0,
            at most 1). Default: the measured time is as given.
        seeds: runs of each rate with seeds that follow each other, for means over runs (integer from 1 to 10000).
            Default: 1.
        limit: word times after which the run is stopped (integer from 1 to 1000000000000). Default: with a rate ten
            times warmup and measure, otherwise none.
        without: what has failed: nodes with all their wires, wires out of a node, or channels (list of [node], [node,
            dimension], [node, dimension, channel]). Default: nothing has failed.
        fail_random: wires that fail, drawn by the seed (integer from 0 to 4294967295). Default: none.
        array: sends each node's block of the array, in one batch.
        dst: where the blocks arrive; goes with array.
        ts: time of a message's start-up, in any unit of time (number). Default: 0.
        tw: time of a word, in any unit of time (number). Default: 0.
        th: time of a hop, in any unit of time (number). Default: 0.
        """
        return self.step("route", pattern=pattern, words=words, routing=routing, order=order, switching=switching,
                         channels=channels, buffer=buffer, seed=seed, by=by, hot=hot, hot_nodes=hot_nodes,
                         hot_share=hot_share, list=list, sizes=sizes, burst=burst, rate=rate, rates=rates,
                         past_saturation=past_saturation, find_saturation=find_saturation, warmup=warmup,
                         measure=measure, until=until, seeds=seeds, limit=limit, without=without,
                         fail_random=fail_random, array=array, dst=dst, ts=ts, tw=tw, th=th)

    def reshape(self: K, *, array: str, shape: Sequence[Any],
                algorithm: Literal["auto", "rotate", "two-path", "pipeline", "gray-binary", "open-shop", "detour", "single-path"] | None = None,
                consistent: bool | None = None, order: Sequence[Any] | None = None,
                encoding: Literal["gray", "binary", "mixed"] | None = None, start: Integer | None = None) -> K:
        """Another shape for an array, on the cube.

        array: the array to reshape; its elements keep their numbers.
        shape: the new shape; all lengths, old and new, are powers of two (list of lengths).
        algorithm: how the exchanges are ordered; auto takes the one with the fewest steps. Default: auto.
        consistent: lay out the new shape by the array's rule; if not, the dimensions stay where they are. Default:
            true.
        order: the dimensions to exchange, in this order (list of dimensions). Default: the algorithm's own.
        encoding: the code of the axes' addresses afterwards. Default: as before.
        start: of gray-binary: the dimension in which all elements begin (integer from 0 to 61). Default: a data set
            begins in each dimension.
        """
        return self.step("reshape", array=array, shape=shape, algorithm=algorithm, consistent=consistent, order=order,
                         encoding=encoding, start=start)

    def fft(self: K, *, array: str, dims: Sequence[Any] | None = None, order: Literal["post", "pre"] | None = None,
            wires: Literal["cube", "mesh"] | None = None, transform: Literal["forward", "inverse"] | None = None,
            input: Literal["natural", "bit-reversed"] | None = None,
            output: Literal["natural", "bit-reversed"] | None = None,
            decimation: Literal["auto", "time", "frequency"] | None = None, stepwise: bool | None = None) -> K:
        """A fast Fourier transform along dimensions, or its communication alone.

        array: the array, on a mesh or in its canonical layout.
        dims: the dimensions to work along, from 1 (list of dimensions). Default: all.
        order: postmorphism (from bit 0 up) or premorphism. Default: post.
        wires: all of the cube, or those between neighbours on the mesh alone: a distance of d takes d hops. Default:
            cube.
        transform: transforms a complex array; inverse divides by the number of points. Default: the communication
            alone, each element exchanged with its partners.
        input: of a transform: the order of the elements before. Default: natural.
        output: of a transform: the order of the elements after. Default: natural.
        decimation: of a transform: in time or in frequency. Default: auto.
        stepwise: of a transform: one step after the other, instead of a pipeline of all steps. Default: false.
        """
        return self.step("fft", array=array, dims=dims, order=order, wires=wires, transform=transform, input=input,
                         output=output, decimation=decimation, stepwise=stepwise)

    def broadcast(self: K, *, array: str, dims: Sequence[Any] | None = None,
                  order: Literal["post", "pre"] | None = None, wires: Literal["cube", "mesh"] | None = None,
                  from_: Sequence[Any] | None = None) -> K:
        """One element of an array to all places along dimensions.

        array: the array, on a mesh or in its canonical layout.
        dims: the dimensions to work along, from 1 (list of dimensions). Default: all.
        order: postmorphism (from bit 0 up) or premorphism. Default: post.
        wires: all of the cube, or those between neighbours on the mesh alone: a distance of d takes d hops. Default:
            cube.
        from_: where the value is, from 1 in each dimension (list of indices). Default: the first element.
        """
        return self.step("broadcast", array=array, dims=dims, order=order, wires=wires, from_=from_)

    def reduce(self: K, *, op: Literal["sum", "product", "min", "max", "and", "or", "xor", "count", "minloc", "maxloc"],
               src: str, dim: Integer | None = None, dst: str | None = None, scalar: str | None = None,
               to: Integer | None = None, mask: str | None = None) -> K:
        """The elements of an array, or along a dimension, to one value.

        op: the operation.
        src: the array to reduce.
        dim: the dimension to reduce along (integer from 1 to the array's rank). Default: the whole array, to one value.
        dst: the array that gets the result, of the shape of src; of a whole array, one element. Default: the value is
            reported; with dim it must be there.
        scalar: the scalar that gets the value of a whole array, for later steps: combine, fill and stencil take it
            (name of a scalar). Default: the value is reported alone.
        to: the index along dim that gets the results (integer from 1 to the dimension's length). Default: every index
            gets the result of its column.
        mask: a logical array of the shape of src; elements where it is false are left out. Default: all elements.
        """
        return self.step("reduce", op=op, src=src, dim=dim, dst=dst, scalar=scalar, to=to, mask=mask)

    def scan(self: K, *, op: Literal["sum", "product", "min", "max", "and", "or", "xor", "count", "minloc", "maxloc"],
             dst: str, src: str, dim: Integer, exclusive: bool | None = None,
             direction: Literal["upward", "downward"] | None = None, segments: str | None = None,
             mask: str | None = None) -> K:
        """Along a dimension, each element gets the combination of those before it.

        op: the operation; not minloc or maxloc.
        dst: the array that gets the result, of the shape of src.
        src: the array to scan; may be dst.
        dim: the dimension to scan along (integer from 1 to the array's rank).
        exclusive: each element gets the combination of those before it, without itself. Default: false.
        direction: from the first index to the last, or from the last to the first. Default: upward.
        segments: a logical array of the shape of src; the scan begins again where it is true. Default: each column is
            one segment.
        mask: a logical array of the shape of src; elements where it is false are left out. Default: all elements.
        """
        return self.step("scan", op=op, dst=dst, src=src, dim=dim, exclusive=exclusive, direction=direction,
                         segments=segments, mask=mask)

    def spread(self: K, *, dst: str, src: str, dim: Integer, from_: Integer | None = None) -> K:
        """The elements at one index of a dimension to all indices.

        dst: the array that gets the result.
        src: the array to read; may be dst.
        dim: the dimension to spread along (integer from 1 to the array's rank).
        from_: the index along dim whose elements are spread (integer from 1 to the dimension's length). Default: 1.
        """
        return self.step("spread", dst=dst, src=src, dim=dim, from_=from_)

    def alltoall(self: K, *, dst: str, src: str,
                 kind: Literal["broadcast", "personalised", "one-to-all", "one-to-each"] | None = None,
                 dim: Integer | None = None, root: Integer | None = None,
                 algorithm: Literal["gray", "rotated", "butterfly", "hamiltonian", "router"] | None = None,
                 order: Literal["source", "arrival", "departure"] | None = None) -> K:
        """Every node sends its block to all, or a block to each.

        dst: the array that gets the result: n blocks in every node; of the one-to kinds, one block.
        src: the array to read, without padding: what a node has of it is its block, or in the kinds personalised and
            one-to-each a block for each node.
        kind: broadcast: every node gets the blocks of all; personalised: every node has a block for each, and gets one
            from each; one-to-all: every node gets the block of the root; one-to-each: the root has a block for each.
            Default: broadcast.
        dim: only the nodes along this dimension of src send to each other (integer from 1 to the array's rank).
            Default: all nodes.
        root: the address of the node that sends, in the kinds one-to-all and one-to-each (integer from 0 to 65535).
            Default: 0.
        algorithm: gray: broadcast by d rotations of the Gray code; rotated: dimension exchange in d rotated parts, or d
            trees for the one-to kinds; butterfly: dimension exchange, one dimension at a time; hamiltonian: broadcast
            around Hamiltonian cycles; router: through the router. Default: rotated.
        order: source: block b is that of the node with address b; arrival: blocks are not reordered in the nodes;
            departure: around Hamiltonian cycles the words of a block are not, either. Default: source.
        """
        return self.step("alltoall", dst=dst, src=src, kind=kind, dim=dim, root=root, algorithm=algorithm, order=order)

    def transpose(self: K, *, dst: str, src: str, dims: Sequence[Any] | None = None,
                  algorithm: Literal["auto", "exchange", "router"] | None = None) -> K:
        """An array with two of its dimensions exchanged.

        dst: the array to write: src's type, and its shape with the two lengths exchanged.
        src: the array to read; may be dst where that has the same shape and layout.
        dims: the dimensions that change places (list of two dimensions). Default: [1, 2].
        algorithm: exchanges between neighbours, or every element a packet of the router; auto takes exchanges where
            they can do it. Default: auto.
        """
        return self.step("transpose", dst=dst, src=src, dims=dims, algorithm=algorithm)

    def sort(self: K, *, src: str, dst: str | None = None, dim: Integer | None = None,
             order: Literal["ascending", "descending"] | None = None,
             method: Literal["bitonic", "sample", "auto"] | None = None, rank: str | None = None,
             carry: Sequence[Any] | None = None) -> K:
        """Each column of keys in order, other arrays permuted alike.

        src: the keys: real, int32 or logical.
        dst: the array that gets the sorted keys; may be src. Default: they are not stored.
        dim: the dimension to sort along (integer from 1 to the array's rank). Default: 1.
        order: of the keys; NaNs come last in both. Default: ascending.
        method: bitonic: compare and exchange; sample: ranges by samples, through the router, not without data; auto:
            the one estimated to be faster. The result is the same. Default: bitonic.
        rank: an int32 array of the shape of src that gets, for each place, the index along dim at which its key was.
            Default: ranks are not stored.
        carry: the first array of a pair gets the second one, permuted as the keys are; both may be the same (list of
            [array, array]). Default: nothing is carried.
        """
        return self.step("sort", src=src, dst=dst, dim=dim, order=order, method=method, rank=rank, carry=carry)

    def matmul(self: K, *, dst: str, a: str, b: str,
               algorithm: Literal["auto", "cannon", "broadcast", "alltoall"] | None = None) -> K:
        """The product of two matrices.

        dst: the array that gets the product, m x n.
        a: the first factor, m x k.
        b: the second factor, k x n; may be the first.
        algorithm: cannon moves blocks along rows and columns of nodes, broadcast sends panels to all nodes of a row or
            column, alltoall whole rows and columns at once, if they fit; auto takes the one with the fewest exchanges.
            Default: auto.
        """
        return self.step("matmul", dst=dst, a=a, b=b, algorithm=algorithm)

    def qcd(self: K, *, kernel: Literal["staggered", "wilson"], dst: str, src: str, ux: str, uy: str, uz: str, ut: str,
            by: Literal["halo", "pshift", "cshift"] | None = None) -> K:
        """The sum over the links of each site of a four-dimensional lattice.

        kernel: staggered: a real colour vector a site; wilson: four spins of a complex one.
        dst: the field that gets the result; may be src.
        src: the field: real [3, 2, nx, ny, nz, nt], or complex [3, 4, nx, ny, nz, nt].
        ux: the links along x: real [3, 3, 2, nx, ny, nz, nt], or complex [3, 3, nx, ny, nz, nt].
        uy: the links along y.
        uz: the links along z.
        ut: the links along t.
        by: how vectors come to their neighbours: halo, only between nodes; pshift, eight shifts in one PSHIFT; cshift,
            eight CSHIFTs. Default: halo.
        """
        return self.step("qcd", kernel=kernel, dst=dst, src=src, ux=ux, uy=uy, uz=uz, ut=ut, by=by)

    def gather(self: K, *, dst: str, src: str, index: Union[str, Sequence[str]], mask: str | None = None,
               first: Integer | None = None) -> K:
        """The elements of an array from where subscripts say.

        dst: the array to write; not src.
        src: the array to read, of dst's type.
        index: the subscripts: an int32 array of dst's shape and layout for each dimension of src (name of an array, or
            list of such names).
        mask: a logical array of dst's shape and layout: the elements that take part. Default: all take part.
        first: the index of the first element along a dimension (integer from 0 to 1). Default: 1.
        """
        return self.step("gather", dst=dst, src=src, index=index, mask=mask, first=first)

    def scatter(self: K, *, dst: str, src: str, index: Union[str, Sequence[str]], mask: str | None = None,
                first: Integer | None = None,
                op: Literal["overwrite", "add", "min", "max", "and", "or", "xor"] | None = None) -> K:
        """The elements of an array to where subscripts say.

        dst: the array to write; not src.
        src: the array to read, of dst's type.
        index: the subscripts: an int32 array of src's shape and layout for each dimension of dst (name of an array, or
            list of such names).
        mask: a logical array of src's shape and layout: the elements that take part. Default: all take part.
        first: the index of the first element along a dimension (integer from 0 to 1). Default: 1.
        op: what is done with the element that is there, in the order of src's elements. Default: overwrite.
        """
        return self.step("scatter", dst=dst, src=src, index=index, mask=mask, first=first, op=op)

    def lookup(self: K, *, dst: str, src: str, index: str, dim: Integer | None = None, mask: str | None = None,
               first: Integer | None = None) -> K:
        """Elements of a table along a serial axis, at indices that differ between nodes.

        dst: the array to write, not one of the others.
        src: the array to read, of dst's type; one of the two is the table, with one dimension more.
        index: the indices along the table's dimension dim: an int32 array of the other array's shape and layout.
        dim: the table's dimension, along a serial axis (integer from 1 to 7). Default: 1.
        mask: a logical array of the index's shape and layout: the elements that take part. Default: all take part.
        first: the index of the first element along dim (integer from 0 to 1). Default: 1.
        """
        return self.step("lookup", dst=dst, src=src, index=index, dim=dim, mask=mask, first=first)

    def program(self: K, *, file: str, cshift_order: Literal["suffix", "cm", "f90"] | None = None,
                level: Integer | None = None, max_cycles: Integer | None = None, line_length: Integer | None = None,
                parameters: Mapping[str, Any] | None = None, load: Mapping[str, Any] | None = None,
                save: Mapping[str, Any] | None = None) -> K:
        """A CM Fortran program.

        file: of the program.
        cshift_order: what CSHIFT(A, 1, -1) means: cm, (array, dim, shift); f90, (array, shift, dim); suffix, f90 in
            .f90, .f95, .f03 and .f08, and cm elsewhere. Default: suffix.
        level: of optimization: 0, each shift by itself; 1, shifts of neighbouring statements in one PSHIFT, the
            statements in one IMP; 2, what is shifted is read in place (integer from 0 to 2). Default: 0.
        max_cycles: the program is stopped when it takes more (integer from 1 to 4611686018427387904). Default: it may
            take any number.
        line_length: last column of statements in fixed form (integer from 72 to 10000). Default: 72.
        parameters: values for PARAMETERs of the main program (object: name to number, true or false). Default: those in
            the program.
        load: what arrays of the main program hold when it begins (object: name to .npy file). Default: zeros.
        save: arrays of the main program to save after the run (object: name to .npy file). Default: no array.
        """
        return self.step("program", file=file, cshift_order=cshift_order, level=level, max_cycles=max_cycles,
                         line_length=line_length, parameters=parameters, load=load, save=save)

    def call(self: K, *, file: str, subroutine: str, cshift_order: Literal["suffix", "cm", "f90"] | None = None,
             level: Integer | None = None, max_cycles: Integer | None = None, line_length: Integer | None = None,
             arguments: Sequence[Any] | None = None) -> K:
        """A subroutine in CM Fortran, on arrays of the workload.

        file: of the program.
        cshift_order: what CSHIFT(A, 1, -1) means: cm, (array, dim, shift); f90, (array, shift, dim); suffix, f90 in
            .f90, .f95, .f03 and .f08, and cm elsewhere. Default: suffix.
        level: of optimization: 0, each shift by itself; 1, shifts of neighbouring statements in one PSHIFT, the
            statements in one IMP; 2, what is shifted is read in place (integer from 0 to 2). Default: 0.
        max_cycles: the program is stopped when it takes more (integer from 1 to 4611686018427387904). Default: it may
            take any number.
        line_length: last column of statements in fixed form (integer from 72 to 10000). Default: 72.
        subroutine: what is called (name of a subroutine).
        arguments: its arguments, in order; what it does to arrays is done to those of the workload, scalars stay as
            they are (list of arrays, scalars, numbers, true and false). Default: no arguments.
        """
        return self.step("call", file=file, cshift_order=cshift_order, level=level, max_cycles=max_cycles,
                         line_length=line_length, subroutine=subroutine, arguments=arguments)
